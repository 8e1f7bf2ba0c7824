//! A match as tables.

mod bones;
mod columns;
mod estimate;
mod events;
mod facts;
mod frame;
mod game;
mod giving;
mod pass;
mod players;
mod poses;
mod precision;
mod present;
mod roster;
mod seek;

pub(super) use estimate::estimate;
pub(super) use frame::{defs, is_long_after, stamp};
pub(super) use pass::{follow, scan};
pub(super) use precision::tables;
pub(super) use seek::Seeking;

/// Returns whether a table is a state that a single frame describes.
pub(super) fn is_state(table: &str) -> bool {
    frame::State::of(table).is_some()
}
