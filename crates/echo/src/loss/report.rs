//! The loss report, as a table and as data.

use std::fmt;

use gametape_core::text::{Grouped, TextTable, significant};
use serde::Serialize;

use crate::model::UnknownMember;

/// The loss of a conversion. Its text is a table; its serialized form has stable keys.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct LossReport {
    /// The number of frames converted.
    pub frames: u64,
    /// The errors of numbers. Kinds without a value are left out.
    pub numbers: Vec<NumberLoss>,
    /// Values that are kept but changed: text without a code, names outside ASCII.
    pub changed: Vec<Change>,
    /// Values that were present and are not kept, or only in the first frame.
    pub not_kept: Vec<Change>,
    /// The members that the model does not know, if they are among the values that are not kept; at most 64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_members: Vec<UnknownMember>,
}

/// The errors of a kind of number.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct NumberLoss {
    /// The kind.
    pub field: &'static str,
    /// The unit of the errors; empty for none.
    pub unit: &'static str,
    /// The number of values compared. A position counts once; its error is a distance.
    pub values: u64,
    /// The number of values that differ.
    pub differing: u64,
    /// The mean error over all values.
    pub mean_error: f64,
    /// The largest error.
    pub max_error: f64,
    /// The frame with the largest error, from 0; `None` if nothing differs.
    #[serde(rename = "max_error_step")]
    pub max_error_frame: Option<u64>,
    /// The largest error that the format implies for any of these values. It grows with the value.
    pub bound: f64,
    /// The number of values whose error exceeds what the format implies for them.
    pub beyond: u64,
    /// The number of values that are infinite or NaN on one side only. They are not part of the errors.
    pub not_finite: u64,
}

/// Changed values of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The kind.
    pub field: &'static str,
    /// The number of values.
    pub values: u64,
    /// The number of frames.
    pub frames: u64,
    /// The first of these frames, from 0.
    #[serde(rename = "first_step")]
    pub first_frame: u64,
}

impl LossReport {
    /// Whether nothing was lost.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.changed.is_empty()
            && self.not_kept.is_empty()
            && self.numbers.iter().all(|number| number.differing == 0)
    }

    /// Whether every number is as exact as the format promises, and no kept value was changed.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        self.changed.is_empty() && self.numbers.iter().all(|number| number.beyond == 0)
    }
}

impl LossReport {
    /// A summary in half a sentence.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        let near = self.numbers.iter().all(|number| number.beyond == 0);
        match (near, self.changed.is_empty()) {
            (true, true) => "every number is as near as the format implies",
            (true, false) => {
                "every number is as near as the format implies; values without a code are changed"
            }
            (false, _) => "some numbers are further off than the format implies: see beyond bound",
        }
    }
}

/// Tables of numbers, of changed values, and of values that are not kept.
impl fmt::Display for LossReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = TextTable::new([
            "field",
            "values",
            "mean error",
            "max error",
            "in frame",
            "bound",
            "beyond bound",
        ]);
        for number in &self.numbers {
            table.row(number.row().into_iter().enumerate().map(numbers));
        }
        print(f, &table)?;
        changes(f, "changed", &self.changed)?;
        changes(f, "not kept", &self.not_kept)?;
        unknown(f, &self.unknown_members)
    }
}

/// All cells but the first are numbers.
fn numbers((column, text): (usize, String)) -> (String, bool) {
    (text, column > 0)
}

fn print(f: &mut fmt::Formatter<'_>, table: &TextTable) -> fmt::Result {
    table
        .lines()
        .iter()
        .try_for_each(|line| writeln!(f, "{line}"))
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
            significant(self.mean_error),
            significant(self.max_error),
            self.max_error_frame
                .map_or_else(String::new, |frame| Grouped(frame).to_string()),
            significant(self.bound),
            beyond,
        ]
    }
}

fn changes(f: &mut fmt::Formatter<'_>, title: &str, changes: &[Change]) -> fmt::Result {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(f)?;
    let mut table = TextTable::new([title, "values", "frames", "first in frame"]);
    for change in changes {
        let counts = [change.values, change.frames, change.first_frame];
        let counts = counts.map(|count| Grouped(count).to_string());
        let cells = std::iter::once(change.field.to_owned()).chain(counts);
        table.row(cells.enumerate().map(numbers));
    }
    print(f, &table)
}

fn unknown(f: &mut fmt::Formatter<'_>, members: &[UnknownMember]) -> fmt::Result {
    if members.is_empty() {
        return Ok(());
    }
    writeln!(f)?;
    let mut table = TextTable::new(["unknown member", "frames", "first in frame"]);
    for member in members {
        let counts = [member.frames, member.first_frame].map(|count| Grouped(count).to_string());
        let cells = std::iter::once(member.member.clone()).chain(counts);
        table.row(cells.enumerate().map(numbers));
    }
    print(f, &table)
}
