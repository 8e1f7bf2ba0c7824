//! What takes the pairs of values of two frames, and how pairs are looked at.

use super::angle;
use super::tolerance::Tolerance;
use crate::field::Field;
use crate::model::{Pose, Vec3};

/// What a value is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    /// The frame itself.
    Frame,
    /// An entry of `teams`, by its place from 0.
    Team(usize),
    /// A player of a team, by place and name.
    Player(usize, usize, &'a str),
    /// A bone of an entry of `user_bones`.
    Bone(usize, usize),
}

/// Takes pairs of values. The member is named as in the API.
pub(crate) trait Sink {
    /// Decides what is looked at.
    fn tolerance(&self) -> &Tolerance;

    /// True where what a .butter has no code for (a goal type, a letter of a name) is taken to be
    /// the same as what it has instead.
    fn forgives_codes(&self) -> bool;

    /// A number, and what it was in the frame before, where that is known.
    fn number(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        values: [f32; 2],
        before: Option<f32>,
    );

    /// Three coordinates.
    fn vector(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        values: [&Vec3; 2],
        before: Option<&Vec3>,
    );

    /// The rotation of a pose; neither is of zeros.
    fn rotation(&mut self, field: Field, at: At<'_>, member: &'static str, values: [&Pose; 2]);

    /// The rotation of a bone.
    fn quaternion(&mut self, at: At<'_>, values: [&[f32; 4]; 2]);

    /// Whole numbers, and the members that they are.
    fn whole(&mut self, field: Field, at: At<'_>, members: &[&'static str], values: [&[i64]; 2]);

    /// Anything else: the same or not, and how to show it.
    fn other(
        &mut self,
        field: Field,
        at: At<'_>,
        member: &'static str,
        same: bool,
        show: impl FnOnce() -> [String; 2],
    );
}

/// Both as text.
pub(super) fn shown<T: std::fmt::Display>(a: &T, b: &T) -> [String; 2] {
    [a.to_string(), b.to_string()]
}

/// Both as Rust shows them: for what has no text of its own.
pub(super) fn debugged<T: std::fmt::Debug>(a: &T, b: &T) -> [String; 2] {
    [format!("{a:?}"), format!("{b:?}")]
}

/// Both, where both are there. Where one is not, that differs, unless the other says as little:
/// a .butter does not tell the two apart.
pub(super) fn both<'a, S: Sink, T>(
    sink: &mut S,
    at: At<'_>,
    member: &'static str,
    (a, b): (Option<&'a T>, Option<&'a T>),
    says_nothing: impl Fn(&T) -> bool,
) -> Option<(&'a T, &'a T)> {
    let same = match (a, b) {
        (Some(a), Some(b)) => return Some((a, b)),
        (None, None) => true,
        (Some(one), None) | (None, Some(one)) => sink.tolerance().kept_only && says_nothing(one),
    };
    sink.other(Field::Presence, at, member, same, || {
        [a.is_some(), b.is_some()].map(|there| if there { "there" } else { "not there" }.to_owned())
    });
    None
}

/// Position and rotation.
pub(super) fn pose<S: Sink>(
    sink: &mut S,
    [position, rotation]: [Field; 2],
    at: At<'_>,
    [position_member, rotation_member]: [&'static str; 2],
    [a, b]: [&Pose; 2],
    before: Option<&Vec3>,
) {
    let positions = [&a.position, &b.position];
    sink.vector(position, at, position_member, positions, before);
    match (angle::is_without(a), angle::is_without(b)) {
        (false, false) => sink.rotation(rotation, at, rotation_member, [a, b]),
        (without_a, without_b) => {
            let same = without_a == without_b;
            sink.other(Field::Orientation, at, rotation_member, same, || {
                [without_a, without_b]
                    .map(|without| if without { "of zeros" } else { "there" }.to_owned())
            });
        }
    }
}
