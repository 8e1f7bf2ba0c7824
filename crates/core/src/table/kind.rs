//! How a table relates to the clock, and what kinds of values there are.

use std::fmt;

/// How a table relates to the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// Holds for the whole recording: header, roster, statistics.
    Facts,
    /// Rows with a key, or one without: each holds until it is replaced.
    State,
    /// Happens at a stamp.
    Events,
    /// Cells whose keys are their coordinates: each holds until it is replaced.
    Grid,
}

impl Lane {
    /// `facts`, `state`, `events` or `grid`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::State => "state",
            Self::Events => "events",
            Self::Grid => "grid",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kind of a column's values; any of them may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// True or false.
    Bool,
    /// A whole number of 64 bits with a sign.
    Int,
    /// A whole number of 64 bits without a sign.
    Uint,
    /// A number of 32 bits.
    Float32,
    /// A number of 64 bits.
    Float64,
    /// UTF-8, of any length.
    Text,
}

impl Kind {
    /// `bool`, `int`, `uint`, `float32`, `float64` or `text`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
