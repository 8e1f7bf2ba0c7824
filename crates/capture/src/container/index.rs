//! Where the chunks of a capture are: from its summary, or by walking from record to record.

use std::collections::BTreeMap;

use mcap::records::op;

use super::chunk::Chunk;
use super::records::{
    ChannelRecord, FOOTER_BYTES, Fields, RECORD_HEAD, RawRecord, SchemaRecord, record_at,
    starts_as_mcap,
};
use crate::error::CaptureError;
use crate::layout::{Role, SCHEMA_NAME};

/// A chunk, by its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChunkPlace {
    /// Where its record starts.
    pub at: usize,
    /// The earliest log time in it.
    pub start_time: u64,
    /// The latest log time in it.
    pub end_time: u64,
    /// Where its message indexes are, by channel.
    pub indexes: BTreeMap<u16, usize>,
}

impl ChunkPlace {
    /// That of a chunk whose indexes are not known.
    #[must_use]
    pub fn of(chunk: &Chunk<'_>) -> Self {
        Self {
            at: chunk.offset as usize,
            start_time: chunk.start_time,
            end_time: chunk.end_time,
            indexes: BTreeMap::new(),
        }
    }
}

/// What the end of a whole capture says of it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary<'a> {
    /// Where it starts.
    pub start: usize,
    /// The chunks that it lists, in the order of the file.
    pub chunks: Vec<ChunkPlace>,
    /// The channels that captures have.
    pub channels: BTreeMap<u16, Role>,
    /// The schema of the packets, as JSON.
    pub schema: Option<&'a [u8]>,
    /// Messages by channel.
    pub messages: Option<BTreeMap<u16, u64>>,
    /// Chunks, as the statistics count them.
    chunk_count: Option<u32>,
}

/// Reads the footer and what it points to; `None` where the file does not end in a footer.
///
/// # Errors
/// [`CaptureError::Crc`], and [`CaptureError::Record`] for what is damaged.
pub fn read_summary(bytes: &[u8]) -> Result<Option<Summary<'_>>, CaptureError> {
    let Some(rest) = bytes.strip_suffix(mcap::MAGIC) else {
        return Ok(None);
    };
    let Some(footer) = rest
        .len()
        .checked_sub(FOOTER_BYTES)
        .and_then(|at| record_at(rest, at))
        .filter(|record| record.op == op::FOOTER && record.end == rest.len())
    else {
        return Ok(None);
    };
    let mut fields = Fields(footer.body);
    let (Some(start), Some(_), Some(crc)) = (fields.u64(), fields.u64(), fields.u32()) else {
        return Err(footer.damaged());
    };
    let summary = usize::try_from(start)
        .ok()
        .filter(|start| *start != 0)
        .and_then(|start| rest.get(..footer.at)?.get(start..))
        .ok_or_else(|| footer.damaged())?;
    // The checksum goes up to itself.
    let covered = rest.len() - size_of::<u32>();
    let found = crc32fast::hash(rest.get(start as usize..covered).unwrap_or_default());
    if crc != 0 && crc != found {
        return Err(CaptureError::Crc {
            what: "summary",
            offset: start,
            recorded: crc,
            found,
        });
    }
    let mut at = footer.at - summary.len();
    let mut read = Summary {
        start: at,
        ..Summary::default()
    };
    while at < footer.at {
        let Some(record) = record_at(rest, at).filter(|record| record.end <= footer.at) else {
            let what = "summary";
            return Err(CaptureError::Record {
                what,
                offset: at as u64,
            });
        };
        read.take(&record).ok_or_else(|| record.damaged())?;
        at = record.end;
    }
    let ascending = read.chunks.is_sorted_by(|a, b| a.at < b.at);
    if !ascending {
        return Err(footer.damaged());
    }
    Ok(Some(read))
}

impl<'a> Summary<'a> {
    /// False where chunks may be there that it does not list.
    #[must_use]
    pub fn lists_all_chunks(&self) -> bool {
        let messages = |counts: &BTreeMap<u16, u64>| counts.values().any(|count| *count > 0);
        let counted = self
            .chunk_count
            .is_some_and(|count| count as usize == self.chunks.len());
        // Messages without a chunk are outside of chunks.
        counted && !(self.chunks.is_empty() && self.messages.as_ref().is_none_or(messages))
    }

    fn take(&mut self, record: &RawRecord<'a>) -> Option<()> {
        match record.op {
            op::SCHEMA => {
                let schema = SchemaRecord::read(record.body)?;
                if schema.name == SCHEMA_NAME {
                    self.schema = Some(schema.data);
                }
            }
            op::CHANNEL => {
                let channel = ChannelRecord::read(record.body)?;
                self.channels
                    .extend(Role::of_topic(channel.topic).map(|role| (channel.id, role)));
            }
            op::STATISTICS => {
                let mut fields = Fields(record.body);
                fields.bytes(8 + 2 + 4 + 4 + 4)?;
                self.chunk_count = Some(fields.u32()?);
                fields.bytes(8 + 8)?;
                let mut counts = Fields(fields.sized()?);
                let mut messages = BTreeMap::new();
                while !counts.0.is_empty() {
                    messages.insert(counts.u16()?, counts.u64()?);
                }
                self.messages = Some(messages);
            }
            op::CHUNK_INDEX => {
                let mut fields = Fields(record.body);
                let (start_time, end_time) = (fields.u64()?, fields.u64()?);
                let at = usize::try_from(fields.u64()?).ok()?;
                fields.u64()?;
                let mut offsets = Fields(fields.sized()?);
                let mut indexes = BTreeMap::new();
                while !offsets.0.is_empty() {
                    indexes.insert(offsets.u16()?, usize::try_from(offsets.u64()?).ok()?);
                }
                self.chunks.push(ChunkPlace {
                    at,
                    start_time,
                    end_time,
                    indexes,
                });
            }
            _ => {}
        }
        Some(())
    }
}

/// Log times of messages, and where they start in their unpacked chunk.
///
/// # Errors
/// [`CaptureError::Record`] where at `at` there is no index of this channel.
pub fn read_message_index(
    bytes: &[u8],
    at: usize,
    channel: u16,
) -> Result<Vec<(u64, usize)>, CaptureError> {
    let what = "message index";
    let offset = at as u64;
    let damaged = CaptureError::Record { what, offset };
    let Some(record) = record_at(bytes, at).filter(|record| record.op == op::MESSAGE_INDEX) else {
        return Err(damaged);
    };
    let mut fields = Fields(record.body);
    let mut read = || {
        if fields.u16()? != channel {
            return None;
        }
        let mut entries = Fields(fields.sized()?);
        let mut list = Vec::with_capacity(entries.0.len() / 16);
        while !entries.0.is_empty() {
            list.push((entries.u64()?, usize::try_from(entries.u64()?).ok()?));
        }
        Some(list)
    };
    read().ok_or(damaged)
}

/// Where a walk came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkEnd {
    /// At the end of the data section, by the record of it.
    DataEnd {
        /// Where that starts.
        at: usize,
        /// Where it ends.
        end: usize,
        /// The checksum in it.
        crc: u32,
    },
    /// At the end of the file, between two records.
    Border,
    /// In a record that starts here and does not end within the file.
    Cut(usize),
}

/// What walking from record to record finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walked {
    /// The chunks that it came by.
    pub chunks: Vec<ChunkPlace>,
    /// Messages outside of chunks, which captures do not have.
    pub loose: u64,
    /// Where it came to its end.
    pub end: WalkEnd,
}

/// Goes through the data section; nothing is unpacked.
#[must_use]
pub fn walk(bytes: &[u8]) -> Walked {
    let mut walked = Walked {
        chunks: Vec::new(),
        loose: 0,
        end: WalkEnd::Border,
    };
    let mut at = mcap::MAGIC.len();
    while at < bytes.len() {
        let Some(record) = record_at(bytes, at) else {
            walked.end = WalkEnd::Cut(at);
            break;
        };
        match record.op {
            op::CHUNK => {
                let Ok(chunk) = Chunk::read(&record) else {
                    walked.end = WalkEnd::Cut(at);
                    break;
                };
                walked.chunks.push(ChunkPlace::of(&chunk));
            }
            op::MESSAGE_INDEX => {
                if let (Some(chunk), Some(channel)) =
                    (walked.chunks.last_mut(), Fields(record.body).u16())
                {
                    chunk.indexes.insert(channel, at);
                }
            }
            op::MESSAGE => walked.loose += 1,
            op::DATA_END => {
                let end = record.end;
                walked.end = Fields(record.body)
                    .u32()
                    .map_or(WalkEnd::Cut(at), |crc| WalkEnd::DataEnd { at, end, crc });
                break;
            }
            // Opcode 0 is none: these bytes are damaged, and no length can be believed.
            0 => {
                walked.end = WalkEnd::Cut(at);
                break;
            }
            _ => {}
        }
        at = record.end;
    }
    walked
}

/// Bytes between records, where those at these places are chunks: from, to, and whether they may
/// have been packets. A record that claims to go beyond the next chunk is none.
#[must_use]
pub fn unreadable(bytes: &[u8], chunks: &[ChunkPlace]) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    let mut at = mcap::MAGIC.len();
    let mut chunks = chunks.iter().map(|place| place.at).peekable();
    let mut in_summary = false;
    while at < bytes.len() {
        while chunks.next_if(|chunk| *chunk < at).is_some() {}
        if chunks.next_if_eq(&at).is_some()
            && let Ok(chunk) = Chunk::at(bytes, at)
        {
            at = chunk.end();
            continue;
        }
        let next = chunks.peek().copied().unwrap_or(bytes.len());
        match record_at(bytes, at) {
            Some(record) if record.op == op::FOOTER => break,
            Some(record) if record.op != 0 && record.op <= op::DATA_END && record.end <= next => {
                in_summary |= record.op == op::DATA_END;
                at = record.end;
            }
            _ => {
                // Opcodes above that of chunks are of indexes, and of what else can be made again.
                let opcode = bytes.get(at).copied().unwrap_or_default();
                let of_index =
                    opcode == op::FOOTER || (op::CHUNK + 1..=op::DATA_END).contains(&opcode);
                found.push((at, next, !in_summary && !of_index));
                at = next;
            }
        }
    }
    found
}

/// The records before the first chunk.
pub(crate) fn leading(bytes: &[u8]) -> impl Iterator<Item = RawRecord<'_>> {
    let mut at = mcap::MAGIC.len();
    std::iter::from_fn(move || {
        let record = record_at(bytes, at)?;
        at = record.end;
        (!matches!(record.op, op::CHUNK | op::DATA_END | op::FOOTER)).then_some(record)
    })
}

/// The header record's profile.
pub(crate) fn profile(bytes: &[u8]) -> Result<&str, CaptureError> {
    if !starts_as_mcap(bytes) {
        return Err(CaptureError::NotMcap);
    }
    let at = mcap::MAGIC.len();
    let Some(record) = record_at(bytes, at) else {
        // A length that no header has is damage, not a file that was cut.
        let what = "header";
        let offset = at as u64;
        return Err(if bytes.len() < at + RECORD_HEAD + (1 << 16) {
            CaptureError::Truncated { what, offset }
        } else {
            CaptureError::Record { what, offset }
        });
    };
    if record.op != op::HEADER {
        return Err(CaptureError::Record {
            what: "header",
            offset: at as u64,
        });
    }
    Fields(record.body).text().ok_or_else(|| record.damaged())
}
