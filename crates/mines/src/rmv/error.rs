//! What can go wrong, by whose fault it is.

use std::io;

use super::rule::{Finding, Grouped, Rule};

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source of the bytes failed.
    #[error("reading failed at byte {}: {source}", Grouped(*.offset))]
    Io {
        /// Bytes read before.
        offset: u64,
        /// What the source said.
        source: io::Error,
    },
    /// The file breaks a rule of the format.
    #[error("{}{}{}", .0.place(), if .0.place().is_empty() { "" } else { ": " }, .0.message())]
    File(Box<Finding>),
    /// The file asks for more than [`Limits`](super::Limits) allow.
    #[error("byte {}: {what} takes {} bytes, the limit is {}", Grouped(*.offset), Grouped(*.claimed), Grouped(*.limit))]
    Limit {
        /// What is too large.
        what: &'static str,
        /// Its size.
        claimed: u64,
        /// The limit.
        limit: u64,
        /// Where it is claimed.
        offset: u64,
    },
}

impl Error {
    /// The rule that is broken, where it is the file's fault.
    #[must_use]
    pub fn rule(&self) -> Option<&Rule> {
        match self {
            Self::File(finding) => Some(&finding.rule),
            _ => None,
        }
    }

    /// `rmv.truncated`, …; `rmv.limit` and `io` for what is not a rule of the format.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::File(finding) => finding.code(),
            Self::Limit { .. } => "rmv.limit",
        }
    }

    /// True where the file ends too early: more bytes might mend it.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self.rule(), Some(Rule::Truncated { .. }))
    }

    /// True where a limit was reached: larger limits might mend it.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self, Self::Limit { .. })
    }

    /// What it says of the file; `None` where the source failed, which a slice does not.
    #[must_use]
    pub fn into_finding(self) -> Option<Finding> {
        match self {
            Self::Io { .. } => None,
            Self::File(finding) => Some(*finding),
            Self::Limit {
                what,
                claimed,
                limit,
                offset,
            } => Some(
                Finding::new(Rule::Limit {
                    what,
                    claimed,
                    limit,
                })
                .at(offset),
            ),
        }
    }

    /// Where in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Io { offset, .. } | Self::Limit { offset, .. } => Some(*offset),
            Self::File(finding) => finding.offset,
        }
    }
}

impl From<Finding> for Error {
    fn from(finding: Finding) -> Self {
        Self::File(Box::new(finding))
    }
}

/// Why a game can't be written: the caller asked for something the format can't hold.
/// Nothing is ever cut to fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// More columns or rows than a byte counts, or none.
    #[error("a board of {cols} x {rows}; RMV holds 1 x 1 to 255 x 255")]
    BoardSize {
        /// Columns.
        cols: u32,
        /// Rows.
        rows: u32,
    },
    /// More entries than the count field holds.
    #[error("{count} {what}; RMV holds at most {max}")]
    TooMany {
        /// Entries of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The most there can be.
        max: usize,
    },
    /// A text longer than its length field can say.
    #[error("{what} takes {bytes} bytes; RMV holds at most {max}")]
    TextTooLong {
        /// Which text.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The longest there can be.
        max: usize,
    },
    /// A section longer than its size field can say.
    #[error("the {section} takes {bytes} bytes; RMV holds at most {max}")]
    SectionTooLarge {
        /// Which section.
        section: super::Section,
        /// Its size.
        bytes: u64,
        /// The largest there can be.
        max: u64,
    },
    /// A time of 2²⁴ ms (4 h 39 min 37 s) or more.
    #[error("a time of {ms} ms; RMV holds at most 16,777,215")]
    TimeTooLong {
        /// The time.
        ms: u32,
    },
    /// Events must not go back in time.
    #[error("time runs backwards, from {before} ms to {now} ms")]
    TimeOrder {
        /// Time of the event before.
        before: u32,
        /// Time of this one.
        now: u32,
    },
    /// A cursor position that 16 bits can't hold.
    #[error(
        "a cursor position of ({x}, {y}); this version holds {min_x} to {max_x} and {min_y} to {max_y}"
    )]
    PositionRange {
        /// Position.
        x: i32,
        /// Position.
        y: i32,
        /// Bounds of the version.
        min_x: i32,
        /// Bounds of the version.
        max_x: i32,
        /// Bounds of the version.
        min_y: i32,
        /// Bounds of the version.
        max_y: i32,
    },
    /// A reduced move that does not fit its three bytes, or that the version does not have.
    #[error("this mouse move can't be written in the reduced form")]
    NotReducible,
    /// A number above 8 in a board event.
    #[error("a square can't show {number}")]
    Number {
        /// The number.
        number: u8,
    },
    /// A timestamp event in a version that has none.
    #[error("version 2 has no timestamp events")]
    Timestamp,
    /// The event log is encoded for the other version; convert the game first.
    #[error("the events are encoded for the other version of the format")]
    EventsOfOtherVersion,
    /// A game without a termination event can't be written; salvage it first.
    #[error("the game has no termination event")]
    NoEnding,
    /// A game the strict reader would refuse.
    #[error("the game breaks a rule of the format: {0}")]
    Invalid(Box<str>),
}
