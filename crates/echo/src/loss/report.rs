//! A loss report, as a table and as data.

use std::fmt;

use gametape_core::text::{Grouped, TextTable};
use serde::Serialize;

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
    #[serde(rename = "max_error_step")]
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
    #[serde(rename = "first_step")]
    pub first_frame: u64,
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

impl LossReport {
    /// What it comes to, in half a sentence.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        let near = self.numbers.iter().all(|number| number.beyond == 0);
        match (near, self.changed.is_empty()) {
            (true, true) => "every number is as near as the format implies",
            (true, false) => {
                "every number is as near as the format implies; what it has no code for is changed"
            }
            (false, _) => "some numbers are further off than the format implies: see beyond",
        }
    }
}

/// Tables: of numbers, of what is changed, of what is not kept.
impl fmt::Display for LossReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = TextTable::new([
            "field",
            "values",
            "mean error",
            "max error",
            "in frame",
            "bound",
            "beyond",
        ]);
        for number in &self.numbers {
            table.row(number.row().into_iter().enumerate().map(numbers));
        }
        print(f, &table)?;
        changes(f, "changed", &self.changed)?;
        changes(f, "not kept", &self.not_kept)
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
    let mut table = TextTable::new([title, "values", "frames", "first in frame"]);
    for change in changes {
        let counts = [change.values, change.frames, change.first_frame];
        let counts = counts.map(|count| Grouped(count).to_string());
        let cells = std::iter::once(change.field.to_owned()).chain(counts);
        table.row(cells.enumerate().map(numbers));
    }
    print(f, &table)
}
