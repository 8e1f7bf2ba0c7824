//! The kinds of all members, from their tables.

use super::super::seen;
use crate::members::{
    Kind, bones_members, disc_members, last_score_members, last_throw_members, limb_members,
    pause_members, player_members, playspace_members, session_members, skeleton_members,
    stats_members, team_members,
};

/// A member: its name, its kind, and whether it belongs to an optional part.
pub(super) type Row = (&'static str, Kind, bool);

macro_rules! rows {
    ($(
        $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        &[$(row!($name $kind $place)),*]
    };
}

macro_rules! row {
    ($name:literal part ($kind:ident $($place:tt)*)) => {
        ($name, Kind::$kind, true)
    };
    ($name:literal $kind:ident $place:tt) => {
        ($name, Kind::$kind, false)
    };
}

/// In the order of the kinds of objects in [`seen`].
const TABLES: [&[Row]; 12] = [
    session_members! { rows },
    playspace_members! { rows },
    disc_members! { rows },
    pause_members! { rows },
    last_score_members! { rows },
    last_throw_members! { rows },
    team_members! { rows },
    player_members! { rows },
    stats_members! { rows },
    limb_members! { rows },
    bones_members! { rows },
    skeleton_members! { rows },
];

/// The members of a kind of object.
pub(super) fn table(kind: usize) -> &'static [Row] {
    TABLES.get(kind).copied().unwrap_or_default()
}

/// For each kind of object, the members that are in every one of a game, as bits.
pub(in crate::echoreplay) const REQUIRED: [u64; 12] = required();

const fn required() -> [u64; 12] {
    let mut all = [0; 12];
    let mut masks: &mut [u64] = &mut all;
    let mut tables: &[&[Row]] = &TABLES;
    while let ([mask, more_masks @ ..], [table, more_tables @ ..]) = (masks, tables) {
        *mask = mask_of(table);
        (masks, tables) = (more_masks, more_tables);
    }
    all
}

const fn mask_of(mut rows: &[Row]) -> u64 {
    let (mut mask, mut bit) = (0, 1);
    while let [(_, kind, is_part), more @ ..] = rows {
        if is_required(*kind) && !*is_part {
            mask |= bit;
        }
        bit <<= 1;
        rows = more;
    }
    mask
}

const fn is_required(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::account
            | Kind::address
            | Kind::bit
            | Kind::flag
            | Kind::limb
            | Kind::name
            | Kind::number
            | Kind::points
            | Kind::text
            | Kind::vector
            | Kind::velocity
            | Kind::whole
            | Kind::word
    )
}

/// The kind of the object or the objects that a member holds.
pub(super) fn child(name: &str, owner: usize) -> usize {
    match name {
        "disc" => seen::DISC,
        "pause" => seen::PAUSE,
        "last_score" => seen::LAST_SCORE,
        "last_throw" => seen::LAST_THROW,
        "player" => seen::PLAYSPACE,
        "teams" => seen::TEAM,
        "players" => seen::PLAYER,
        "stats" => seen::STATS,
        "user_bones" => seen::USER_BONES,
        _ if owner == seen::PLAYER => seen::POSE,
        _ => seen::SESSION,
    }
}
