//! What differs between two recordings, in the same shape for every format.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::number::number;
use crate::clock::Time;
use crate::table::{TableDiff, TablesDiff};

/// What differs between two recordings.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Diff {
    /// True if nothing does.
    pub same: bool,
    /// Where they differ first, a sentence: in the recording's own terms.
    pub first: Option<String>,
    /// The step of that place.
    pub step: Option<u64>,
    /// The tick of that place.
    pub tick: Option<u64>,
    /// The time of that place.
    #[serde(serialize_with = "time")]
    pub time_ms: Option<f64>,
    /// How many steps differ behind it.
    pub more: u64,
    /// What differs in the headers: what, in the first, in the second.
    pub header: Vec<[String; 3]>,
    /// What else is known of the first difference.
    pub details: Map<String, Value>,
    /// What differs in which table: see [`diff_tables`](crate::table::diff_tables).
    pub tables: Vec<TableDiff>,
    /// True where all that counts was compared. Else two files that say the same may still differ
    /// in bytes that are not shown, such as secrets.
    #[serde(skip)]
    pub exhaustive: bool,
}

impl Diff {
    /// Of a format that has nothing better: what the descriptions and the tables say.
    #[must_use]
    pub fn of_tables(header: Vec<[String; 3]>, found: TablesDiff) -> Self {
        let mut diff = Self {
            header,
            ..Self::default()
        };
        // Facts are of no moment.
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

    /// And what the tables say.
    #[must_use]
    pub fn with(mut self, found: TablesDiff) -> Self {
        self.same &= found.tables.is_empty();
        self.tables = found.tables;
        self
    }
}

// serde gives the field as it is.
#[allow(clippy::ref_option)]
fn time<S: Serializer>(ms: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    ms.map(number).serialize(serializer)
}
