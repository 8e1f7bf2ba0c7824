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

mod list;
mod player;
mod session;

pub(crate) use list::{Kind, member};
pub use list::{MEMBERS, Member};

pub(crate) use player::{
    bones_members, limb_members, player_members, skeleton_members, stats_members, team_members,
};
pub(crate) use session::{
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
