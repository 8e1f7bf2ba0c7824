//! Chunks: unpacked within bounds, and their messages.

use std::io::Read;

use mcap::records::op;

use super::records::{ChannelRecord, Fields, RECORD_HEAD, RawRecord, SchemaRecord, record_at};
use crate::error::CaptureError;
use crate::limits::ReadLimits;

/// A chunk record, still packed.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Where its record starts.
    pub offset: u64,
    /// The earliest log time in it.
    pub start_time: u64,
    /// The latest log time in it.
    pub end_time: u64,
    /// Bytes that it claims to have when unpacked.
    pub unpacked: u64,
    /// The checksum of those bytes; 0 where there is none.
    pub crc: u32,
    /// What it is packed with; nothing where it is not.
    pub compression: &'a str,
    /// Its bytes.
    pub packed: &'a [u8],
}

impl<'a> Chunk<'a> {
    pub(crate) fn read(record: &RawRecord<'a>) -> Result<Self, CaptureError> {
        Self::of(record.body, record.at).ok_or_else(|| record.damaged())
    }

    /// The chunk whose record starts at `at`. It says itself how long it is, and has a checksum:
    /// opcode and length before it are not needed, and may be damaged.
    ///
    /// # Errors
    /// [`CaptureError::Record`] where it does not end within the file.
    pub fn at(bytes: &'a [u8], at: usize) -> Result<Self, CaptureError> {
        let body = at
            .checked_add(RECORD_HEAD)
            .and_then(|from| bytes.get(from..));
        body.and_then(|body| Self::of(body, at))
            .ok_or(CaptureError::Record {
                what: "chunk",
                offset: at as u64,
            })
    }

    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> usize {
        // As it was read: times, sizes and checksum, the compression's name, the packed bytes.
        self.offset as usize
            + RECORD_HEAD
            + 8
            + 8
            + 8
            + 4
            + 4
            + self.compression.len()
            + 8
            + self.packed.len()
    }

    fn of(body: &'a [u8], at: usize) -> Option<Self> {
        let mut fields = Fields(body);
        let (start_time, end_time) = (fields.u64()?, fields.u64()?);
        let (unpacked, crc) = (fields.u64()?, fields.u32()?);
        let compression = fields.text()?;
        let packed = usize::try_from(fields.u64()?).ok()?;
        Some(Self {
            offset: at as u64,
            start_time,
            end_time,
            unpacked,
            crc,
            compression,
            packed: fields.bytes(packed)?,
        })
    }
}

/// Windows of more than 2^25 bytes are of no use in chunks, and each is allocated before anything
/// is unpacked.
const WINDOW_LOG_MAX: u32 = 25;

/// Unpacks a chunk into `into`, whatever that held, and checks it. On an error that is empty:
/// nothing of a damaged chunk is believed.
pub(crate) fn unpack(
    chunk: &Chunk<'_>,
    limits: &ReadLimits,
    into: &mut Vec<u8>,
) -> Result<(), CaptureError> {
    into.clear();
    let result = try_unpack(chunk, limits, into);
    if result.is_err() {
        into.clear();
    }
    result
}

fn try_unpack(
    chunk: &Chunk<'_>,
    limits: &ReadLimits,
    into: &mut Vec<u8>,
) -> Result<(), CaptureError> {
    let offset = chunk.offset;
    if chunk.unpacked > limits.max_chunk_bytes {
        return Err(CaptureError::ChunkTooLarge {
            offset,
            claimed: chunk.unpacked,
            limit: limits.max_chunk_bytes,
        });
    }
    let failed = |reason: String| CaptureError::Unpack { offset, reason };
    match chunk.compression {
        "" => into.extend_from_slice(chunk.packed),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(chunk.packed)
                .map_err(|error| failed(error.to_string()))?;
            decoder
                .window_log_max(WINDOW_LOG_MAX)
                .map_err(|error| failed(error.to_string()))?;
            // What is claimed is not allocated before it is there.
            decoder
                .take(chunk.unpacked.saturating_add(1))
                .read_to_end(into)
                .map_err(|error| failed(error.to_string()))?;
        }
        name => {
            return Err(CaptureError::Compression {
                offset,
                name: name.to_owned(),
            });
        }
    }
    if into.len() as u64 != chunk.unpacked {
        let more = if into.len() as u64 > chunk.unpacked {
            "more"
        } else {
            "fewer"
        };
        return Err(failed(format!(
            "it holds {more} than the {} bytes it claims",
            chunk.unpacked
        )));
    }
    let found = crc32fast::hash(into);
    if chunk.crc != 0 && chunk.crc != found {
        return Err(CaptureError::Crc {
            what: "chunk",
            offset,
            recorded: chunk.crc,
            found,
        });
    }
    Ok(())
}

/// A message record.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The channel it is on.
    pub channel: u16,
    /// Its sequence number: in captures, the tick.
    pub sequence: u32,
    /// Nanoseconds; in captures, the tick as a time.
    pub log_time: u64,
    /// Nanoseconds; in captures, when it was recorded.
    pub publish_time: u64,
    /// What it holds: in captures, a packet.
    pub data: &'a [u8],
}

impl<'a> Message<'a> {
    fn read(body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(body);
        Some(Self {
            channel: fields.u16()?,
            sequence: fields.u32()?,
            log_time: fields.u64()?,
            publish_time: fields.u64()?,
            data: fields.0,
        })
    }
}

/// What an unpacked chunk holds, record by record.
#[derive(Clone, Copy, Debug)]
pub enum Inside<'a> {
    /// A message.
    Message(Message<'a>),
    /// A schema.
    Schema(SchemaRecord<'a>),
    /// A channel.
    Channel(ChannelRecord<'a>),
    /// Any other record.
    Other,
}

/// The record at `at` of an unpacked chunk, and where the next one starts; none at its end. The
/// chunk's own record is at `offset` of the file.
///
/// # Errors
/// [`CaptureError::Record`] where it is damaged.
pub fn inside(
    unpacked: &[u8],
    at: usize,
    offset: u64,
) -> Result<Option<(Inside<'_>, usize)>, CaptureError> {
    if at == unpacked.len() {
        return Ok(None);
    }
    let what = "message";
    let damaged = CaptureError::Record { what, offset };
    let Some(record) = record_at(unpacked, at) else {
        return Err(damaged);
    };
    let found = match record.op {
        op::MESSAGE => Message::read(record.body).map(Inside::Message),
        op::SCHEMA => SchemaRecord::read(record.body).map(Inside::Schema),
        op::CHANNEL => ChannelRecord::read(record.body).map(Inside::Channel),
        _ => Some(Inside::Other),
    };
    Ok(Some((found.ok_or(damaged)?, record.end)))
}

/// Chunks of a damaged file, found by how they look, each checked by unpacking it: in the order
/// of the file.
#[must_use]
pub fn find_chunks<'a>(bytes: &'a [u8], limits: &ReadLimits) -> Vec<Chunk<'a>> {
    /// Of a chunk record, before the name of its compression.
    const BEFORE: usize = RECORD_HEAD + 8 + 8 + 8 + 4;
    const NAME: &[u8] = b"\x04\0\0\0zstd";
    let mut found = Vec::new();
    let mut unpacked = Vec::new();
    // What looks like chunks may be made to look so, one inside the other.
    let mut tries = 1000_usize;
    let mut from = BEFORE;
    while let Some(rest) = bytes.get(from..) {
        let Some(next) = rest.windows(NAME.len()).position(|bytes| bytes == NAME) else {
            break;
        };
        let at = from + next - BEFORE;
        from += next + 1;
        let Ok(chunk) = Chunk::at(bytes, at) else {
            continue;
        };
        if unpack(&chunk, limits, &mut unpacked).is_ok() {
            from = chunk.end() + BEFORE;
            found.push(chunk);
            continue;
        }
        tries = tries.saturating_sub(1 + unpacked.len() / (1 << 20));
        if tries == 0 {
            break;
        }
    }
    found
}
