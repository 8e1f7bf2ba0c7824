//! Searching for frames and chunks that are not where the table says: frame by frame in an uncompressed
//! file, by first bytes in a compressed one.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use gametape_core::ByteReader;
use memchr::memmem;

use super::super::chunk::Ranges;
use super::super::chunk::{chunk_start, inflate_first, starts};
use super::super::frame::packed::{KEYFRAME, Layout, NORMAL};
use super::super::header::Compression;
use super::super::survey::Survey;
use super::Salvage;
use crate::error::{Error, SalvageError};
use crate::limits::Limits;

/// The number of bytes needed to recognise a keyframe and the frame after it.
const AHEAD: usize = 2 << 20;

impl<B: Ranges + ?Sized, S: Read + Write + Seek> Salvage<'_, B, S> {
    /// Keeps the frames of an uncompressed file with a wrong table. Each chunk spans from one keyframe to
    /// the next.
    pub(super) fn body(&mut self) -> Result<(), SalvageError> {
        let chunks = self.table.chunks();
        let mut at = chunks
            .first()
            .map_or(self.table.rest(), |entry| entry.offset);
        // The table may be right up to some chunk. A chunk may have a single frame, which alone could be
        // there by chance.
        for entry in chunks {
            let there = entry.there == entry.size;
            if !there || !self.whole_chunk(entry.offset, entry.there, Compression::None)? {
                break;
            }
            at = entry.offset + entry.there;
        }
        let mut window = Window::new(self.input, at);
        let start = window.from(at, AHEAD)?;
        let layout = Survey::of(start, Layout::of(&self.header), &mut self.packed).layout;
        loop {
            // A single frame counts where the table says that the first chunk starts, and where whole
            // frames end; it is not there by chance.
            let next = if self.is_keyframe(&mut window, at, layout)? {
                Some(at)
            } else {
                self.next_keyframe(&mut window, at, layout)?
            };
            let Some(next) = next else {
                break;
            };
            self.salvaged.gaps += u64::from(next > at);
            self.salvaged.lost_bytes += next - at;
            let (chunk, frames) = self.run_of_frames(&mut window, next, layout)?;
            let size = chunk.len() as u64;
            if self.is_known(next, size) {
                self.salvaged.whole_chunks += 1;
            } else {
                self.salvaged.found_chunks += 1;
            }
            self.salvaged.written.chunks += 1;
            self.salvaged.written.frames += frames;
            self.assembler.push(chunk)?;
            at = next + size.max(1);
        }
        self.salvaged.lost_bytes += self.input.size().saturating_sub(at);
        Ok(())
    }

    /// Whether a keyframe starts at a byte.
    fn is_keyframe(
        &mut self,
        window: &mut Window<'_, B>,
        at: u64,
        layout: Layout,
    ) -> Result<bool, Error> {
        let bytes = window.from(at, AHEAD)?;
        let mut input = ByteReader::new(bytes);
        Ok(bytes.starts_with(&KEYFRAME) && self.packed.read(&mut input, layout).is_ok())
    }

    /// Returns the position of the next keyframe at or after a byte.
    fn next_keyframe(
        &mut self,
        window: &mut Window<'_, B>,
        mut from: u64,
        layout: Layout,
    ) -> Result<Option<u64>, Error> {
        loop {
            window.forget(from);
            let bytes = window.from(from, 2 * AHEAD)?;
            let last = from + bytes.len() as u64 == self.input.size();
            // A frame near the end of the window may be longer than the window.
            let searchable = bytes.len() - if last { 0 } else { AHEAD.min(bytes.len()) };
            match self.keyframe(bytes, 0, layout) {
                Some(next) if next < searchable => return Ok(Some(from + next as u64)),
                _ if last || self.patience == 0 => return Ok(None),
                _ => from += searchable as u64,
            }
        }
    }

    /// Returns the frames from a keyframe to the next, as far as they are whole.
    fn run_of_frames(
        &mut self,
        window: &mut Window<'_, B>,
        from: u64,
        layout: Layout,
    ) -> Result<(Vec<u8>, u64), Error> {
        window.forget(from);
        let (mut end, mut frames) = (0, 0);
        loop {
            let rest = window.from(from + end, AHEAD)?;
            let mut input = ByteReader::new(rest);
            let read = self.packed.read(&mut input, layout);
            if read.is_err() || frames > 0 && self.packed.keyframe {
                break;
            }
            end += input.offset() as u64;
            frames += 1;
        }
        let bytes = window.from(from, 0)?;
        let size = usize::try_from(end).unwrap_or(usize::MAX);
        Ok((bytes.get(..size).unwrap_or_default().to_vec(), frames))
    }
}

impl<B: Ranges + ?Sized, S> Salvage<'_, B, S> {
    /// Finds the next compressed chunk at or after a byte. Returns its position and size.
    pub(super) fn find(
        &mut self,
        mut from: u64,
        compression: Compression,
    ) -> Result<Option<(u64, u64)>, Error> {
        let failed = Cell::new(None);
        while let Some(at) = self.find_start(from, compression)? {
            let open = || {
                let mut source = self.input.stream();
                // If the seek fails, reading fails too.
                let _ = source.seek(SeekFrom::Start(at));
                let failed = &failed;
                BufReader::new(RemembersError { source, failed })
            };
            // The chunk that continues the last one kept starts right after it.
            let goes_on = self.goes_on && self.kept_to == at;
            let first = starts::<2>(open(), compression);
            if first == Some(KEYFRAME) || goes_on && first == Some(NORMAL) {
                let limits = Limits {
                    max_chunk_bytes: self.limits.max_chunk_bytes.min(self.search),
                    ..self.limits
                };
                let rest = inflate_first(open, compression, &limits, &mut self.raw);
                if let Ok(mut rest) = rest {
                    let end = rest.stream_position();
                    let end = end.map_err(|source| Error::io(at, source))?;
                    return Ok(Some((at, end - at)));
                }
                // A single stream that inflates to a lot of data could contain many starts.
                let inflated = match self.raw.len() as u64 {
                    0 => limits.max_chunk_bytes,
                    some => some,
                };
                let Some(search) = self.search.checked_sub(inflated.max(1 << 10)) else {
                    return Ok(None);
                };
                self.search = search;
            }
            if let Some(source) = failed.take() {
                return Err(Error::io(at, source));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Returns the next position of the bytes that a compressed chunk starts with.
    fn find_start(&self, mut from: u64, compression: Compression) -> Result<Option<u64>, Error> {
        let finder = memmem::Finder::new(chunk_start(compression));
        let overlap = finder.needle().len() as u64 - 1;
        let mut window = 4 << 10;
        loop {
            let length = self.input.size().saturating_sub(from).min(window);
            let bytes = self.input.range(from, length);
            let bytes = bytes.map_err(|source| Error::io(from, source))?;
            if let Some(at) = finder.find(&bytes) {
                return Ok(Some(from + at as u64));
            }
            if length < window {
                return Ok(None);
            }
            from += length - overlap;
            window = (window * 2).min(1 << 20);
        }
    }
}

/// A source that remembers its error; decoders mistake I/O errors for broken data.
struct RemembersError<'f, R> {
    source: R,
    failed: &'f Cell<Option<io::Error>>,
}

impl<R: Read> Read for RemembersError<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.source.read(into).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed.set(Some(error));
            }
            kind.into()
        })
    }
}

impl<R: Seek> Seek for RemembersError<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

/// The number of bytes read at a time.
const STEP: usize = 1 << 20;

/// The part of a recording that is in memory.
pub struct Window<'a, B: ?Sized> {
    input: &'a B,
    base: u64,
    bytes: Vec<u8>,
}

impl<'a, B: Ranges + ?Sized> Window<'a, B> {
    pub const fn new(input: &'a B, base: u64) -> Self {
        let bytes = Vec::new();
        Self { input, base, bytes }
    }

    /// Drops the bytes before `before`.
    pub fn forget(&mut self, before: u64) {
        let gone = usize::try_from(before - self.base).unwrap_or(usize::MAX);
        self.bytes.drain(..gone.min(self.bytes.len()));
        self.base = before;
    }

    /// Returns the bytes from `at` on, which must not be before the window: at least `count` bytes, or all
    /// that exist.
    pub fn from(&mut self, at: u64, count: usize) -> Result<&[u8], Error> {
        let from = usize::try_from(at - self.base).unwrap_or(usize::MAX);
        let held = self.base + self.bytes.len() as u64;
        let lacks = from.saturating_add(count).saturating_sub(self.bytes.len());
        if lacks > 0 && held < self.input.size() {
            let more = (lacks.max(STEP) as u64).min(self.input.size() - held);
            let read = self.input.range(held, more);
            self.bytes
                .extend_from_slice(&read.map_err(|source| Error::io(held, source))?);
        }
        Ok(self.bytes.get(from..).unwrap_or_default())
    }
}
