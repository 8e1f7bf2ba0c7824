//! Keeping what is whole of a broken recording: chunks byte for byte, of others the whole frames.

use std::io::{Read, Seek, Write};

use memchr::memmem;

use super::chunk::{Survey, chunk_start, inflate, starts, stored_size};
use super::cursor::Cursor;
use super::header::{Compression, Header};
use super::layout::Layout;
use super::packed::{KEYFRAME, NORMAL, Packed};
use super::read::{ChunkEntry, File, ReadOptions};
use super::write::{Assembler, Options, Written};
use crate::error::{Error, WriteError};
use crate::limits::Limits;

/// What was kept.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Salvaged {
    /// The file that was written.
    pub written: Written,
    /// Chunks that were kept as they are.
    pub whole_chunks: u64,
    /// Chunks of which some frames were kept.
    pub cut_chunks: u64,
    /// Chunks of which nothing was.
    pub lost_chunks: u64,
    /// Chunks that were found though the table does not say where they are.
    pub found_chunks: u64,
    /// Frames taken from a recording that was not finished.
    pub unfinished_frames: u64,
    /// Bytes that are in no frame that was kept, as stored.
    pub lost_bytes: u64,
    /// Frames that could not be had before their chunk went on with a keyframe.
    pub gaps: u64,
}

impl Salvaged {
    /// True where the file was whole and finished.
    #[must_use]
    pub const fn nothing_to_do(&self) -> bool {
        self.cut_chunks == 0
            && self.lost_chunks == 0
            && self.found_chunks == 0
            && self.unfinished_frames == 0
            && self.lost_bytes == 0
            && self.gaps == 0
    }
}

/// Why a recording could not be salvaged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// The header is broken: without its players nothing can be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// The destination failed.
    #[error(transparent)]
    Write(#[from] WriteError),
}

struct Salvage<'a, S> {
    bytes: &'a [u8],
    header: Header,
    limits: Limits,
    assembler: Assembler<S>,
    raw: Vec<u8>,
    packed: Packed,
    salvaged: Salvaged,
    /// Bytes that may still be tried for a frame in vain.
    patience: usize,
    /// Bytes that may still be inflated in search of a chunk, in vain.
    search: u64,
    /// Where the chunk ends that was kept last.
    kept_to: u64,
    /// The last frame so far was kept: one that differs from it may follow.
    goes_on: bool,
}

/// Keeps what is whole of a recording: whole chunks byte for byte, of broken ones the whole frames,
/// and the frames of a recording that was not finished. Chunks that the table misplaces are looked
/// for by how they start. The file goes to `out`, by way of a spool as in
/// [`Writer`](super::Writer).
///
/// # Errors
/// [`SalvageError::Read`] where the header is broken, [`SalvageError::Write`].
pub fn salvage(
    bytes: &[u8],
    limits: Limits,
    spool: impl Read + Write + Seek,
    out: &mut impl Write,
) -> Result<Salvaged, SalvageError> {
    let options = ReadOptions {
        limits,
        ..ReadOptions::lenient()
    };
    let file = options.read(bytes)?;
    let Some(mut header) = file.header().cloned() else {
        return Ok(Salvaged::default());
    };
    if file.is_unfinished() {
        header.compression = Options::default().compression;
    }
    let mut salvage = Salvage {
        bytes,
        assembler: Assembler::new(spool, header.compression),
        header,
        limits,
        raw: Vec::new(),
        packed: Packed::default(),
        salvaged: Salvaged::default(),
        patience: bytes.len().saturating_mul(16).saturating_add(1 << 24),
        search: (bytes.len() as u64).saturating_mul(32).max(16 << 20),
        kept_to: 0,
        goes_on: false,
    };
    salvage.chunks(&file)?;
    if file.is_unfinished() {
        salvage.unfinished(&file)?;
    }
    let mut done = salvage.salvaged;
    if done.written.frames > 0 {
        done.written.bytes = salvage.assembler.finish(&salvage.header, out)?;
    }
    Ok(done)
}

impl<S: Read + Write + Seek> Salvage<'_, S> {
    fn chunks(&mut self, file: &File<'_>) -> Result<(), WriteError> {
        let compression = file.header().map_or(Compression::None, |h| h.compression);
        let plain = compression == Compression::None && !file.is_unfinished();
        if plain && !self.is_aligned(file) {
            return self.body(file);
        }
        let bytes = self.bytes;
        let first = file.chunks().first().map(|entry| entry.offset);
        let (mut reached, mut searched) = (first.unwrap_or(file.rest()), 0);
        for entry in file.chunks() {
            // Chunks that were found where the table does not say are not taken twice.
            if entry.offset < reached {
                continue;
            }
            self.salvaged.lost_bytes += entry.offset - reached;
            let stored = slice(bytes, entry.offset, entry.there);
            let there = entry.there == entry.size;
            reached = entry.offset + entry.there;
            if there && self.whole_chunk(stored, compression)? {
                self.kept_to = reached;
                continue;
            }
            if compression == Compression::None {
                self.parts(stored, compression, there)?;
                continue;
            }
            // Broken, or not where the table says: look for it and others up to the file's end. What
            // was looked at once is not looked at again for each chunk that is not there.
            searched = searched.max(entry.offset);
            let next = self.find(searched, compression);
            let until = next.map_or(u64::MAX, |(at, _)| at - entry.offset);
            if until > 0 {
                let stored = slice(bytes, entry.offset, entry.there.min(until));
                self.parts(stored, compression, there)?;
            }
            reached = entry.offset + entry.there.min(until);
            self.found(file, next, &mut reached)?;
            searched = bytes.len() as u64;
        }
        let end = bytes.len() as u64;
        if !file.is_unfinished() {
            if searched < end && compression != Compression::None && file.trailing_bytes() > 0 {
                // Chunks that the table does not name.
                let next = self.find(file.rest(), compression);
                self.found(file, next, &mut reached)?;
            }
            self.salvaged.lost_bytes += end.saturating_sub(reached);
        }
        Ok(())
    }

    /// Keeps a chunk that was found, and all that are found behind it.
    fn found(
        &mut self,
        file: &File<'_>,
        mut next: Option<(u64, u64)>,
        reached: &mut u64,
    ) -> Result<(), WriteError> {
        let compression = self.header.compression;
        while let Some((at, size)) = next {
            self.salvaged.lost_bytes += at.saturating_sub(*reached);
            let stored = slice(self.bytes, at, size);
            if !self.whole_chunk(stored, compression)? {
                self.parts(stored, compression, true)?;
            }
            let known = |entry: &ChunkEntry| (entry.offset, entry.size) == (at, size);
            if !file.chunks().iter().any(known) {
                self.salvaged.found_chunks += 1;
            }
            *reached = at + size;
            self.kept_to = *reached;
            next = self.find(*reached, compression);
        }
        Ok(())
    }

    /// Whether frames stand where the table says that chunks start, and none behind them.
    fn is_aligned(&self, file: &File<'_>) -> bool {
        let starts = |entry: &ChunkEntry| {
            let stored = slice(self.bytes, entry.offset, entry.there);
            stored.is_empty() || stored.starts_with(&KEYFRAME) || stored.starts_with(&NORMAL)
        };
        file.trailing_bytes() == 0 && file.chunks().iter().all(starts)
    }

    /// Keeps the frames of a file that is not compressed and whose table is wrong: from keyframe to
    /// keyframe, a chunk each.
    fn body(&mut self, file: &File<'_>) -> Result<(), WriteError> {
        let mut from = file
            .chunks()
            .first()
            .map_or(file.rest(), |entry| entry.offset);
        let bytes = self.bytes;
        // The table may be right up to some chunk, and a chunk may be of one frame, which alone could
        // be there by chance.
        for entry in file.chunks() {
            let stored = slice(bytes, entry.offset, entry.there);
            if entry.there < entry.size || !self.whole_chunk(stored, Compression::None)? {
                break;
            }
            from = entry.offset + entry.there;
        }
        self.raw = slice(bytes, from, u64::MAX).to_vec();
        let layout = Survey::of(&self.raw, Layout::of(&self.header), &mut self.packed).layout;
        let mut at = 0;
        // Where the table says that a chunk starts, one frame is none by chance.
        let mut input = Cursor::new(self.raw.as_slice());
        let here = self.raw.starts_with(&KEYFRAME) && self.packed.read(&mut input, layout).is_ok();
        let mut start = here.then_some(0);
        while let Some(next) = start.take().or_else(|| self.keyframe(at, layout)) {
            self.salvaged.gaps += u64::from(next > at);
            self.salvaged.lost_bytes += (next - at) as u64;
            // To the next keyframe, or as far as frames are whole.
            let rest = self.raw.get(next..).unwrap_or_default();
            let mut input = Cursor::new(rest);
            let (mut end, mut frames) = (0, 0);
            while !input.is_empty()
                && self.packed.read(&mut input, layout).is_ok()
                && (frames == 0 || !self.packed.keyframe)
            {
                end = rest.len() - input.left();
                frames += 1;
            }
            let chunk = rest.get(..end).unwrap_or_default().to_vec();
            let place = (from + next as u64, end as u64);
            let known = |entry: &ChunkEntry| (entry.offset, entry.size) == place;
            if file.chunks().iter().any(known) {
                self.salvaged.whole_chunks += 1;
            } else {
                self.salvaged.found_chunks += 1;
            }
            self.salvaged.written.chunks += 1;
            self.salvaged.written.frames += frames;
            self.assembler.push(chunk)?;
            at = next + end.max(1);
        }
        self.salvaged.lost_bytes += self.raw.len().saturating_sub(at) as u64;
        Ok(())
    }

    /// Keeps a chunk byte for byte. False where it is not whole.
    fn whole_chunk(&mut self, stored: &[u8], compression: Compression) -> Result<bool, WriteError> {
        if inflate(stored, compression, &self.limits, &mut self.raw).is_err() {
            return Ok(false);
        }
        let survey = Survey::of(&self.raw, Layout::of(&self.header), &mut self.packed);
        let readable = self.goes_on || self.raw.starts_with(&KEYFRAME);
        if survey.error.is_some() || survey.frames == 0 || !readable {
            return Ok(false);
        }
        self.goes_on = true;
        self.salvaged.whole_chunks += 1;
        self.salvaged.written.chunks += 1;
        self.salvaged.written.frames += survey.frames;
        self.assembler.push_stored(stored)?;
        Ok(true)
    }

    /// Keeps the whole frames of a chunk that is not whole; `there` where the file does not end
    /// within it.
    fn parts(
        &mut self,
        stored: &[u8],
        compression: Compression,
        there: bool,
    ) -> Result<(), WriteError> {
        let broken = inflate(stored, compression, &self.limits, &mut self.raw).is_err();
        // What stands behind the data of the chunk.
        let behind = if broken && compression != Compression::None {
            let size = stored_size(stored, compression, &self.limits, &mut self.raw);
            stored.len() - size.unwrap_or(stored.len())
        } else {
            0
        };
        let layout = Layout::of(&self.header);
        let survey = Survey::of(&self.raw, layout, &mut self.packed);
        let readable = self.goes_on || self.raw.starts_with(&KEYFRAME);
        let mut kept = Vec::new();
        let (mut frames, mut at) = (0, 0);
        if readable {
            frames = survey.frames;
            kept.extend_from_slice(self.raw.get(..survey.whole).unwrap_or_default());
            at = survey.whole;
        }
        // Behind a fault, frames count again from the next keyframe.
        while let Some(next) = self.keyframe(at, survey.layout) {
            let rest = self.raw.get(next..).unwrap_or_default();
            let more = Survey::of(rest, survey.layout, &mut self.packed);
            kept.extend_from_slice(rest.get(..more.whole).unwrap_or_default());
            frames += more.frames;
            self.salvaged.gaps += 1;
            at = next + more.whole.max(1);
        }
        self.goes_on = frames > 0 && at == self.raw.len() && there && !broken;
        if frames == 0 {
            self.salvaged.lost_chunks += u64::from(!stored.is_empty() || !there);
            self.salvaged.lost_bytes += stored.len() as u64;
            return Ok(());
        }
        self.salvaged.cut_chunks += 1;
        self.salvaged.written.chunks += 1;
        self.salvaged.written.frames += frames;
        self.salvaged.lost_bytes += (self.raw.len() - kept.len() + behind) as u64;
        self.assembler.push(kept)?;
        Ok(())
    }

    /// The next keyframe of the inflated chunk that another frame follows.
    fn keyframe(&mut self, from: usize, layout: Layout) -> Option<usize> {
        let mut from = from;
        loop {
            let rest = self.raw.get(from..)?;
            let at = from + memmem::find(rest, &KEYFRAME)?;
            let mut input = Cursor::new(self.raw.get(at..)?);
            // The bytes of a keyframe's start occur by chance; two frames in a row don't.
            let first = self.packed.read(&mut input, layout);
            if first.is_ok() && (input.is_empty() || self.packed.read(&mut input, layout).is_ok()) {
                return Some(at);
            }
            // Bytes made for it could look like a long frame at each of them.
            let tried = self.raw.len() - at - input.left();
            self.patience = self.patience.checked_sub(tried)?;
            from = at + 1;
        }
    }

    /// Where a compressed chunk starts and how long it is, from some byte on.
    fn find(&mut self, from: u64, compression: Compression) -> Option<(u64, u64)> {
        let finder = memmem::Finder::new(chunk_start(compression));
        let mut from = usize::try_from(from).ok()?;
        loop {
            let rest = self.bytes.get(from..)?;
            let at = from + finder.find(rest)?;
            let stored = self.bytes.get(at..)?;
            // A chunk that goes on from the one that was kept last stands right behind it.
            let goes_on = self.goes_on && self.kept_to == at as u64;
            let first = starts::<2>(stored, compression);
            if first == Some(KEYFRAME) || goes_on && first == Some(NORMAL) {
                let limits = Limits {
                    max_chunk_bytes: self.limits.max_chunk_bytes.min(self.search),
                    ..self.limits
                };
                if let Some(size) = stored_size(stored, compression, &limits, &mut self.raw) {
                    return Some((at as u64, size as u64));
                }
                // One stream that inflates to much could have many starts.
                let inflated = match self.raw.len() as u64 {
                    0 => limits.max_chunk_bytes,
                    some => some,
                };
                self.search = self.search.checked_sub(inflated.max(1 << 10))?;
            }
            from = at + 1;
        }
    }

    /// Keeps the frames behind the chunks, each keyframe starting a chunk.
    fn unfinished(&mut self, file: &File<'_>) -> Result<(), WriteError> {
        let mut frames = file.frames();
        let mut chunk: Option<(u64, u64)> = None;
        let behind = file.rest();
        let mut spans = Vec::new();
        while let Ok(Some(_)) = frames.next_frame() {
            let (start, end) = frames.frame_span();
            if start < behind {
                continue;
            }
            self.salvaged.unfinished_frames += 1;
            match &mut chunk {
                Some(chunk) if !frames.is_keyframe() && chunk.1 == start => chunk.1 = end,
                other => spans.extend(other.replace((start, end))),
            }
        }
        spans.extend(chunk);
        self.salvaged.written.frames += self.salvaged.unfinished_frames;
        self.salvaged.written.chunks += spans.len() as u64;
        let (headers, gaps) = frames.decoder().open_counts();
        let kept: u64 = spans.iter().map(|(start, end)| end - start).sum();
        self.salvaged.lost_bytes += (self.bytes.len() as u64 - behind)
            .saturating_sub(headers)
            .saturating_sub(kept);
        self.salvaged.gaps += gaps;
        for (start, end) in spans {
            self.assembler
                .push(slice(self.bytes, start, end - start).to_vec())?;
        }
        if let Some(header) = frames.header() {
            self.header.players.clone_from(&header.players);
        }
        Ok(())
    }
}

fn slice(bytes: &[u8], start: u64, size: u64) -> &[u8] {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    bytes
        .get(start..)
        .map(|rest| rest.get(..size).unwrap_or(rest))
        .unwrap_or_default()
}
