//! Differences between two recordings: the first frame and field, and how many follow.

mod allowed;
pub(crate) mod angle;
mod compare;
mod pairs;
mod players;
mod session;
pub(crate) mod sink;
mod tolerance;
pub(crate) mod walk;

pub use allowed::Allowed;
pub use compare::{Diff, Differ, Difference, FrameDifference, Side, compare};
pub use tolerance::Tolerance;
