//! A common view of recorded packets, in any kind of recording.

use gametape_delta::wire::Header;
use gametape_delta::{Kind, Schema, Snapshot};

use crate::cursor::Cursor;
use crate::file::DeltaFile;
use crate::read::Capture;
use crate::replay::{Later, Replay};
use crate::rule::{CaptureRule, Error};
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
    let mut states = seek::States::new(file.schema());
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
