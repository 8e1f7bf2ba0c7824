//! Errors of scans, and what a recording needs.

use std::fmt;

use super::def::Kind;
use crate::clock::At;
use crate::text::nearest;

/// Why a scan is refused.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// There is no table with this name.
    #[error(
        "there is no table {name:?}{}; there are {}{}",
        meant(.nearest.as_deref()), .known.join(", "), more(*.needs)
    )]
    NoTable {
        /// The requested name.
        name: String,
        /// A known name that is similar.
        nearest: Option<String>,
        /// The tables of the recording.
        known: Vec<String>,
        /// External data that would give the recording more tables.
        needs: Option<Needs>,
    },
    /// The table has no column with this name.
    #[error("{table} has no column {name:?}{}; it has {}", meant(.nearest.as_deref()), .known.join(", "))]
    NoColumn {
        /// The name of the table, which exists.
        table: String,
        /// The requested name.
        name: String,
        /// A known name that is similar.
        nearest: Option<String>,
        /// The columns of the table.
        known: Vec<String>,
    },
    /// A column is requested twice.
    #[error("{name} is asked for twice")]
    Twice {
        /// The column.
        name: String,
    },
    /// A column that the scan does not request, so that its batches do not have it.
    #[error("the scan does not ask for {name}")]
    NotAsked {
        /// The column, which the table has.
        name: String,
    },
    /// A filter on a column that is not a key.
    #[error("{name} is no key of {table}{}", match .keys.as_slice() {
        [] => ": it has none".to_owned(),
        keys => format!(", whose keys are {}", keys.join(", ")),
    })]
    NoKey {
        /// The name of the table.
        table: String,
        /// The column.
        name: String,
        /// The columns that are keys.
        keys: Vec<String>,
    },
    /// A key cannot have this value.
    #[error("{name} is of kind {kind} and can't be {value:?}")]
    NotOfKind {
        /// The column.
        name: String,
        /// The kind of the column's values.
        kind: Kind,
        /// The requested value.
        value: String,
    },
    /// A column of known values never has this one.
    #[error(
        "{name} is never {value:?}{}; it is {}",
        meant(nearest(value, .known.iter().map(String::as_str))), .known.join(", ")
    )]
    NeverIs {
        /// The column.
        name: String,
        /// The requested value.
        value: String,
        /// All values of the column.
        known: Vec<String>,
    },
    /// A table of events has no state.
    #[error("{table} is a table of events: nothing of it holds")]
    NoState {
        /// The name of the table.
        table: String,
    },
    /// The range ends before it starts.
    #[error("the range ends at {to}, before it starts at {from}")]
    Backwards {
        /// Its start.
        from: At,
        /// Its end.
        to: At,
    },
}

impl ScanError {
    /// Adds the external data that the recording lacks to [`ScanError::NoTable`].
    #[must_use]
    pub fn needing(mut self, missing: Option<Needs>) -> Self {
        if let Self::NoTable { needs, .. } = &mut self {
            *needs = missing;
        }
        self
    }
}

fn more(needs: Option<Needs>) -> String {
    needs.map_or_else(String::new, |needs| format!(", and {needs}"))
}

/// For example ` (did you mean "…"?)`.
fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// Data that a recording does not contain, and without which a part of it cannot be read.
///
/// ```
/// use gametape_core::table::Needs;
/// assert_eq!(Needs::World.to_string(), "more with a world: give one with --world");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Needs {
    /// The world in which its commands are replayed.
    World,
    /// The schema of its packets.
    Schema,
    /// The program that recorded it, which alone knows the things that the recording names.
    Program,
}

impl Needs {
    /// Returns `world`, `schema` or `program`. The first two are also the options of
    /// [`Verb::Open`](crate::tape::Verb::Open) that provide the data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Schema => "schema",
            Self::Program => "program",
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::Program {
            return f
                .write_str("more with the program that recorded it, which knows what it names");
        }
        let name = self.name();
        write!(f, "more with a {name}: give one with --{name}")
    }
}
