//! The promises of gametape that concern every input, one function per promise.
//!
//! Each check takes any bytes and panics if the promise is broken. libFuzzer calls the checks
//! through `fuzz_targets/check.rs`; ordinary tests call them with kept and generated inputs. A
//! check has no state and gives the same answer every time.

pub mod archive;
pub mod capture;
mod check;
pub mod cut;
pub mod delta;
pub mod echo;
pub mod murk;
pub mod rmv;
pub mod tables;
pub mod track;

pub use check::{Check, near, noise, seed};

/// The checks of each format. This is the only such list.
const ALL: &[&[Check]] = &[
    archive::CHECKS,
    rmv::CHECKS,
    murk::CHECKS,
    delta::CHECKS,
    capture::CHECKS,
    echo::CHECKS,
    track::CHECKS,
    tables::CHECKS,
    cut::CHECKS,
];

/// Every check.
pub fn checks() -> impl Iterator<Item = Check> {
    ALL.iter().copied().flatten().copied()
}
