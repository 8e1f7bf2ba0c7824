//! Comparing pairs of members, by the [table](crate::members) of members. Each member that a walk can
//! compare alone gets a function. The walk decides the order; a function that is not called is dead code,
//! which the compiler finds.

use std::fmt::Display;

use super::sink::{At, Sink, pose, shown};
use crate::field::{Field, Kept};
use crate::members::{
    disc_members, last_score_members, pause_members, player_members, session_members, team_members,
};
use crate::model;

/// The functions of an object; `prefix` is put before the names of its members.
macro_rules! pairs {
    (
        $object:ident $type:ident $prefix:literal
        $(
            $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
            $doc:literal $(, $attr:ident $value:tt)*;
        )*
    ) => {
        #[allow(non_camel_case_types)]
        pub(super) enum $object {}

        impl $object {
            $(pair! { [$type $prefix $name $kind $place] $($attr $value)* })*
        }
    };
}

/// The function of a member, if reports have a field for it.
macro_rules! pair {
    ($of:tt) => {};
    ($of:tt diff $field:tt $($rest:tt)*) => { pair! { $of as $field } };

    // Some of the session's members belong to the payload.
    ([Session $prefix:literal $name:literal part $place:tt] as $field:ident) => {};
    ([Parts $prefix:literal $name:literal part ($kind:ident payload.$p:ident)]
        as $field:ident) => {
        pair! { [Payload $prefix $name $kind ($p)] as $field }
    };
    ([Parts $($of:tt)*] as $field:tt) => {};

    ([$type:ident $prefix:literal $name:literal number ($p:ident)] as $field:ident) => {
        #[inline(always)]
        pub fn $p<S: Sink>(
            sink: &mut S,
            at: At<'_>,
            [a, b]: [&model::$type; 2],
            before: Option<f32>,
        ) {
            number(sink, Field::$field, at, concat!($prefix, $name), [a.$p, b.$p], before);
        }
    };
    ([$type:ident $prefix:literal $name:literal velocity ($p:ident)] as $field:ident) => {
        #[inline(always)]
        pub fn $p<S: Sink>(
            sink: &mut S,
            at: At<'_>,
            [a, b]: [&model::$type; 2],
            before: Option<&model::Vec3>,
        ) {
            sink.vector(Field::$field, at, concat!($prefix, $name), [&a.$p, &b.$p], before);
        }
    };
    ([$type:ident $prefix:literal $name:literal limb ($p:ident, $nth:literal, $position:ident)]
        as ($at:ident $turned:ident)) => {
        #[inline(always)]
        pub fn $p<S: Sink>(
            sink: &mut S,
            at: At<'_>,
            [a, b]: [&model::$type; 2],
            before: Option<&model::Vec3>,
        ) {
            let members = [
                concat!($name, ".", stringify!($position)),
                concat!($name, ".forward, up"),
            ];
            let fields = [Field::$at, Field::$turned];
            pose(sink, fields, at, members, [&a.$p, &b.$p], before);
        }
    };
    ([$type:ident $prefix:literal $name:literal $kind:ident ($p:ident $(, $turn:literal)?)]
        as $field:ident) => {
        #[inline(always)]
        pub fn $p<S: Sink>(sink: &mut S, at: At<'_>, [a, b]: [&model::$type; 2]) {
            compared!($kind sink Field::$field, at, concat!($prefix, $name), [&a.$p, &b.$p]);
        }
    };
    // Walks compare these as parts of other values.
    ($of:tt as ($at:ident $turned:ident)) => {};
    ($of:tt $attr:ident $value:tt $($rest:tt)*) => { pair! { $of $($rest)* } };
}

/// How members of a kind are compared.
macro_rules! compared {
    (whole $sink:ident $field:expr, $($rest:tt)*) => {
        whole($sink, $field, $($rest)*)
    };
    // Secrets are not put into text.
    (account $sink:ident $field:expr, $at:ident, $member:expr, [$a:expr, $b:expr]) => {
        $sink.other($field, $at, $member, $a == $b, || ["a user id", "another one"].map(str::to_owned))
    };
    (address $sink:ident $field:expr, $at:ident, $member:expr, [$a:expr, $b:expr]) => {
        $sink.other($field, $at, $member, $a == $b, || ["an address", "another one"].map(str::to_owned))
    };
    // A .butter has a byte for each letter of a name, and codes for words.
    (name $sink:ident $($rest:tt)*) => { same($sink, $($rest)*, |name| name.is_ascii()) };
    (word $sink:ident $($rest:tt)*) => { same($sink, $($rest)*, |word| word.code().is_some()) };
    ($kind:ident $sink:ident $($rest:tt)*) => { same($sink, $($rest)*, |_| true) };
}

session_members! { pairs session Session "" }
session_members! { pairs payload Parts "" }
disc_members! { pairs disc Disc "disc." }
pause_members! { pairs pause Pause "pause." }
last_score_members! { pairs last_score LastScore "last_score." }
team_members! { pairs team Team "" }
player_members! { pairs player Player "" }

/// Compares values that are equal, or not.
#[inline(always)]
fn same<S: Sink, T: PartialEq + Display>(
    sink: &mut S,
    field: Field,
    at: At<'_>,
    member: &'static str,
    [a, b]: [&T; 2],
    is_coded: impl FnOnce(&T) -> bool,
) {
    let same = is_same(sink, field, a == b, || is_coded(a));
    sink.other(field, at, member, same, || shown(a, b));
}

/// Whether two values count as the same: they are equal, or the first has no code in a .butter and such
/// differences are forgiven.
#[inline(always)]
pub(super) fn is_same<S: Sink>(
    sink: &mut S,
    field: Field,
    equal: bool,
    is_coded: impl FnOnce() -> bool,
) -> bool {
    if equal || !sink.forgives_codes() || is_coded() {
        return equal;
    }
    sink.uncoded(field);
    true
}

/// Compares numbers: within the tolerance if a .butter keeps them, otherwise exactly.
#[inline(always)]
fn number<S: Sink>(
    sink: &mut S,
    field: Field,
    at: At<'_>,
    member: &'static str,
    [a, b]: [f32; 2],
    before: Option<f32>,
) {
    if field.kept() == Kept::Rounded {
        sink.number(field, at, member, [a, b], before);
    } else {
        let same = a.to_bits() == b.to_bits();
        sink.other(field, at, member, same, || shown(&a, &b));
    }
}

#[inline(always)]
fn whole<S: Sink>(sink: &mut S, field: Field, at: At<'_>, member: &'static str, [a, b]: [&i32; 2]) {
    if field.kept() == Kept::Whole {
        let [a, b] = [i64::from(*a), i64::from(*b)];
        sink.whole(field, at, &[member], [&[a], &[b]]);
    } else {
        same(sink, field, at, member, [a, b], |_| true);
    }
}
