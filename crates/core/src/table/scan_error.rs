//! Why a scan can't be done.

use super::kind::Kind;
use super::needs::Needs;
use crate::clock::At;

/// Why a scan can't be done.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// There is no such table.
    #[error(
        "there is no table {name:?}{}; there are {}{}",
        meant(.nearest.as_deref()), .known.join(", "), more(*.needs)
    )]
    NoTable {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The tables that there are.
        known: Vec<String>,
        /// What there would be more with.
        needs: Option<Needs>,
    },
    /// The table has no such column.
    #[error("{table} has no column {name:?}{}; it has {}", meant(.nearest.as_deref()), .known.join(", "))]
    NoColumn {
        /// The name of the table, which is there.
        table: String,
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The columns that there are.
        known: Vec<String>,
    },
    /// A column is asked for twice.
    #[error("{name} is asked for twice")]
    Twice {
        /// The column.
        name: String,
    },
    /// A filter on a column that is no key.
    #[error("{name} is no key of {table}{}", match .keys.as_slice() {
        [] => ": it has none".to_owned(),
        keys => format!(", whose keys are {}", keys.join(", ")),
    })]
    NoKey {
        /// The name of the table that was to be filtered.
        table: String,
        /// The column.
        name: String,
        /// The columns that are keys.
        keys: Vec<String>,
    },
    /// A key can't have such a value.
    #[error("{name} is of kind {kind} and can't be {value:?}")]
    NotOfKind {
        /// The column.
        name: String,
        /// The kind of the column's values.
        kind: Kind,
        /// What was asked for.
        value: String,
    },
    /// Of a table of events nothing holds.
    #[error("{table} is a table of events: nothing of it holds")]
    NoState {
        /// The name of the table whose state was asked for.
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
    /// The same, of a recording that this is missing of.
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

/// `, did you mean "…"?`
fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}
