//! A loss report, as a table and as data.

use std::fmt::{self, Write as _};

use serde::Serialize;

use super::{Errors, FieldErrors, Tally};
use crate::field::Field;
use crate::finding::Grouped;

/// What a conversion lost. Shown, it is a table; serialized, it has stable keys.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LossReport {
    /// Frames converted.
    pub frames: u64,
    /// Numbers, and how far they are off. Kinds without a value are left out.
    pub numbers: Vec<NumberLoss>,
    /// What is kept, but was changed: text without a code, names that are not ASCII.
    pub changed: Vec<Change>,
    /// What is not kept, and was there: not at all, or its first value only.
    pub not_kept: Vec<Change>,
}

/// How far the numbers of a kind are off.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct NumberLoss {
    /// Which kind.
    pub field: &'static str,
    /// Unit of the errors; empty for none.
    pub unit: &'static str,
    /// Values compared; a position counts once, its error is a distance.
    pub values: u64,
    /// Values that differ at all.
    pub differing: u64,
    /// Mean error, over all values.
    pub mean_error: f64,
    /// Maximum error.
    pub max_error: f64,
    /// In which frame, from 0; `None` where nothing differs.
    pub max_error_frame: Option<u64>,
    /// The largest error that the format implies for any of these values: its quantum, which grows
    /// with the value.
    pub bound: f64,
    /// Values further off than the format implies for them.
    pub beyond: u64,
    /// Values that are infinite, or no number, on one side only; not part of the errors.
    pub not_finite: u64,
}

/// Values of a kind that are not what they were.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Which kind.
    pub field: &'static str,
    /// How many.
    pub values: u64,
    /// In how many frames.
    pub frames: u64,
    /// The first of these, from 0.
    pub first_frame: u64,
}

impl NumberLoss {
    pub(super) fn of(field: Field, errors: &Errors) -> Self {
        Self {
            field: field.name(),
            unit: field.unit(),
            values: errors.values,
            differing: errors.differing,
            mean_error: errors.sum / errors.values.max(1) as f64,
            max_error: errors.max.into(),
            max_error_frame: (errors.max > 0.0).then_some(errors.frame),
            bound: errors.bound.into(),
            beyond: errors.beyond,
            not_finite: errors.not_finite,
        }
    }
}

impl Change {
    pub(super) const fn of(field: Field, tally: &Tally) -> Self {
        Self {
            field: field.name(),
            values: tally.values,
            frames: tally.frames,
            first_frame: tally.first,
        }
    }
}

impl LossReport {
    /// True where nothing at all was lost.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.changed.is_empty()
            && self.not_kept.is_empty()
            && self.numbers.iter().all(|number| number.differing == 0)
    }

    /// True where every number is as near as the format promises, and nothing that is kept was
    /// changed.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        self.changed.is_empty() && self.numbers.iter().all(|number| number.beyond == 0)
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

impl Serialize for FieldErrors {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report().serialize(serializer)
    }
}

impl fmt::Display for LossReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![
            [
                "field",
                "values",
                "mean error",
                "max error",
                "in frame",
                "bound",
                "beyond",
            ]
            .map(str::to_owned),
        ];
        rows.extend(self.numbers.iter().map(NumberLoss::row));
        table(f, &rows)?;
        changes(f, "changed", &self.changed)?;
        changes(f, "not kept", &self.not_kept)
    }
}

impl NumberLoss {
    fn row(&self) -> [String; 7] {
        let name = if self.unit.is_empty() {
            self.field.to_owned()
        } else {
            format!("{} ({})", self.field, self.unit)
        };
        let beyond = match (self.beyond, self.not_finite) {
            (0, _) => String::new(),
            (beyond, 0) => Grouped(beyond).to_string(),
            (beyond, lost) => format!("{} ({} no number)", Grouped(beyond), Grouped(lost)),
        };
        [
            name,
            Grouped(self.values).to_string(),
            figure(self.mean_error),
            figure(self.max_error),
            self.max_error_frame
                .map_or_else(String::new, |frame| Grouped(frame).to_string()),
            figure(self.bound),
            beyond,
        ]
    }
}

/// Three significant digits; 0 for none at all.
fn figure(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if value >= 100.0 {
        format!("{value:.0}")
    } else if value < 1e-6 {
        format!("{value:.1e}")
    } else {
        // One digit less for each power of ten above a hundredth of a thousandth.
        let power = value.log10().floor() as i32;
        let digits = usize::try_from(2 - power).unwrap_or(0);
        format!("{value:.digits$}")
    }
}

fn changes(f: &mut fmt::Formatter<'_>, title: &str, changes: &[Change]) -> fmt::Result {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(f)?;
    let mut rows = vec![[title, "values", "frames", "first in frame"].map(str::to_owned)];
    rows.extend(changes.iter().map(|change| {
        [
            change.field.to_owned(),
            Grouped(change.values).to_string(),
            Grouped(change.frames).to_string(),
            Grouped(change.first_frame).to_string(),
        ]
    }));
    table(f, &rows)
}

/// Columns as wide as their widest cell: the first to the left, the others to the right.
fn table<const N: usize>(f: &mut fmt::Formatter<'_>, rows: &[[String; N]]) -> fmt::Result {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            // Writing to a string does not fail.
            let _ = if column == 0 {
                write!(line, "{cell:<width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
