//! Recording live: a file that can be read after every frame.

use std::io::{Read, Seek, SeekFrom, Write};

use gametape_core::Output;

use super::frame::packed::Layout;
use super::header::{Compression, Header};
use super::stream::Reader;
use super::structure::{holds_frames, seems_to_hold_frames};
use super::write::{Assembler, ChunkEncoder, Options, Written};
use crate::error::Resumed;
use crate::error::{Error, Severity, WriteError};
use crate::limits::{Limits, ReadOptions};
use crate::model::Frame;
use crate::rule::Rule;

/// Records live. If the process is killed at any byte, [`Feed`] and the other readers read the whole frames
/// of the file; [`Journal::resume`] continues it, and salvage turns it into a finished file.
///
/// The finished format can't be written this way: its header names all players and its table all chunks. So
/// the file starts with a header of the players so far and a table of one chunk of size 0. Frames follow as
/// they come, not compressed. When a player joins, a new header and table come first. A frame never starts
/// with a version byte, so headers and frames can't be confused. [`Journal::finish`] turns the journal into
/// an ordinary file.
///
/// [`Feed`]: super::Feed
#[derive(Debug)]
pub struct Journal<F> {
    file: F,
    options: Options,
    encoder: Option<ChunkEncoder>,
    /// The start and end of each chunk's frames.
    chunks: Vec<(u64, u64)>,
    end: u64,
    frames: u64,
    buffer: Vec<u8>,
    /// A write failed halfway; its bytes are cut off before the next write.
    torn: bool,
    /// The number of players in the last header of the file; `None` if the next frame needs a header.
    written_players: Option<usize>,
}

impl<F: Read + Seek + Output> Journal<F> {
    /// Records into an empty file.
    pub const fn new(file: F, options: Options) -> Self {
        Self {
            file,
            options,
            encoder: None,
            chunks: Vec::new(),
            end: 0,
            frames: 0,
            buffer: Vec::new(),
            torn: false,
            written_players: None,
        }
    }

    /// Continues a file that a journal left. When the next frame is added, it replaces an incomplete one at
    /// the end of the file.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the file is no journal or is a finished recording, or if damage would cost
    /// more than one frame ([`Rule::Damaged`]; salvage keeps those frames); [`Error::Io`].
    pub fn resume(mut file: F, options: Options) -> Result<(Self, Resumed), Error> {
        let io = |source| Error::io(0, source);
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        let mut journal = Self::new(file, options);
        let mut reader = Reader::with_options(&mut journal.file, ReadOptions::lenient());
        let mut resumed = Resumed::default();
        let mut cut_header = None;
        loop {
            let frame = match reader.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                // The file ends within its first header: there is nothing to continue.
                Err(error) if error.is_truncated() && resumed.frames == 0 => {
                    cut_header = error.into_finding();
                    break;
                }
                Err(error) => return Err(error),
            };
            resumed.frames += 1;
            match &mut resumed.last {
                None => resumed.last = Some(frame.clone()),
                Some(last) => last.clone_from(frame),
            }
            let (start, end) = reader.decoder().frame_span();
            match journal.chunks.last_mut() {
                Some(chunk) if !reader.is_keyframe() => chunk.1 = end,
                _ => journal.chunks.push((start, end)),
            }
        }
        let header = reader.header().cloned();
        if header.is_some() && !reader.decoder().is_unfinished() {
            return Err(Error::at(Rule::Finished, 0));
        }
        let mut findings = reader.findings().iter();
        let fault = findings
            .find(|finding| finding.severity() == Severity::Error)
            .cloned();
        let end = journal.chunks.last().map_or(0, |&(_, end)| end);
        match &fault {
            // The first frame is damaged rather than cut off.
            Some(fault) if resumed.frames == 0 && !matches!(fault.rule, Rule::Truncated { .. }) => {
                return Err(fault.clone().into());
            }
            // Frames after the fault were read.
            Some(fault) if fault.place.offset.is_some_and(|at| at < end) => {
                let at = fault.place.offset.unwrap_or(0);
                return Err(Error::at(Rule::Damaged { bytes: end - at }, at));
            }
            _ => {}
        }
        resumed.dropped = journal.may_cut(end, header.as_ref())?;
        resumed.problem = cut_header.or(fault);
        journal.frames = resumed.frames;
        if let (Some(header), Some(frame)) = (header, &resumed.last) {
            let mut encoder = ChunkEncoder::new(frame, journal.options);
            encoder.header = Header {
                keyframe_interval: encoder.header.keyframe_interval,
                compression: encoder.header.compression,
                version: encoder.header.version,
                ..header
            };
            journal.encoder = Some(encoder.on_map());
            journal.end = end;
        }
        journal.torn = true;
        Ok((journal, resumed))
    }

    /// Checks that no frames would be lost if the file were cut at `end`. Returns the number of bytes after
    /// it.
    fn may_cut(&mut self, end: u64, header: Option<&Header>) -> Result<u64, Error> {
        let io = |source| Error::io(end, source);
        let left = self.file.seek(SeekFrom::End(0)).map_err(io)? - end;
        let limits = Limits::DEFAULT;
        // A header and a frame; a header is 256 names and a few bytes.
        let most = limits.max_frame_bytes + 256 * (limits.max_name_bytes + 16);
        let damaged = Error::at(Rule::Damaged { bytes: left }, end);
        if left > most {
            return Err(damaged);
        }
        self.file.seek(SeekFrom::Start(end)).map_err(io)?;
        let mut tail = Vec::new();
        Read::take(&mut self.file, left)
            .read_to_end(&mut tail)
            .map_err(io)?;
        let holds = header.map_or_else(
            || seems_to_hold_frames(&tail),
            |header| holds_frames(&tail, Layout::of(header)),
        );
        if holds { Err(damaged) } else { Ok(left) }
    }

    /// The number of frames in the file.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds a frame, in one write. If that fails, nothing of the frame stays in the file, and the frame may
    /// be pushed again.
    ///
    /// # Errors
    /// [`WriteError::Io`]; [`WriteError::Unstorable`] for the 256th player, and for a time of rules that
    /// readers would misunderstand.
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        if self.torn {
            let torn = self.file.seek(SeekFrom::End(0))?.saturating_sub(self.end);
            self.file.take_back(torn)?;
            self.torn = false;
        }
        let options = self.options;
        let encoder = match &mut self.encoder {
            Some(encoder) => {
                encoder.check(frame)?;
                encoder
            }
            none => {
                let encoder = ChunkEncoder::new(frame, options);
                encoder.check(frame)?;
                none.insert(encoder)
            }
        };
        encoder.meet(frame)?;
        let players = encoder.header.players.len();
        self.buffer.clear();
        if self.written_players != Some(players) {
            let mut header = encoder.header.clone();
            header.compression = Compression::None;
            header.write(&mut self.buffer);
            self.buffer.extend_from_slice(&1_u32.to_le_bytes());
            self.buffer.extend_from_slice(&0_u32.to_le_bytes());
            // The next frame must not depend on earlier ones.
            encoder.end_chunk();
        }
        let start = self.end + self.buffer.len() as u64;
        let keyframe = encoder.push(frame, &mut self.buffer);
        if let Err(error) = self.file.write_all(&self.buffer) {
            self.torn = true;
            // The file does not hold what the encoder assumes, and may even lack the header.
            self.written_players = None;
            encoder.end_chunk();
            return Err(error.into());
        }
        self.written_players = Some(players);
        self.end += self.buffer.len() as u64;
        match self.chunks.last_mut() {
            Some(chunk) if !keyframe => chunk.1 = self.end,
            _ => self.chunks.push((start, self.end)),
        }
        self.frames += 1;
        Ok(())
    }

    /// Returns the file.
    pub const fn get_ref(&self) -> &F {
        &self.file
    }

    /// Writes the finished recording: the same frames, in compressed chunks after a table. The journal's
    /// file stays as it is; the caller replaces it.
    ///
    /// # Errors
    /// [`WriteError::Io`] of the file, of the spool or of `out`.
    pub fn finish(
        mut self,
        spool: impl Read + Write + Seek,
        out: &mut (impl Write + ?Sized),
    ) -> Result<Written, WriteError> {
        let Some(encoder) = self.encoder else {
            return Ok(Written::default());
        };
        let mut assembler = Assembler::new(spool, self.options.compression);
        for &(start, end) in &self.chunks {
            let size = usize::try_from(end - start).unwrap_or(usize::MAX);
            let mut raw = vec![0; size];
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut raw)?;
            assembler.push(raw)?;
        }
        Ok(Written {
            frames: self.frames,
            chunks: self.chunks.len() as u64,
            bytes: assembler.finish(&encoder.header, out)?,
        })
    }
}
