//! Packets, their times, and the common view of all recordings of them.

use gametape_core::Time;
use gametape_delta::wire::Header;
use gametape_delta::{Kind, Schema, Snapshot};

use crate::container::Message;
use crate::cursor::{Cursor, DeltaFile};
use crate::layout::Role;
use crate::read::Capture;
use crate::replay::{Later, Replay};
use crate::rule::{CaptureRule, Error, Finding, Rule};
use crate::seek::{self, Entry};

/// The recorded packets of a stream.
#[derive(Debug)]
pub enum Packets<'a> {
    /// In an MCAP file, which also contains the schema.
    Capture(Box<Capture<'a>>),
    /// In a file of packets, or in several such files that were concatenated.
    Delta(DeltaFile<'a>),
}

impl Packets<'_> {
    /// Their schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Capture(capture) => capture.schema(),
            Self::Delta(file) => file.schema(),
        }
    }

    /// The length of a tick in nanoseconds, if it is known.
    #[must_use]
    pub fn tick_ns(&self) -> Option<u64> {
        match self {
            Self::Capture(capture) => capture.tick_ns(),
            Self::Delta(_) => None,
        }
    }

    /// True if the states are the view of a receiver: see [`Options::view`](crate::Options::view).
    #[must_use]
    pub fn is_view(&self) -> bool {
        match self {
            Self::Capture(capture) => capture.is_view(),
            Self::Delta(_) => false,
        }
    }

    /// The reason why the end of the recording cannot be read, if reading the packets does not show
    /// it.
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        match self {
            Self::Capture(capture) => capture.problem(),
            Self::Delta(_) => None,
        }
    }

    /// All packets, in the order of the recording.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        match self {
            Self::Capture(capture) => capture.packets(),
            Self::Delta(file) => Cursor::of_delta(file),
        }
    }

    /// All packets and all other messages, in the order of the recording.
    pub(crate) fn messages(&self) -> Cursor<'_> {
        match self {
            Self::Capture(capture) => capture.messages(),
            Self::Delta(file) => Cursor::of_delta(file),
        }
    }

    /// The description, as JSON, of the tables from which the recording was made.
    #[must_use]
    pub fn tables(&self) -> Option<&str> {
        match self {
            Self::Capture(capture) => capture.tables(),
            Self::Delta(_) => None,
        }
    }

    /// The state at the latest recorded tick that is not after `tick`.
    ///
    /// # Errors
    /// [`CaptureRule::NoState`] before the first full snapshot; [`CaptureRule::Unreachable`] if a
    /// baseline is not recorded; a problem of a packet that is needed.
    pub fn state_at(&self, tick: u32) -> Result<Snapshot, Error> {
        match self {
            Self::Capture(capture) => capture.state_at(tick),
            Self::Delta(file) => state_of(file, tick),
        }
    }

    /// A replay of these packets that keeps each state exactly as long as a later packet builds on
    /// it. To know this, it first reads all headers.
    ///
    /// # Errors
    /// The recording cannot be read; problems of its content are skipped.
    pub fn replay(&self) -> Result<Replay, Error> {
        let mut later = Later::default();
        let mut cursor = self.cursor();
        while let Some(packet) = cursor.next_or_fault()? {
            if let Ok(packet) = packet {
                later.packet(&packet);
            }
        }
        Ok(Replay::looking_ahead(self.schema(), later))
    }
}

/// The state in a file of packets at the latest tick that is not after `tick`.
fn state_of(file: &DeltaFile<'_>, tick: u32) -> Result<Snapshot, Error> {
    let (entries, first) = entries_of(file, tick)?;
    let chain = match seek::chain(&entries) {
        Some(Ok(chain)) => chain,
        Some(Err(missing)) if first.is_some_and(|first| first <= tick) => {
            return Err(missing.error());
        }
        _ => return Err(CaptureRule::NoState { tick, first }.whole()),
    };
    let mut states = seek::TwoStates::new(file.schema());
    for entry in chain.into_iter().filter_map(|at| entries.get(at)) {
        states.apply(entry, entry.at, &file.packet(entry)?)?;
    }
    Ok(states.into_state())
}

/// The packets up to a tick, and the tick of the first full snapshot.
fn entries_of(file: &DeltaFile<'_>, tick: u32) -> Result<(Vec<Entry>, Option<u32>), Error> {
    let mut cursor = Cursor::of_delta(file);
    let mut entries = Vec::new();
    let mut first = None;
    while let Some(packet) = cursor.next_or_fault()? {
        // A damaged packet is not needed, or the search reports that it is.
        let Ok(packet) = packet else { continue };
        let Ok((header, _)) = Header::read(packet.bytes) else {
            continue;
        };
        if header.kind == Kind::Full {
            first.get_or_insert(header.tick);
        }
        if header.tick > tick {
            break;
        }
        entries.push(Entry {
            tick: header.tick,
            baseline: header.baseline(),
            chunk: 0,
            at: packet.offset,
            len: packet.bytes.len(),
            index: Some(packet.index),
        });
    }
    Ok((entries, first))
}

/// The times that a capture records for a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The sequence number of the message, which is the tick.
    pub sequence: u32,
    /// The tick as a time: nanoseconds since tick 0.
    pub log_time: u64,
    /// The time of recording in nanoseconds since 1970; equal to `log_time` if it is unknown.
    pub publish_time: u64,
}

impl Times {
    pub(crate) const fn of(message: &Message<'_>) -> Self {
        Self {
            sequence: message.sequence,
            log_time: message.log_time,
            publish_time: message.publish_time,
        }
    }
}

/// A packet of a recording, or another message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// Its bytes, as they were sent.
    pub bytes: &'a [u8],
    /// Its number in the stream, from 0; an added packet has the number of the packet before it.
    pub index: u64,
    /// Its offset in the file; in captures, the offset of its chunk, or outside of chunks that of its
    /// message.
    pub offset: u64,
    /// Its role in the recording.
    pub role: Role,
    /// Its times; only in captures.
    pub times: Option<Times>,
}

impl Packet<'_> {
    /// An error of the wire format, with the packet's place in the recording.
    #[must_use]
    pub fn error(&self, source: gametape_delta::Error) -> Error {
        self.finding(Rule::Wire(source)).into()
    }

    /// Its tick, if its header can be read.
    #[must_use]
    pub fn tick(&self) -> Option<u32> {
        if self.role.is_beside() {
            return self.times.map(|times| times.sequence);
        }
        Header::read(self.bytes).ok().map(|(header, _)| header.tick)
    }

    /// A finding about this packet, with its place in the recording. The offset of a byte within an
    /// unpacked chunk would mean nothing, so it is not given.
    pub(crate) fn finding(&self, rule: impl Into<Rule>) -> Finding {
        Finding::new(rule.into())
            .step(self.index)
            .tick(self.tick().map(u64::from))
            .at(self.offset)
    }
}

/// The duration of `count` ticks; values that do not fit in 64 bits become the largest value.
fn ticks(count: u64, tick_ns: u64) -> Time {
    let ns = u128::from(count) * u128::from(tick_ns);
    Time(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// Computes the time of ticks, relative to the tick of the first packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    tick_ns: Option<u64>,
    first: Option<u32>,
}

impl Clock {
    pub const fn new(tick_ns: Option<u64>) -> Self {
        Self {
            tick_ns,
            first: None,
        }
    }

    /// A clock of a recording that starts at a known tick.
    #[cfg(feature = "tape")]
    pub const fn from(tick_ns: Option<u64>, first: Option<u32>) -> Self {
        Self { tick_ns, first }
    }

    /// The time of a packet with this tick; the first call starts the recording.
    pub fn time(&mut self, tick: u32) -> Option<Time> {
        let first = *self.first.get_or_insert(tick);
        Some(ticks(tick.saturating_sub(first).into(), self.tick_ns?))
    }
}
