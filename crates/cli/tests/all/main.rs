//! Tests of the command: its output, its exit codes, and its files. They are one program, which is linked
//! once.

#![allow(clippy::needless_raw_string_hashes)] // The test tool writes them when it updates.

mod archives;
mod common;
mod delta;
mod demo;
mod echo;
mod folders;
mod kit;
#[cfg(feature = "live")]
mod live;
mod murk;
mod names;
mod options;
#[cfg(unix)]
mod outputs;
#[cfg(feature = "picture")]
mod picture;
#[cfg(all(feature = "play", target_os = "linux"))]
mod play;
#[cfg(unix)]
mod query;
mod ranking;
mod rmv;
#[cfg(all(
    target_os = "linux",
    feature = "live",
    feature = "picture",
    feature = "play"
))]
mod transcripts;
#[cfg(unix)]
mod verdicts;
#[cfg(all(feature = "live", unix))]
mod watched;
