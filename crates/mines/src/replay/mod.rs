//! Plays a recorded game through the engine and compares the recorded board events with the
//! engine's.

mod expectation;
mod moves;
mod observer;
mod outcome;
mod pass;
mod path;

pub(crate) use moves::{Moves, Sample};
pub(crate) use observer::{Observer, Place, Step};
pub use outcome::{ButtonEvents, Divergence, Doubted, Replayed};
pub use pass::replay;
pub(crate) use pass::replay_with;
pub(crate) use path::WAITING;
