//! The receiver of pairs of values, and what passes members to it, by the [table](crate::members) of members. Each
//! member that a walk can compare alone gets a function. The walk decides the order; a function that is not called is
//! dead code, which the compiler finds.

use std::fmt::Display;

use super::tolerance::{Tolerance, is_without};
use crate::field::{Field, Kept};
use crate::members::{
    disc_members, last_score_members, pause_members, player_members, session_members, team_members,
};
use crate::model::{self, Frame, Player, Pose, Stats, Vec3};

/// The object that a value belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    /// The frame itself.
    Frame,
    /// An entry of `teams`, by its index.
    Team(usize),
    /// A player of a team, by place and name.
    Player(usize, usize, &'a str),
    /// A bone of an entry of `user_bones`.
    Bone(usize, usize),
}

/// Receives pairs of values. Members have their names in the API.
pub(crate) trait Sink {
    /// The tolerance, which decides which values are compared.
    fn tolerance(&self) -> &Tolerance;

    /// Whether a value without a code in a .butter (a goal type, a letter of a name) counts as equal to the
    /// value that replaces it.
    fn forgives_codes(&self) -> bool;

    /// A value of this field differs, and counts as equal because it has no code.
    fn uncoded(&mut self, _: Field) {}

    /// Two numbers, and the number in the frame before, if known.
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

    /// The rotations of a pose; neither is all zeros.
    fn rotation(&mut self, field: Field, at: At<'_>, member: &'static str, values: [&Pose; 2]);

    /// The rotation of a bone.
    fn quaternion(&mut self, at: At<'_>, values: [&[f32; 4]; 2]);

    /// Whole numbers, with the names of their members.
    fn whole(&mut self, field: Field, at: At<'_>, members: &[&'static str], values: [&[i64]; 2]);

    /// Values of any other type: whether they are equal, and how to show them.
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
pub(super) fn shown<T: Display>(a: &T, b: &T) -> [String; 2] {
    [a.to_string(), b.to_string()]
}

/// Both in Rust's debug format, for values without a text form.
pub(super) fn debugged<T: std::fmt::Debug>(a: &T, b: &T) -> [String; 2] {
    [format!("{a:?}"), format!("{b:?}")]
}

/// Returns both values if both are present. If one is missing, that is a difference, unless the other is
/// empty: a .butter can't distinguish the two.
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
    match (is_without(a), is_without(b)) {
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

/// The numbers of a frame that a .butter stores as changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameBefore {
    pub(crate) disc: Option<[Vec3; 2]>,
    pub(crate) playspace: Option<Vec3>,
    /// `paused_timer`, `unpaused_timer`.
    pub(crate) pause: Option<[f32; 2]>,
    pub(crate) possession_time: [Option<f32>; 3],
    players: Vec<PlayerBefore>,
    /// Indices into `players`, sorted by user id.
    order: Vec<(u64, u32)>,
}

/// The numbers of a player.
#[derive(Clone, Debug)]
pub(crate) struct PlayerBefore {
    userid: u64,
    /// Head, body, left hand, right hand.
    pub(crate) positions: [Vec3; 4],
    pub(crate) velocity: Vec3,
    pub(crate) packet_loss: f32,
    pub(crate) possession_time: Option<f32>,
}

impl FrameBefore {
    /// Replaces the remembered frame.
    pub(crate) fn remember(&mut self, frame: &Frame) {
        let session = &frame.session;
        self.disc = session.disc.map(|disc| [disc.pose.position, disc.velocity]);
        self.playspace = session.player.map(|pose| pose.position);
        self.pause = session
            .pause
            .as_ref()
            .map(|pause| [pause.paused_timer, pause.unpaused_timer]);
        self.possession_time = [None; 3];
        for (to, team) in self.possession_time.iter_mut().zip(&session.teams) {
            *to = possession_time(team.stats.as_ref());
        }
        self.players.clear();
        self.order.clear();
        for (_, player) in session.players() {
            self.order.push((player.userid, self.players.len() as u32));
            self.players.push(PlayerBefore::of(player));
        }
        self.order.sort_unstable();
    }

    /// The same player in the frame before; `place` is the player's place among all.
    pub(crate) fn player(&self, place: usize, userid: u64) -> Option<&PlayerBefore> {
        if let Some(player) = self.players.get(place)
            && player.userid == userid
        {
            return Some(player);
        }
        let at = self
            .order
            .binary_search_by_key(&userid, |&(userid, _)| userid)
            .ok()?;
        let &(_, place) = self.order.get(at)?;
        self.players.get(place as usize)
    }
}

impl PlayerBefore {
    const fn of(player: &Player) -> Self {
        Self {
            userid: player.userid,
            positions: [
                player.head.position,
                player.body.position,
                player.lhand.position,
                player.rhand.position,
            ],
            velocity: player.velocity,
            packet_loss: player.packetlossratio,
            possession_time: possession_time(player.stats.as_ref()),
        }
    }
}

const fn possession_time(stats: Option<&Stats>) -> Option<f32> {
    match stats {
        Some(stats) => Some(stats.possession_time),
        None => None,
    }
}

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
