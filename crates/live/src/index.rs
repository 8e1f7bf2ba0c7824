//! What is said of published recordings, as JSON.

use gametape::core::Time;
use gametape::core::table::{Marker, MarkerKind, Playback};
use gametape::core::tape::{AnyFinding, Error, Verdict};
use gametape_capture::tape::Moment;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the layout.
pub const VERSION: u32 = 1;

/// `library.json`: which recordings there are.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Library {
    /// [`VERSION`].
    pub version: u32,
    /// In the order of their names.
    pub recordings: Vec<Entry>,
}

/// A recording in a library.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Entry {
    /// The name of its folder.
    pub id: String,
    /// The name of the file.
    pub name: String,
    /// The name of its format.
    pub format: String,
    /// How long it is, where that is known.
    pub duration_ms: Option<u64>,
    /// How many steps it has, where that is known.
    pub steps: Option<u64>,
    /// What its audit comes to: `pass`, `warn` or `fail`; `None` where nobody has looked yet.
    pub verdict: Option<String>,
    /// The names of its tables.
    pub tables: Vec<String>,
    /// Whether it is still being written.
    pub live: bool,
    /// What only its format has.
    pub details: Map<String, Value>,
}

/// `recording.json`: all that is known of a recording before its segments.
#[derive(Clone, Serialize, Debug)]
pub struct Index {
    /// [`VERSION`].
    pub version: u32,
    /// What the library says of it.
    #[serde(flatten)]
    pub entry: Entry,
    /// Where, beside this file, a WebSocket with the growing end of it is.
    pub socket: Option<String>,
    /// The audit in a sentence.
    pub summary: String,
    /// The schema of the packets.
    pub schema: Value,
    /// What the tables are, and which field of a packet is which column.
    pub description: Value,
    /// Moments worth going to.
    pub markers: Vec<Mark>,
    /// What the audit found.
    pub findings: Vec<AnyFinding>,
    /// The file with the labels.
    pub labels: File,
    /// In their order.
    pub segments: Vec<SegmentEntry>,
    /// What could not be carried: how far a broken recording goes, what is doubtful.
    pub lost: Vec<Lost>,
    /// What was left out because it is secret, and what is rounded.
    pub notes: Vec<String>,
}

/// What could not be carried, or is doubtful.
#[derive(Clone, Serialize, Debug)]
pub struct Lost {
    /// What it is, in a sentence.
    pub text: String,
    /// From when on; `None` where it is of the recording as a whole.
    pub step: Option<u64>,
    /// See [`Moment`].
    pub tick: Option<u64>,
    /// Milliseconds since the start.
    pub time_ms: Option<f64>,
}

impl Lost {
    /// What is wrong with a recording, from the moment on that this playback knows of.
    pub(crate) fn doubt(error: &Error, play: Option<&mut (dyn Playback + '_)>) -> Self {
        let stamp = match (error, play) {
            (Error::Broken(finding), Some(play)) => Marker::finding(finding, play).stamp,
            _ => None,
        };
        Self {
            step: stamp.map(|stamp| stamp.step),
            tick: stamp.and_then(|stamp| stamp.tick),
            time_ms: stamp.and_then(|stamp| stamp.time).map(Time::ms),
            text: error.to_string(),
        }
    }
}

impl From<String> for Lost {
    fn from(text: String) -> Self {
        Self {
            text,
            step: None,
            tick: None,
            time_ms: None,
        }
    }
}

/// A file beside `recording.json`.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct File {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
}

/// A segment.
#[derive(Clone, Serialize, Debug)]
pub struct SegmentEntry {
    /// Where it is.
    #[serde(flatten)]
    pub file: File,
    /// Packets of the stream.
    pub packets: u64,
    /// Events.
    pub events: u64,
    /// When its first state is.
    pub from: Moment,
    /// When its last state is.
    pub to: Moment,
}

/// A moment worth going to.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Mark {
    /// `event`, `info`, `warning` or `error`.
    pub kind: String,
    /// The name of a table, or the code of a rule.
    pub source: String,
    /// What it says; of several events what the first is.
    pub text: String,
    /// How many events it stands for, where they are several: from this moment up to the next marker of
    /// the same table.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// When; `None` where it is of the recording as a whole.
    pub step: Option<u64>,
    /// See [`Moment`].
    pub tick: Option<u64>,
    /// Milliseconds since the start.
    pub time_ms: Option<f64>,
}

// As serde asks.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_one(count: &u64) -> bool {
    *count == 1
}

impl From<Marker> for Mark {
    fn from(marker: Marker) -> Self {
        let stamp = marker.stamp;
        Self {
            kind: match marker.kind {
                MarkerKind::Event => "event".to_owned(),
                MarkerKind::Finding(severity) => severity.to_string(),
            },
            source: marker.source,
            text: marker.text,
            count: marker.count,
            step: stamp.map(|stamp| stamp.step),
            tick: stamp.and_then(|stamp| stamp.tick),
            time_ms: stamp.and_then(|stamp| stamp.time).map(Time::ms),
        }
    }
}

/// As it is written.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
    }
    .to_owned()
}
