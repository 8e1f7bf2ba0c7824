//! Differences between two recordings: the first frame and field, and how many follow.
// Comparing numbers exactly is intended here.
#![allow(clippy::float_cmp)]

pub(crate) mod pairs;
pub(crate) mod tolerance;
pub(crate) mod walk;

use std::fmt;

use gametape_core::text::Grouped;

use crate::field::Field;
use crate::model::{Frame, Pose, Time, Vec3};
use pairs::{At, FrameBefore, Sink};
use tolerance::{Allowing, between, between_quaternions};
use walk::walk;

pub use tolerance::{Allowed, Tolerance};

/// The first value in which two frames differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The kind of field.
    pub field: Field,
    /// The path, such as `teams[0].players[2] "Name" head.position.x`.
    pub path: String,
    /// The first frame's value.
    pub a: String,
    /// The second frame's value.
    pub b: String,
    /// The distance between numbers, in the field's unit.
    pub apart: Option<f32>,
    /// The number of other values that differ in this frame.
    pub more: u64,
}

/// `teams[0].players[2] "Name" head.position.x: 4.972 and 5.1, 0.128 m apart`
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} and {}", self.path, self.a, self.b)?;
        if let Some(apart) = self.apart {
            let unit = self.field.unit();
            let space = if unit.is_empty() { "" } else { " " };
            write!(f, ", {apart}{space}{unit} apart")?;
        }
        Ok(())
    }
}

/// Returns the first value in which two frames differ by more than the tolerance.
///
/// A .butter stores changes since the frame before, so fast movement is rounded more. This function allows
/// for the size of the value alone; [`Differ`] allows for its change, too.
///
/// ```
/// use gametape_echo::Frame;
/// use gametape_echo::diff::{Tolerance, compare};
/// let a = Frame::default();
/// let mut b = a.clone();
/// b.session.game_clock = 1e-5;
/// assert_eq!(compare(&a, &b, &Tolerance::BUTTER), None);
/// let found = compare(&a, &b, &Tolerance::EXACT).unwrap();
/// assert_eq!(found.path, "game_clock");
/// ```
#[must_use]
pub fn compare(a: &Frame, b: &Frame, tolerance: &Tolerance) -> Option<Difference> {
    compare_after(a, b, None, tolerance, &mut Allowing::default())
}

fn compare_after(
    a: &Frame,
    b: &Frame,
    before: Option<&FrameBefore>,
    tolerance: &Tolerance,
    allowing: &mut Allowing,
) -> Option<Difference> {
    let mut comparer = Comparer {
        tolerance,
        allowing,
        first: None,
        more: 0,
    };
    walk(a, b, before, &mut comparer);
    let more = comparer.more;
    comparer.first.map(|first| Difference { more, ..first })
}

/// The differences between two recordings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diff {
    /// The first frame that differs.
    pub first: Option<FrameDifference>,
    /// The number of later frames that differ. If one recording ends, all remaining frames of the other
    /// count.
    pub more_frames: u64,
    /// The number of values that differ, in all frames that both recordings have.
    pub values: u64,
    /// The number of frames in each recording.
    pub frames: [u64; 2],
    /// The differences that are not counted because of the tolerance.
    pub allowed: Allowed,
}

impl Diff {
    /// Whether nothing differs.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.first.is_none()
    }
}

/// `frame 812 (2022/01/02 03:00:00.034): game_clock: 599.9 and 600, 0.1 s apart`
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else {
            let [frames, _] = self.frames;
            return write!(f, "no difference in {} frames", Grouped(frames));
        };
        write!(f, "frame {} ({}): ", Grouped(first.frame), first.time)?;
        match &first.what {
            Side::Both(difference) => write!(f, "{difference}")?,
            Side::OnlyFirst => f.write_str("only in the first recording")?,
            Side::OnlySecond => f.write_str("only in the second recording")?,
        }
        write!(f, "; {} more frames differ", Grouped(self.more_frames))
    }
}

/// The first frame that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameDifference {
    /// The ordinal of the frame, from 0.
    pub frame: u64,
    /// When the frame was recorded: in the first recording, if it has the frame.
    pub time: Time,
    /// How the frame differs.
    pub what: Side,
}

/// The recordings that have the frame.
#[derive(Clone, PartialEq, Debug)]
pub enum Side {
    /// Both; this is the first difference.
    Both(Difference),
    /// The first recording only: the second has ended.
    OnlyFirst,
    /// The second recording only: the first has ended.
    OnlySecond,
}

/// Compares two recordings frame by frame.
///
/// ```
/// use gametape_echo::{Frame, Time};
/// use gametape_echo::diff::{Differ, Tolerance};
/// let frame = |ms| Frame { time: Time(ms), ..Frame::default() };
/// let mut differ = Differ::new(Tolerance::EXACT);
/// differ.push(Some(&frame(0)), Some(&frame(0)));
/// differ.push(Some(&frame(33)), Some(&frame(34)));
/// differ.push(Some(&frame(67)), None);
/// let diff = differ.finish();
/// assert_eq!(
///     diff.to_string(),
///     "frame 1 (1970/01/01 00:00:00.033): time: 33 and 34, 1 ms apart; 1 more frames differ"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Differ {
    tolerance: Tolerance,
    allowing: Allowing,
    before: FrameBefore,
    diff: Diff,
}

impl Differ {
    /// Creates a comparison of no frames.
    #[must_use]
    pub fn new(tolerance: Tolerance) -> Self {
        Self {
            tolerance,
            allowing: Allowing::default(),
            before: FrameBefore::default(),
            diff: Diff::default(),
        }
    }

    /// Adds the next frame of each recording; `None` if that recording has ended.
    pub fn push(&mut self, a: Option<&Frame>, b: Option<&Frame>) {
        let [frames_a, frames_b] = &mut self.diff.frames;
        let frame = (*frames_a).max(*frames_b);
        *frames_a += u64::from(a.is_some());
        *frames_b += u64::from(b.is_some());
        let (time, what) = match (a, b) {
            (Some(a), Some(b)) => {
                let (before, allowing) = (Some(&self.before), &mut self.allowing);
                let found = compare_after(a, b, before, &self.tolerance, allowing);
                if self.tolerance.relative > 0.0 {
                    self.before.remember(a);
                }
                let Some(difference) = found else {
                    return;
                };
                self.diff.values += 1 + difference.more;
                (a.time, Side::Both(difference))
            }
            (Some(a), None) => (a.time, Side::OnlyFirst),
            (None, Some(b)) => (b.time, Side::OnlySecond),
            (None, None) => return,
        };
        if self.diff.first.is_some() {
            self.diff.more_frames += 1;
        } else {
            self.diff.first = Some(FrameDifference { frame, time, what });
        }
    }

    /// Returns the result over all frames.
    #[must_use]
    pub fn finish(self) -> Diff {
        Diff {
            allowed: self.allowing.finish(),
            ..self.diff
        }
    }
}

/// Keeps the first difference and counts the others.
struct Comparer<'a> {
    tolerance: &'a Tolerance,
    allowing: &'a mut Allowing,
    first: Option<Difference>,
    more: u64,
}

impl Comparer<'_> {
    // Kept apart from the comparisons, which look at every value and seldom find anything.
    #[cold]
    #[inline(never)]
    fn differs(&mut self, make: impl FnOnce() -> Difference) {
        if self.first.is_some() {
            self.more += 1;
        } else {
            self.first = Some(make());
        }
    }

    /// Compares one number; `part` names a part of the member, if it has parts.
    #[inline]
    fn part(
        &mut self,
        field: Field,
        at: At<'_>,
        (member, part): (&'static str, &'static str),
        [a, b]: [f32; 2],
        before: Option<f32>,
    ) {
        // Equal infinities and NaNs do not differ.
        if a.to_bits() == b.to_bits() || a == b {
            return;
        }
        let apart = (a - b).abs();
        if apart <= self.tolerance.bound(field, a, before) && a.is_finite() {
            self.allowing.apart(field, apart);
            return;
        }
        self.differs(|| Difference {
            field,
            path: format!("{}{part}", path(field, at, member)),
            a: a.to_string(),
            b: b.to_string(),
            apart: Some(apart),
            more: 0,
        });
    }

    /// Compares two rotations that are not equal.
    fn turned(&mut self, field: Field, degrees: f32, path: impl FnOnce() -> String) {
        // NaN is within no tolerance.
        let most = match field {
            Field::BoneRotation => self.tolerance.bone_deg,
            _ => self.tolerance.rotation_deg,
        };
        if degrees <= most && most > 0.0 {
            self.allowing.apart(field, degrees);
            return;
        }
        self.differs(|| Difference {
            field,
            path: path(),
            a: "a rotation".to_owned(),
            b: "another one".to_owned(),
            apart: Some(degrees),
            more: 0,
        });
    }
}

impl Sink for Comparer<'_> {
    fn tolerance(&self) -> &Tolerance {
        self.tolerance
    }

    fn forgives_codes(&self) -> bool {
        self.tolerance.kept_only
    }

    fn uncoded(&mut self, field: Field) {
        if self.tolerance.looks_at(field) {
            self.allowing.uncoded(field);
        } else {
            self.allowing.not_compared(field);
        }
    }

    #[inline]
    fn number(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        values: [f32; 2],
        before: Option<f32>,
    ) {
        self.part(field, at, (member, ""), values, before);
    }

    #[inline]
    fn vector(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        [a, b]: [&Vec3; 2],
        before: Option<&Vec3>,
    ) {
        let [bx, by, bz] = before.map_or([None; 3], |before| before.map(Some));
        let parts = [(".x", bx), (".y", by), (".z", bz)];
        for (((part, before), a), b) in parts.into_iter().zip(a).zip(b) {
            self.part(field, at, (member, part), [*a, *b], before);
        }
    }

    #[inline]
    fn rotation(&mut self, field: Field, at: At<'_>, member: &'static str, [a, b]: [&Pose; 2]) {
        if a.forward != b.forward || a.left != b.left || a.up != b.up {
            self.turned(field, between(a, b), || path(field, at, member));
        }
    }

    #[inline]
    fn quaternion(&mut self, at: At<'_>, [a, b]: [&[f32; 4]; 2]) {
        if a != b {
            let degrees = between_quaternions(a, b);
            self.turned(Field::BoneRotation, degrees, || {
                path(Field::BoneRotation, at, "bone_o")
            });
        }
    }

    #[inline]
    fn whole(&mut self, field: Field, at: At<'_>, members: &[&'static str], [a, b]: [&[i64]; 2]) {
        for ((member, a), b) in members.iter().zip(a).zip(b) {
            if a != b {
                self.differs(|| Difference {
                    field,
                    path: path(field, at, member),
                    a: a.to_string(),
                    b: b.to_string(),
                    apart: Some(a.abs_diff(*b) as f32),
                    more: 0,
                });
            }
        }
    }

    #[inline]
    fn other(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        same: bool,
        show: impl FnOnce() -> [String; 2],
    ) {
        if same {
            return;
        }
        if !self.tolerance.looks_at(field) {
            self.allowing.not_compared(field);
            return;
        }
        self.differs(|| {
            let [a, b] = show();
            Difference {
                field,
                path: path(field, at, member),
                a,
                b,
                apart: None,
                more: 0,
            }
        });
    }
}

/// `teams[0].players[2] "Name" head.position`
fn path(field: Field, at: At<'_>, member: &str) -> String {
    let object = match field {
        Field::Counts => "stats.",
        Field::Throw => "last_throw.",
        _ => "",
    };
    match at {
        At::Frame => format!("{object}{member}"),
        At::Team(team) => format!("teams[{team}].{object}{member}"),
        At::Player(team, player, name) => {
            format!("teams[{team}].players[{player}] {name:?} {object}{member}")
        }
        At::Bone(player, bone) => format!("user_bones[{player}].{member}[{bone}]"),
    }
}
