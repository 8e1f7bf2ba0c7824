//! What a conversion, a repair or a redaction leaves out.

use std::fmt;

use super::personal::Personal;
use crate::TextEncoding;

/// Something a conversion or a repair did not carry over.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum Loss {
    /// The checksum: it covers the old form, and nobody can compute a new one.
    Checksum,
    /// What says who played, and was to be removed.
    Personal(Personal),
    /// What stands in the result string beside ViennaSweeper's keys, and was to be removed.
    ResultExtra,
    /// v1's result string; 3BV, names and time live on in other fields.
    ResultString,
    /// v1's timestamp events.
    TimestampEvents { count: u32 },
    /// Properties beyond those the version defines.
    Properties { count: usize },
    /// v2's clone id and major version.
    CloneId { id: u8, major: u8 },
    /// An extension property.
    Extension { name: String },
    /// Positions on squares of another size than 16 pixels, which is all v1 knows.
    PositionsRescaled { from: u8 },
    /// A text was decoded by a guess and is UTF-8 now.
    TextReencoded {
        field: &'static str,
        from: TextEncoding,
    },
    /// The bytes behind the termination event had another form.
    Tail,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str(
                "the checksum: it covers the old form, and its algorithm is unpublished",
            ),
            Self::Personal(what) => f.write_str(what.name()),
            Self::ResultExtra => f.write_str("what else stands in the result string"),
            Self::ResultString => f.write_str("the result string"),
            Self::TimestampEvents { count } => write!(f, "{count} timestamp events"),
            Self::Properties { count } => write!(f, "{count} unknown properties"),
            Self::CloneId { id, major } => write!(f, "clone id {id}, major version {major}"),
            Self::Extension { name } => write!(f, "extension property {name:?}"),
            Self::PositionsRescaled { from } => write!(
                f,
                "exact cursor positions: rescaled from squares of {from} pixels to 16"
            ),
            Self::TextReencoded { field, from } => write!(
                f,
                "the bytes of {field}: read as {} (a guess), written as UTF-8",
                from.name()
            ),
            Self::Tail => f.write_str("the unusual bytes behind the termination event"),
        }
    }
}
