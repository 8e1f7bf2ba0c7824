//! Tests of the command with recordings of Echo VR.

mod bad_input;
mod convert;
mod everyday;
mod faults;
mod index;
pub mod record;
pub mod support;
