//! Packets of a recording, one after the other, whatever it is.

use std::collections::BTreeMap;

use gametape_delta::wire::{self, Header};

use super::chunk::{Inside, inside};
use super::{Capture, CaptureError, DeltaFile};

/// What a packet is to the recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// A full snapshot of the stream.
    Keyframe,
    /// A delta of the stream.
    Delta,
    /// A full snapshot that the recorder added to seek by: no part of the stream, and the state
    /// that the stream has at that tick anyway.
    Added,
}

impl Role {
    /// The topic its messages are on.
    #[must_use]
    pub const fn topic(self) -> &'static str {
        match self {
            Self::Keyframe => super::TOPIC_KEYFRAMES,
            Self::Delta => super::TOPIC_DELTAS,
            Self::Added => super::TOPIC_ADDED,
        }
    }

    pub(crate) fn of_topic(topic: &str) -> Option<Self> {
        [Self::Keyframe, Self::Delta, Self::Added]
            .into_iter()
            .find(|role| role.topic() == topic)
    }
}

/// What a capture says of a packet besides the packet itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The message's sequence number: the tick.
    pub sequence: u32,
    /// The tick as a time: nanoseconds since tick 0.
    pub log_time: u64,
    /// When it was recorded: nanoseconds since 1970; as `log_time` where nobody knew.
    pub publish_time: u64,
}

/// One packet of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// As it was sent.
    pub bytes: &'a [u8],
    /// Which packet of the stream it is, from 0; one that was added has the number of the packet
    /// before it.
    pub index: u64,
    /// Where it starts in the file; in captures, where its chunk starts.
    pub offset: u64,
    /// What it is to the recording.
    pub role: Role,
    /// In captures.
    pub times: Option<Times>,
}

impl Packet<'_> {
    /// An error of the wire, with its place in the recording.
    pub(crate) fn error(&self, source: gametape_delta::Error) -> CaptureError {
        CaptureError::Packet {
            index: self.index,
            tick: Header::read(self.bytes).ok().map(|(header, _)| header.tick),
            // Within a chunk, the offset of a byte means nothing.
            offset: self.offset,
            source,
        }
    }
}

/// Goes through the packets of a recording. See [`Packets::cursor`](super::Packets::cursor).
pub struct Cursor<'a> {
    source: Source<'a>,
    next_index: u64,
}

enum Source<'a> {
    Capture(&'a Capture<'a>, InChunk),
    Delta(DeltaCursor<'a>),
}

#[derive(Default)]
struct InChunk {
    /// The chunk after the one that is open.
    next: usize,
    offset: u64,
    unpacked: Vec<u8>,
    /// The next record in it.
    at: usize,
    /// Channels that chunks behind the first define, where there is no summary to list them.
    learned: BTreeMap<u16, Role>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn of_capture(capture: &'a Capture<'a>) -> Self {
        Self {
            source: Source::Capture(capture, InChunk::default()),
            next_index: 0,
        }
    }

    pub(crate) const fn of_delta(file: &'a DeltaFile<'a>) -> Self {
        Self {
            source: Source::Delta(DeltaCursor {
                file,
                at: 0,
                next_sound: None,
            }),
            next_index: 0,
        }
    }

    /// The next packet; `None` at the end.
    ///
    /// # Errors
    /// What can't be read. The next call goes on behind it.
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>, CaptureError> {
        let found = match &mut self.source {
            Source::Capture(capture, open) => open.next(capture)?,
            Source::Delta(cursor) => cursor.next()?,
        };
        let Some((bytes, offset, role, times)) = found else {
            return Ok(None);
        };
        let index = if role == Role::Added {
            self.next_index.saturating_sub(1)
        } else {
            self.next_index += 1;
            self.next_index - 1
        };
        Ok(Some(Packet {
            bytes,
            index,
            offset,
            role,
            times,
        }))
    }
}

type Found<'a> = Option<(&'a [u8], u64, Role, Option<Times>)>;

impl InChunk {
    fn next(&mut self, capture: &Capture<'_>) -> Result<Found<'_>, CaptureError> {
        let (from, to, message) = loop {
            let record = inside(&self.unpacked, self.at, self.offset);
            let Some((found, end)) = record.inspect_err(|_| self.at = self.unpacked.len())? else {
                if self.next == capture.chunks().len() {
                    return Ok(None);
                }
                self.at = 0;
                self.next += 1;
                self.offset = capture.unpack(self.next - 1, &mut self.unpacked)?;
                continue;
            };
            self.at = end;
            if let Inside::Channel(channel) = &found {
                let role = Role::of_topic(channel.topic);
                self.learned.extend(role.map(|role| (channel.id, role)));
            }
            if let Inside::Message(message) = found {
                let known = capture.role(message.channel);
                let role = known.or_else(|| self.learned.get(&message.channel).copied());
                let times = Times {
                    sequence: message.sequence,
                    log_time: message.log_time,
                    publish_time: message.publish_time,
                };
                let role = role.ok_or(CaptureError::ForeignMessage {
                    offset: self.offset,
                    channel: message.channel,
                })?;
                break (end - message.data.len(), end, (role, times));
            }
        };
        let (role, times) = message;
        let bytes = self.unpacked.get(from..to).unwrap_or_default();
        Ok(Some((bytes, self.offset, role, Some(times))))
    }
}

/// Finds the packets of a file, and finds its way again behind what is damaged.
struct DeltaCursor<'a> {
    file: &'a DeltaFile<'a>,
    at: usize,
    /// Where the next header is that must be one, once that was looked for.
    next_sound: Option<usize>,
}

impl<'a> DeltaCursor<'a> {
    fn next(&mut self) -> Result<Found<'a>, CaptureError> {
        let bytes = self.file.bytes();
        let at = self.at;
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let magic = wire::MAGIC.to_le_bytes();
        let claimed = wire::packet_len(rest).ok();
        let end = claimed
            .and_then(|len| usize::try_from(len).ok())
            .and_then(|len| at.checked_add(len))
            .filter(|end| *end <= bytes.len());
        if let Some(end) = end
            && let Some(behind) = bytes.get(end..)
            && (behind.is_empty() || behind.starts_with(&magic))
        {
            return Ok(Some(self.take(end)));
        }
        // The length can't be believed, or what follows is damaged.
        let sound = self.find_sound(at + 1);
        if rest.starts_with(&magic) && (end.is_some() || sound < bytes.len()) {
            return Ok(Some(self.take(end.map_or(sound, |end| end.min(sound)))));
        }
        self.at = sound;
        if sound == bytes.len() && rest.starts_with(&magic) {
            return Err(CaptureError::Truncated {
                what: "last packet",
                offset: at as u64,
            });
        }
        Err(CaptureError::LostSync {
            offset: at as u64,
            bytes: (sound - at) as u64,
            at_end: sound == bytes.len(),
        })
    }

    fn take(&mut self, end: usize) -> (&'a [u8], u64, Role, Option<Times>) {
        let at = std::mem::replace(&mut self.at, end);
        let bytes = self.file.bytes().get(at..end).unwrap_or_default();
        let role = match Header::read(bytes) {
            Ok((header, _)) if header.baseline().is_none() => Role::Keyframe,
            _ => Role::Delta,
        };
        (bytes, at as u64, role, None)
    }

    /// Where the next header is that can be read and has the right schema; the end of the file
    /// where there is none.
    fn find_sound(&mut self, from: usize) -> usize {
        if let Some(found) = self.next_sound.filter(|found| *found >= from) {
            return found;
        }
        let bytes = self.file.bytes();
        let magic = wire::MAGIC.to_le_bytes();
        let hash = self.file.schema().hash();
        let mut at = from;
        let found = loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(next) = rest.windows(magic.len()).position(|four| *four == magic) else {
                break bytes.len();
            };
            at += next;
            let header = bytes.get(at..).map(Header::read);
            if matches!(header, Some(Ok((header, _))) if header.schema_hash == hash) {
                break at;
            }
            at += 1;
        };
        self.next_sound = Some(found);
        found
    }
}
