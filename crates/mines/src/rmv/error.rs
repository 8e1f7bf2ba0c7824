//! Findings, read errors and write errors, and the sections of a file that they name.

use std::fmt;

use gametape_core::text::{Bytes, Grouped};
use gametape_core::{Class, Coded};

use super::rule::Rule;

/// A rule that a recording breaks or stretches, with the place.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one per code (and section): the first place, and the number of repetitions.
pub type Findings = gametape_core::Findings<Rule>;

/// Why a recording could not be read.
pub type Error = gametape_core::ReadError<Rule>;

/// Why a game cannot be written: the caller asked for something that the format cannot store.
/// Nothing is ever cut to fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum WriteError {
    /// A board without columns or rows, or with more than 255 of them.
    #[error("a board of {cols} x {rows}; RMV holds 1 x 1 to 255 x 255")]
    BoardSize { cols: u32, rows: u32 },
    /// More entries than the count field can express.
    #[error("{} {what}; RMV holds at most {}", Grouped(*count as u64), Grouped(*max as u64))]
    TooMany {
        what: &'static str,
        count: usize,
        max: usize,
    },
    /// A text that is longer than its length field can express.
    #[error("{what} takes {}; RMV holds at most {}", Bytes(*bytes as u64), Grouped(*max as u64))]
    TextTooLong {
        what: &'static str,
        bytes: usize,
        max: usize,
    },
    /// A section that is longer than its size field can express.
    #[error("the {section} takes {}; RMV holds at most {}", Bytes(*bytes), Grouped(*max))]
    SectionTooLarge {
        section: Section,
        bytes: u64,
        max: u64,
    },
    /// A time of 2²⁴ ms (4 h 39 min 37 s) or more.
    #[error("a time of {} ms; RMV holds at most 16,777,215", Grouped((*ms).into()))]
    TimeTooLong { ms: u32 },
    /// Events must not go back in time.
    #[error("time runs backwards, from {} ms to {} ms", Grouped((*before).into()), Grouped((*now).into()))]
    TimeOrder { before: u32, now: u32 },
    /// A cursor position that does not fit in 16 bits.
    #[error(
        "a cursor position of ({x}, {y}); this version holds {min_x} to {max_x} and {min_y} to {max_y}"
    )]
    PositionRange {
        x: i32,
        y: i32,
        min_x: i32,
        max_x: i32,
        min_y: i32,
        max_y: i32,
    },
    /// A reduced move that does not fit in its three bytes, or that the version does not have.
    #[error("this mouse move can't be written in the reduced form")]
    NotReducible,
    /// A number above 8 in a board event.
    #[error("a cell can't show {number}")]
    Number { number: u8 },
    /// A timestamp event in a version that has none.
    #[error("version 2 has no timestamp events")]
    Timestamp,
    /// The event log is encoded for the other version; convert the game first.
    #[error("the events are encoded for the other version of the format")]
    EventsOfOtherVersion,
    /// A game without a termination event can't be written; salvage it first.
    #[error("the game has no termination event")]
    NoEnding,
    /// A game that the strict reader would refuse.
    #[error("the game breaks a rule of the format: {0}")]
    Invalid(Box<str>),
}

impl Coded for WriteError {
    fn code(&self) -> &'static str {
        "unwritable"
    }

    fn class(&self) -> Class {
        Class::Caller
    }
}

/// A section of the file, in file order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Signature, version and the table of sizes.
    Header,
    /// The result string (v1).
    Result,
    /// The version info string.
    VersionInfo,
    /// The player fields.
    Player,
    /// Time, size and mines of the board.
    Board,
    /// The flags placed before the game.
    Preflags,
    /// One byte per property, identified by its position: question marks, non-flagging, mode, level
    /// and so on.
    Properties,
    /// The extension properties (v2).
    Extensions,
    /// The events.
    Video,
    /// The bytes after the termination event inside the video section.
    Tail,
    /// The bytes after the video section, to the end of the file. The algorithm of the checksum is
    /// not published.
    Checksum,
}

impl Section {
    /// Its name as used in sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Result => "result string",
            Self::VersionInfo => "version info",
            Self::Player => "player section",
            Self::Board => "board section",
            Self::Preflags => "preflags section",
            Self::Properties => "properties section",
            Self::Extensions => "extension properties section",
            Self::Video => "video section",
            Self::Tail => "video section's tail",
            Self::Checksum => "checksum",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
