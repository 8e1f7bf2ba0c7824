//! Verbs over many files: all cores work on them, what they give comes in the order of the files, a
//! bar shows how far it is, and a broken file ends nothing.
//!
//! `convert` and `repair` make files of them below a folder: what is to become what is known before
//! anything is done, and what was made is noted, so that the same call again does what is left.

mod cores;
mod done;
mod each;
mod fingerprint;
mod items;
mod make;
mod plan;
mod progress;
pub mod stop;
mod told;

pub use cores::cores;
pub use each::each;
#[cfg(any(feature = "live", feature = "tools"))]
pub use items::recordings;
pub use items::{Item, items};
pub use make::{Making, Outcome, run};
pub use progress::Progress;
pub use told::skipped;
