//! Snapshot/delta streams as users see them: what the command prints, how it exits, what it leaves
//! on disk.

#![allow(clippy::needless_raw_string_hashes)] // The test tool writes them when it updates.

#[path = "delta/bad_input.rs"]
mod bad_input;
#[path = "delta/convert.rs"]
mod convert;
#[path = "delta/damage.rs"]
mod damage;
#[path = "delta/diff.rs"]
mod diff;
#[path = "delta/everyday.rs"]
mod everyday;
#[path = "delta/migrate.rs"]
mod migrate;
#[path = "delta/origin.rs"]
mod origin;
#[path = "delta/outputs.rs"]
mod outputs;
#[path = "delta/record.rs"]
mod record;
#[path = "delta/schema.rs"]
mod schema;
#[path = "delta/support.rs"]
mod support;
