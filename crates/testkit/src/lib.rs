//! Code shared by the tests, the fuzz checks and the benchmarks. It is never published.
//!
//! | module and feature | content |
//! |---|---|
//! | [`archive`] | archives of every kind, right and wrong |
//! | [`delta`] | the origin of the snapshot/delta wire |
//! | [`echo`] | matches of Echo VR, spoiled as real machines do it, and frames that no game sends |
//! | [`mines`] | forged and random games of Minesweeper, and a second simulator of the game |
//! | [`murk`] | commands, recordings and states in a form that ours and the origin of Murk's format can both express |
//! | [`cases`] | how many of many cases are run, and on how many cores |
//! | [`Script`] | choices made by bytes, for fuzz checks and random tests |
//! | [`Random`] | random numbers that are the same on every machine |
//!
//! The tests of a format crate turn on the feature of their own format alone.

#![forbid(unsafe_code)]
// Tests, checks and benchmarks end by a panic.
#![allow(clippy::missing_panics_doc)]

#[cfg(feature = "archive")]
pub mod archive;
pub mod cases;
#[cfg(feature = "delta")]
pub mod delta;
#[cfg(feature = "echo")]
pub mod echo;
#[cfg(feature = "mines")]
pub mod mines;
#[cfg(feature = "murk")]
pub mod murk;

pub use cases::Random;
#[cfg(feature = "script")]
pub use cases::Script;
