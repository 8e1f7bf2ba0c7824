//! Differences between two recordings: the first frame and field, and how many follow.

mod compare;
pub(crate) mod pairs;
pub(crate) mod tolerance;
pub(crate) mod walk;

pub use compare::{Diff, Differ, Difference, FrameDifference, Side, compare};
pub use tolerance::{Allowed, Tolerance};
