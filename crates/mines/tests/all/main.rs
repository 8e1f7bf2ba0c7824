//! All tests of the crate's public interface, in one program.

mod book;
mod common;
mod doubt;
mod engine;
mod hands;
mod interop;
mod modes;
mod mutations;
mod readings;
mod real_files;
mod redaction;
mod relations;
mod rules;
#[cfg(feature = "tape")]
mod tables;
#[cfg(feature = "tape")]
mod tape;
mod writing;
