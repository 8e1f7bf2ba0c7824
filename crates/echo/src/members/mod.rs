//! The members of the API's responses, each defined once: a table for each object.
//!
//! A row has the member's name in JSON, its kind with its place in the model, its unit, a sentence, and
//! attributes:
//!
//! | | |
//! |---|---|
//! | `diff Field` | its field in comparisons and reports; for a pose, the fields of its position and its rotation |
//! | `group Field` | the same for several members together, or if the field depends on the map or the value |
//! | `column ("name" PART key secret wide)` | a column of a table; for players, the part of a .butter that stores it |
//! | `range (0.0 to 255.0)` | no match has values outside |
//! | `named "the clock"` | its name in findings |
//!
//! A table passes its rows to a macro and so becomes straight code; nothing is looked up while frames are
//! read. These use it:
//!
//! | | |
//! |---|---|
//! | `echoreplay/decode/object.rs` | reading and writing JSON |
//! | `visit.rs` | viewing values: `audit/values.rs`; changing them: redaction, `tape/dump.rs`, `tame` in `tape/convert/to_lines.rs` |
//! | `echoreplay/redact.rs` | finding sensitive text |
//! | `diff/pairs.rs` | comparing two frames, and measuring what a conversion lost |
//! | `tape/tables/columns.rs` | the columns of the tables |
//! | [`MEMBERS`] | the book's page |
//!
//! The rows are in the game's order. Tables and comparisons have their own orders, and a member missing
//! there is dead code, which the compiler finds. The bits and versions of .butter are written by hand;
//! files from other writers verify them.

use crate::field::Field;

mod rows;

pub(crate) use rows::{
    bones_members, limb_members, player_members, skeleton_members, stats_members, team_members,
};
pub(crate) use rows::{
    disc_members, last_score_members, last_throw_members, pause_members, playspace_members,
    session_members,
};

/// The names of an object's members.
macro_rules! names {
    ($(
        $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        &[$($name),*]
    };
}
/// The names of the session's members.
pub(crate) const SESSION: &[&str] = session_members! { names };
/// The names of a player's members.
pub(crate) const PLAYER: &[&str] = player_members! { names };

/// The bit of a member among those of its object. The session has the most, 37.
pub(crate) const fn bit(names: &[&str], name: &str) -> u64 {
    let mut rest = names;
    let mut bit = 1;
    while let [first, others @ ..] = rest {
        if equal(first.as_bytes(), name.as_bytes()) {
            return bit;
        }
        bit <<= 1;
        rest = others;
    }
    0
}

const fn equal(mut a: &[u8], mut b: &[u8]) -> bool {
    loop {
        match (a, b) {
            ([], []) => return true,
            ([x, a_rest @ ..], [y, b_rest @ ..]) if *x == *y => (a, b) = (a_rest, b_rest),
            _ => return false,
        }
    }
}

/// The order in which names and ids are numbered for redaction: all those of the first turn in a frame,
/// then those of the second, and so on. Among names, players come first; among ids, accounts.
pub(crate) const TURNS: std::ops::RangeInclusive<u8> = 1..=5;

/// A member of the API's responses.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Member {
    /// Its key in JSON, as the API spells it.
    pub name: &'static str,
    /// Its type in JSON.
    pub kind: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// A sentence that describes it.
    pub doc: &'static str,
    /// Its fields in comparisons and reports. Some depend on the map or on the value.
    pub fields: &'static [Field],
    /// The least and the largest value in any match, if known.
    pub range: Option<(f64, f64)>,
    /// Whether it identifies a person or a place: `convert --redact` replaces it.
    pub redacted: bool,
    /// Its name in findings.
    pub(crate) called: &'static str,
}

/// The kinds of members in the tables.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
pub enum Kind {
    account,
    address,
    bit,
    bones,
    flag,
    hand,
    limb,
    maybe_name,
    maybe_whole,
    name,
    number,
    object,
    pair,
    players,
    playspace,
    points,
    pos,
    position,
    raised,
    said,
    skeletons,
    stats,
    teams,
    text,
    vector,
    velocity,
    whole,
    word,
}

impl Kind {
    pub const fn in_json(self) -> &'static str {
        match self {
            Self::account | Self::whole | Self::maybe_whole => "whole number",
            Self::pair => "two whole numbers",
            Self::number | Self::points => "number",
            Self::vector | Self::velocity | Self::pos | Self::position => "three numbers",
            Self::bones => "numbers",
            Self::bit => "0 or 1",
            Self::flag | Self::raised => "true or false",
            Self::name
            | Self::maybe_name
            | Self::address
            | Self::said
            | Self::text
            | Self::word => "text",
            Self::hand => "text or number",
            Self::object | Self::stats | Self::playspace | Self::limb => "object",
            Self::teams | Self::players | Self::skeletons => "objects",
        }
    }

    pub const fn is_sensitive(self) -> bool {
        matches!(
            self,
            Self::name | Self::maybe_name | Self::account | Self::hand | Self::address | Self::said
        )
    }
}

macro_rules! listed {
    ($(
        $name:literal: $kind:ident $place:tt $(in $unit:literal)?,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        &[$(member!($name $kind $place [$($unit)?] $doc, $($attr $value)*)),*]
    };
}

/// Makes the entry of a member from its row.
macro_rules! member {
    ($name:literal part ($kind:ident $($place:tt)*) $($rest:tt)*) => {
        member!($name $kind ($($place)*) $($rest)*)
    };
    // For a velocity, a column for each axis completes the sentence.
    ($name:literal velocity $place:tt $unit:tt $doc:literal, $($attr:ident $value:tt)*) => {
        Member { doc: concat!($doc, "."), ..member!($name vector $place $unit $doc, $($attr $value)*) }
    };
    ($name:literal $kind:ident $place:tt [$($unit:literal)?] $doc:literal, $($attr:ident $value:tt)*) => {
        Member {
            name: $name,
            kind: Kind::$kind.in_json(),
            unit: concat!("" $(, $unit)?),
            doc: $doc,
            fields: member!(fields $($attr $value)*),
            range: member!(range $($attr $value)*),
            redacted: Kind::$kind.is_sensitive(),
            called: member!(called $name $($attr $value)*),
        }
    };

    (fields diff $field:ident $($rest:tt)*) => { &[Field::$field] };
    (fields group $field:ident $($rest:tt)*) => { &[Field::$field] };
    (fields diff ($($field:ident)*) $($rest:tt)*) => { &[$(Field::$field),*] };
    (fields group ($($field:ident)*) $($rest:tt)*) => { &[$(Field::$field),*] };
    (fields $attr:ident $value:tt $($rest:tt)*) => { member!(fields $($rest)*) };

    (range range ($low:literal to $high:literal) $($rest:tt)*) => {
        Some(($low, $high))
    };
    (range $attr:ident $value:tt $($rest:tt)*) => { member!(range $($rest)*) };
    (range) => { None };

    (called $name:literal named $called:literal $($rest:tt)*) => { $called };
    (called $name:literal $attr:ident $value:tt $($rest:tt)*) => { member!(called $name $($rest)*) };
    (called $name:literal) => { $name };
}
pub(crate) use member;

/// The members of each object, with a description of the object.
pub const MEMBERS: &[(&str, &[Member])] = &[
    ("The session", session_members! { listed }),
    ("`disc`", disc_members! { listed }),
    ("`pause`", pause_members! { listed }),
    ("`last_score`", last_score_members! { listed }),
    ("`last_throw`", last_throw_members! { listed }),
    ("`player`", playspace_members! { listed }),
    ("Each of `teams`", team_members! { listed }),
    ("Each of `players`", player_members! { listed }),
    ("`stats` of a team or a player", stats_members! { listed }),
    (
        "`head`, `body`, `lhand` and `rhand`",
        limb_members! { listed },
    ),
    ("The answer of `/player_bones`", bones_members! { listed }),
    ("Each of `user_bones`", skeleton_members! { listed }),
];
