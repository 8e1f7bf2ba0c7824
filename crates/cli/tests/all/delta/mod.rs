//! Snapshot/delta streams as users see them: what the command prints, how it exits, what it leaves
//! on disk.

mod bad_input;
mod convert;
mod damage;
mod diff;
mod everyday;
mod migrate;
mod origin;
mod outputs;
mod record;
mod schema;
pub mod support;
