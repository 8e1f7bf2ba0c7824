//! A recording of a simulation as tables: ticks and commands; with a world, what became of the
//! commands, and a grid for each field, as the replay gives them.

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
