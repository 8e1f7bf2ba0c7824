//! Tests of the command with Murk recordings.

mod crash;
pub mod support;
