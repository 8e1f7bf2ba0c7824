//! Open, describe, check, measure, compare, repair and convert recordings of games and simulations,
//! whatever their format.
//!
//! ```no_run
//! let recording = gametape::Recording::open("final.rmv")?;
//! let info = recording.info(gametape::Secrets::Hide)?;
//! println!("{}", info.whole()?); // or `readable()`: what can be read of a broken recording
//! for finding in recording.audit()?.findings {
//!     println!("{finding}");
//! }
//! # Ok::<(), gametape::Error>(())
//! ```
//!
//! [`Recording`] recognises the format by the content, then by the extension. The trait [`Format`]
//! defines what a format is. [`formats()`] returns gametape's own formats, and [`Formats::with`]
//! adds others. For features of a single format, use [`Recording::tape_as`], or pass the bytes to
//! the format's own crate.
//!
//! # Features
//!
//! There is one feature for each format, with the name of its module below; `capture` includes
//! `delta`, and `murk` includes Murk's engine. The others are for programs that do more than read one
//! recording; `tools` stands for all of them:
//!
//! | feature | adds |
//! |---|---|
//! | `folders` | [`find()`] over folders and patterns; archives as folders |
//! | `policy` | [`Policy`], and [`Recording::verify`] |
//! | `write` | new recordings: [`Recording::convert`], [`repair`](Recording::repair), [`cut`](Recording::cut) |
//!
//! All are on by default.

#![deny(unsafe_code)]

mod around;
mod each;
mod error;
#[cfg(feature = "folders")]
mod folders;
mod instead;
#[cfg(feature = "write")]
mod making;
mod open;
mod playback;
#[cfg(feature = "policy")]
mod policy;
mod recording;
mod registry;
mod rows;
mod selection;
#[cfg(feature = "policy")]
mod verify;
mod when;

pub use around::Around;
pub use each::each;
pub use error::Error;
#[cfg(feature = "folders")]
pub use folders::{Found, file_of, find};
#[cfg(feature = "write")]
pub use making::{
    Content, Draft, Existing, Made, UnsyncedFolders, folder_for, remove_leftovers,
    remove_unfinished, write_file, write_recording,
};
pub use open::{Limits, OpenOptions};
pub use playback::Playback;
#[cfg(feature = "policy")]
pub use policy::{Decision, Policy, PolicyError, Reason};
pub use recording::{Partial, Recording};
pub use registry::{Formats, formats};
pub use rows::{CsvStyle, CsvWriter, RowForm, RowWriter};
pub use selection::{Comparison, Condition, ParseConditionError, Selecting, Selection};
#[cfg(feature = "policy")]
pub use verify::Verified;
pub use when::{ParseWhenError, When};

pub use gametape_core::surface::{Related, Relations};
pub use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Scan, TableDef, Value};
pub use gametape_core::tape::{
    AnyFinding, Audit, Beside, BusyTime, Converted, Cut, Cutout, Depth, Diff, Dump, Format, Info,
    Kept, Measured, OptionDef, OptionKind, OptionValue, Options, Print, RelationDef, Repaired,
    Report, Secrets, Tape, Target, Told, Traces, Verb, Verdict, Work,
};
pub use gametape_core::{At, Class, Input, Missing, Severity, Stamp, Time};

/// The foundation of all formats.
pub use gametape_core as core;

/// Archives of recordings.
pub use gametape_archive as archive;
/// Recorded snapshot/delta streams.
#[cfg(feature = "capture")]
pub use gametape_capture as capture;
/// The snapshot/delta wire: schemas, states, packets.
#[cfg(feature = "capture")]
pub use gametape_delta as delta;
/// Recordings of Echo VR: the session model and its formats.
#[cfg(feature = "echo")]
pub use gametape_echo as echo;
/// The Minesweeper formats, engine and statistics.
#[cfg(feature = "mines")]
pub use gametape_mines as mines;
/// Recordings of deterministic simulations, and their worlds.
#[cfg(feature = "murk")]
pub use gametape_murk as murk;

/// Prefix and suffix of the names of unfinished files.
#[cfg(any(feature = "folders", feature = "write"))]
const PARTIAL: (&str, &str) = (".gametape-", ".partial");

/// Returns true for gametape's own files and folders: unfinished files, and notes about a folder.
#[cfg(any(feature = "folders", feature = "write"))]
fn is_own(path: &std::path::Path) -> bool {
    let name = path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
    name.is_some_and(|name| name.starts_with(PARTIAL.0.as_bytes()))
}

/// Compiles and runs the example of the main README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Compiles and runs the examples of the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/examples.md")]
struct Examples;
