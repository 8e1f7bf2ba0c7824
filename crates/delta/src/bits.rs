//! Bits: most significant first in each byte, with byte-aligned little-endian integers and varuints.

use alloc::vec::Vec;
use core::fmt;

/// Why bits could not be read. Positions are in bits from the start of the slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BitError {
    /// The slice ends first.
    Truncated {
        /// Bits asked for.
        wanted: u32,
        /// Bits that are left.
        left: usize,
    },
    /// A varuint whose fifth byte says that there is more, or that has bits above the 32nd.
    VaruintTooLong,
    /// A varuint that ends in zero bits a shorter one would not have.
    VaruintNotMinimal,
    /// Bits between the last value and the next byte are not zero.
    Padding {
        /// The bits, as a number.
        bits: u8,
    },
}

impl fmt::Display for BitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { wanted, left } => {
                write!(f, "{wanted} bits are wanted, {left} are left")
            }
            Self::VaruintTooLong => f.write_str("a varuint exceeds 5 bytes or 32 bits"),
            Self::VaruintNotMinimal => f.write_str("a varuint is longer than its value needs"),
            Self::Padding { bits } => write!(f, "padding bits are {bits:#b}, not zero"),
        }
    }
}

impl core::error::Error for BitError {}

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
    /// Position in bits.
    at: usize,
    strict: bool,
}

impl<'a> BitReader<'a> {
    /// A reader that checks padding and that varuints are minimal.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            strict: true,
        }
    }

    /// A reader that skips padding unseen and takes varuints longer than needed, as the origin
    /// implementation does.
    #[must_use]
    pub const fn lenient(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            strict: false,
        }
    }

    /// Position in bits.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Bits that are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        (self.bytes.len() * 8).saturating_sub(self.at)
    }

    /// The next 64 bits, zeros behind the end.
    #[inline]
    fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let shift = self.at % 8;
        if let Some(word) = self
            .bytes
            .get(byte..)
            .and_then(|rest| rest.first_chunk::<8>())
        {
            return u64::from_be_bytes(*word) << shift;
        }
        let mut word = [0; 8];
        let rest = self.bytes.get(byte..).unwrap_or_default();
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        u64::from_be_bytes(word) << shift
    }

    /// The next `bits` bits (at most 64) as a number, the first one highest.
    #[inline]
    pub fn read(&mut self, bits: u32) -> Result<u64, BitError> {
        if bits as usize > self.left() {
            return Err(BitError::Truncated {
                wanted: bits,
                left: self.left(),
            });
        }
        if bits == 0 {
            return Ok(0);
        }
        if bits <= 57 {
            let value = self.peek() >> (64 - bits);
            self.at += bits as usize;
            return Ok(value);
        }
        let low = bits.min(64) - 32;
        let high = self.read(32)?;
        Ok(high << low | self.read(low)?)
    }

    /// Goes on to the next byte.
    #[inline]
    pub fn align(&mut self) -> Result<(), BitError> {
        let padding = (8 - self.at % 8) % 8;
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
    #[inline]
    pub fn u32(&mut self) -> Result<u32, BitError> {
        self.align()?;
        Ok((self.read(32)? as u32).swap_bytes())
    }

    /// Aligns, then reads a varuint: LEB128 of at most 32 bits.
    #[inline]
    pub fn varuint(&mut self) -> Result<u32, BitError> {
        self.align()?;
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

/// Bytes of a varuint.
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

/// Writes bits to a buffer of its own, which is kept from use to use.
#[derive(Clone, Default, Debug)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not in `bytes` yet, from the highest down.
    pending: u64,
    /// How many they are: less than 64.
    used: u32,
}

impl BitWriter {
    /// An empty writer.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            pending: 0,
            used: 0,
        }
    }

    /// Forgets what was written; the buffer stays.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pending = 0;
        self.used = 0;
    }

    /// The low `bits` bits (at most 64) of `value`, the highest first.
    #[inline]
    pub fn write(&mut self, value: u64, bits: u32) {
        if bits == 0 {
            return;
        }
        let value = value << (64 - bits);
        self.pending |= value >> self.used;
        let total = self.used + bits;
        if total < 64 {
            self.used = total;
            return;
        }
        self.bytes.extend_from_slice(&self.pending.to_be_bytes());
        let rest = total - 64;
        // Of `value`, the first 64 - used bits are written.
        self.pending = if rest == 0 { 0 } else { value << (bits - rest) };
        self.used = rest;
    }

    /// Fills the byte with zeros.
    #[inline]
    pub fn align(&mut self) {
        let whole = self.used.div_ceil(8) as usize;
        let pending = self.pending.to_be_bytes();
        self.bytes
            .extend_from_slice(pending.get(..whole).unwrap_or_default());
        self.pending = 0;
        self.used = 0;
    }

    /// Aligns, then writes a little-endian u32.
    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.align();
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Aligns, then writes a varuint.
    #[inline]
    pub fn varuint(&mut self, value: u32) {
        self.align();
        push_varuint(&mut self.bytes, value);
    }

    /// Aligns; what was written so far.
    pub fn aligned(&mut self) -> &[u8] {
        self.align();
        &self.bytes
    }

    /// Aligns; all bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
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
        fn what_is_written_is_read(items in proptest::collection::vec((any::<u64>(), 0..=64_u32, 0..4_u8), 0..40)) {
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
