//! Chunks, which are unpacked within limits, and their messages.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::iter;
use std::ops::Range;

use lz4_flex::frame::FrameDecoder;
use mcap::records::op;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::DCtx;

use super::records::{ChannelRecord, Fields, RECORD_HEAD, Record, SchemaRecord, record_in};
use crate::limits::Limits;
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, fault};

/// A chunk record; its packed bytes are not examined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// The offset of its record.
    pub offset: u64,
    /// The earliest log time in it.
    pub start_time: u64,
    /// The latest log time in it.
    pub end_time: u64,
    /// The size that it claims to have when unpacked, in bytes.
    pub unpacked: u64,
    /// The checksum of the unpacked bytes; 0 if there is none.
    pub crc: u32,
    /// The name of the compression; empty if there is none.
    pub compression: String,
    /// The number of its packed bytes.
    pub packed: u64,
}

/// The length of a chunk record's content before the packed bytes, without the name of the
/// compression.
const FIELDS: u64 = 8 + 8 + 8 + 4 + 4 + 8;
/// The names of the compressions that can be unpacked.
const ZSTD: &str = "zstd";
const LZ4: &str = "lz4";
/// Longer than the name of any compression.
const MOST_NAME: u64 = 255;
/// The largest length of a chunk record before its packed bytes.
pub(crate) const MOST_HEAD: u64 = RECORD_HEAD + FIELDS + MOST_NAME;

impl Chunk {
    /// Parses a record as a chunk.
    pub(super) fn of_record(record: &Record, window: &mut Window<'_>) -> Result<Self, Error> {
        let start = window.start_of(record, MOST_HEAD)?;
        Self::of(start, record.at, record.end()).ok_or_else(|| record.damaged())
    }

    /// Parses the chunk record at `at`. The chunk's content contains its own length and a checksum;
    /// so the opcode and the length before it are not needed, and may be damaged.
    pub(crate) fn at(window: &mut Window<'_>, at: u64) -> Result<Self, Error> {
        let size = window.size();
        let start = window.at(at.saturating_add(RECORD_HEAD), MOST_HEAD)?;
        Self::of(start, at, size).ok_or_else(|| damaged(at))
    }

    /// Parses the first bytes of a chunk's content; `None` if the chunk does not end before
    /// `border`.
    pub(crate) fn of(start: &[u8], at: u64, border: u64) -> Option<Self> {
        let mut fields = Fields(start);
        let (start_time, end_time) = (fields.u64()?, fields.u64()?);
        let (unpacked, crc) = (fields.u64()?, fields.u32()?);
        let compression = fields.text()?;
        if compression.len() as u64 > MOST_NAME {
            return None;
        }
        let chunk = Self {
            offset: at,
            start_time,
            end_time,
            unpacked,
            crc,
            compression: compression.to_owned(),
            packed: fields.u64()?,
        };
        let end = chunk.packed_at().checked_add(chunk.packed)?;
        (end <= border).then_some(chunk)
    }

    /// The offset of its packed bytes.
    pub(crate) const fn packed_at(&self) -> u64 {
        self.offset + RECORD_HEAD + FIELDS + self.compression.len() as u64
    }

    /// The offset of its end.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.packed_at() + self.packed
    }

    /// Unpacks the packed bytes into `into`, replacing its content, and checks them. After an error
    /// `into` is empty.
    pub(crate) fn unpack(&self, packed: &[u8], into: &mut Vec<u8>) -> Result<(), Error> {
        into.clear();
        let result = try_unpack(self, packed, into);
        if result.is_err() {
            into.clear();
        }
        result
    }

    /// Refuses chunks that would take too much memory or cannot be unpacked.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Error> {
        let limit = limits.max_chunk_bytes;
        // Incompressible content becomes slightly larger when it is packed.
        let most = limit.saturating_add(limit / 64).saturating_add(1024);
        let rule = if self.unpacked > limit {
            let claimed = self.unpacked;
            CaptureRule::ChunkTooLarge { claimed, limit }
        } else if !["", ZSTD, LZ4].contains(&self.compression.as_str()) {
            let name = self.compression.clone();
            CaptureRule::Compression { name }
        } else if self.packed > most {
            CaptureRule::PackedSize {
                packed: self.packed,
                claimed: self.unpacked,
            }
        } else {
            return Ok(());
        };
        Err(rule.at(self.offset))
    }
}

pub(crate) fn damaged(at: u64) -> Error {
    CaptureRule::Record { what: "chunk" }.at(at)
}

/// The place of a chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChunkPlace {
    /// The offset of its record.
    pub at: u64,
    /// The earliest log time in it.
    pub start_time: u64,
    /// The latest log time in it.
    pub end_time: u64,
    /// The offsets of its message indexes, by channel.
    pub indexes: BTreeMap<u16, u64>,
    /// The number of messages by channel, according to the lengths of the indexes; empty if these
    /// are unknown.
    pub counts: BTreeMap<u16, u64>,
    /// The end of the records, if this is not a chunk but a run of records outside of chunks: see
    /// [`Walked::loose`](super::Walked::loose).
    pub loose_to: Option<u64>,
}

impl ChunkPlace {
    /// The place of a chunk whose indexes are unknown.
    #[must_use]
    pub const fn of(chunk: &Chunk) -> Self {
        Self::new(chunk.offset, chunk.start_time, chunk.end_time)
    }

    pub(super) const fn new(at: u64, start_time: u64, end_time: u64) -> Self {
        Self {
            at,
            start_time,
            end_time,
            indexes: BTreeMap::new(),
            counts: BTreeMap::new(),
            loose_to: None,
        }
    }

    /// The offset of its content.
    pub(crate) const fn content(&self) -> u64 {
        match self.loose_to {
            Some(_) => self.at,
            None => self.at.saturating_add(RECORD_HEAD),
        }
    }

    /// The likely end of the chunk, if it is known: the chunk's indexes follow it.
    pub(crate) fn end(&self) -> Option<u64> {
        self.indexes.values().copied().min()
    }
}

/// The range in which a chunk is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The offset of its record.
    pub at: u64,
    /// The likely end of the chunk, if it is known. Everything up to it is read at once.
    pub end: Option<u64>,
    /// The offset of the next chunk, if there is one. Without this bound, overlapping chunks could
    /// share bytes and unpack to far more than the file.
    pub next: Option<u64>,
    /// See [`ChunkPlace::loose_to`].
    pub loose_to: Option<u64>,
}

/// Reads a chunk, unpacks it into `into`, replacing its content, and checks it. After an error
/// `into` is empty, because no part of a damaged chunk is trusted.
pub(crate) fn unpack(
    window: &mut Window<'_>,
    extent: Extent,
    limits: &Limits,
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    into.clear();
    let at = extent.at;
    if let Some(end) = extent.loose_to {
        return loose(window, at..end, limits, into);
    }
    let content = at.saturating_add(RECORD_HEAD);
    let most = limits.max_chunk_bytes.saturating_add(MOST_HEAD);
    let guess = extent.end.and_then(|end| end.checked_sub(content));
    let guess = guess.filter(|bytes| *bytes <= most).unwrap_or_default();
    let border = window.size();
    let start = window.at(content, guess.max(MOST_HEAD))?;
    let chunk = Chunk::of(start, at, border);
    let chunk = chunk
        .filter(|chunk| extent.next.is_none_or(|next| chunk.end() <= next))
        .ok_or_else(|| damaged(at))?;
    chunk.check(limits)?;
    let packed = window.at(chunk.packed_at(), chunk.packed)?;
    chunk.unpack(packed, into)
}

/// Reads a run of records outside of chunks, which has the form of an unpacked chunk.
fn loose(
    window: &mut Window<'_>,
    place: Range<u64>,
    limits: &Limits,
    into: &mut Vec<u8>,
) -> Result<(), Error> {
    let (claimed, limit) = (
        place.end.saturating_sub(place.start),
        limits.max_chunk_bytes,
    );
    if claimed > limit {
        return Err(CaptureRule::LooseTooLarge { claimed, limit }.at(place.start));
    }
    into.extend_from_slice(window.at(place.start, claimed)?);
    Ok(())
}

/// Chunks do not benefit from a window of more than 2^25 bytes, and the window is allocated before
/// anything is unpacked.
const WINDOW_LOG_MAX: u32 = 25;

/// A context that has grown beyond this size was needed only for an exceptional chunk, so it is not
/// kept.
const MOST_CONTEXT: usize = 4 << 20;

thread_local! {
    /// Creating a context queries the features of the processor. On a virtual machine that takes
    /// longer than unpacking a small chunk.
    static CONTEXT: Cell<Option<DCtx<'static>>> = const { Cell::new(None) };
}

/// Lends the context that the thread used for the previous chunk. A context that met damage is
/// replaced.
fn with_context<T>(unpack: impl FnOnce(&mut DCtx<'static>) -> io::Result<T>) -> io::Result<T> {
    let mut context = CONTEXT
        .take()
        .or_else(DCtx::try_create)
        .ok_or(io::ErrorKind::OutOfMemory)?;
    let unpacked = unpack(&mut context)?;
    if context.sizeof() <= MOST_CONTEXT {
        CONTEXT.set(Some(context));
    }
    Ok(unpacked)
}

fn try_unpack(chunk: &Chunk, packed: &[u8], into: &mut Vec<u8>) -> Result<(), Error> {
    let offset = chunk.offset;
    let failed = |reason: String| CaptureRule::Unpack { reason }.at(offset);
    if chunk.compression.is_empty() {
        into.extend_from_slice(packed);
    } else {
        // The claimed size is not allocated before the data exists.
        let claimed = chunk.unpacked.saturating_add(1);
        let unpacked = if chunk.compression == LZ4 {
            let decoder = FrameDecoder::new(packed);
            decoder.take(claimed).read_to_end(into)
        } else {
            with_context(|context| {
                let mut decoder = Decoder::with_context(packed, context);
                decoder.window_log_max(WINDOW_LOG_MAX)?;
                decoder.take(claimed).read_to_end(into)
            })
        };
        unpacked.map_err(|error| failed(error.to_string()))?;
    }
    if into.len() as u64 != chunk.unpacked {
        let rule = CaptureRule::UnpackedSize {
            claimed: chunk.unpacked,
            more: into.len() as u64 > chunk.unpacked,
        };
        return Err(rule.at(offset));
    }
    CaptureRule::check_crc("chunk", chunk.crc, crc32fast::hash(into), offset)
}

/// A message record.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The channel of the message.
    pub channel: u16,
    /// Its sequence number; in captures, the tick.
    pub sequence: u32,
    /// In nanoseconds; in captures, the tick as a time.
    pub log_time: u64,
    /// In nanoseconds; in captures, the time of recording.
    pub publish_time: u64,
    /// Its content; in captures, a packet.
    pub data: &'a [u8],
}

impl<'a> Message<'a> {
    pub(super) fn read(body: &'a [u8]) -> Option<Self> {
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

/// A record of an unpacked chunk.
#[derive(Clone, Copy, Debug)]
pub enum Inside<'a> {
    /// A message on one of the channels, with its time.
    Message(Message<'a>),
    /// The schema of the messages on some channels.
    Schema(SchemaRecord<'a>),
    /// The number and the topic of a channel.
    Channel(ChannelRecord<'a>),
    /// Any other record.
    Other,
}

/// The record at position `at` of an unpacked chunk, and the position of the next one; `None` at
/// the end. `offset` is the offset of the chunk's own record in the file.
///
/// # Errors
/// [`CaptureRule::Record`] if the record is damaged.
pub fn inside(
    unpacked: &[u8],
    at: usize,
    offset: u64,
) -> Result<Option<(Inside<'_>, usize)>, Error> {
    if at == unpacked.len() {
        return Ok(None);
    }
    let damaged = || CaptureRule::Record { what: "message" }.at(offset);
    let Some((opcode, body, end)) = record_in(unpacked, at) else {
        return Err(damaged());
    };
    let found = match opcode {
        op::MESSAGE => Message::read(body).map(Inside::Message),
        op::SCHEMA => SchemaRecord::read(body).map(Inside::Schema),
        op::CHANNEL => ChannelRecord::read(body).map(Inside::Channel),
        _ => Some(Inside::Other),
    };
    Ok(Some((found.ok_or_else(damaged)?, end)))
}

/// The messages of an unpacked chunk from a position on, each with its position. A damaged record is the last.
pub(crate) fn messages(
    unpacked: &[u8],
    from: usize,
    offset: u64,
) -> impl Iterator<Item = Result<(usize, Message<'_>), Error>> {
    let mut next = from;
    iter::from_fn(move || {
        loop {
            let at = next;
            match inside(unpacked, at, offset) {
                Ok(found) => {
                    let (found, end) = found?;
                    next = end;
                    if let Inside::Message(message) = found {
                        return Some(Ok((at, message)));
                    }
                }
                Err(error) => {
                    next = unpacked.len();
                    return Some(Err(error));
                }
            }
        }
    })
}

/// Finds the chunks of a damaged file by their appearance, and unpacks each one to check it.
/// Returns them in the order of the file, and calls `come` with each place that it has reached, while the bytes there
/// are in memory.
pub(crate) fn find_chunks<'a>(
    ranges: Ranges<'a>,
    limits: &Limits,
    mut come: impl FnMut(u64, &mut Window<'a>) -> Result<(), Error>,
) -> Result<Vec<ChunkPlace>, Error> {
    /// The length of a chunk record before the name of its compression.
    const BEFORE: u64 = RECORD_HEAD + 8 + 8 + 8 + 4;
    /// The start of the length and the name of a compression.
    const NAMES: [&[u8; 7]; 2] = [b"\x04\0\0\0zst", b"\x03\0\0\0lz4"];
    let is_name = |here: &[u8]| NAMES.iter().any(|name| *name == here);
    let mut window = Window::new(ranges);
    let mut found = Vec::new();
    let mut unpacked = Vec::new();
    // Bytes may be crafted to look like many chunks, nested in each other.
    let mut tries = 1000_usize;
    let mut most_read = window.size().saturating_mul(4);
    let mut from = BEFORE;
    while let Some(name) = window.find_where(from, NAMES[0].len(), is_name)? {
        let at = name - BEFORE;
        come(at + RECORD_HEAD, &mut window)?;
        from = name + 1;
        let chunk = match Chunk::at(&mut window, at) {
            Ok(chunk) => chunk,
            Err(error) => {
                fault(error)?;
                continue;
            }
        };
        let extent = Extent {
            at,
            end: Some(chunk.end()),
            next: None,
            loose_to: None,
        };
        if let Err(error) = unpack(&mut window, extent, limits, &mut unpacked) {
            fault(error)?;
            tries -= 1;
            most_read = most_read.saturating_sub(chunk.packed);
            if tries == 0 || most_read == 0 {
                break;
            }
            continue;
        }
        from = chunk.end() + BEFORE;
        come(from, &mut window)?;
        found.push(ChunkPlace::of(&chunk));
    }
    come(window.size(), &mut window)?;
    Ok(found)
}
