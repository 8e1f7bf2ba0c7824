//! Packets of a recording, one after the other, whatever it is.

use std::collections::BTreeMap;

use gametape_delta::wire::{self, Header};

use crate::container::{Inside, inside};
use crate::error::CaptureError;
use crate::file::DeltaFile;
use crate::layout::Role;
use crate::packet::{Packet, Times};
use crate::reader::Capture;

/// Goes through the packets of a recording. See [`Packets::cursor`](crate::Packets::cursor).
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
    fn of_capture(capture: &'a Capture<'a>) -> Self {
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

impl Capture<'_> {
    /// All packets, in the order of the recording.
    #[must_use]
    pub fn packets(&self) -> Cursor<'_> {
        Cursor::of_capture(self)
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
