//! The differences between two recordings, in the same shape for every format.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::json::number;
use crate::clock::Time;
use crate::surface::{TableDiff, TablesDiff};
use crate::text::significant;

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
    /// The differences of each table: see [`diff_tables`](crate::surface::diff_tables).
    pub tables: Vec<TableDiff>,
    /// The differences that the comparison allows for; `None` if everything was compared exactly, or is equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
}

/// The differences of two recordings that count as the same, because one of them is in a format
/// that rounds values, or has no place for some.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Precision {
    /// Whose precision it is, as the end of a sentence: `a .butter`.
    pub of: String,
    /// Numbers that are apart, by no more than the format rounds.
    pub rounded: Vec<Rounded>,
    /// Values that differ and were not compared, because a recording can't hold them.
    pub not_compared: Vec<String>,
}

/// Numbers of one kind that are apart by no more than a format rounds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rounded {
    /// Their name: `head position`.
    pub field: String,
    /// The largest distance.
    #[serde(serialize_with = "distance")]
    pub max_error: f64,
    /// The unit of the distance; empty for none.
    pub unit: String,
}

/// For example `the precision of a .butter: up to 0.0293 m (head position), 0.187 deg (head rotation);
/// not compared: team names`. Of each unit only the largest distance is named.
impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the precision of {}", self.of)?;
        let mut largest: Vec<&Rounded> = Vec::new();
        for rounded in &self.rounded {
            match largest.iter_mut().find(|of| of.unit == rounded.unit) {
                Some(of) if of.max_error < rounded.max_error => *of = rounded,
                Some(_) => {}
                None => largest.push(rounded),
            }
        }
        for (at, rounded) in largest.into_iter().enumerate() {
            let lead = if at == 0 { ": up to" } else { "," };
            let apart = significant(rounded.max_error);
            let space = if rounded.unit.is_empty() { "" } else { " " };
            write!(
                f,
                "{lead} {apart}{space}{} ({})",
                rounded.unit, rounded.field
            )?;
        }
        if !self.not_compared.is_empty() {
            write!(f, "; not compared: {}", self.not_compared.join(", "))?;
        }
        Ok(())
    }
}

// serde passes fields by reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn distance<S: Serializer>(distance: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number(*distance).serialize(serializer)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_distance_of_each_unit_is_said() {
        let rounded = |field: &str, max_error, unit: &str| Rounded {
            field: field.to_owned(),
            max_error,
            unit: unit.to_owned(),
        };
        let mut precision = Precision {
            of: "a .dice".to_owned(),
            rounded: vec![
                rounded("left", 0.25, "m"),
                rounded("right", 0.5, "m"),
                rounded("top", 0.125, "m"),
                rounded("weight", 0.03, ""),
            ],
            not_compared: vec!["colour".to_owned(), "maker".to_owned()],
        };
        assert_eq!(
            precision.to_string(),
            "the precision of a .dice: up to 0.500 m (right), 0.0300 (weight); not compared: colour, maker"
        );
        precision.rounded.clear();
        assert_eq!(
            precision.to_string(),
            "the precision of a .dice; not compared: colour, maker"
        );
    }
}
