//! Recording Echo VR live: the game's API is asked again and again, and every answer becomes a frame.
//!
//! The API is there while a match is on, and with the game it comes and goes. The recorder takes all
//! of that as it is: it waits, and goes on where there is something to record.
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

pub use as_game::{AsGame, AsGameOptions, Said};
pub use fault::{Fault, Faults};
pub use game::shown_url;
pub use options::RecordOptions;
pub use recorder::{Event, Recorded, record};
pub use tapes::RecordedFile;
