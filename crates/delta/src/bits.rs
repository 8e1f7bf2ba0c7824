//! Reads and writes bits, the most significant first in each byte, and byte-aligned little-endian
//! integers and varuints.

use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Left;

/// Why bits could not be read. Positions are in bits from the start of the slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BitError {
    /// The slice is too short.
    #[error("{wanted} bits are wanted, {}", Left(*.left as u64))]
    Truncated {
        /// The number of requested bits.
        wanted: u32,
        /// The number of bits left.
        left: usize,
    },
    /// The fifth byte of a varuint is not the last, or it has bits above the 32nd.
    #[error("a varuint exceeds 5 bytes or 32 bits")]
    VaruintTooLong,
    /// A varuint has more bytes than its value needs.
    #[error("a varuint is longer than its value needs")]
    VaruintNotMinimal,
    /// The bits between the last value and the next byte are not zero.
    #[error("padding bits are {bits:#b}, not zero")]
    Padding {
        /// The bits, as a number.
        bits: u8,
    },
}

/// Reads bits from a slice.
///
/// ```
/// use gametape_delta::bits::{BitReader, BitWriter};
///
/// let mut writer = BitWriter::new();
/// writer.write(0b101, 3);
/// writer.varuint(300);
/// let bytes = writer.finish();
/// assert_eq!(bytes, [0b1010_0000, 0xac, 0x02]);
///
/// let mut reader = BitReader::new(&bytes);
/// assert_eq!(reader.read(3)?, 0b101);
/// assert_eq!(reader.varuint()?, 300);
/// # Ok::<(), gametape_delta::bits::BitError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bits, the first one highest, so that not every read loads from memory. There are
    /// `have` of them (less than 64), and those after them are meaningless.
    word: u64,
    have: usize,
    /// The position in bits after those of `word`, at the start of a byte.
    end: usize,
    strict: bool,
}

impl<'a> BitReader<'a> {
    /// Creates a reader that checks that padding is zero and that varuints are minimal.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            word: 0,
            have: 0,
            end: 0,
            strict: true,
        }
    }

    /// Creates a reader that ignores padding and accepts varuints longer than needed, like the
    /// origin implementation.
    #[must_use]
    pub const fn lenient(bytes: &'a [u8]) -> Self {
        Self {
            strict: false,
            ..Self::new(bytes)
        }
    }

    /// Returns the position in bits.
    #[must_use]
    #[inline(always)]
    pub const fn position(&self) -> usize {
        self.end - self.have
    }

    /// Returns the number of bits left.
    #[must_use]
    pub const fn left(&self) -> usize {
        (self.bytes.len() * 8).saturating_sub(self.position())
    }

    /// Loads as many whole bytes as fit.
    #[inline(always)]
    fn refill(&mut self) {
        let at = self.position();
        let rest = self.bytes.get(at / 8..).unwrap_or_default();
        if let Some(word) = rest.first_chunk::<8>() {
            self.word = u64::from_be_bytes(*word) << (at % 8);
            // Seven bytes after the current one, or seven from it if it is whole.
            self.have = 56 + at.wrapping_neg() % 8;
        } else {
            (self.word, self.have) = last_word(rest, at % 8);
        }
        self.end = at + self.have;
    }

    /// Takes bits that `word` has.
    #[inline(always)]
    const fn take(&mut self, bits: u32) -> u64 {
        let value = (self.word >> 1) >> (63 - bits);
        self.word <<= bits;
        self.have -= bits as usize;
        value
    }

    /// Reads the next `bits` bits (at most 64) as a number, the first one highest.
    #[inline(always)]
    pub fn read(&mut self, bits: u32) -> Result<u64, BitError> {
        if bits as usize > self.have {
            self.refill();
            if bits as usize > self.have {
                return self.read_slowly(bits);
            }
        }
        Ok(self.take(bits))
    }

    /// Reads bits at the end of the slice, or more than fit a word.
    #[cold]
    #[inline(never)]
    fn read_slowly(&mut self, bits: u32) -> Result<u64, BitError> {
        let (at, left) = (self.position(), self.left());
        if bits as usize > left {
            return Err(BitError::Truncated { wanted: bits, left });
        }
        // 64 bits at any position span at most nine bytes.
        let rest = self.bytes.get(at / 8..).unwrap_or_default();
        let mut words = [0; 16];
        for (to, from) in words.iter_mut().zip(rest).take(9) {
            *to = *from;
        }
        let word = u128::from_be_bytes(words) << (at % 8);
        let end = at + bits as usize;
        // What is left of the last byte stays.
        (self.end, self.have) = (end.next_multiple_of(8), end.wrapping_neg() % 8);
        self.word = (word.unbounded_shl(bits) >> 64) as u64;
        Ok((word >> (128 - bits.min(64))) as u64)
    }

    /// Skips to the next byte.
    #[inline(always)]
    pub fn align(&mut self) -> Result<(), BitError> {
        // `word` ends with a byte.
        let padding = self.have as u32 % 8;
        let bits = (self.word >> 1) >> (63 - padding);
        if bits != 0 && self.strict {
            return Err(BitError::Padding { bits: bits as u8 });
        }
        self.take(padding);
        Ok(())
    }

    /// Aligns, then reads a little-endian u32.
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, BitError> {
        self.align()?;
        Ok((self.read(32)? as u32).swap_bytes())
    }

    /// Aligns, then reads a varuint: LEB128 of at most 32 bits. If the varuint is too long or not
    /// minimal, the position stays at its start.
    #[inline]
    pub fn varuint(&mut self) -> Result<u32, BitError> {
        self.align()?;
        let start = *self;
        let result = self.varuint_aligned();
        if let Err(BitError::VaruintTooLong | BitError::VaruintNotMinimal) = result {
            *self = start;
        }
        result
    }

    #[inline]
    fn varuint_aligned(&mut self) -> Result<u32, BitError> {
        let mut value = 0_u32;
        for byte in 0..5 {
            let bits = self.read(8)? as u32;
            if byte == 4 && bits > 0xf {
                return Err(BitError::VaruintTooLong);
            }
            value |= (bits & 0x7f) << (7 * byte);
            if bits & 0x80 == 0 {
                if bits == 0 && byte > 0 && self.strict {
                    return Err(BitError::VaruintNotMinimal);
                }
                return Ok(value);
            }
        }
        Err(BitError::VaruintTooLong)
    }
}

/// Returns the bits of less than eight bytes without the first `skipped`, and their number.
#[cold]
#[inline(never)]
fn last_word(bytes: &[u8], skipped: usize) -> (u64, usize) {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let have = (bytes.len() * 8).saturating_sub(skipped);
    (u64::from_be_bytes(word) << skipped, have)
}

/// Returns the number of bytes of a varuint.
#[must_use]
pub const fn varuint_len(value: u32) -> usize {
    match value {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

/// Writes bits to its own buffer, which can be reused.
#[derive(Clone, Default, Debug)]
pub struct BitWriter {
    /// The bytes that were written, and space after them: to store words there is faster than a `Vec`
    /// that grows with each of them.
    bytes: Vec<u8>,
    /// The number of bytes that were written.
    len: usize,
    /// The last `used` bits are not in `bytes` yet; the bits above them are meaningless.
    pending: u64,
    /// Less than 64.
    used: u32,
}

impl BitWriter {
    /// Creates an empty writer.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            len: 0,
            pending: 0,
            used: 0,
        }
    }

    /// Clears the content and keeps the buffer.
    pub fn clear(&mut self) {
        self.len = 0;
        self.pending = 0;
        self.used = 0;
    }

    /// Groups several writes, so that the pending bits stay in registers. If there is not enough
    /// space, `write` is called again.
    #[inline(always)]
    pub(crate) fn burst(&mut self, mut write: impl FnMut(&mut BitBurst<'_>)) {
        loop {
            let space = self.bytes.get_mut(self.len..).unwrap_or_default();
            let mut burst = BitBurst::new(space, self.pending, self.used);
            write(&mut burst);
            if !burst.full {
                (self.pending, self.used) = (burst.pending, burst.used);
                let left = burst.left();
                self.len = self.bytes.len() - left;
                return;
            }
            self.grow();
        }
    }

    /// Like [`burst`](Self::burst), from the start of a byte to the end of one. Entities of the
    /// same kind are then cut into words at the same places, which a processor learns to predict.
    ///
    /// `write` returns a mask for the bits after the first 32, which it wrote as zeros, or `None`
    /// if there is nothing to write. Returns whether there was.
    #[inline(always)]
    pub(crate) fn entity(
        &mut self,
        mut write: impl FnMut(&mut BitBurst<'_>) -> Option<u64>,
    ) -> bool {
        if self.used > 0 {
            self.flush();
        }
        loop {
            let Some(space) = self.bytes.get_mut(self.len..) else {
                return false;
            };
            let available = space.len();
            let mut burst = BitBurst::new(space, 0, 0);
            let Some(mask) = write(&mut burst) else {
                return false;
            };
            burst.flush();
            if !burst.full {
                let written = available - burst.left();
                let start = self.len;
                self.len += written;
                // Two words, where there is more than the id and 32 bits.
                if let Some(space) = self.bytes.get_mut(start..) {
                    let (words, _) = space.as_chunks_mut::<8>();
                    if let [first, ..] = words {
                        set(first, mask >> 32);
                    }
                    if mask << 32 != 0
                        && let [_, second, ..] = words
                    {
                        set(second, mask << 32);
                    }
                }
                return true;
            }
            self.grow();
        }
    }

    /// Returns words after what was written, from the start of a byte: space for `bytes` bytes at least.
    #[inline(always)]
    pub(crate) fn space(&mut self, bytes: usize) -> &mut [[u8; 8]] {
        if self.used > 0 {
            self.flush();
        }
        while self.bytes.len() - self.len < bytes {
            self.grow();
        }
        match self.bytes.get_mut(self.len..) {
            Some(space) => space.as_chunks_mut().0,
            None => &mut [],
        }
    }

    /// Says how many bytes of the [`space`](Self::space) were used.
    #[inline(always)]
    pub(crate) const fn advance(&mut self, bytes: usize) {
        self.len += bytes;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.bytes.resize((2 * self.bytes.len()).max(64), 0);
    }

    /// Writes the low `bits` bits (at most 64) of `value`, the highest first.
    #[inline]
    pub fn write(&mut self, value: u64, bits: u32) {
        let value = value & u64::MAX.unbounded_shr(64 - bits);
        self.burst(|burst| burst.write(value, bits));
    }

    /// Fills the current byte with zeros.
    #[inline]
    pub fn align(&mut self) {
        self.write(0, self.used.wrapping_neg() % 8);
    }

    /// Aligns, then writes a little-endian u32.
    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.burst(|burst| burst.u32(value));
    }

    /// Aligns, then writes a varuint.
    #[inline]
    pub fn varuint(&mut self, value: u32) {
        self.burst(|burst| burst.varuint(value));
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is of one lifetime, the closure of all"
    )]
    fn flush(&mut self) {
        self.burst(|burst| burst.flush());
    }

    /// Aligns, and returns everything written so far.
    pub fn aligned(&mut self) -> &[u8] {
        self.flush();
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Aligns, and returns all bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes.truncate(self.len);
        self.bytes
    }
}

/// Sets bits of a word.
#[inline(always)]
const fn set(word: &mut [u8; 8], bits: u64) {
    *word = (u64::from_be_bytes(*word) | bits).to_be_bytes();
}

/// See [`BitWriter::burst`].
pub(crate) struct BitBurst<'a> {
    space: &'a mut [u8],
    /// Whether there was not enough space.
    full: bool,
    /// The bytes of the last word that do not count.
    spare: usize,
    pending: u64,
    used: u32,
}

impl<'a> BitBurst<'a> {
    #[inline(always)]
    fn new(space: &'a mut [u8], pending: u64, used: u32) -> Self {
        Self {
            space,
            full: false,
            spare: 0,
            pending,
            used,
        }
    }

    /// Takes what there is, and leaves a burst without space.
    #[inline(always)]
    pub fn take(&mut self) -> Self {
        mem::replace(self, Self::new(&mut [], 0, 0))
    }

    /// Returns the number of bytes that were not written.
    #[inline(always)]
    fn left(&self) -> usize {
        self.space.len() + self.spare
    }

    /// Writes `value` in `bits` bits (at most 64), which must be enough.
    #[inline(always)]
    pub fn write(&mut self, value: u64, bits: u32) {
        let total = self.used + bits;
        if total < 64 {
            self.pending = self.pending << bits | value;
            self.used = total;
            return;
        }
        let rest = total - 64;
        self.store(self.pending << 1 << (bits - rest - 1) | value >> rest);
        // The bits of `value` above the last `rest` are already written, and will be shifted out.
        self.pending = value;
        self.used = rest;
    }

    #[inline(always)]
    fn store(&mut self, word: u64) {
        if let Some((to, space)) = mem::take(&mut self.space).split_first_chunk_mut() {
            *to = word.to_be_bytes();
            self.space = space;
        } else {
            self.full = true;
        }
    }

    /// Aligns, and stores the pending bits. Nothing can be written after that.
    #[inline(always)]
    fn flush(&mut self) {
        self.store(self.pending << 1 << (63 - self.used));
        self.spare = 8 - self.used.div_ceil(8) as usize;
        self.used = 0;
    }

    #[inline(always)]
    pub fn align(&mut self) {
        self.write(0, self.used.wrapping_neg() % 8);
    }

    #[inline(always)]
    pub fn u32(&mut self, value: u32) {
        self.align();
        self.write(value.swap_bytes().into(), 32);
    }

    #[inline(always)]
    pub fn varuint(&mut self, mut value: u32) {
        self.align();
        let (mut word, mut bits) = (0, 8);
        while value >= 0x80 {
            word = (word | u64::from(value as u8 | 0x80)) << 8;
            bits += 8;
            value >>= 7;
        }
        self.write(word | u64::from(value), bits);
    }
}

/// Appends a varuint.
#[inline]
pub(crate) fn push_varuint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn varuints_end_where_32_bits_end() {
        for (bytes, expected) in [
            (&[0xff, 0xff, 0xff, 0xff, 0x0f][..], Ok(u32::MAX)),
            (
                &[0xff, 0xff, 0xff, 0xff, 0x1f],
                Err(BitError::VaruintTooLong),
            ),
            (
                &[0x80, 0x80, 0x80, 0x80, 0x80, 0],
                Err(BitError::VaruintTooLong),
            ),
            (
                &[0x80, 0x80, 0x80, 0x80, 0],
                Err(BitError::VaruintNotMinimal),
            ),
            (&[0x80, 0], Err(BitError::VaruintNotMinimal)),
            (&[0x80], Err(BitError::Truncated { wanted: 8, left: 0 })),
        ] {
            assert_eq!(BitReader::new(bytes).varuint(), expected, "{bytes:x?}");
        }
        assert_eq!(BitReader::lenient(&[0x80, 0]).varuint(), Ok(0));
    }

    /// Reads the bits one after the other.
    fn naive(bytes: &[u8], at: usize, bits: u32) -> Result<u64, BitError> {
        let left = bytes.len() * 8 - at;
        if bits as usize > left {
            return Err(BitError::Truncated { wanted: bits, left });
        }
        let places = at..at + bits as usize;
        Ok(places.fold(0, |value, place| {
            value << 1 | u64::from(bytes[place / 8] >> (7 - place % 8) & 1)
        }))
    }

    proptest! {
        #[test]
        fn bits_are_those_of_the_bytes_wherever_they_are(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            widths in proptest::collection::vec(0..=66_u32, 0..40),
        ) {
            let mut reader = BitReader::lenient(&bytes);
            let mut at = 0_usize;
            for width in widths {
                if width > 64 {
                    reader.align().unwrap();
                    at = at.next_multiple_of(8);
                } else {
                    let expected = naive(&bytes, at, width);
                    prop_assert_eq!(reader.read(width), expected);
                    at += if expected.is_ok() { width as usize } else { 0 };
                }
                prop_assert_eq!(reader.position(), at);
                prop_assert_eq!(reader.left(), bytes.len() * 8 - at);
                // A strict reader refuses padding that is not zero, and stays.
                let mut strict = BitReader { strict: true, ..reader };
                let padding = at.wrapping_neg() % 8;
                match naive(&bytes, at, padding as u32) {
                    Ok(0) => prop_assert_eq!(strict.align(), Ok(())),
                    Ok(bits) => {
                        prop_assert_eq!(strict.align(), Err(BitError::Padding { bits: bits as u8 }));
                        prop_assert_eq!(strict.position(), at);
                    }
                    Err(_) => unreachable!(),
                }
            }
        }

        #[test]
        fn written_bits_are_read_back(items in proptest::collection::vec((any::<u64>(), 0..=64_u32, 0..4_u8), 0..40)) {
            let mut writer = BitWriter::new();
            for &(value, bits, kind) in &items {
                match kind {
                    0 => writer.varuint(value as u32),
                    1 => writer.u32(value as u32),
                    _ if bits == 0 => writer.write(0, 0),
                    _ => writer.write(value & (u64::MAX >> (64 - bits)), bits),
                }
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for &(value, bits, kind) in &items {
                match kind {
                    0 => prop_assert_eq!(reader.varuint(), Ok(value as u32)),
                    1 => prop_assert_eq!(reader.u32(), Ok(value as u32)),
                    _ if bits == 0 => prop_assert_eq!(reader.read(0), Ok(0)),
                    _ => prop_assert_eq!(reader.read(bits), Ok(value & (u64::MAX >> (64 - bits)))),
                }
            }
            reader.align().unwrap();
            prop_assert_eq!(reader.left(), 0);
        }
    }
}
