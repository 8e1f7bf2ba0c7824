//! The tables of a recording: ticks and commands. With a world there are also the outcomes of commands and a
//! grid for each field, from the replay.

mod clock;
mod columns;
mod defs;
mod estimate;
mod facts;
mod follow;
mod frames;
mod grid;
mod parameters;
mod pass;
mod replay;
mod scan;
mod seek;

pub(super) use defs::{known, of};
pub(super) use estimate::estimate;
pub(super) use follow::follow;
pub(super) use scan::scan;
pub use seek::MurkPlayback;
