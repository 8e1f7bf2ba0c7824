//! Tests of the command with Murk recordings.

mod bad_input;
mod bad_text;
mod branch;
mod copies;
mod crash;
mod everyday;
mod faults;
mod index;
mod outputs;
mod resume;
pub mod support;
mod tools;
