//! Keeping the intact parts of a broken recording: whole chunks byte for byte, and the whole frames of
//! others.

mod search;

use std::borrow::Cow;
use std::io::{Cursor, Read, Seek, Write};

use gametape_core::{AllAltered, Altered, ByteReader, Input, Part};
use memchr::memmem;

use super::chunk::Ranges;
use super::chunk::{ChunkEntry, ChunkFault, Table, inflate, inflate_first, is_checked};
use super::frame::packed::{KEYFRAME, Layout, NORMAL, Packed};
use super::header::{Compression, Header};
use super::stream::Reader;
use super::survey::Survey;
use super::write::{Assembler, Options, Written};
use crate::error::{Error, Finding, SalvageError};
use crate::limits::{Limits, ReadOptions};
use crate::rule::Rule;

/// The result of a salvage.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// The file that was written.
    pub written: Written,
    /// Chunks that were kept byte for byte.
    pub whole_chunks: u64,
    /// Chunks of which some frames were kept.
    pub cut_chunks: u64,
    /// Chunks with a wrong checksum. All their frames were kept and packed anew.
    pub altered_chunks: u64,
    /// Chunks of which nothing was kept.
    pub lost_chunks: u64,
    /// Chunks found in places that the table does not name.
    pub found_chunks: u64,
    /// Frames taken from an unfinished recording.
    pub unfinished_frames: u64,
    /// Bytes of the broken file, as stored, that belong to no kept frame.
    pub lost_bytes: u64,
    /// Places where frames were lost before a later keyframe of the same chunk.
    pub gaps: u64,
    /// Frames kept from chunks with a wrong checksum or damaged compression. They may be altered, and
    /// nothing in the new file shows it.
    pub altered: AllAltered<Rule>,
}

impl Salvaged {
    /// Whether the file was whole and finished.
    #[must_use]
    pub const fn nothing_to_do(&self) -> bool {
        self.cut_chunks == 0
            && self.altered_chunks == 0
            && self.lost_chunks == 0
            && self.found_chunks == 0
            && self.unfinished_frames == 0
            && self.lost_bytes == 0
            && self.gaps == 0
    }

    /// Whether the new file holds less than the broken one.
    #[must_use]
    pub const fn is_lossy(&self) -> bool {
        self.lost_bytes > 0 || self.lost_chunks > 0 || self.gaps > 0
    }
}

/// Keeps the intact parts of a recording in memory: whole chunks byte for byte, the whole frames of broken
/// chunks, and the frames of an unfinished recording. Chunks that are not where the table says are found by
/// their first bytes. Returns the new file and its description.
///
/// Chunks with a wrong checksum are kept, since one flipped bit would otherwise cost some 300 frames. They
/// get a new checksum so that every reader accepts the file; [`Salvaged::altered`] names their frames.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let (whole, salvaged) = gametape_echo::butter::salvage(&bytes)?;
/// assert!(salvaged.nothing_to_do() && whole == bytes);
/// # Ok::<(), gametape_echo::SalvageError>(())
/// ```
///
/// # Errors
/// [`SalvageError::Read`] if the header is broken.
pub fn salvage(bytes: &[u8]) -> Result<(Vec<u8>, Salvaged), SalvageError> {
    let mut out = Vec::new();
    let spool = Cursor::new(Vec::new());
    let salvaged = salvage_ranges(bytes, Limits::DEFAULT, spool, &mut out)?;
    Ok((out, salvaged))
}

/// Like [`salvage()`], for inputs that may be large: memory use is bounded by a few chunks. The file goes
/// to `out` by way of a spool, like [`Writer`](super::Writer).
///
/// # Errors
/// [`SalvageError::Read`] if the header is broken or the input fails; [`SalvageError::Write`].
pub fn salvage_to(
    input: &Input,
    limits: Limits,
    spool: impl Read + Write + Seek,
    out: &mut (impl Write + ?Sized),
) -> Result<Salvaged, SalvageError> {
    salvage_ranges(input, limits, spool, out)
}

/// Like [`salvage_to`], for input that is read by ranges.
pub(crate) fn salvage_ranges<B: Ranges + ?Sized>(
    input: &B,
    limits: Limits,
    spool: impl Read + Write + Seek,
    out: &mut (impl Write + ?Sized),
) -> Result<Salvaged, SalvageError> {
    let options = ReadOptions::lenient().limits(limits);
    let table = Table::of_ranges(input, &limits)?;
    let Some(mut header) = table.header().cloned() else {
        return Ok(Salvaged::default());
    };
    if table.is_unfinished() {
        header.compression = Options::default().compression;
    }
    let mut salvage = Salvage {
        assembler: Assembler::new(spool, header.compression),
        header,
        limits,
        raw: Vec::new(),
        packed: Packed::default(),
        salvaged: Salvaged::default(),
        patience: input.size().saturating_mul(16).saturating_add(1 << 24),
        search: input.size().saturating_mul(32).max(16 << 20),
        kept_to: 0,
        goes_on: false,
        input,
        table: &table,
    };
    salvage.chunks()?;
    if table.is_unfinished() {
        salvage.unfinished(options)?;
    }
    let mut done = salvage.salvaged;
    if done.written.frames > 0 {
        done.written.bytes = salvage.assembler.finish(&salvage.header, out)?;
    }
    Ok(done)
}

struct Salvage<'a, B: ?Sized, S> {
    input: &'a B,
    table: &'a Table,
    /// The header of the new file.
    header: Header,
    limits: Limits,
    assembler: Assembler<S>,
    raw: Vec<u8>,
    packed: Packed,
    salvaged: Salvaged,
    /// The number of bytes that may still be tried as frames in vain.
    patience: u64,
    /// The number of bytes that may still be inflated in vain.
    search: u64,
    /// The end of the last chunk kept.
    kept_to: u64,
    /// The last frame so far was kept, so a frame that depends on it may follow.
    goes_on: bool,
}

impl<'a, B: Ranges + ?Sized, S: Read + Write + Seek> Salvage<'a, B, S> {
    /// Reads stored bytes, as many as there are. A compressed chunk is read up to the limit of its size.
    fn stored(
        &self,
        start: u64,
        size: u64,
        compression: Compression,
    ) -> Result<Cow<'a, [u8]>, Error> {
        let most = match compression {
            Compression::None => u64::MAX,
            // Incompressible data grows a little when compressed.
            _ => self.limits.max_chunk_bytes.saturating_add(64 << 10),
        };
        let there = self.input.size().saturating_sub(start).min(size).min(most);
        let bytes = self.input.range(start, there);
        bytes.map_err(|source| Error::io(start, source))
    }

    fn chunks(&mut self) -> Result<(), SalvageError> {
        let table = self.table;
        let compression = table.header().map_or(Compression::None, |h| h.compression);
        let plain = compression == Compression::None && !table.is_unfinished();
        if plain && !self.is_aligned()? {
            return self.body();
        }
        let first = table.chunks().first().map(|entry| entry.offset);
        let (mut reached, mut searched) = (first.unwrap_or(table.rest()), 0);
        for entry in table.chunks() {
            // Skip chunks that were already found elsewhere.
            if entry.offset < reached {
                continue;
            }
            self.salvaged.lost_bytes += entry.offset - reached;
            let there = entry.there == entry.size;
            reached = entry.offset + entry.there;
            if there && self.whole_chunk(entry.offset, entry.there, compression)? {
                self.kept_to = reached;
                continue;
            }
            if compression == Compression::None {
                self.parts(entry.offset, entry.there, compression, there)?;
                continue;
            }
            // The chunk is broken or not where the table says. Search for it, and for others, up to the
            // file's end. What was searched once is not searched again for the next missing chunk.
            searched = searched.max(entry.offset);
            let next = self.find(searched, compression)?;
            let until = next.map_or(u64::MAX, |(at, _)| at - entry.offset);
            if until > 0 {
                let size = entry.there.min(until);
                self.parts(entry.offset, size, compression, there)?;
            }
            reached = entry.offset + entry.there.min(until);
            self.found(next, &mut reached)?;
            searched = self.input.size();
        }
        let end = self.input.size();
        if !table.is_unfinished() {
            if searched < end && compression != Compression::None && table.trailing_bytes() > 0 {
                // Chunks that the table does not name.
                let next = self.find(table.rest(), compression)?;
                self.found(next, &mut reached)?;
            }
            self.salvaged.lost_bytes += end.saturating_sub(reached);
        }
        Ok(())
    }

    /// Keeps a chunk that was found, and all that are found after it.
    fn found(
        &mut self,
        mut next: Option<(u64, u64)>,
        reached: &mut u64,
    ) -> Result<(), SalvageError> {
        let compression = self.header.compression;
        while let Some((at, size)) = next {
            self.salvaged.lost_bytes += at.saturating_sub(*reached);
            if !self.whole_chunk(at, size, compression)? {
                self.parts(at, size, compression, true)?;
            }
            if !self.is_known(at, size) {
                self.salvaged.found_chunks += 1;
            }
            *reached = at + size;
            self.kept_to = *reached;
            next = self.find(*reached, compression)?;
        }
        Ok(())
    }

    /// Whether the table names this chunk.
    fn is_known(&self, at: u64, size: u64) -> bool {
        let known = |entry: &ChunkEntry| (entry.offset, entry.size) == (at, size);
        self.table.chunks().iter().any(known)
    }

    /// Whether frames start where the table says that chunks start, and none follow the chunks.
    fn is_aligned(&self) -> Result<bool, Error> {
        for entry in self.table.chunks() {
            let start = self.stored(entry.offset, entry.there.min(2), Compression::None)?;
            if !start.is_empty() && *start != KEYFRAME && *start != NORMAL {
                return Ok(false);
            }
        }
        Ok(self.table.trailing_bytes() == 0)
    }

    /// Keeps a chunk byte for byte, or packed anew if only its checksum is wrong. Returns false if the
    /// chunk is not whole.
    fn whole_chunk(
        &mut self,
        at: u64,
        size: u64,
        compression: Compression,
    ) -> Result<bool, SalvageError> {
        let stored = self.stored(at, size, compression)?;
        let cut = (stored.len() as u64) < size;
        if cut {
            return Ok(false);
        }
        let fault = inflate(&stored, compression, &self.limits, &mut self.raw).err();
        if fault.as_ref().is_some_and(|fault| !fault.is_checksum()) {
            return Ok(false);
        }
        let survey = Survey::of(&self.raw, Layout::of(&self.header), &mut self.packed);
        let readable = self.goes_on || self.raw.starts_with(&KEYFRAME);
        if survey.error.is_some() || survey.frames == 0 || !readable {
            return Ok(false);
        }
        self.goes_on = true;
        if let Some(fault) = fault {
            self.altered(at, fault, survey.frames);
            self.salvaged.altered_chunks += 1;
            let raw = std::mem::take(&mut self.raw);
            self.assembler.push(raw)?;
        } else {
            self.salvaged.whole_chunks += 1;
            self.assembler.push_stored(&stored)?;
        }
        self.salvaged.written.chunks += 1;
        self.salvaged.written.frames += survey.frames;
        Ok(true)
    }

    /// Records that the next `frames` frames, from the chunk at byte `at`, may be altered.
    fn altered(&mut self, at: u64, fault: ChunkFault, frames: u64) {
        let chunks = self.table.chunks();
        let chunk = chunks.partition_point(|entry| entry.offset < at);
        let first = self.salvaged.written.frames;
        self.salvaged.altered.push(Altered {
            finding: Finding::new(fault.rule(chunk as u64, frames)).at(at),
            part: Part::Steps(first..first + frames),
        });
    }

    /// Keeps the whole frames of a broken chunk. `there` is false if the file ends within the chunk.
    fn parts(
        &mut self,
        at: u64,
        size: u64,
        compression: Compression,
        there: bool,
    ) -> Result<(), SalvageError> {
        let (place, stored) = (at, self.stored(at, size, compression)?);
        let fault = inflate(&stored, compression, &self.limits, &mut self.raw).err();
        let broken = fault.as_ref().is_some_and(|fault| !fault.is_checksum());
        // Bytes after the chunk's data.
        let mut trailing = size.saturating_sub(stored.len() as u64);
        if broken {
            let open = || &*stored;
            let rest = inflate_first(open, compression, &self.limits, &mut self.raw);
            trailing += rest.map_or(0, |rest| rest.len() as u64);
        }
        let survey = Survey::of(&self.raw, Layout::of(&self.header), &mut self.packed);
        let mut kept = Vec::new();
        let (mut frames, mut at) = (0, 0);
        if self.goes_on || self.raw.starts_with(&KEYFRAME) {
            frames = survey.frames;
            kept.extend_from_slice(self.raw.get(..survey.whole).unwrap_or_default());
            at = survey.whole;
        }
        // After a fault, frames count again from the next keyframe.
        let raw = std::mem::take(&mut self.raw);
        while let Some(next) = self.keyframe(&raw, at, survey.layout) {
            let rest = raw.get(next..).unwrap_or_default();
            let more = Survey::of(rest, survey.layout, &mut self.packed);
            kept.extend_from_slice(rest.get(..more.whole).unwrap_or_default());
            frames += more.frames;
            self.salvaged.gaps += 1;
            at = next + more.whole.max(1);
        }
        self.raw = raw;
        self.goes_on = frames > 0 && at == self.raw.len() && there && !broken;
        if frames == 0 {
            self.salvaged.lost_chunks += u64::from(!stored.is_empty() || !there);
            self.salvaged.lost_bytes += size;
            return Ok(());
        }
        // A chunk that the file cuts off is unaltered up to there. So is one whose checksum matches,
        // whatever follows it.
        let checked = is_checked(&stored, compression);
        if let Some(fault) = fault.filter(|fault| there && !(checked && fault.has_trailing_bytes()))
        {
            self.altered(place, fault, frames);
        }
        self.salvaged.cut_chunks += 1;
        self.salvaged.written.chunks += 1;
        self.salvaged.written.frames += frames;
        self.salvaged.lost_bytes += (self.raw.len() - kept.len()) as u64 + trailing;
        self.assembler.push(kept)?;
        Ok(())
    }

    /// Finds the next keyframe with another frame after it. Returns the position to search from next, too.
    fn keyframe(&mut self, bytes: &[u8], mut from: usize, layout: Layout) -> Option<usize> {
        loop {
            let at = from + memmem::find(bytes.get(from..)?, &KEYFRAME)?;
            let mut input = ByteReader::new(bytes.get(at..)?);
            // The bytes that start a keyframe occur by chance, but two frames in a row don't.
            let first = self.packed.read(&mut input, layout);
            if first.is_ok() && (input.is_empty() || self.packed.read(&mut input, layout).is_ok()) {
                return Some(at);
            }
            // A crafted file could seem to have a long frame at every byte.
            self.patience = self.patience.saturating_sub(input.offset() as u64 + 1);
            if self.patience == 0 {
                return None;
            }
            from = at + 1;
        }
    }

    /// Keeps the frames after the chunks. Each keyframe starts a chunk.
    fn unfinished(&mut self, options: ReadOptions) -> Result<(), SalvageError> {
        let mut frames = Reader::with_options(self.input.stream(), options);
        let mut chunk: Option<(u64, u64)> = None;
        let after = self.table.rest();
        let mut spans = Vec::new();
        loop {
            match frames.next_frame() {
                Ok(Some(_)) => {}
                Err(error @ Error::Io { .. }) => return Err(error.into()),
                // The end, or an exceeded limit.
                Ok(None) | Err(_) => break,
            }
            let (start, end) = frames.decoder().frame_span();
            if start < after {
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
        self.salvaged.lost_bytes += (self.input.size() - after)
            .saturating_sub(headers)
            .saturating_sub(kept);
        self.salvaged.gaps += gaps;
        for (start, end) in spans {
            let frames = self.stored(start, end - start, Compression::None)?;
            self.assembler.push(frames.into_owned())?;
        }
        if let Some(header) = frames.header() {
            self.header.players.clone_from(&header.players);
        }
        Ok(())
    }
}
