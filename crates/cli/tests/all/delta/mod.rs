//! Tests of the command with snapshot/delta streams.

mod model;
mod record;
mod record_failures;
pub mod support;
