//! The tables of a recording: ticks and commands. With a world there are also the outcomes of commands and a
//! grid for each field, from the replay.

mod defs;
mod facts;
mod pass;
mod replay;
mod scan;
mod seek;

pub(super) use defs::{known, of};
pub(super) use scan::{estimate, follow, scan};
pub use seek::MurkPlayback;
