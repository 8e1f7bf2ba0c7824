//! Live recorders: Echo VR from the game's API, snapshot/delta packets over UDP.
//!
//! Both recorders wait while nothing comes, and count the input that they can't use. If a recorder is
//! killed at any time, all frames and packets in its files can be read.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use gametape_record::echo::{RecordOptions, record};
//!
//! let stop = AtomicBool::new(false); // Set it from elsewhere.
//! let recorded = record(&RecordOptions::new("final.butter"), &stop, |_| {})?;
//! println!("{} frames", recorded.frames);
//! # Ok::<(), gametape::Error>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | the recording loop of Echo VR, its options and times | `echo/recorder.rs`, `echo/mod.rs`, `echo/schedule.rs` |
//! | requests to the game | `echo/game.rs` |
//! | turning answers into frames, and their faults | `echo/answer.rs` |
//! | choosing, continuing and finishing files | `echo/tapes.rs` |
//! | a recording that answers in place of the game | `echo/as_game.rs` |
//! | receiving, acknowledging and recording packets | `udp/stream.rs` |
//! | detecting that a sender was restarted | `udp/restart.rs` |
//! | the captures that packets go into | `udp/file.rs` |
//! | the names of files | `numbered` below |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub mod echo;
pub mod udp;

/// Returns the path of the file with this number: `match.butter`, `match.2.butter`, `match.3.butter` …
///
/// ```
/// # use std::path::Path;
/// let path = gametape_record::numbered(Path::new("games/match.butter"), 2);
/// assert_eq!(path, Path::new("games/match.2.butter"));
/// ```
#[must_use]
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    if number < 2 {
        return path.to_owned();
    }
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
