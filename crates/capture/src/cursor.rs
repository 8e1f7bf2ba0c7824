//! The packets of any kind of recording, one after the other.

use std::borrow::Cow;
use std::collections::BTreeMap;
#[cfg(feature = "tape")]
use std::ops::ControlFlow;
use std::ops::Range;

use gametape_delta::Schema;
use gametape_delta::wire::{self, HEADER_BYTES, Header};

use crate::container::{Inside, MESSAGE_HEAD, RECORD_HEAD, inside, record_in};
use crate::layout::Role;
use crate::packets::{Packet, Times};
use crate::ranges::{Ranges, Window};
use crate::read::Capture;
use crate::read::facts::Channels;
use crate::rule::{CaptureRule, Error, Finding, fault};
use crate::seek::Entry;

/// Iterates over the packets of a recording. See [`Packets::cursor`](crate::Packets::cursor).
pub struct Cursor<'a>(CursorOver<'a>);

enum CursorOver<'a> {
    Capture(Chunks<'a>),
    Delta(DeltaCursor<'a>),
}

impl<'a> Cursor<'a> {
    pub(crate) fn of_delta(file: &'a DeltaFile<'a>) -> Self {
        Self::of_delta_from(file, 0, 0)
    }

    /// A cursor from position `at` on, which has `packets` packets before it.
    pub(crate) fn of_delta_from(file: &'a DeltaFile<'a>, at: u64, packets: u64) -> Self {
        Self(CursorOver::Delta(DeltaCursor {
            window: Window::new(file.ranges()),
            schema_hash: file.schema().hash(),
            at,
            next_sound: None,
            packets,
        }))
    }

    /// The next packet; `None` at the end.
    ///
    /// # Errors
    /// A problem of the recording's content; the next call continues after it. If the recording
    /// cannot be read, the next call tries the same place again.
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>, Error> {
        match &mut self.0 {
            CursorOver::Capture(chunks) => chunks.next(),
            CursorOver::Delta(cursor) => cursor.next(),
        }
    }

    /// The topics of other programs, and the number of their messages, which were passed over so far.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = (&str, u64)> {
        let found = match &self.0 {
            CursorOver::Capture(chunks) => Some(&chunks.foreign),
            CursorOver::Delta(_) => None,
        };
        let found = found.into_iter().flatten();
        found.map(|(topic, count)| (topic.as_str(), *count))
    }

    /// Visits the packets until `visit` breaks, or up to the first damage, which is returned.
    #[cfg(feature = "tape")]
    pub(crate) fn each<E: From<Error>>(
        &mut self,
        mut visit: impl FnMut(&Packet<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Option<Finding>, E> {
        while let Some(packet) = self.next_or_fault()? {
            match packet {
                Ok(packet) if visit(&packet)?.is_break() => break,
                Ok(_) => {}
                Err(damage) => return Ok(Some(damage)),
            }
        }
        Ok(None)
    }

    /// The next packet, or the problem at a place that may have had one; `None` at the end.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub(crate) fn next_or_fault(&mut self) -> Result<Option<Result<Packet<'_>, Finding>>, Error> {
        match self.next_packet() {
            Ok(packet) => Ok(packet.map(Ok)),
            Err(error) => Ok(Some(Err(fault(error)?))),
        }
    }
}

impl Capture<'_> {
    /// All packets, in the order of the recording.
    #[must_use]
    pub fn packets(&self) -> Cursor<'_> {
        Cursor(CursorOver::Capture(Chunks::new(self)))
    }

    /// The packets of some chunks, before which there are `before` packets of the stream.
    #[cfg(feature = "tape")]
    pub(crate) fn packets_in(&self, chunks: Range<usize>, before: u64) -> Cursor<'_> {
        Cursor(CursorOver::Capture(Chunks {
            next: chunks.start,
            end: chunks.end,
            packets: before,
            ..Chunks::new(self)
        }))
    }

    /// All packets and all other messages, in the order of the recording.
    #[must_use]
    pub fn messages(&self) -> Cursor<'_> {
        Cursor(CursorOver::Capture(Chunks {
            beside: true,
            ..Chunks::new(self)
        }))
    }
}

/// Iterates over the chunks of a capture and the packets in each.
pub(crate) struct Chunks<'a> {
    capture: &'a Capture<'a>,
    /// The index of the chunk after the open one.
    next: usize,
    /// The index of the first chunk that is not read.
    end: usize,
    offset: u64,
    /// Whether the open chunk is a run of records outside of chunks.
    is_loose: bool,
    unpacked: Vec<u8>,
    /// The position of the next record in the open chunk.
    at: usize,
    /// Channels that are defined in a chunk after the first one, in a capture without a summary.
    learned: Channels,
    /// The number of messages of channels of other programs, which are passed over, by topic.
    foreign: BTreeMap<String, u64>,
    /// The number of packets of the stream so far.
    packets: u64,
    /// Whether messages other than packets are returned, too.
    beside: bool,
}

impl<'a> Chunks<'a> {
    pub fn new(capture: &'a Capture<'a>) -> Self {
        Self {
            capture,
            next: 0,
            end: capture.chunks().len(),
            offset: 0,
            is_loose: false,
            unpacked: Vec::new(),
            at: 0,
            learned: Channels::default(),
            foreign: BTreeMap::new(),
            packets: 0,
            beside: false,
        }
    }

    fn next(&mut self) -> Result<Option<Packet<'_>>, Error> {
        let message = loop {
            if let Some(message) = self.message()? {
                break message;
            }
            if self.next >= self.end {
                return Ok(None);
            }
            self.open(&mut Window::exact(self.capture.ranges()))?;
        };
        Ok(Some(self.packet(message)))
    }

    /// Opens the next chunk, which must exist; returns the offset of its record.
    pub fn open(&mut self, window: &mut Window<'_>) -> Result<u64, Error> {
        self.at = 0;
        let place = self.capture.chunks().get(self.next);
        self.is_loose = place.is_some_and(|place| place.loose_to.is_some());
        let unpacked = self
            .capture
            .unpack_of(window, self.next, &mut self.unpacked);
        if !matches!(unpacked, Err(Error::Io { .. })) {
            self.next += 1;
        }
        self.offset = unpacked?;
        Ok(self.offset)
    }

    /// The content of the open chunk.
    pub fn unpacked(&self) -> &[u8] {
        &self.unpacked
    }

    /// The next packet of the open chunk.
    pub fn next_here(&mut self) -> Result<Option<Packet<'_>>, Error> {
        let message = self.message()?;
        Ok(message.map(|message| self.packet(message)))
    }

    /// The next message of the open chunk: the range of its packet, its role and its times.
    fn message(&mut self) -> Result<Option<(Range<usize>, Role, Times)>, Error> {
        loop {
            let offset = if self.is_loose {
                self.offset + self.at as u64
            } else {
                self.offset
            };
            let record = inside(&self.unpacked, self.at, offset);
            let record = record.inspect_err(|_| {
                // A damaged record is passed over, if its end is known.
                let damaged = record_in(&self.unpacked, self.at);
                self.at = damaged.map_or(self.unpacked.len(), |(_, _, end)| end);
            });
            let Some((found, end)) = record? else {
                return Ok(None);
            };
            self.at = end;
            match found {
                Inside::Channel(channel) => self.learned.define(channel),
                Inside::Message(message) => {
                    let channel = message.channel;
                    let others = self.capture.channels();
                    let role = self.learned.role(channel).or_else(|| {
                        let is_learned = self.learned.foreign(channel).is_some();
                        others.role(channel).filter(|_| !is_learned)
                    });
                    let Some(role) = role else {
                        let learned = self.learned.foreign(channel);
                        let Some(topic) = learned.or_else(|| others.foreign(channel)) else {
                            return Err(CaptureRule::ForeignMessage { channel }.at(offset));
                        };
                        match self.foreign.get_mut(topic) {
                            Some(count) => *count += 1,
                            None => drop(self.foreign.insert(topic.to_owned(), 1)),
                        }
                        continue;
                    };
                    let times = Times::of(&message);
                    if role.is_beside() && !self.beside {
                        continue;
                    }
                    return Ok(Some((end - message.data.len()..end, role, times)));
                }
                Inside::Schema(_) | Inside::Other => {}
            }
        }
    }

    /// An added packet has the number of the packet before it.
    fn packet(&mut self, (place, role, times): (Range<usize>, Role, Times)) -> Packet<'_> {
        self.packets += u64::from(role.is_of_stream());
        // An offset in an unpacked chunk would mean nothing.
        let within = if self.is_loose {
            (place.start as u64).saturating_sub(RECORD_HEAD + MESSAGE_HEAD)
        } else {
            0
        };
        Packet {
            bytes: self.unpacked.get(place).unwrap_or_default(),
            index: self.packets.saturating_sub(1),
            offset: self.offset + within,
            role,
            times: Some(times),
        }
    }
}

/// The first bytes of a packet.
const MAGIC: [u8; 4] = wire::MAGIC.to_le_bytes();

/// Packets up to this size are read together with the bytes after them. A larger packet is read
/// only after its length has proved plausible.
const AT_ONCE: u64 = 1 << 20;

/// Finds the packets of a file, and finds the next one after a damaged part.
struct DeltaCursor<'a> {
    window: Window<'a>,
    schema_hash: u64,
    at: u64,
    /// The next position with a valid header, if it was searched for.
    next_sound: Option<u64>,
    /// The number of packets so far.
    packets: u64,
}

impl DeltaCursor<'_> {
    fn next(&mut self) -> Result<Option<Packet<'_>>, Error> {
        let (at, size) = (self.at, self.window.size());
        if at >= size {
            return Ok(None);
        }
        let rest = self.window.all_from(at, HEADER_BYTES as u64)?;
        let is_packet = rest.starts_with(&MAGIC);
        let header = Header::read(rest).ok();
        let role = match header {
            Some((header, _)) if header.baseline().is_none() => Role::Keyframe,
            _ => Role::Delta,
        };
        let end = header
            .and_then(|(_, payload)| at.checked_add(HEADER_BYTES as u64 + u64::from(payload)))
            .filter(|end| *end <= size);
        if let Some(end) = end {
            let behind = usize::try_from(end - at)
                .ok()
                .and_then(|len| rest.get(len..));
            let is_sound = behind.is_some_and(|behind| behind.starts_with(&MAGIC));
            if is_sound || end == size || self.is_followed(end)? {
                return self.take(end, role);
            }
        }
        // The length is wrong, or the following bytes are damaged.
        let sound = self.find_sound(at + 1)?;
        if is_packet && (end.is_some() || sound < size) {
            return self.take(end.map_or(sound, |end| end.min(sound)), role);
        }
        self.at = sound;
        if sound == size && is_packet {
            let what = "last packet";
            return Err(CaptureRule::Truncated { what }.at(at));
        }
        let rule = CaptureRule::LostSync {
            bytes: sound - at,
            next: (sound < size).then_some(sound),
        };
        Err(rule.at(at))
    }

    /// Whether another packet seems to follow this one.
    fn is_followed(&mut self, end: u64) -> Result<bool, Error> {
        let (length, magic) = (end - self.at, MAGIC.len() as u64);
        if length <= AT_ONCE {
            self.window.at(self.at, length + magic)?;
        }
        Ok(self.window.at(end, magic)? == MAGIC)
    }

    fn take(&mut self, end: u64, role: Role) -> Result<Option<Packet<'_>>, Error> {
        let at = self.at;
        let bytes = self.window.at(at, end - at)?;
        self.at = end;
        let index = self.packets;
        self.packets += 1;
        // A packet that is cut off within its header has no known role.
        let whole = bytes.len() >= HEADER_BYTES;
        Ok(Some(Packet {
            bytes,
            index,
            offset: at,
            role: if whole { role } else { Role::Delta },
            times: None,
        }))
    }

    /// The next position of a readable header with the right schema; the end of the file if there
    /// is none.
    fn find_sound(&mut self, from: u64) -> Result<u64, Error> {
        if let Some(found) = self.next_sound.filter(|found| *found >= from) {
            return Ok(found);
        }
        let mut at = from;
        let found = loop {
            let Some(next) = self.window.find(at, &MAGIC)? else {
                break self.window.size();
            };
            let header = Header::read(self.window.at(next, HEADER_BYTES as u64)?);
            if header.is_ok_and(|(header, _)| header.schema_hash == self.schema_hash) {
                break next;
            }
            at = next + 1;
        };
        self.next_sound = Some(found);
        Ok(found)
    }
}

/// A file of concatenated packets, and their schema.
#[derive(Clone, Debug)]
pub struct DeltaFile<'a> {
    ranges: Ranges<'a>,
    schema: Schema,
}

impl<'a> DeltaFile<'a> {
    /// Opens a file of packets with this schema.
    #[must_use]
    pub fn new(source: impl Into<Ranges<'a>>, schema: Schema) -> Self {
        Self {
            ranges: source.into(),
            schema,
        }
    }

    /// The source of the packets.
    #[must_use]
    pub fn ranges(&self) -> Ranges<'a> {
        self.ranges.clone()
    }

    /// The schema with which the file was opened: packets contain only its hash.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The bytes of the packet of an entry.
    pub(crate) fn packet(&self, entry: &Entry) -> Result<Cow<'a, [u8]>, Error> {
        self.ranges.range(entry.at, entry.len as u64)
    }
}
