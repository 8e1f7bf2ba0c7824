//! How a recording differs from its index, and why an index is not used.

use std::fmt;

use gametape_core::text::Grouped;
use gametape_core::{Datum, ToDatum};

/// A bit of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bit {
    /// The byte.
    pub offset: u64,
    /// The bit in it: 0 is the lowest.
    pub bit: u8,
}

/// How a part of a recording differs from what it was when the index was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Change {
    /// This bit was flipped.
    Flipped(Bit),
    /// No single bit explains it.
    Several,
    /// The frame is sound, but its offset is not the one in the index.
    Elsewhere,
    /// The frame is sound, but its tick is not the one in the index.
    Tick,
    /// The frame is sound, but its size is not the one in the index.
    Size,
}

impl Change {
    /// Returns the bit that was flipped, if a single one explains the change.
    #[must_use]
    pub const fn bit(self) -> Option<Bit> {
        match self {
            Self::Flipped(bit) => Some(bit),
            _ => None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flipped(Bit { offset, bit }) => {
                write!(f, "bit {bit} of byte {} is flipped", Grouped(*offset))
            }
            Self::Several => f.write_str("more than one bit of it differs"),
            Self::Elsewhere => f.write_str("the index has it elsewhere"),
            Self::Tick => f.write_str("the index has another tick for it"),
            Self::Size => f.write_str("the index has another size for it"),
        }
    }
}

impl ToDatum for Change {
    fn to_datum(&self) -> Datum {
        let change = match self {
            Self::Flipped(_) => "bit",
            Self::Several => "bits",
            Self::Elsewhere => "place",
            Self::Tick => "tick",
            Self::Size => "size",
        };
        let bit = self.bit();
        Datum::Map(vec![
            ("change", change.to_datum()),
            ("byte", bit.map(|bit| bit.offset).to_datum()),
            ("bit", bit.map(|bit| bit.bit).to_datum()),
        ])
    }
}

/// Why an index is not used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unused {
    /// The bytes are not an index, or its head is damaged.
    #[error("not an index of a Murk recording: {0}")]
    Malformed(&'static str),
    /// The index's entries are damaged.
    #[error("it is damaged itself")]
    Damaged,
    /// The recording's length has changed since the index was made.
    #[error("the index is stale: the recording has {} bytes, it had {} when the index was made", Grouped(*now), Grouped(*then))]
    Length {
        /// The length now.
        now: u64,
        /// The length when the index was made.
        then: u64,
    },
    /// The recording's header has changed.
    #[error("the index is stale: the recording's header has changed")]
    Header,
    /// The recording's first or last frame has changed.
    #[error("the index is stale: frame {} has changed", Grouped(*frame))]
    Frame {
        /// The frame's number, from 0.
        frame: u64,
    },
    /// The index can't be read.
    #[error("{0}")]
    Unreadable(String),
}

impl Unused {
    /// Returns true if the index belongs to another state of the recording.
    #[must_use]
    pub const fn is_stale(&self) -> bool {
        matches!(
            self,
            Self::Length { .. } | Self::Header | Self::Frame { .. }
        )
    }
}

impl ToDatum for Unused {
    fn to_datum(&self) -> Datum {
        let (reason, figures) = match self {
            Self::Malformed(what) => ("malformed", vec![("what", what.to_datum())]),
            Self::Damaged => ("damaged", Vec::new()),
            Self::Length { now, then } => (
                "length",
                vec![("now", now.to_datum()), ("then", then.to_datum())],
            ),
            Self::Header => ("header", Vec::new()),
            Self::Frame { frame } => ("frame", vec![("frame", frame.to_datum())]),
            Self::Unreadable(said) => ("unreadable", vec![("said", said.to_datum())]),
        };
        let mut map = vec![("reason", reason.to_datum())];
        map.extend(figures);
        Datum::Map(map)
    }
}

/// Returns the bit (byte and bit number) whose flip changes the CRC-32 of `length` bytes by
/// `difference`.
///
/// The CRC is linear: a flipped bit changes it by a value that depends on nothing but the bit's
/// distance from the end. Those values follow from each other by the CRC's own shift, backwards.
pub(crate) fn flipped_bit(length: usize, difference: u32) -> Option<(usize, u8)> {
    /// The CRC-32's polynomial, reflected.
    const POLYNOMIAL: u32 = 0xedb8_8320;
    // The change for the highest bit of the last byte: one shift of that bit alone.
    let mut change = POLYNOMIAL;
    for byte in (0..length).rev() {
        for bit in (0..8).rev() {
            if change == difference {
                return Some((byte, bit));
            }
            change = (change >> 1) ^ if change & 1 == 1 { POLYNOMIAL } else { 0 };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let bytes: Vec<u8> = (0..100_u8).map(|i| i.wrapping_mul(37)).collect();
        let whole = crc32fast::hash(&bytes);
        for byte in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[byte] ^= 1 << bit;
                let difference = crc32fast::hash(&flipped) ^ whole;
                assert_eq!(flipped_bit(bytes.len(), difference), Some((byte, bit)));
            }
        }
    }
}
