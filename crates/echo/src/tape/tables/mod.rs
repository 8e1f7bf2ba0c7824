//! A match as tables.

mod beside;
mod bones;
mod columns;
mod events;
mod facts;
mod frame;
mod game;
mod players;
mod poses;
mod precision;
mod scan;
mod seek;
mod there;

pub(super) use facts::MATCH;
pub(super) use frame::defs;
pub(super) use precision::tables;
pub(super) use scan::scan;
pub(super) use seek::Seeking;
