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
mod game;
mod recorder;
mod schedule;
mod tapes;

pub use answer::{Fault, Faults};
pub use as_game::{AsGame, AsGameOptions, Reply};
pub use game::shown_url;
pub use recorder::{Event, Recorded, record};
pub use tapes::RecordedFile;

use std::path::PathBuf;
use std::time::Duration;

use gametape_echo::butter;

/// Options of the recorder: the game, the output file, and when to stop.
// The flags are independent.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The address of the game's API, with or without `/session`.
    pub url: String,
    /// The output file; its extension decides the format: `butter` or `echoreplay`.
    ///
    /// A .butter contains one match: the second match goes into `match.2.butter`, and so on.
    pub output: PathBuf,
    /// Frames a second, 1 to 120.
    pub rate: u32,
    /// Record the bones of the players, too.
    pub bones: bool,
    /// Continue an existing file; otherwise an existing file is refused.
    pub resume: bool,
    /// Write one file for each match with .echoreplay, too.
    pub split: bool,
    /// Make the .echoreplay a zip at the end. Until then it is text, so that no complete line is
    /// lost, whatever happens.
    pub zip: bool,
    /// How a .butter is written.
    pub butter: butter::Options,
    /// Stop after this many frames.
    pub frames: Option<u64>,
    /// Stop after this long.
    pub duration: Option<Duration>,
    /// Stop when no frame has come for this long, once one has.
    pub idle: Option<Duration>,
    /// How long an answer may take.
    pub timeout: Duration,
}

impl RecordOptions {
    /// Returns the default options: 30 frames a second with bones, from the game on this computer,
    /// without end; an answer may take two seconds.
    ///
    /// ```
    /// let options = gametape_record::echo::RecordOptions::new("final.butter");
    /// assert_eq!(options.url, "http://127.0.0.1:6721");
    /// assert_eq!(options.rate, 30);
    /// ```
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            url: "http://127.0.0.1:6721".to_owned(),
            output: output.into(),
            rate: 30,
            bones: true,
            resume: false,
            split: false,
            zip: false,
            butter: butter::Options::default(),
            frames: None,
            duration: None,
            idle: None,
            timeout: Duration::from_secs(2),
        }
    }
}
