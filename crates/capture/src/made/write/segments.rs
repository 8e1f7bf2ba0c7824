//! The stream of a recording's tables in segments, each of which can be decoded without the
//! previous ones.

use std::borrow::BorrowMut;
use std::mem;
use std::sync::Arc;

use gametape_core::Stamp;
use gametape_core::tape::{Converted, Error, Tape, Work};
use gametape_delta::Schema;
use serde_json::Value as Json;

use super::making::Out;
use super::{StreamHead, Streamed, Wanted, stream};
use crate::layout::Role;
use crate::limits::MAX_PACKET_BYTES;
use crate::write::check_size;

/// A segment ends at the next full snapshot after it has reached this duration or this size. It
/// then lasts a few seconds and can be fetched quickly.
const ENOUGH_NS: i64 = 4_000_000_000;
const ENOUGH_BYTES: usize = 256 << 10;
/// The number of packets that is used instead if times are not known.
const ENOUGH_PACKETS: u64 = 256;

/// The kind of a record in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecordKind {
    /// A full snapshot of the current state, from which decoding can start.
    Keyframe = 1,
    /// A packet of the stream.
    Packet = 2,
    /// An event, as JSON.
    Event = 3,
    /// The meaning of a number, as JSON.
    Label = 4,
}

/// Appends a record: one byte for its kind, four for its length (little-endian), and its content.
///
/// # Errors
/// The record is larger than the largest packet.
pub fn push_record(out: &mut Vec<u8>, kind: RecordKind, bytes: &[u8]) -> Result<(), Error> {
    check_size(bytes)?;
    let length = u32::try_from(bytes.len()).unwrap_or(MAX_PACKET_BYTES as u32);
    out.push(kind as u8);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// A segment of the stream of a recording's tables. Its first record is a full snapshot; each
/// following packet is a delta to the previous one.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// Its records, one after the other: see [`RecordKind`].
    pub records: Vec<u8>,
    /// The number of packets of the stream. A full snapshot that repeats the last packet of the
    /// previous segment is not counted.
    pub packets: u64,
    /// The number of events.
    pub events: u64,
    /// The stamp of its first state.
    pub from: Stamp,
    /// The stamp of its last state.
    pub to: Stamp,
}

/// The result of making a stream of segments.
#[derive(Debug)]
pub struct Segmented {
    /// The schema of its packets.
    pub schema: Schema,
    /// The description of the tables and of the location of their rows: the record
    /// `gametape.tables` of a capture.
    pub description: Json,
    /// The records of all labels.
    pub labels: Vec<u8>,
    /// The problems of the recording, each one once: how far a broken recording can be read, or
    /// from where on its values are doubtful.
    pub doubts: Vec<Error>,
    /// The result with its losses: values that were left out or rounded.
    pub outcome: Converted,
}

/// A piece of a stream that is cut into segments.
#[derive(Debug)]
pub enum Piece<'p> {
    /// The next record.
    Record {
        /// The record's kind.
        kind: RecordKind,
        /// The record as in its segment: kind, length and content.
        bytes: &'p [u8],
        /// The record's stamp, if it belongs to a moment.
        stamp: Option<Stamp>,
    },
    /// A complete segment, made of the records since the previous one.
    Segment(Segment),
}

/// Passes the segments of a recording's tables to `each`, in order.
pub(crate) fn segments(
    tape: &Arc<dyn Tape>,
    wanted: &Wanted<'_>,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    let mut said = None;
    let whole = |piece: Piece<'_>| match piece {
        Piece::Segment(segment) => each(segment),
        Piece::Record { .. } => Ok(()),
    };
    let begin = |head: &StreamHead<'_>| {
        said = Some((head.schema.clone(), head.description.json()?));
        let cut = Cut::new(wanted.growing);
        Ok(Cutter { cut, each: whole })
    };
    let (
        mut cutter,
        Streamed {
            doubts, outcome, ..
        },
    ) = stream(tape, wanted, begin, work)?;
    cutter.end()?;
    let labels = cutter.cut.labels();
    let Some((schema, description)) = said else {
        return Err(Error::Unsupported("it has no tables".to_owned()));
    };
    Ok(Segmented {
        schema,
        description,
        labels,
        doubts,
        outcome,
    })
}

/// The state of cutting a stream.
pub(crate) struct Cut {
    /// Whether labels are also in the segments, for readers with an older file of labels.
    labelled: bool,
    facts: Vec<u8>,
    labels: Vec<u8>,
    /// Events and labels before the first packet.
    early: Vec<(RecordKind, Option<Stamp>, Vec<u8>)>,
    now: Option<Segment>,
}

impl Cut {
    pub const fn new(labelled: bool) -> Self {
        Self {
            labelled,
            facts: Vec::new(),
            labels: Vec::new(),
            early: Vec::new(),
            now: None,
        }
    }

    /// The records of all labels.
    pub fn labels(self) -> Vec<u8> {
        let mut all = self.facts;
        all.extend_from_slice(&self.labels);
        all
    }
}

/// Cuts a stream and passes on the pieces.
pub(crate) struct Cutter<C, E> {
    pub cut: C,
    pub each: E,
}

impl<C: BorrowMut<Cut>, E: FnMut(Piece<'_>) -> Result<(), Error>> Cutter<C, E> {
    /// Ends the stream.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.cut.borrow_mut().now.take() {
            // A segment with only a full snapshot contains nothing new.
            Some(segment) if segment.packets + segment.events > 0 => {
                (self.each)(Piece::Segment(segment))
            }
            _ => Ok(()),
        }
    }

    /// Adds a record to the segment.
    fn record(
        &mut self,
        kind: RecordKind,
        stamp: Option<Stamp>,
        record: &[u8],
    ) -> Result<(), Error> {
        let Some(segment) = &mut self.cut.borrow_mut().now else {
            return Ok(());
        };
        segment.events += u64::from(kind == RecordKind::Event);
        segment.packets += u64::from(kind == RecordKind::Packet);
        let before = segment.records.len();
        push_record(&mut segment.records, kind, record)?;
        let bytes = segment.records.get(before..).unwrap_or_default();
        (self.each)(Piece::Record { kind, bytes, stamp })
    }

    /// Begins a segment.
    fn begin(&mut self, stamp: Stamp, keyframe: &[u8]) -> Result<(), Error> {
        self.cut.borrow_mut().now = Some(Segment {
            records: Vec::new(),
            packets: 0,
            events: 0,
            from: stamp,
            to: stamp,
        });
        self.record(RecordKind::Keyframe, Some(stamp), keyframe)
    }
}

impl Segment {
    fn is_enough(&self) -> bool {
        let long = match self.from.time.zip(self.to.time) {
            Some((from, to)) => to.0.saturating_sub(from.0) >= ENOUGH_NS,
            None => self.packets >= ENOUGH_PACKETS,
        };
        long || self.records.len() >= ENOUGH_BYTES
    }
}

impl<C: BorrowMut<Cut>, E: FnMut(Piece<'_>) -> Result<(), Error>> Out for Cutter<C, E> {
    fn beside(
        &mut self,
        role: Role,
        _tick: u32,
        stamp: Option<Stamp>,
        message: &[u8],
    ) -> Result<(), Error> {
        let cut = self.cut.borrow_mut();
        let kind = if role == Role::Labels {
            // Only facts have a stamp; they may change when more is known.
            let all = match stamp {
                Some(_) => &mut cut.facts,
                None => &mut cut.labels,
            };
            push_record(all, RecordKind::Label, message)?;
            if !cut.labelled || stamp.is_some() {
                return Ok(());
            }
            RecordKind::Label
        } else {
            RecordKind::Event
        };
        if cut.now.is_none() {
            cut.early.push((kind, stamp, message.to_vec()));
            return Ok(());
        }
        self.record(kind, stamp, message)
    }

    fn packet(&mut self, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        let cut = self.cut.borrow_mut();
        if let Some(segment) = &mut cut.now {
            segment.to = stamp;
            return self.record(RecordKind::Packet, Some(stamp), packet);
        }
        let early = mem::take(&mut cut.early);
        self.begin(stamp, packet)?;
        if let Some(segment) = &mut self.cut.borrow_mut().now {
            segment.packets += 1;
        }
        for (kind, stamp, message) in early {
            self.record(kind, stamp, &message)?;
        }
        Ok(())
    }

    fn keyframe(&mut self, _tick: u32, stamp: Stamp, packet: &[u8]) -> Result<(), Error> {
        let Some(segment) = &self.cut.borrow_mut().now else {
            return Ok(());
        };
        if !segment.is_enough() {
            return self.record(RecordKind::Keyframe, Some(stamp), packet);
        }
        self.end()?;
        self.begin(stamp, packet)
    }
}
