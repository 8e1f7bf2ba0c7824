//! All integration tests of the crate, in one program.

mod common;
#[cfg(feature = "engine")]
mod engine;
mod faults;
mod golden;
mod index;
mod interop;

mod resume;
mod rules;
#[cfg(feature = "tape")]
mod seek;
#[cfg(feature = "tape")]
mod tables;
#[cfg(feature = "tape")]
mod tape;
#[cfg(feature = "tape")]
mod tools;
#[cfg(feature = "tape")]
mod tools_record;
#[cfg(feature = "tape")]
mod tools_resume;
#[cfg(feature = "tape")]
mod tools_run;
mod writing;
