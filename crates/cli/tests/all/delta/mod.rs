//! Tests of the command with snapshot/delta streams.

mod bad_input;
mod convert;
mod damage;
mod damaged_captures;
mod diff;
mod everyday;
mod migrate;
mod origin;
mod outputs;
mod record;
mod record_failures;
mod schema;
pub mod support;
