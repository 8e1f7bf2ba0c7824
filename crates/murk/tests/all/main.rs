//! All integration tests of the crate, in one program.

mod common;
#[cfg(feature = "engine")]
mod engine;
mod faults;
mod golden;
mod index;
mod interop;
mod rules;
#[cfg(feature = "tape")]
mod tape;
#[cfg(feature = "tape")]
mod tools;
mod writing;
