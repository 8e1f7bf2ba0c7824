//! Murk recordings as users see them: what the command prints, how it exits, what it leaves on
//! disk. (Recorders that are killed have a file of their own.)

#![allow(clippy::needless_raw_string_hashes)] // The test tool writes them when it updates.

#[path = "murk/bad_input.rs"]
mod bad_input;
#[path = "murk/bad_text.rs"]
mod bad_text;
#[path = "murk/copies.rs"]
mod copies;
#[path = "murk/everyday.rs"]
mod everyday;
#[path = "murk/faults.rs"]
mod faults;
#[path = "murk/index.rs"]
mod index;
#[path = "murk/outputs.rs"]
mod outputs;
#[path = "murk/resume.rs"]
mod resume;
#[path = "murk/support.rs"]
mod support;
