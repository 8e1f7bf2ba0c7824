//! What to record, into which file, and when to stop.

use std::path::PathBuf;
use std::time::Duration;

use gametape_echo::butter;

/// What to record, into which file, and when to stop.
// Each is a question of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Where the game answers; `/session` behind it may be left out.
    pub url: String,
    /// The file, whose extension says what it becomes: `butter` or `echoreplay`.
    ///
    /// A .butter holds one match: the second goes into `match.2.butter`, and so on.
    pub output: PathBuf,
    /// Frames a second, 1 to 120.
    pub rate: u32,
    /// Ask for the bones of the players, too.
    pub bones: bool,
    /// Go on with a file that is there already; else it is refused.
    pub resume: bool,
    /// A file for each match in an .echoreplay, too.
    pub split: bool,
    /// Make a zip of the .echoreplay at the end. Until then it is text, of which whatever happens
    /// no whole line is lost.
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
    /// 30 frames a second with bones from the game on this computer, without end; an answer may
    /// take two seconds.
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
