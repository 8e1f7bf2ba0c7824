//! The losses of a conversion, a repair or a redaction.

use gametape_core::text::Counted;
use std::fmt;

use super::redact::Personal;
use crate::TextEncoding;

/// Something that a conversion, a repair or a redaction left out or changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum Loss {
    /// The checksum: it covers the old bytes, and a new one cannot be computed.
    Checksum,
    /// Personal data that was to be removed.
    Personal(Personal),
    /// Parts of the result string other than ViennaSweeper's keys, which were to be removed.
    ResultExtra,
    /// v1's result string; 3BV, names and time are kept in other fields.
    ResultString,
    /// v1's timestamp events.
    TimestampEvents { count: u32 },
    /// Properties beyond those the version defines.
    Properties { count: usize },
    /// v2's clone id and major version.
    CloneId { id: u8, major: u8 },
    /// An extension property.
    Extension { name: String },
    /// Positions on cells of a size other than 16 pixels, the only size that v1 has.
    PositionsRescaled { from: u8 },
    /// A text whose encoding was guessed; it is now UTF-8.
    TextReencoded {
        field: &'static str,
        from: TextEncoding,
    },
    /// The bytes after the termination event had another form.
    Tail,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str(
                "the checksum: it covers the old form, and its algorithm is unpublished",
            ),
            Self::Personal(what) => f.write_str(what.name()),
            Self::ResultExtra => f.write_str("the other parts of the result string"),
            Self::ResultString => f.write_str("the result string"),
            Self::TimestampEvents { count } => Counted(u64::from(*count), "timestamp event").fmt(f),
            Self::Properties { count } => Counted(*count as u64, "unknown property").fmt(f),
            Self::CloneId { id, major } => write!(f, "clone id {id}, major version {major}"),
            Self::Extension { name } => write!(f, "extension property {name:?}"),
            Self::PositionsRescaled { from } => write!(
                f,
                "exact cursor positions: rescaled from cells of {from} pixels to 16"
            ),
            Self::TextReencoded { field, from } => write!(
                f,
                "the bytes of {field}: read as {} (a guess), written as UTF-8",
                from.name()
            ),
            Self::Tail => f.write_str("the unusual bytes after the termination event"),
        }
    }
}
