//! Chunks: the table of their positions, and their compression.
//!
//! Gzip and zstd are cargo features. Without one, chunks of that compression can be neither read nor
//! written, and the error names the feature.

use std::borrow::Cow;
use std::io::{self, BufRead, Cursor, Read, Seek};

use gametape_core::text::Crc32;
use gametape_core::{ByteReader, Input, InputStream};

use super::code::primitive::{Of, or_nothing};
use super::frame::packed::KEYFRAME;
use super::header::{Compression, Header};
use crate::error::{Error, WriteError};
use crate::limits::Limits;
use crate::rule::Rule;

/// The largest number of chunks in a file: two months, at 300 frames a chunk and 60 a second.
const MAX_CHUNKS: u32 = 1 << 20;

/// Reads a header and the sizes of the chunks after it.
pub fn head<'a>(
    input: &mut ByteReader<'a>,
    limits: &Limits,
) -> Result<
    (
        Header,
        impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone + use<'a>,
    ),
    Rule,
> {
    const WHAT: &str = "the table of chunks";
    let header = Header::parse(input, limits)?;
    let count = or_nothing(input, |input| match input.u32_le().of(WHAT)? {
        count @ 0..=MAX_CHUNKS => Ok(count),
        count => Err(Rule::Limit {
            what: "a table of chunks",
            size: u64::from(count) * 4,
            limit: u64::from(MAX_CHUNKS) * 4,
        }),
    })?;
    let bytes = input.take((count as usize).saturating_mul(4)).of(WHAT)?;
    let sizes = bytes.as_chunks::<4>().0.iter();
    Ok((header, sizes.map(|size| u32::from_le_bytes(*size))))
}

/// The position of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkEntry {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its size in bytes, by the table.
    pub size: u64,
    /// The number of its bytes that are in the file.
    pub there: u64,
}

/// The header of a recording and the positions of its chunks.
///
/// For a remote recording, this is all that has to be read before a [chunk](Table::chunk).
#[derive(Clone, Default, Debug)]
pub struct Table {
    pub(super) header: Option<Header>,
    pub(super) chunks: Vec<ChunkEntry>,
    /// The size of the whole recording in bytes.
    size: u64,
    /// The offset of the first byte after the chunks.
    rest: u64,
    /// The number of chunks of size 0 at the end of the table.
    empty: u64,
    /// Whether frames follow the chunks.
    open: bool,
}

impl Table {
    /// Reads the header and the table, and next to nothing else.
    ///
    /// ```
    /// # let bytes = gametape_echo::doc_example();
    /// use gametape_core::Input;
    /// use gametape_echo::{ReadOptions, butter};
    ///
    /// let input = Input::from(bytes); // or ranges that somebody fetches
    /// let table = butter::Table::read(&input, ReadOptions::default())?;
    /// let mut frames = table.chunk(&input, 0, ReadOptions::default())?.expect("a chunk");
    /// assert!(frames.next_frame()?.is_some());
    /// # Ok::<(), gametape_echo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Faults in the header or the table; errors of the input.
    pub fn read(input: &Input, options: crate::ReadOptions) -> Result<Self, Error> {
        Self::of_ranges(input, &options.limits)
    }

    pub(super) fn of_ranges(
        input: &(impl Ranges + ?Sized),
        limits: &Limits,
    ) -> Result<Self, Error> {
        /// Far more than most headers and tables need.
        const FIRST: u64 = 4 << 10;
        let io = |source| Error::io(0, source);
        let mut most = FIRST;
        let mut table = loop {
            let start = input.range(0, most.min(input.size())).map_err(io)?;
            match Self::of(&start, input.size(), limits) {
                Ok(table) => break table,
                Err((Rule::Truncated { needed, left, .. }, _)) if most < input.size() => {
                    most = start.len() as u64 + (needed - left).max(most);
                }
                Err((rule, at)) => return Err(Error::at(rule, at)),
            }
        };
        if table.needs_rest() {
            let after = input.range(table.rest, 1).map_err(io)?;
            table.inspect_rest(&after);
        }
        Ok(table)
    }

    /// Parses the start of a recording of `size` bytes. On failure, returns the rule and its offset.
    fn of(start: &[u8], size: u64, limits: &Limits) -> Result<Self, (Rule, u64)> {
        let mut table = Self {
            size,
            ..Self::default()
        };
        if size == 0 {
            return Ok(table);
        }
        let mut input = ByteReader::new(start);
        let read = head(&mut input, limits);
        let mut offset = input.offset() as u64;
        let (header, sizes) = read.map_err(|rule| (rule, offset))?;
        let mut left = size - offset;
        let count = sizes.len() as u64;
        let ends_with_zero = sizes.clone().next_back() == Some(0);
        for (index, size) in (0_u64..).zip(sizes) {
            if size == 0 && index + 2 >= count {
                table.empty = count - index;
                break;
            }
            let there = u64::from(size).min(left);
            table.chunks.push(ChunkEntry {
                offset,
                size: u64::from(size),
                there,
            });
            offset += there;
            left -= there;
        }
        table.rest = offset;
        table.open = ends_with_zero && left > 0;
        table.header = Some(header);
        Ok(table)
    }

    /// Whether the bytes after the chunks have to look like frames. A journal has no chunks, and its frames
    /// need no check.
    fn needs_rest(&self) -> bool {
        let plain = |header: &Header| header.compression == Compression::None;
        let journal = self.chunks.is_empty() && self.empty == 1;
        self.open && !(journal && self.header.as_ref().is_some_and(plain))
    }

    fn inspect_rest(&mut self, after: &[u8]) {
        self.open = after.first() == KEYFRAME.first();
    }

    /// The header; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The position of each chunk, in file order.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        &self.chunks
    }

    /// Whether frames follow the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.open
    }

    /// The number of bytes after the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        if self.open { 0 } else { self.size - self.rest }
    }

    /// The offset of the first byte after the chunks.
    pub(super) const fn rest(&self) -> u64 {
        self.rest
    }

    /// The number of empty chunks at the end of the table.
    pub(super) const fn empty_chunks(&self) -> u64 {
        self.empty
    }
}

/// If this build can't handle a compression, returns what can't be unpacked and the missing feature.
const fn lacking(compression: Compression) -> Option<(&'static str, &'static str)> {
    match compression {
        Compression::None => None,
        Compression::Gzip if cfg!(feature = "gzip") => None,
        Compression::Gzip => Some(("a chunk compressed by gzip", "gzip")),
        _ if cfg!(feature = "zstd") => None,
        _ => Some(("a chunk compressed by zstd", "zstd")),
    }
}

/// Compresses a chunk.
pub fn deflate(raw: &[u8], compression: Compression) -> Result<Vec<u8>, WriteError> {
    if let Some((what, feature)) = lacking(compression) {
        return Err(WriteError::Feature { what, feature });
    }
    match (compression, compression.zstd_level()) {
        #[cfg(feature = "zstd")]
        (_, Some(level)) => Ok(zstd_frame(raw, level)?),
        #[cfg(feature = "gzip")]
        (Compression::Gzip, _) => {
            let mut gzip = flate2::bufread::GzEncoder::new(raw, flate2::Compression::default());
            let mut out = Vec::new();
            gzip.read_to_end(&mut out)?;
            Ok(out)
        }
        _ => Ok(raw.to_vec()),
    }
}

/// Compresses to a zstd frame. The frame contains its content size, which the reference's reader needs, and a checksum,
/// which it verifies.
#[cfg(feature = "zstd")]
fn zstd_frame(raw: &[u8], level: i32) -> io::Result<Vec<u8>> {
    let mut zstd = zstd::bulk::Compressor::new(level)?;
    zstd.include_checksum(true)?;
    zstd.compress(raw)
}

/// Passes the inflated content of the gzip member or zstd frame at the start of `rest` to `take`, and
/// removes what was read from `rest`.
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused_variables, clippy::needless_pass_by_ref_mut)
)]
fn decode(
    rest: &mut impl BufRead,
    compression: Compression,
    take: impl FnOnce(&mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    match compression {
        #[cfg(feature = "gzip")]
        Compression::Gzip => take(&mut flate2::bufread::GzDecoder::new(rest)),
        #[cfg(feature = "zstd")]
        Compression::Zstd3
        | Compression::Zstd7
        | Compression::Zstd15
        | Compression::Zstd22
        | Compression::ZstdDictionary => {
            let zstd = zstd::stream::read::Decoder::with_buffer(rest)?;
            take(&mut zstd.single_frame())
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// The bit of the descriptor after zstd's magic number that says that a checksum follows the content.
const ZSTD_CHECKSUM: u8 = 1 << 2;

/// Whether a chunk has a checksum, as far as its first bytes tell.
pub fn is_checked(stored: &[u8], compression: Compression) -> bool {
    match compression {
        Compression::None => false,
        Compression::Gzip => true,
        _ => stored.get(4).is_none_or(|bits| bits & ZSTD_CHECKSUM != 0),
    }
}

/// The first bytes of every stored chunk.
pub const fn chunk_start(compression: Compression) -> &'static [u8] {
    match compression {
        Compression::None => &KEYFRAME,
        Compression::Gzip => &[0x1F, 0x8B, 8],
        _ => &[0x28, 0xB5, 0x2F, 0xFD],
    }
}

/// The first `N` inflated bytes of a chunk; `None` if it has fewer.
pub fn starts<const N: usize>(
    mut stored: impl BufRead,
    compression: Compression,
) -> Option<[u8; N]> {
    let mut first = [0; N];
    if compression == Compression::None {
        stored.read_exact(&mut first).ok()?;
    } else {
        decode(&mut stored, compression, |reader| {
            reader.read_exact(&mut first)
        })
        .ok()?;
    }
    Some(first)
}

/// A fault in a chunk's compressed form.
#[derive(Debug)]
#[cfg_attr(not(any(feature = "gzip", feature = "zstd")), allow(dead_code))]
pub enum ChunkFault {
    /// The chunk does not inflate to its end.
    Broken(Rule),
    /// The whole chunk inflates, but its checksum belongs to other bytes.
    Checksum { found: Crc32, stored: Crc32 },
}

impl ChunkFault {
    /// The rule that the fault breaks, for a chunk with this many whole frames.
    pub fn rule(self, chunk: u64, frames: u64) -> Rule {
        match self {
            Self::Broken(rule) => rule,
            Self::Checksum { found, stored } => Rule::Checksum {
                chunk,
                frames,
                found,
                stored,
            },
        }
    }

    /// Whether all of the chunk is present, possibly altered.
    pub const fn is_checksum(&self) -> bool {
        matches!(self, Self::Checksum { .. })
    }

    /// Whether all of the chunk is present, followed by other bytes.
    pub const fn has_trailing_bytes(&self) -> bool {
        matches!(self, Self::Broken(Rule::Inflate { left: Some(_), .. }))
    }
}

/// Inflates a chunk into `raw` and verifies its checksum, if there is one. If the chunk is broken, `raw`
/// holds the content before the fault; if only the checksum is wrong, all of it.
pub fn inflate(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Result<(), ChunkFault> {
    raw.clear();
    if compression == Compression::None {
        raw.extend_from_slice(stored);
        return Ok(());
    }
    let rule = match inflate_first(|| stored, compression, limits, raw) {
        Ok([]) => return Ok(()),
        Ok(rest) => Rule::Inflate {
            left: Some(rest.len() as u64),
            reason: None,
        },
        Err(rule) => rule,
    };
    if let Rule::Inflate { left: None, .. } = rule
        && let Some(fault) = checksum_alone(stored, compression, limits, raw)
    {
        return Err(fault);
    }
    Err(ChunkFault::Broken(rule))
}

/// Whether a chunk fails to inflate because of its checksum alone, which is so if it inflates with the
/// right one in its place. (The decoder's own message may change between versions.) `raw` holds the content
/// so far, and all of it afterwards.
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused_variables, clippy::ptr_arg)
)]
fn checksum_alone(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Option<ChunkFault> {
    match compression {
        Compression::None => None,
        #[cfg(feature = "gzip")]
        Compression::Gzip => of_gzip(stored, limits, raw),
        #[cfg(feature = "zstd")]
        _ => of_zstd(stored, compression, limits, raw),
        #[allow(unreachable_patterns)] // With both features.
        _ => None,
    }
}

/// A gzip member ends with the CRC-32 and the length of its content (RFC 1952).
#[cfg(feature = "gzip")]
fn of_gzip(stored: &[u8], limits: &Limits, raw: &mut Vec<u8>) -> Option<ChunkFault> {
    let (packed, end) = stored.split_last_chunk::<8>()?;
    let mut crc = flate2::Crc::new();
    crc.update(raw);
    let (found, size) = (crc.sum(), crc.amount());
    let [a, b, c, d, size_there @ ..] = *end;
    let (there, size_there) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes(size_there),
    );
    let right = [packed, &found.to_le_bytes(), &size.to_le_bytes()].concat();
    // If the chunk is cut off, these bytes are content instead of a checksum.
    let mut whole = Vec::new();
    let rest = inflate_first(|| &*right, Compression::Gzip, limits, &mut whole);
    if !rest.is_ok_and(<[u8]>::is_empty) {
        return None;
    }
    *raw = whole;
    Some(if found == there {
        let reason = format!("it has {size} bytes, and says that it has {size_there}");
        ChunkFault::Broken(Rule::Inflate {
            left: None,
            reason: Some(reason),
        })
    } else {
        ChunkFault::Checksum {
            found: Crc32(found),
            stored: Crc32(there),
        }
    })
}

/// A zstd frame ends with the low half of an XXH64 of its content, if a bit of its header says so (RFC
/// 8878, `Content_Checksum_flag`).
#[cfg(feature = "zstd")]
fn of_zstd(
    stored: &[u8],
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Option<ChunkFault> {
    let mut unchecked = stored.to_vec();
    let descriptor = unchecked
        .get_mut(4)
        .filter(|bits| **bits & ZSTD_CHECKSUM != 0)?;
    *descriptor ^= ZSTD_CHECKSUM;
    let mut whole = Vec::new();
    let rest = inflate_first(|| &*unchecked, compression, limits, &mut whole);
    let there = u32::from_le_bytes(rest.ok()?.try_into().ok()?);
    *raw = whole;
    // This crate has no other way to compute that hash.
    let packed = zstd_frame(raw, 1).ok()?;
    let found = u32::from_le_bytes(*packed.last_chunk()?);
    Some(ChunkFault::Checksum {
        found: Crc32(found),
        stored: Crc32(there),
    })
}

/// Inflates the gzip member or zstd frame at the start of a source, which may be opened twice. Returns the
/// number of bytes after it.
pub fn inflate_first<R: BufRead>(
    open: impl Fn() -> R,
    compression: Compression,
    limits: &Limits,
    raw: &mut Vec<u8>,
) -> Result<R, Rule> {
    raw.clear();
    if let Some((what, feature)) = lacking(compression) {
        return Err(Rule::Feature { what, feature });
    }
    let limit = limits.max_chunk_bytes;
    let mut rest = open();
    let result = decode(&mut rest, compression, |reader| {
        reader.take(limit + 1).read_to_end(raw).map(drop)
    });
    if result.is_err() {
        // A failing decoder does not report what it decoded in the same call, and that depends on the room
        // it was given. Small pieces give the most.
        raw.clear();
        let _ = decode(&mut open(), compression, |reader| {
            let mut reader = reader.take(limit + 1);
            let mut piece = [0; 32];
            loop {
                match reader.read(&mut piece)? {
                    0 => return Ok(()),
                    count => raw.extend_from_slice(piece.get(..count).unwrap_or_default()),
                }
            }
        });
    }
    if raw.len() as u64 > limit {
        raw.clear();
        return Err(Rule::Limit {
            what: "an inflated chunk",
            size: limit + 1,
            limit,
        });
    }
    match result {
        Ok(()) => Ok(rest),
        Err(error) => Err(Rule::Inflate {
            left: None,
            reason: Some(error.to_string()),
        }),
    }
}

/// A source whose ranges can be read.
pub trait Ranges {
    type Stream<'s>: Read + Seek
    where
        Self: 's;

    /// The size in bytes.
    fn size(&self) -> u64;

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>>;

    /// Returns a stream from the first byte on.
    fn stream(&self) -> Self::Stream<'_>;
}

impl Ranges for [u8] {
    type Stream<'s> = Cursor<&'s [u8]>;

    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX);
        let range = self.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Cow::Borrowed(range))
    }

    fn stream(&self) -> Cursor<&[u8]> {
        Cursor::new(self)
    }
}

impl Ranges for Input {
    type Stream<'s> = InputStream;

    fn size(&self) -> u64 {
        self.size()
    }

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        self.range(offset, length)
    }

    fn stream(&self) -> InputStream {
        self.stream()
    }
}
