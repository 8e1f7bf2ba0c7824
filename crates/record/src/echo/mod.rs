//! Records Echo VR live: the game's API is polled, and every answer becomes a frame.
//!
//! The API answers only while a match is on, and the game may be closed and started again. The
//! recorder waits, and continues when there is something to record.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use gametape_record::echo::{RecordOptions, record};
//!
//! let stop = AtomicBool::new(false); // Set it from elsewhere.
//! let recorded = record(&RecordOptions::new("final.butter"), &stop, |event| {
//!     println!("{event:?}");
//! })?;
//! println!("{} frames", recorded.frames);
//! # Ok::<(), gametape::Error>(())
//! ```

mod answer;
mod as_game;
mod fault;
mod game;
mod options;
mod recorder;
mod schedule;
mod tapes;
mod zip;

pub use as_game::{AsGame, AsGameOptions, Reply};
pub use fault::{Fault, Faults};
pub use game::shown_url;
pub use options::RecordOptions;
pub use recorder::{Event, Recorded, record};
pub use tapes::RecordedFile;
