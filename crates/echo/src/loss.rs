//! Measuring the loss of a conversion: the error of each field's stored values, and what is not kept.
//!
//! ```
//! use gametape_echo::{Frame, Time, loss::FieldErrors};
//! let original = Frame { time: Time(5), ..Frame::default() };
//! let mut stored = original.clone();
//! stored.session.game_clock += 1e-5;
//! let mut errors = FieldErrors::new();
//! errors.push(&original, &stored);
//! let report = errors.report();
//! let clock = report.numbers.iter().find(|number| number.field == "game clock").unwrap();
//! assert!(clock.max_error > 0.0 && clock.beyond == 0);
//! ```

use std::fmt;

use gametape_core::text::{Grouped, TextTable, significant};
use serde::Serialize;

use crate::diff::Tolerance;
use crate::diff::pairs::{At, FrameBefore, Sink};
use crate::diff::tolerance::{between, between_quaternions};
use crate::diff::walk::walk;
use crate::field::{Field, Kept};
use crate::model::{Frame, Pose, UnknownMember, UnknownMembers, Vec3};

/// Measures how stored frames differ from their originals, field by field.
///
/// Made to run during a conversion: a frame takes a microsecond or two. Parts of a recording can be
/// measured separately and [merged](Self::merge).
#[derive(Clone, Debug)]
pub struct FieldErrors {
    tolerance: Tolerance,
    frames: u64,
    before: FrameBefore,
    /// Indexed by [`Field`].
    numbers: [Errors; Field::COUNT],
    /// Indexed by [`Field`].
    others: [Tally; Field::COUNT],
    unknown: UnknownMembers,
}

/// The errors of a kind of number.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    /// The number of values compared.
    values: u64,
    /// The number of values that differ.
    differing: u64,
    sum: f64,
    max: f32,
    /// The frame with the largest error.
    frame: u64,
    /// The largest error that the format allows for any of the values.
    bound: f32,
    /// The number of values whose error exceeds what the format allows for them.
    beyond: u64,
    /// The number of values that are infinity or NaN on one side only.
    not_finite: u64,
}

/// The number of changed values of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    values: u64,
    frames: u64,
    /// The first frame with one.
    first: u64,
    /// The last frame with one.
    last: u64,
}

impl Default for FieldErrors {
    fn default() -> Self {
        Self::new()
    }
}

impl FieldErrors {
    /// Creates a measurement of no frames, against the bounds of [`Tolerance::NEAREST`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            tolerance: Tolerance::NEAREST,
            frames: 0,
            before: FrameBefore::default(),
            numbers: [Errors::default(); Field::COUNT],
            others: [Tally::default(); Field::COUNT],
            unknown: UnknownMembers::default(),
        }
    }

    /// Adds the next frame: the original, and the frame read back.
    pub fn push(&mut self, original: &Frame, stored: &Frame) {
        // Moved out during the walk, which borrows all of `self`.
        let mut before = std::mem::take(&mut self.before);
        walk(original, stored, Some(&before), self);
        before.remember(original);
        self.before = before;
        self.unknown.push(original.unknown(), self.frames);
        self.frames += 1;
    }

    /// Adds the measurement of the frames that follow.
    pub fn merge(&mut self, later: &Self) {
        let offset = self.frames;
        for (to, from) in self.numbers.iter_mut().zip(&later.numbers) {
            if from.max > to.max {
                (to.max, to.frame) = (from.max, from.frame + offset);
            }
            to.values += from.values;
            to.differing += from.differing;
            to.sum += from.sum;
            to.bound = to.bound.max(from.bound);
            to.beyond += from.beyond;
            to.not_finite += from.not_finite;
        }
        for (to, from) in self.others.iter_mut().zip(&later.others) {
            if from.values > 0 {
                if to.values == 0 {
                    to.first = from.first + offset;
                }
                to.values += from.values;
                to.frames += from.frames;
                to.last = from.last + offset;
            }
        }
        self.unknown.merge(&later.unknown, offset);
        self.frames += later.frames;
        self.before.clone_from(&later.before);
    }

    /// The number of frames.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// The largest error of a position, in metres: of heads, bodies, hands, disc, playspace and bones.
    /// Infinity if a position was lost entirely.
    #[must_use]
    pub fn position_error(&self) -> f32 {
        [
            Field::HeadPosition,
            Field::BodyPosition,
            Field::HandPosition,
            Field::DiscPosition,
            Field::PlayspacePosition,
            Field::BonePosition,
        ]
        .into_iter()
        .filter_map(|field| self.numbers.get(field as usize))
        .map(|errors| {
            if errors.not_finite > 0 {
                f32::INFINITY
            } else {
                errors.max
            }
        })
        .fold(0.0, f32::max)
    }

    /// Returns the report.
    #[must_use]
    pub fn report(&self) -> LossReport {
        let mut report = LossReport {
            frames: self.frames,
            ..LossReport::default()
        };
        let is_lost = |field: Field| {
            self.others
                .get(field as usize)
                .is_some_and(|tally| tally.values > 0)
        };
        if is_lost(Field::UnknownMembers) {
            report.unknown_members = self.unknown.each().collect();
        }
        let entries = self.numbers.iter().zip(&self.others);
        for (&field, (errors, tally)) in Field::ALL.iter().zip(entries) {
            if errors.values > 0 {
                report.numbers.push(NumberLoss::of(field, errors));
            }
            if tally.values > 0 {
                let change = Change::of(field, tally);
                match field.kept() {
                    Kept::Once | Kept::Nothing => report.not_kept.push(change),
                    _ => report.changed.push(change),
                }
            }
        }
        report
    }

    #[inline]
    fn add(&mut self, field: Field, error: f32, bound: f32) {
        let frame = self.frames;
        let Some(errors) = self.numbers.get_mut(field as usize) else {
            return;
        };
        errors.values += 1;
        errors.bound = errors.bound.max(bound);
        if error == 0.0 {
            return;
        }
        errors.differing += 1;
        if !error.is_finite() {
            errors.not_finite += 1;
            errors.beyond += 1;
            return;
        }
        errors.sum += f64::from(error);
        errors.beyond += u64::from(error > bound);
        if error > errors.max {
            (errors.max, errors.frame) = (error, frame);
        }
    }
}

impl Sink for FieldErrors {
    #[inline]
    fn tolerance(&self) -> &Tolerance {
        &self.tolerance
    }

    /// A value without a code is lost.
    #[inline]
    fn forgives_codes(&self) -> bool {
        false
    }

    #[inline]
    fn number(
        &mut self,
        field: Field,
        _: At<'_>,
        _: &'static str,
        [a, b]: [f32; 2],
        before: Option<f32>,
    ) {
        let bound = self.tolerance.bound(field, a, before);
        self.add(field, apart(a, b), finite(bound));
    }

    #[inline]
    fn vector(
        &mut self,
        field: Field,
        _: At<'_>,
        _: &'static str,
        [a, b]: [&Vec3; 2],
        before: Option<&Vec3>,
    ) {
        let ([ax, ay, az], [bx, by, bz]) = (*a, *b);
        let error = length([apart(ax, bx), apart(ay, by), apart(az, bz)]);
        let [px, py, pz] = before.map_or([None; 3], |before| before.map(Some));
        let bound = |value, before| self.tolerance.bound(field, value, before);
        let bound = length([bound(ax, px), bound(ay, py), bound(az, pz)]);
        self.add(field, error, finite(bound));
    }

    #[inline]
    fn rotation(&mut self, field: Field, _: At<'_>, _: &'static str, [a, b]: [&Pose; 2]) {
        let bound = self.tolerance.rotation_deg;
        self.add(field, between(a, b), bound);
    }

    #[inline]
    fn quaternion(&mut self, _: At<'_>, [a, b]: [&[f32; 4]; 2]) {
        let bound = self.tolerance.bone_deg;
        let error = between_quaternions(a, b);
        self.add(Field::BoneRotation, error, bound);
    }

    #[inline]
    fn whole(&mut self, field: Field, _: At<'_>, _: &[&'static str], [a, b]: [&[i64]; 2]) {
        if a == b {
            if let Some(errors) = self.numbers.get_mut(field as usize) {
                errors.values += a.len() as u64;
            }
            return;
        }
        for (a, b) in a.iter().zip(b) {
            self.add(field, a.abs_diff(*b) as f32, 0.0);
        }
    }

    #[inline]
    fn other(
        &mut self,
        field: Field,
        _: At<'_>,
        _: &'static str,
        same: bool,
        _: impl FnOnce() -> [String; 2],
    ) {
        if same {
            return;
        }
        let frame = self.frames;
        if let Some(tally) = self.others.get_mut(field as usize) {
            if tally.values == 0 {
                tally.first = frame;
            }
            tally.frames += u64::from(tally.values == 0 || tally.last != frame);
            tally.values += 1;
            tally.last = frame;
        }
    }
}

/// The distance between two numbers; 0 if both are the same infinity, or NaN.
#[inline]
fn apart(a: f32, b: f32) -> f32 {
    if a.to_bits() == b.to_bits() {
        0.0
    } else {
        (a - b).abs()
    }
}

#[inline]
fn length([x, y, z]: Vec3) -> f32 {
    (x * x + y * y + z * z).sqrt()
}

/// Bounds that are not finite are ignored.
#[inline]
const fn finite(bound: f32) -> f32 {
    if bound.is_finite() { bound } else { 0.0 }
}

impl NumberLoss {
    fn of(field: Field, errors: &Errors) -> Self {
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
    const fn of(field: Field, tally: &Tally) -> Self {
        Self {
            field: field.name(),
            values: tally.values,
            frames: tally.frames,
            first_frame: tally.first,
        }
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
