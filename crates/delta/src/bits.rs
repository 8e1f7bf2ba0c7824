//! Reads and writes bits, the most significant first in each byte, and byte-aligned little-endian
//! integers and varuints.

use alloc::vec::Vec;

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
    /// The position in bits.
    at: usize,
    strict: bool,
}

impl<'a> BitReader<'a> {
    /// Creates a reader that checks that padding is zero and that varuints are minimal.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            strict: true,
        }
    }

    /// Creates a reader that ignores padding and accepts varuints longer than needed, like the
    /// origin implementation.
    #[must_use]
    pub const fn lenient(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            strict: false,
        }
    }

    /// Returns the position in bits.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of bits left.
    #[must_use]
    pub const fn left(&self) -> usize {
        (self.bytes.len() * 8).saturating_sub(self.at)
    }

    /// Returns the next 57 or more bits, the first one highest, if eight bytes can be loaded at
    /// once.
    #[inline(always)]
    fn word(&self) -> Option<u64> {
        let rest = self.bytes.get(self.at / 8..)?;
        let word = rest.first_chunk::<8>()?;
        Some(u64::from_be_bytes(*word) << (self.at % 8))
    }

    /// Reads the next `bits` bits (at most 64) as a number, the first one highest.
    #[inline(always)]
    pub fn read(&mut self, bits: u32) -> Result<u64, BitError> {
        if bits <= 57
            && let Some(word) = self.word()
        {
            self.at += bits as usize;
            return Ok((word >> 1) >> (63 - bits));
        }
        // This function does not take `&mut self`, so that the position can stay in a register.
        let value = read_slowly(self.bytes, self.at, bits)?;
        self.at += bits as usize;
        Ok(value)
    }

    /// Skips to the next byte.
    #[inline]
    pub fn align(&mut self) -> Result<(), BitError> {
        let padding = self.at.wrapping_neg() % 8;
        if padding > 0 {
            let bits = self.read(padding as u32)?;
            if bits != 0 && self.strict {
                self.at -= padding;
                return Err(BitError::Padding { bits: bits as u8 });
            }
        }
        Ok(())
    }

    /// Aligns, then reads a little-endian u32.
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, BitError> {
        let padding = self.at.wrapping_neg() % 8;
        // Padding and number are at most 39 bits.
        if let Some(word) = self.word()
            && (!self.strict || (word >> 1) >> (63 - padding) == 0)
        {
            self.at += padding + 32;
            return Ok(((word << padding >> 32) as u32).swap_bytes());
        }
        self.align()?;
        Ok((self.read(32)? as u32).swap_bytes())
    }

    /// Aligns, then reads a varuint: LEB128 of at most 32 bits. If the varuint is too long or not
    /// minimal, the position stays at its start.
    #[inline]
    pub fn varuint(&mut self) -> Result<u32, BitError> {
        self.align()?;
        let start = self.at;
        let result = self.varuint_aligned();
        if let Err(BitError::VaruintTooLong | BitError::VaruintNotMinimal) = result {
            self.at = start;
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

/// Reads bits byte by byte, at the end of the slice or for more than 57 bits.
#[cold]
#[inline(never)]
fn read_slowly(bytes: &[u8], at: usize, bits: u32) -> Result<u64, BitError> {
    let left = (bytes.len() * 8).saturating_sub(at);
    if bits as usize > left {
        return Err(BitError::Truncated { wanted: bits, left });
    }
    if bits == 0 {
        return Ok(0);
    }
    // 64 bits at any position span at most nine bytes.
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let mut words = [0; 16];
    for (to, from) in words.iter_mut().zip(rest).take(9) {
        *to = *from;
    }
    let word = u128::from_be_bytes(words) << (at % 8);
    Ok((word >> (128 - bits.min(64))) as u64)
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
    bytes: Vec<u8>,
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
            pending: 0,
            used: 0,
        }
    }

    /// Clears the content and keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.used = 0;
    }

    /// Groups several writes, so that the pending bits stay in registers.
    #[inline(always)]
    pub(crate) fn burst<T>(&mut self, write: impl FnOnce(&mut Burst<'_>) -> T) -> T {
        let mut burst = Burst {
            bytes: &mut self.bytes,
            pending: self.pending,
            used: self.used,
        };
        let result = write(&mut burst);
        (self.pending, self.used) = (burst.pending, burst.used);
        result
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

    /// Aligns, and returns everything written so far.
    pub fn aligned(&mut self) -> &[u8] {
        self.align();
        let pending = self.pending.unbounded_shl(64 - self.used).to_be_bytes();
        let whole = pending.get(..self.used as usize / 8).unwrap_or_default();
        self.bytes.extend_from_slice(whole);
        self.used = 0;
        &self.bytes
    }

    /// Aligns, and returns all bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.aligned();
        self.bytes
    }
}

/// See [`BitWriter::burst`].
pub(crate) struct Burst<'a> {
    bytes: &'a mut Vec<u8>,
    pending: u64,
    used: u32,
}

impl Burst<'_> {
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
        let word = self.pending.unbounded_shl(bits - rest) | value >> rest;
        self.bytes.extend_from_slice(&word.to_be_bytes());
        // The bits of `value` above the last `rest` are already written, and will be shifted out.
        self.pending = value;
        self.used = rest;
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

    #[test]
    fn padding_is_checked_where_it_is_asked_for() {
        let mut reader = BitReader::new(&[0b1000_0001, 7]);
        reader.read(1).unwrap();
        assert_eq!(reader.align(), Err(BitError::Padding { bits: 1 }));
        let mut reader = BitReader::lenient(&[0b1000_0001, 7]);
        reader.read(1).unwrap();
        reader.align().unwrap();
        assert_eq!(reader.read(8), Ok(7));
    }

    proptest! {
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
