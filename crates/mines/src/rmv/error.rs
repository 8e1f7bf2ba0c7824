//! Findings, why a recording can't be read, and why a game can't be written.

use gametape_core::{Class, Coded};

use super::rule::Rule;
use super::section::Section;

/// A rule that a recording breaks or stretches, and where.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one for each code (and section): the first place, and how often it came again.
pub type Findings = gametape_core::Findings<Rule>;

/// Why a recording could not be read.
pub type Error = gametape_core::ReadError<Rule>;

/// Why a game can't be written: the caller asked for something the format can't hold.
/// Nothing is ever cut to fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum WriteError {
    /// More columns or rows than a byte counts, or none.
    #[error("a board of {cols} x {rows}; RMV holds 1 x 1 to 255 x 255")]
    BoardSize { cols: u32, rows: u32 },
    /// More entries than the count field holds.
    #[error("{count} {what}; RMV holds at most {max}")]
    TooMany {
        what: &'static str,
        count: usize,
        max: usize,
    },
    /// A text longer than its length field can say.
    #[error("{what} takes {bytes} bytes; RMV holds at most {max}")]
    TextTooLong {
        what: &'static str,
        bytes: usize,
        max: usize,
    },
    /// A section longer than its size field can say.
    #[error("the {section} takes {bytes} bytes; RMV holds at most {max}")]
    SectionTooLarge {
        section: Section,
        bytes: u64,
        max: u64,
    },
    /// A time of 2²⁴ ms (4 h 39 min 37 s) or more.
    #[error("a time of {ms} ms; RMV holds at most 16,777,215")]
    TimeTooLong { ms: u32 },
    /// Events must not go back in time.
    #[error("time runs backwards, from {before} ms to {now} ms")]
    TimeOrder { before: u32, now: u32 },
    /// A cursor position that 16 bits can't hold.
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
    /// A reduced move that does not fit its three bytes, or that the version does not have.
    #[error("this mouse move can't be written in the reduced form")]
    NotReducible,
    /// A number above 8 in a board event.
    #[error("a square can't show {number}")]
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
    /// A game the strict reader would refuse.
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
