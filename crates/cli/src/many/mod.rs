//! Verbs over many files: work on all cores, results in the order of the files, a progress bar; a broken file
//! does not stop the rest.
//!
//! `convert` and `repair` make files below a folder. They plan all outputs before they begin, and keep a
//! manifest, so that the same call again does only the rest.

mod losses;
mod make;
mod manifest;
mod packed;
mod parallel;
mod plan;
mod progress;
mod report;

pub use make::{Making, Outcome, run};
pub use parallel::{cores, each};
#[cfg(any(feature = "live", feature = "tools"))]
pub use plan::recordings;
pub use plan::{Item, items};
pub use progress::Progress;
pub use report::skipped;
