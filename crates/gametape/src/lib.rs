//! Recordings of games and simulations, whatever their format: open, describe, check, measure,
//! compare, repair, convert; and of deterministic simulations: record, minimise, prove in sync.
//!
//! ```no_run
//! let recording = gametape::Recording::open("final.rmv")?;
//! println!("{}", recording.info()?);
//! for finding in recording.audit()?.findings {
//!     println!("{finding}");
//! }
//! # Ok::<(), gametape::Error>(())
//! ```
//!
//! [`Recording`] knows a format by its content, then by its extension. Whoever needs more than
//! what all formats share takes [`Recording::bytes`] to the format's own crate, such as
//! [`gametape_mines`] or [`gametape_murk`].

#![deny(unsafe_code)]

mod content;
mod diff;
mod error;
mod finding;
mod format;
mod formats;
mod info;
mod output;
mod paths;
mod recording;
mod source;

pub use content::{Content, Work};
pub use diff::Diff;
pub use error::Error;
pub use finding::{Audit, Finding, Severity, Verdict};
pub use format::{Beside, Check, Convert, Converted, Dump, Format, Partial, Repaired, Secrets};
pub use formats::packets::read_schema;
pub use info::{Info, printable, shortened};
pub use output::{folder_for, place, remove_unfinished, unfinished, write_file, write_recording};
pub use paths::{Found, find};
pub use recording::Recording;
pub use source::Limits;

/// Recorded snapshot/delta streams: captures, files of packets.
pub use gametape_capture as capture;

/// The snapshot/delta wire: schemas, states, packets.
pub use gametape_delta as delta;

/// Recordings of Echo VR: the session model and its formats, and what a conversion may be told.
pub mod echo {
    pub use crate::formats::echo::{Container, Wish};
    pub use gametape_echo::*;
}

/// The Minesweeper formats, engine and statistics.
pub use gametape_mines as mines;

/// Recordings of deterministic simulations: the format, and what is done with worlds.
pub mod murk {
    pub use crate::formats::murk::{
        Commands, Minimise, Minimised, RecordOptions, Recorded, Subject, SyncTest, Synced, index,
        index_path, minimise, record, sync_test,
    };
    pub use gametape_murk::*;
}

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
