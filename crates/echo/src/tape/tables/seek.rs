//! A match at a moment: sought by chunk, or by line.

use std::io::{Seek as _, SeekFrom};
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Scan, State as Rows, StateAt, Stepped, Value, Visit};
use gametape_core::tape::{Error, Partial, Tape as _};
use gametape_core::{Clocks, InputStream, Stamp};

use super::frame::{State, Take, stamp};
use super::precision::{kept, missing, tables};
use crate::butter::{self, ChunkFrames, Parts};
use crate::tape::encoding::EchoFormat;
use crate::tape::frames::Frames;
use crate::tape::opened::EchoTape;
use crate::{Error as ReadError, Frame, ReadOptions, echoreplay};

/// Where reading can start.
enum Index {
    /// At a chunk of a .butter: the first step of each.
    Chunks(Box<butter::Table>, Vec<u64>),
    /// At a line of text: where each starts.
    Lines(Vec<u64>),
    /// At the start alone: of a zip, of a recording that was not finished, of one by the reference
    /// with bones, whose chunks build on each other.
    Start,
}

/// What frames come from.
enum Source {
    Frames(Frames),
    Chunk(Box<ChunkFrames>),
    Line(Box<echoreplay::Reader<InputStream>>),
}

impl Source {
    fn next(&mut self) -> Result<Option<&Frame>, ReadError> {
        match self {
            Self::Frames(frames) => frames.next(),
            Self::Chunk(chunk) => chunk.next_frame(),
            Self::Line(reader) => reader.next_frame(),
        }
    }
}

/// A match at a moment.
///
/// One pass over the recording tells when each frame is, and where reading can start; from then on a
/// frame is had from the chunk or the line that it is in. What holds is what the frame says: each has
/// everything.
pub(in crate::tape) struct Seeking<'t> {
    tape: &'t EchoTape,
    index: Index,
    /// Where reading goes on, and which frame comes next.
    source: Option<(Source, u64)>,
    /// The frame that was read last, and which it is.
    frame: Option<(Box<Frame>, u64)>,
}

impl<'t> Seeking<'t> {
    pub fn play(tape: &'t EchoTape) -> Result<Stepped<Self>, Error> {
        let mut stamps = Vec::new();
        let mut places = Vec::new();
        let mut start = None;
        let mut bones = false;
        let mut frames = tape.frames()?;
        let lines = tape.format == EchoFormat::Echoreplay && !tape.is_zip();
        loop {
            let step = frames.count;
            let offset = frames.offset();
            match frames.next() {
                Ok(Some(frame)) => {
                    bones |= frame.bones.is_some();
                    stamps.push(stamp(step, frame, &mut start));
                }
                Err(error @ ReadError::Io { .. }) => return Err(error.into()),
                Err(error) if step == 0 => return Err(error.into()),
                // What is behind an error is no step.
                Ok(None) | Err(_) => break,
            }
            match frames.butter() {
                // Of each chunk the first step: one that gives no frame has that of the next.
                Some(reader) => places.resize(reader.seen().chunks as usize, step),
                None if lines => places.push(offset),
                None => {}
            }
        }
        let index = match frames.butter() {
            None if lines => Index::Lines(places),
            // Of the reference's recordings the bones of a chunk build on those of the one before.
            Some(reader) if !(bones && reader.seen().reference_chunks > 0) => {
                let table = butter::Table::read(&tape.input, ReadOptions::lenient())?;
                if table.is_unfinished() {
                    Index::Start
                } else {
                    Index::Chunks(Box::new(table), places)
                }
            }
            _ => Index::Start,
        };
        let this = Self {
            tape,
            index,
            source: None,
            frame: None,
        };
        Ok(Stepped::over(stamps, Clocks::TIMES, this))
    }

    /// Opens the recording so that a step is reached soon; gives which step comes first.
    fn open(&self, step: u64) -> Result<(Source, u64), Error> {
        let start = || Ok((Source::Frames(self.tape.frames()?), 0));
        match &self.index {
            Index::Start => start(),
            Index::Chunks(table, firsts) => {
                let behind = firsts.partition_point(|first| *first <= step);
                let Some(chunk) = behind.checked_sub(1) else {
                    return start();
                };
                let options = ReadOptions::lenient();
                match table.chunk(&self.tape.input, chunk, options)? {
                    None => start(),
                    Some(frames) => {
                        let first = firsts.get(chunk).copied().unwrap_or_default();
                        Ok((Source::Chunk(Box::new(frames)), first))
                    }
                }
            }
            Index::Lines(offsets) => {
                let offset = usize::try_from(step).ok().and_then(|at| offsets.get(at));
                let mut stream = self.tape.input.stream();
                let offset = offset.copied().unwrap_or_default();
                stream.seek(SeekFrom::Start(offset)).map_err(Error::Io)?;
                let reader = echoreplay::Reader::with_options(stream, ReadOptions::lenient());
                Ok((Source::Line(Box::new(reader)), step))
            }
        }
    }

    /// The frame of a step.
    fn frame(&mut self, step: u64) -> Result<Option<&Frame>, Error> {
        if self.frame.as_ref().is_none_or(|(_, at)| *at != step) {
            /// Frames that are gone through rather than looked for.
            const NEAR: u64 = 64;
            let near = |next: u64| next <= step && step - next < NEAR;
            let (mut source, mut next, mut fresh) = match self.source.take() {
                Some((source, next)) if near(next) => (source, next, false),
                _ => {
                    let (source, next) = self.open(step)?;
                    (source, next, true)
                }
            };
            loop {
                let Some(frame) = source.next()? else {
                    if fresh {
                        // It was there before: the recording has changed since.
                        let gone = format!("frame {step} is not there any more");
                        return Err(Error::Unsupported(gone));
                    }
                    // The end of a chunk.
                    (source, next) = self.open(step)?;
                    fresh = true;
                    continue;
                };
                next += 1;
                if next > step {
                    match &mut self.frame {
                        Some((held, at)) => {
                            (**held).clone_from(frame);
                            *at = step;
                        }
                        None => self.frame = Some((Box::new(frame.clone()), step)),
                    }
                    break;
                }
            }
            self.source = Some((source, next));
        }
        Ok(self.frame.as_ref().map(|(frame, _)| &**frame))
    }
}

/// Takes the rows of a frame.
struct Taking<'t>(&'t mut Rows, Vec<usize>);

impl Take for Taking<'_> {
    fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) -> Result<ControlFlow<()>, Error> {
        self.0.row(kept(&self.1, value));
        Ok(ControlFlow::Continue(()))
    }
}

impl StateAt for Seeking<'_> {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error> {
        let tables = tables(self.tape.format);
        let table = scan.find(&tables)?;
        let mut rows = Rows::new(table, scan, now)?;
        let Some(state) = State::of(&table.name) else {
            // Facts hold whenever they are asked for.
            return rows.facts(self.tape, scan);
        };
        // Without any frame there is no time.
        if now.time.is_some()
            && let Some(frame) = self.frame(now.step)?
        {
            let _ = state.rows(frame, Parts::ALL, &mut Taking(&mut rows, missing(table)))?;
        }
        Ok(rows.rows())
    }

    fn events<'v>(&mut self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        self.tape.scan(scan, visit)
    }
}
