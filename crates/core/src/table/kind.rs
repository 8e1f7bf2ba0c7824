//! Lanes of tables, and kinds of values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a table relates to the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// One row that is true for the whole recording: header, roster, statistics.
    Facts,
    /// Rows with a key, or a single row without one. A row is valid until it is replaced or ends.
    State,
    /// Rows that happen at a stamp.
    Events,
    /// Cells whose keys are their coordinates. A cell is valid until it is replaced.
    Grid,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 4] = [Self::Facts, Self::State, Self::Events, Self::Grid];

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

/// The kind of a column's values. Any value may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// True or false.
    Bool,
    /// A signed 64-bit integer.
    Int,
    /// An unsigned 64-bit integer.
    Uint,
    /// A 32-bit floating-point number.
    Float32,
    /// A 64-bit floating-point number.
    Float64,
    /// UTF-8 text of any length.
    Text,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Bool,
        Self::Int,
        Self::Uint,
        Self::Float32,
        Self::Float64,
        Self::Text,
    ];

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
