//! Recording live: a file that is whole after every frame.

use std::io::{Read, Seek, SeekFrom, Write};

use gametape_core::Output;

use super::header::{Compression, Header};
use super::layout::Layout;
use super::pack::Packing;
use super::resync::{holds_frames, seems_to_hold_frames};
use super::stream::Reader;
use super::write::{Assembler, ChunkEncoder, Mode, Options, Written};
use crate::error::{Error, Severity, WriteError};
use crate::limits::{Limits, ReadOptions};
use crate::model::Frame;
use crate::resumed::Resumed;
use crate::rule::Rule;
use crate::spelled::Spelled;

/// Records live. Killed at any byte, it leaves a file whose whole frames [`Feed`] and the other
/// readers read; [`Journal::resume`] goes on with it, and salvage makes a finished file of it.
///
/// The format has no room for that: its header names all players, its table all chunks. So the file
/// is a header with the players so far, a table of one chunk of size 0, and then frames as they come,
/// not compressed; where a player joins, the same again with the new header. A frame never starts
/// with a version, so the two can't be mistaken. [`Journal::finish`] makes a common file of it.
///
/// [`Feed`]: super::Feed
#[derive(Debug)]
pub struct Journal<F> {
    file: F,
    options: Options,
    encoder: Option<ChunkEncoder>,
    /// Where each chunk's frames stand: start and end.
    chunks: Vec<(u64, u64)>,
    end: u64,
    frames: u64,
    buffer: Vec<u8>,
    /// Written halfway: to be cut off before anything is written again.
    torn: bool,
    /// Players of the last header in the file; `None` where the next frame needs a header.
    told: Option<usize>,
}

impl<F: Read + Seek + Output> Journal<F> {
    /// Records into a file, which has to be empty. Frames are written as by [`Mode::Correct`],
    /// whatever the options say: how the reference writes can't be told from a few frames.
    pub const fn new(file: F, options: Options) -> Self {
        Self {
            file,
            options: Options {
                mode: Mode::Correct,
                ..options
            },
            encoder: None,
            chunks: Vec::new(),
            end: 0,
            frames: 0,
            buffer: Vec::new(),
            torn: false,
            told: None,
        }
    }

    /// Goes on with a file that a journal left: what is cut in it is cut off when a frame is added,
    /// which is done behind the whole ones.
    ///
    /// # Errors
    /// [`Error::Malformed`] where the file is no journal, or a finished recording; where it is
    /// damaged so that more than one frame would be cut off or left out ([`Rule::Damaged`]), which
    /// salvage keeps; [`Error::Io`].
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
                // Cut in its first header: there is nothing to go on with.
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
            // It is the first frame that is broken, and not cut.
            Some(fault) if resumed.frames == 0 && !matches!(fault.rule, Rule::Truncated { .. }) => {
                return Err(fault.clone().into());
            }
            // Frames behind it were read.
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
            let mut encoder = ChunkEncoder::of_correct(frame, journal.options);
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

    /// Makes sure that the file holds no frames from a byte on; how many bytes it holds there.
    fn may_cut(&mut self, end: u64, header: Option<&Header>) -> Result<u64, Error> {
        let io = |source| Error::io(end, source);
        let left = self.file.seek(SeekFrom::End(0)).map_err(io)? - end;
        let limits = Limits::DEFAULT;
        // A header and a frame; a header is 256 names and some bytes.
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

    /// Frames in the file.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds a frame, in one write. Where that fails, nothing of the frame stays, and it may be tried
    /// again.
    ///
    /// # Errors
    /// [`WriteError::Io`]; [`WriteError::Unstorable`] for the 256th player, and for a time of rules that
    /// readers would mistake.
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        if self.torn {
            let torn = self.file.seek(SeekFrom::End(0))?.saturating_sub(self.end);
            self.file.take_back(torn)?;
            self.torn = false;
        }
        let options = self.options;
        let encoder = match &mut self.encoder {
            Some(encoder) => {
                encoder.check_rules(frame)?;
                encoder
            }
            none => {
                let encoder = ChunkEncoder::of_correct(frame, options);
                encoder.check_rules(frame)?;
                none.insert(encoder)
            }
        };
        encoder.meet(frame)?;
        let players = encoder.header.players.len();
        self.buffer.clear();
        if self.told != Some(players) {
            let mut header = encoder.header.clone();
            header.compression = Compression::None;
            header.write(&mut self.buffer);
            self.buffer.extend_from_slice(&1_u32.to_le_bytes());
            self.buffer.extend_from_slice(&0_u32.to_le_bytes());
            // What follows differs from nothing before.
            encoder.end_chunk();
        }
        let start = self.end + self.buffer.len() as u64;
        let keyframe = encoder.push(frame, &Spelled::new(), &mut self.buffer);
        if let Err(error) = self.file.write_all(&self.buffer) {
            self.torn = true;
            // The reader does not have what the encoder thinks it has, nor perhaps the header.
            self.told = None;
            encoder.end_chunk();
            return Err(error.into());
        }
        self.told = Some(players);
        self.end += self.buffer.len() as u64;
        match self.chunks.last_mut() {
            Some(chunk) if !keyframe => chunk.1 = self.end,
            _ => self.chunks.push((start, self.end)),
        }
        self.frames += 1;
        Ok(())
    }

    /// The file.
    pub const fn get_ref(&self) -> &F {
        &self.file
    }

    /// Writes the finished recording: the same frames, in compressed chunks behind a table. The
    /// journal's file stays as it is, to be replaced by it.
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
        let mut assembler = Assembler::new(spool, Packing::checked(self.options.compression));
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
