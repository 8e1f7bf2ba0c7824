//! A recording of a simulation as tables: ticks and commands; with a world, what became of the
//! commands, and a grid for each field, as the replay gives them.

mod clock;
mod columns;
mod defs;
mod facts;
mod frames;
mod grid;
mod replay;
mod scan;
mod seek;

pub(super) use defs::{defs, of};
pub(super) use facts::RUN;
pub(super) use scan::scan;
pub use seek::MurkPlayback;
