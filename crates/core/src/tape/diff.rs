//! The differences between two recordings, in the same shape for every format.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::number::number;
use crate::clock::Time;
use crate::table::{TableDiff, TablesDiff};

/// The differences between two recordings.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Diff {
    /// Whether there are no differences.
    pub same: bool,
    /// The first difference, as a sentence in the terms of the format.
    pub first: Option<String>,
    /// The step of the first difference.
    pub step: Option<u64>,
    /// The tick of the first difference.
    pub tick: Option<u64>,
    /// The time of the first difference.
    #[serde(serialize_with = "time")]
    pub time_ms: Option<f64>,
    /// The number of steps that differ after it.
    pub more: u64,
    /// Differences of the headers: the name, the first value, the second value.
    pub header: Vec<[String; 3]>,
    /// Further data about the first difference.
    pub details: Map<String, Value>,
    /// The differences of each table: see [`diff_tables`](crate::table::diff_tables).
    pub tables: Vec<TableDiff>,
}

impl Diff {
    /// Creates a diff from the headers and the tables, for formats without their own comparison.
    #[must_use]
    pub fn of_tables(header: Vec<[String; 3]>, found: TablesDiff) -> Self {
        let mut diff = Self {
            header,
            ..Self::default()
        };
        // Facts have no moment, so they cannot be the first difference.
        let first = found.first();
        if let Some((table, first, stamp)) = first.and_then(|(t, row)| Some((t, row, row.stamp?))) {
            diff.first = Some(format!("{table}: {first}"));
            diff.step = Some(stamp.step);
            diff.tick = stamp.tick;
            diff.time_ms = stamp.time.map(Time::ms);
            diff.more = (found.steps.len() as u64).saturating_sub(1);
        }
        diff.same = diff.header.is_empty();
        diff.with(found)
    }

    /// Adds the differences of the tables.
    #[must_use]
    pub fn with(mut self, found: TablesDiff) -> Self {
        self.same &= found.tables.is_empty();
        self.tables = found.tables;
        self
    }
}

// serde passes fields by reference.
#[allow(clippy::ref_option)]
fn time<S: Serializer>(ms: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    ms.map(number).serialize(serializer)
}
