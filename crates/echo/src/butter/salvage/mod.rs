//! Keeping what is whole of a broken recording: chunks byte for byte, of others the whole frames.

mod body;
mod find;

use std::borrow::Cow;
use std::io::{Cursor, Read, Seek, Write};

use gametape_core::{AllAltered, Altered, ByteReader, Input, Part};
use memchr::memmem;

use super::header::{Compression, Header};
use super::layout::Layout;
use super::pack::{Fault, Packing, inflate, inflate_first, is_checked};
use super::packed::{KEYFRAME, NORMAL, Packed};
use super::stream::Reader;
use super::survey::Survey;
use super::table::{ChunkEntry, Table};
use super::write::{Assembler, Options, Written};
use crate::error::{Error, Finding, SalvageError};
use crate::limits::{Limits, ReadOptions};
use crate::ranges::Ranges;
use crate::rule::Rule;

/// What was kept.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// The file that was written.
    pub written: Written,
    /// Chunks that were kept as they are.
    pub whole_chunks: u64,
    /// Chunks of which some frames were kept.
    pub cut_chunks: u64,
    /// Chunks all of whose frames were kept though their checksum is wrong; they are packed anew.
    pub altered_chunks: u64,
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
    /// Frames that were kept of chunks whose checksum is wrong, or which are damaged in their packing:
    /// what is altered in them shows nowhere in the file that was written.
    pub altered: AllAltered<Rule>,
}

impl Salvaged {
    /// True where the file was whole and finished.
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

    /// True where the file that was written holds less than the broken one.
    #[must_use]
    pub const fn is_lossy(&self) -> bool {
        self.lost_bytes > 0 || self.lost_chunks > 0 || self.gaps > 0
    }
}

/// Keeps what is whole of a recording in memory: whole chunks byte for byte, of broken ones the
/// whole frames, and the frames of a recording that was not finished. Chunks that the table misplaces
/// are looked for by how they start. The file that was made, and what is in it.
///
/// Chunks whose checksum is wrong are kept, too: one flipped bit would else cost some 300 frames. They
/// get a new checksum, as the file that is made has to be read by all; [`Salvaged::altered`] says which
/// frames they are.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let (whole, salvaged) = gametape_echo::butter::salvage(&bytes)?;
/// assert!(salvaged.nothing_to_do() && whole == bytes);
/// # Ok::<(), gametape_echo::SalvageError>(())
/// ```
///
/// # Errors
/// [`SalvageError::Read`] where the header is broken.
pub fn salvage(bytes: &[u8]) -> Result<(Vec<u8>, Salvaged), SalvageError> {
    let mut out = Vec::new();
    let spool = Cursor::new(Vec::new());
    let salvaged = salvage_ranges(bytes, Limits::DEFAULT, spool, &mut out)?;
    Ok((out, salvaged))
}

/// [`salvage()`] of what may be large: in memory bounded by a few chunks. The file goes to `out`, by
/// way of a spool as in [`Writer`](super::Writer).
///
/// # Errors
/// [`SalvageError::Read`] where the header is broken or the input fails; [`SalvageError::Write`].
pub fn salvage_to(
    input: &Input,
    limits: Limits,
    spool: impl Read + Write + Seek,
    out: &mut (impl Write + ?Sized),
) -> Result<Salvaged, SalvageError> {
    salvage_ranges(input, limits, spool, out)
}

/// [`salvage_to`] of what is read by ranges.
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
        assembler: Assembler::new(spool, Packing::checked(header.compression)),
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
    /// Of the file that is made.
    header: Header,
    limits: Limits,
    assembler: Assembler<S>,
    raw: Vec<u8>,
    packed: Packed,
    salvaged: Salvaged,
    /// Bytes that may still be tried for a frame in vain.
    patience: u64,
    /// Bytes that may still be inflated in search of a chunk, in vain.
    search: u64,
    /// Where the chunk ends that was kept last.
    kept_to: u64,
    /// The last frame so far was kept: one that differs from it may follow.
    goes_on: bool,
}

impl<'a, B: Ranges + ?Sized, S: Read + Write + Seek> Salvage<'a, B, S> {
    /// Bytes of the broken file, as many as there are; of what is packed, no more than a chunk may be.
    fn stored(
        &self,
        start: u64,
        size: u64,
        compression: Compression,
    ) -> Result<Cow<'a, [u8]>, Error> {
        let most = match compression {
            Compression::None => u64::MAX,
            // What can't be packed takes a little more than it would unpacked.
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
            // Chunks that were found where the table does not say are not taken twice.
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
            // Broken, or not where the table says: look for it and others up to the file's end. What
            // was looked at once is not looked at again for each chunk that is not there.
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

    /// Keeps a chunk that was found, and all that are found behind it.
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

    /// Whether the table says that a chunk is there.
    fn is_known(&self, at: u64, size: u64) -> bool {
        let known = |entry: &ChunkEntry| (entry.offset, entry.size) == (at, size);
        self.table.chunks().iter().any(known)
    }

    /// Whether frames stand where the table says that chunks start, and none behind them.
    fn is_aligned(&self) -> Result<bool, Error> {
        for entry in self.table.chunks() {
            let start = self.stored(entry.offset, entry.there.min(2), Compression::None)?;
            if !start.is_empty() && *start != KEYFRAME && *start != NORMAL {
                return Ok(false);
            }
        }
        Ok(self.table.trailing_bytes() == 0)
    }

    /// Keeps a chunk byte for byte; one whose checksum alone is wrong packed anew. False where it is not
    /// whole.
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

    /// Notes that so many frames of the chunk at a byte are kept next, which may be altered.
    fn altered(&mut self, at: u64, fault: Fault, frames: u64) {
        let chunks = self.table.chunks();
        let chunk = chunks.partition_point(|entry| entry.offset < at);
        let first = self.salvaged.written.frames;
        self.salvaged.altered.push(Altered {
            finding: Finding::new(fault.rule(chunk as u64, frames)).at(at),
            part: Part::Steps(first..first + frames),
        });
    }

    /// Keeps the whole frames of a chunk that is not whole; `there` where the file does not end
    /// within it.
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
        // What stands behind the data of the chunk.
        let mut behind = size.saturating_sub(stored.len() as u64);
        if broken {
            let open = || &*stored;
            let rest = inflate_first(open, compression, &self.limits, &mut self.raw);
            behind += rest.map_or(0, |rest| rest.len() as u64);
        }
        let survey = Survey::of(&self.raw, Layout::of(&self.header), &mut self.packed);
        let mut kept = Vec::new();
        let (mut frames, mut at) = (0, 0);
        if self.goes_on || self.raw.starts_with(&KEYFRAME) {
            frames = survey.frames;
            kept.extend_from_slice(self.raw.get(..survey.whole).unwrap_or_default());
            at = survey.whole;
        }
        // Behind a fault, frames count again from the next keyframe.
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
        // What the file cuts is as it was, up to there; and so is what was checked, whatever stands behind
        // it.
        let checked = is_checked(&stored, compression);
        if let Some(fault) = fault.filter(|fault| there && !(checked && fault.is_behind())) {
            self.altered(place, fault, frames);
        }
        self.salvaged.cut_chunks += 1;
        self.salvaged.written.chunks += 1;
        self.salvaged.written.frames += frames;
        self.salvaged.lost_bytes += (self.raw.len() - kept.len()) as u64 + behind;
        self.assembler.push(kept)?;
        Ok(())
    }

    /// The next keyframe of some bytes that another frame follows; from which byte on to look.
    fn keyframe(&mut self, bytes: &[u8], mut from: usize, layout: Layout) -> Option<usize> {
        loop {
            let at = from + memmem::find(bytes.get(from..)?, &KEYFRAME)?;
            let mut input = ByteReader::new(bytes.get(at..)?);
            // The bytes of a keyframe's start occur by chance; two frames in a row don't.
            let first = self.packed.read(&mut input, layout);
            if first.is_ok() && (input.is_empty() || self.packed.read(&mut input, layout).is_ok()) {
                return Some(at);
            }
            // Bytes made for it could look like a long frame at each of them.
            self.patience = self.patience.saturating_sub(input.offset() as u64 + 1);
            if self.patience == 0 {
                return None;
            }
            from = at + 1;
        }
    }

    /// Keeps the frames behind the chunks, each keyframe starting a chunk.
    fn unfinished(&mut self, options: ReadOptions) -> Result<(), SalvageError> {
        let mut frames = Reader::with_options(self.input.stream(), options);
        let mut chunk: Option<(u64, u64)> = None;
        let behind = self.table.rest();
        let mut spans = Vec::new();
        loop {
            match frames.next_frame() {
                Ok(Some(_)) => {}
                Err(error @ Error::Io { .. }) => return Err(error.into()),
                // The end, or what a limit forbids.
                Ok(None) | Err(_) => break,
            }
            let (start, end) = frames.decoder().frame_span();
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
        self.salvaged.lost_bytes += (self.input.size() - behind)
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
