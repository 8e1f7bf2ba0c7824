//! The bytes of an index: its head and its entries.
//!
//! All numbers are little-endian. Entries have one size, so that opening an index reads only the
//! head, and looking up a tick reads only a few entries.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `GTMURKI1` |
//! | 8 | length of the recording |
//! | 8 | length of its header |
//! | 4 | CRC-32 of its header |
//! | 4 | 1 if ticks rise throughout, else 0 |
//! | 8 | number of frames |
//! | 4 | CRC-32 of the entries |
//! | 4 | CRC-32 of the 44 bytes before |
//! | 20 each | entries: offset (8), tick (8), CRC-32 of the frame (4) |

use std::borrow::Cow;
use std::io;

use gametape_core::{ByteReader, Input, Short};

use crate::change::Unused;
use crate::error::Error;
use crate::layout::Frame;
use crate::read::Replay;

pub(super) const MAGIC: [u8; 8] = *b"GTMURKI1";
pub(super) const HEAD: usize = 48;
pub(super) const ENTRY: usize = 20;

/// The part before the entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub recording_length: u64,
    pub header_length: u64,
    pub header_checksum: u32,
    pub rising: bool,
    pub frames: u64,
    pub entries_checksum: u32,
}

impl Head {
    /// Reads the head of an index that has this many bytes after it.
    pub fn read(head: &[u8], entries: u64) -> Result<Self, Unused> {
        let malformed = |what| Err(Unused::Malformed(what));
        let mut input = ByteReader::new(head);
        let Ok((head, sum)) = Self::parse(&mut input) else {
            return malformed("too short");
        };
        let Some(head) = head else {
            return malformed("it starts with something else");
        };
        if !sum {
            return malformed("its head is damaged");
        }
        if head.frames.checked_mul(ENTRY as u64) != Some(entries) {
            return malformed("its length is not that of its entries");
        }
        Ok(head)
    }

    /// Reads the head, if the bytes are one, and whether its checksum is right.
    fn parse(input: &mut ByteReader<'_>) -> Result<(Option<Self>, bool), Short> {
        let summed = input.rest();
        if input.take(MAGIC.len())? != MAGIC {
            input.take(HEAD - MAGIC.len())?;
            return Ok((None, false));
        }
        let head = Self {
            recording_length: input.u64_le()?,
            header_length: input.u64_le()?,
            header_checksum: input.u32_le()?,
            rising: input.u32_le()? == 1,
            frames: input.u64_le()?,
            entries_checksum: input.u32_le()?,
        };
        let summed = summed.get(..HEAD - 4).unwrap_or_default();
        Ok((Some(head), input.u32_le()? == crc32fast::hash(summed)))
    }
}

/// The entry of a frame in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The frame's number, from 0.
    pub frame: u64,
    /// The offset of the frame in the recording.
    pub offset: u64,
    /// The `tick_id` of the frame.
    pub tick: u64,
    /// The CRC-32 of its bytes.
    pub checksum: u32,
}

impl Entry {
    #[inline]
    pub(super) fn read(frame: u64, bytes: &[u8]) -> Result<Self, Short> {
        let mut input = ByteReader::new(bytes);
        Ok(Self {
            frame,
            offset: input.u64_le()?,
            tick: input.u64_le()?,
            checksum: input.u32_le()?,
        })
    }
}

/// Builds an index frame by frame, while a recording is read or written.
#[derive(Clone, Debug, Default)]
pub struct IndexBuilder {
    entries: Vec<u8>,
    frames: u64,
    last_tick: Option<u64>,
    falls: bool,
    end: u64,
}

impl IndexBuilder {
    /// Creates an index without frames.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes of the index of a recording in memory.
    ///
    /// # Errors
    /// If the recording can't be read to its end: a broken recording has no index.
    pub fn of(replay: &Replay<'_>) -> Result<Vec<u8>, Error> {
        let mut builder = Self::new();
        let mut frames = replay.frames();
        for frame in &mut frames {
            builder.push(&frame?);
        }
        if let Some(problem) = frames.findings().iter().next() {
            return Err(problem.clone().into());
        }
        let header = usize::try_from(replay.header_size())
            .ok()
            .and_then(|size| replay.as_bytes().get(..size));
        Ok(builder.finish(header.unwrap_or_default()))
    }

    /// Returns the checksum of a frame: the CRC-32 of its bytes.
    #[must_use]
    pub fn checksum(frame: &Frame<'_>) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&frame.tick.to_le_bytes());
        checksum.update(&(frame.commands().len() as u32).to_le_bytes());
        checksum.update(frame.commands().as_bytes());
        checksum.update(&frame.snapshot_hash.to_le_bytes());
        checksum.finalize()
    }

    /// Adds the next frame.
    pub fn push(&mut self, frame: &Frame<'_>) {
        self.entries.extend_from_slice(&frame.offset.to_le_bytes());
        self.entries.extend_from_slice(&frame.tick.to_le_bytes());
        self.entries
            .extend_from_slice(&Self::checksum(frame).to_le_bytes());
        self.frames += 1;
        self.falls |= self.last_tick.is_some_and(|last| frame.tick <= last);
        self.last_tick = Some(frame.tick);
        self.end = frame.offset + frame.size();
    }

    /// Returns the number of frames so far.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the bytes of the index. `header` are the bytes of the recording's header.
    #[must_use]
    pub fn finish(&self, header: &[u8]) -> Vec<u8> {
        let length = if self.frames == 0 {
            header.len() as u64
        } else {
            self.end
        };
        let mut out = Vec::with_capacity(HEAD + self.entries.len());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(header.len() as u64).to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(header).to_le_bytes());
        out.extend_from_slice(&u32::from(!self.falls).to_le_bytes());
        out.extend_from_slice(&self.frames.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&self.entries).to_le_bytes());
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out.extend_from_slice(&self.entries);
        out
    }
}

/// The source of an index or of its recording. Only the pieces that are asked for are read.
pub trait Pieces {
    /// Returns the size in bytes.
    fn size(&self) -> u64;

    /// Returns `length` bytes from `offset` on; none if the source ends before that.
    ///
    /// # Errors
    /// Any error of the source; memory never fails.
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>>;

    /// Returns the CRC-32 of such bytes, and their number: `length`, or 0.
    ///
    /// # Errors
    /// Same as [`Pieces::piece`].
    #[doc(hidden)]
    fn checksum(&self, offset: u64, length: u64) -> io::Result<(u32, u64)> {
        /// The number of bytes that are read at a time.
        const CHUNK: u64 = 64 << 10;
        let end = offset.saturating_add(length);
        if end > self.size() {
            return Ok((0, 0));
        }
        if length <= CHUNK {
            return Ok((crc32fast::hash(&self.piece(offset, length)?), length));
        }
        let mut checksum = crc32fast::Hasher::new();
        let mut at = offset;
        while at < end {
            let piece = self.piece(at, CHUNK.min(end - at))?;
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            checksum.update(&piece);
            at += piece.len() as u64;
        }
        Ok((checksum.finalize(), length))
    }
}

impl Pieces for [u8] {
    #[inline]
    fn size(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        let range = usize::try_from(offset).ok().and_then(|from| {
            let to = from.checked_add(usize::try_from(length).ok()?)?;
            self.get(from..to)
        });
        Ok(Cow::Borrowed(range.unwrap_or_default()))
    }
}

impl Pieces for Vec<u8> {
    #[inline]
    fn size(&self) -> u64 {
        self.as_slice().size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        self.as_slice().piece(offset, length)
    }
}

impl Pieces for Input {
    #[inline]
    fn size(&self) -> u64 {
        self.size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size() => self.range(offset, length),
            _ => Ok(Cow::Borrowed(&[])),
        }
    }
}

impl<P: Pieces + ?Sized> Pieces for &P {
    #[inline]
    fn size(&self) -> u64 {
        (**self).size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        (**self).piece(offset, length)
    }
}
