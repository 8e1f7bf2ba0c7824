//! The JSON files of published recordings.

use gametape::core::Time;
use gametape::core::surface::{Marker, MarkerKind};
use gametape::core::table::Playback;
use gametape::core::tape::{AnyFinding, Error, Verdict};
use gametape_capture::tape::{Moment, Segment};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the layout.
pub const VERSION: u32 = 1;

/// `library.json`: the list of recordings.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Library {
    /// [`VERSION`].
    pub version: u32,
    /// The recordings, in the order of their names.
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
    /// Its duration, if known.
    pub duration_ms: Option<u64>,
    /// The number of its steps, if known.
    pub steps: Option<u64>,
    /// The verdict of its audit: `pass`, `warn` or `fail`; `None` if there was no audit yet.
    pub verdict: Option<String>,
    /// The names of its tables.
    pub tables: Vec<String>,
    /// Whether it is still being written.
    pub live: bool,
    /// Data that only its format has.
    pub details: Map<String, Value>,
}

/// `recording.json`: the description of a recording, read before its segments.
#[derive(Clone, Serialize, Debug)]
pub struct Index {
    /// [`VERSION`].
    pub version: u32,
    /// Its entry in the list.
    #[serde(flatten)]
    pub entry: Entry,
    /// The address, relative to this file, of a WebSocket with the growing end.
    pub socket: Option<String>,
    /// The audit in a sentence.
    pub summary: String,
    /// The schema of the packets.
    pub schema: Value,
    /// The tables, and the fields of packets that their columns are in.
    pub description: Value,
    /// The marked moments.
    pub markers: Vec<Mark>,
    /// The findings of the audit.
    pub findings: Vec<AnyFinding>,
    /// The file with the labels.
    pub labels: File,
    /// The segments, in order.
    pub segments: Vec<SegmentEntry>,
    /// The parts that could not be published or are doubtful, for example after a break.
    pub lost: Vec<Lost>,
    /// Notes about secret values that were left out, and about rounded values.
    pub notes: Vec<String>,
}

/// A part that could not be published or is doubtful.
#[derive(Clone, Serialize, Debug)]
pub struct Lost {
    /// A sentence about it.
    pub text: String,
    /// The step from which on; `None` for the whole recording.
    pub step: Option<u64>,
    /// See [`Moment`].
    pub tick: Option<u64>,
    /// Milliseconds since the start.
    pub time_ms: Option<f64>,
}

impl Lost {
    /// Makes one from an error of the recording; its moment comes from the playback.
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
    /// Its file.
    #[serde(flatten)]
    pub file: File,
    /// The number of packets.
    pub packets: u64,
    /// The number of events.
    pub events: u64,
    /// The moment of its first state.
    pub from: Moment,
    /// The moment of its last state.
    pub to: Moment,
}

impl SegmentEntry {
    /// Describes a segment whose records are in this file.
    pub(crate) fn of(file: File, segment: &Segment) -> Self {
        Self {
            file,
            packets: segment.packets,
            events: segment.events,
            from: segment.from.into(),
            to: segment.to.into(),
        }
    }
}

/// A marked moment.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Mark {
    /// `event`, `info`, `warning` or `error`.
    pub kind: String,
    /// The name of a table, or the code of a rule.
    pub source: String,
    /// Its text; for several events, that of the first.
    pub text: String,
    /// The number of events that it stands for: those from this moment up to the next marker of the same
    /// table.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// The step; `None` for the whole recording.
    pub step: Option<u64>,
    /// See [`Moment`].
    pub tick: Option<u64>,
    /// Milliseconds since the start.
    pub time_ms: Option<f64>,
}

// serde passes a reference.
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

/// Returns the text of a verdict.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
    }
    .to_owned()
}
