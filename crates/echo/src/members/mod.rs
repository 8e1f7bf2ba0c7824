//! The members of the API's answers, each said once: a table for each object.
//!
//! A member is said by its name in JSON, its kind with its place in the model, its unit, a sentence, and
//! what else holds for it:
//!
//! | | |
//! |---|---|
//! | `diff Field` | comparisons and reports call it that; of a pose, where it is and how it is turned |
//! | `group Field` | they do so with others together, or it depends on the map or the value which of some |
//! | `column ("name" PART key secret)` | a column of a table is made of it; of the players', which of the parts of a .butter tells it |
//! | `range (0.0 to 255.0)` | no match has anything else |
//! | `named "the clock"` | findings call it that |
//!
//! A table gives its rows to a macro, and so becomes straight code; nothing is looked up while frames are
//! read. By it live:
//!
//! | | |
//! |---|---|
//! | `echoreplay/decode/object.rs` | reading and writing JSON |
//! | `visit.rs` | who looks at values: `audit/session/values.rs`; who changes them: redaction, `tape/dump.rs`, `tape/convert/tame.rs` |
//! | `echoreplay/spans.rs` | where a text has what is redacted |
//! | `diff/pairs.rs` | comparing two frames, and measuring what a conversion lost |
//! | `tape/tables/columns.rs` | the columns of the tables |
//! | [`MEMBERS`] | the page of the book |
//!
//! The game's order is that of the rows; tables and comparisons list their own, and a member that is not
//! in it is dead code, which the compiler finds. Bits and versions of .butter are written out, with files
//! that others wrote as witnesses.

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

/// Who redacts numbers names, and ids, in turns: of a frame, first all that are of the first. Of names,
/// those of players come first; of ids, accounts.
pub(crate) const TURNS: std::ops::RangeInclusive<u8> = 1..=5;
