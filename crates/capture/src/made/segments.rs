//! The stream of a recording's tables in pieces, each of which can be decoded without those before it.

use std::mem;

use gametape_core::Stamp;
use gametape_core::tape::{Converted, Error, Tape, Work};
use gametape_delta::Schema;
use serde_json::Value as Json;

use super::stream::{Head, Out, Wanted, stream};
use crate::layout::Role;
use crate::limits::MAX_PACKET_BYTES;
use crate::write::check_size;

/// A segment ends at the next full snapshot once it is this long or this large: a few seconds, and
/// soon fetched.
const ENOUGH_NS: i64 = 4_000_000_000;
const ENOUGH_BYTES: usize = 256 << 10;
/// Where nobody knows times, so many packets.
const ENOUGH_PACKETS: u64 = 256;

/// What a record of a segment is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecordKind {
    /// A full snapshot to begin from, or to seek by: the state as it is here.
    Keyframe = 1,
    /// A packet of the stream.
    Packet = 2,
    /// An event, as JSON.
    Event = 3,
    /// What a number stands for, as JSON.
    Label = 4,
}

/// Puts a record behind others: a byte for its kind, four for its length, little-endian, and itself.
///
/// # Errors
/// Where it is larger than any packet may be.
pub fn push_record(out: &mut Vec<u8>, kind: RecordKind, bytes: &[u8]) -> Result<(), Error> {
    check_size(bytes)?;
    let length = u32::try_from(bytes.len()).unwrap_or(MAX_PACKET_BYTES as u32);
    out.push(kind as u8);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A piece of the stream of a recording's tables. The first of its records is a full snapshot; each
/// packet behind it is a delta on the one before.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// Its records, one behind the other: see [`RecordKind`].
    pub records: Vec<u8>,
    /// Packets of the stream; a full snapshot that says again what the last packet of the segment
    /// before said is none.
    pub packets: u64,
    /// Events.
    pub events: u64,
    /// When the first of its states is, and the last.
    pub from: Stamp,
    /// See `from`.
    pub to: Stamp,
}

/// What is said of a stream of segments, once all of them are made.
#[derive(Clone, Debug)]
pub struct Segmented {
    /// The schema of its packets.
    pub schema: Schema,
    /// What is said of the tables, and where their rows are: the record `gametape.tables` of a capture.
    pub description: Json,
    /// The records of all labels.
    pub labels: Vec<u8>,
    /// What was left out or rounded, and what is doubtful.
    pub outcome: Converted,
}

/// Gives the segments of a recording's tables, in their order.
pub(crate) fn segments(
    tape: &dyn Tape,
    wanted: &Wanted<'_>,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    let begin = |head: &Head<'_>, each| {
        let description = serde_json::to_value(head.description);
        Ok(Cutter {
            schema: head.schema.clone(),
            description: description.map_err(|error| Error::Unsupported(error.to_string()))?,
            labels: Vec::new(),
            labelled: wanted.growing,
            early: Vec::new(),
            now: None,
            each,
        })
    };
    let (mut cutter, outcome) = stream(tape, wanted, move |head| begin(head, each), work)?;
    cutter.end()?;
    Ok(Segmented {
        schema: cutter.schema,
        description: cutter.description,
        labels: cutter.labels,
        outcome,
    })
}

/// Cuts a stream.
struct Cutter<'e> {
    schema: Schema,
    description: Json,
    labels: Vec<u8>,
    /// Whether labels are in the segments, too: for readers who have an older file of them.
    labelled: bool,
    /// Events and labels before the first packet.
    early: Vec<(RecordKind, Vec<u8>)>,
    now: Option<Segment>,
    each: &'e mut dyn FnMut(Segment) -> Result<(), Error>,
}

impl Cutter<'_> {
    fn end(&mut self) -> Result<(), Error> {
        match self.now.take() {
            // The full snapshot alone says nothing new.
            Some(segment) if segment.packets + segment.events > 0 => (self.each)(segment),
            _ => Ok(()),
        }
    }
}

impl Segment {
    fn new(stamp: Stamp, keyframe: &[u8]) -> Result<Self, Error> {
        let mut records = Vec::new();
        push_record(&mut records, RecordKind::Keyframe, keyframe)?;
        Ok(Self {
            records,
            packets: 0,
            events: 0,
            from: stamp,
            to: stamp,
        })
    }

    fn beside(&mut self, kind: RecordKind, message: &[u8]) -> Result<(), Error> {
        self.events += u64::from(kind == RecordKind::Event);
        push_record(&mut self.records, kind, message)
    }

    fn is_enough(&self) -> bool {
        let long = match self.from.time.zip(self.to.time) {
            Some((from, to)) => to.0.saturating_sub(from.0) >= ENOUGH_NS,
            None => self.packets >= ENOUGH_PACKETS,
        };
        long || self.records.len() >= ENOUGH_BYTES
    }
}

impl Out for Cutter<'_> {
    fn beside(
        &mut self,
        role: Role,
        _tick: u32,
        stamp: Option<Stamp>,
        message: &[u8],
    ) -> Result<(), Error> {
        let kind = if role == Role::Labels {
            push_record(&mut self.labels, RecordKind::Label, message)?;
            // Facts, which alone have a stamp, may be others when more is known.
            if !self.labelled || stamp.is_some() {
                return Ok(());
            }
            RecordKind::Label
        } else {
            RecordKind::Event
        };
        if let Some(segment) = &mut self.now {
            return segment.beside(kind, message);
        }
        self.early.push((kind, message.to_vec()));
        Ok(())
    }

    fn packet(&mut self, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        if let Some(segment) = &mut self.now {
            segment.to = stamp;
            segment.packets += 1;
            return push_record(&mut segment.records, RecordKind::Packet, packet);
        }
        let segment = self.now.insert(Segment::new(stamp, packet)?);
        segment.packets += 1;
        for (kind, message) in mem::take(&mut self.early) {
            segment.beside(kind, &message)?;
        }
        Ok(())
    }

    fn keyframe(&mut self, _tick: u32, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        let Some(segment) = &mut self.now else {
            return Ok(());
        };
        if !segment.is_enough() {
            return push_record(&mut segment.records, RecordKind::Keyframe, packet);
        }
        self.end()?;
        self.now = Some(Segment::new(stamp, packet)?);
        Ok(())
    }
}
