//! Continues a recording that was cut, if what follows its last whole frame is a frame that was cut, and not
//! damage that hides frames.

use std::io::{Read, Seek, SeekFrom};

use gametape_core::text::{Bytes, Grouped};
use gametape_core::{ByteReader, Class, Coded, Output};

use crate::error::{Error, Finding};
use crate::layout::Frame;
use crate::layout::encode::LIMITS;
use crate::layout::scan::{FRAME_HEAD, FrameScan};
use crate::model::Header;
use crate::model::command::Commands;
use crate::model::payload::{CountedLength, Payload};
use crate::stream::Reader;
use crate::write::Writer;

/// The place where a recording was continued.
#[derive(Clone, PartialEq, Debug)]
pub struct Resumed {
    /// The header in the file.
    pub header: Header<'static>,
    /// The number of whole frames in the file.
    pub frames: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u64>,
    /// The number of bytes after them that were removed.
    pub dropped: u64,
    /// The problem of those bytes; `None` if the recording ended with a whole frame.
    pub problem: Option<Finding>,
}

/// Why a recording can't be continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The recording can't be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// The bytes after the last whole frame may be something else than the start of another frame:
    /// they may be damage that hides whole frames.
    #[error("{}: {}; {doubt}: this is damage, not a frame that was cut", .problem.place, .problem.rule)]
    NotTorn {
        /// Why the frame can't be read.
        problem: Box<Finding>,
        /// Why it may not be a frame that was cut.
        doubt: Doubt,
    },
}

impl ResumeError {
    /// Returns the broken rule and its place; `None` if the source failed.
    #[must_use]
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Read(error) => error.finding(),
            Self::NotTorn { problem, .. } => Some(problem),
        }
    }
}

impl Coded for ResumeError {
    fn code(&self) -> &'static str {
        self.finding().map_or("io", Finding::code)
    }

    fn class(&self) -> Class {
        match self {
            Self::Read(error) => error.class(),
            // More bytes would not help.
            Self::NotTorn { .. } => Class::File,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            Self::NotTorn { problem, .. } => problem.place.offset,
        }
    }
}

impl<F: Output + Read + Seek> Writer<F> {
    /// Continues a recording that was cut: reads it up to its last whole frame, removes the bytes
    /// after it, and continues there. A file must be open for reading and writing.
    ///
    /// Bytes are removed only if ticks rise (that of the cut frame included), and all payloads have
    /// defined types and the lengths that follow from their counts. Otherwise, a damaged length
    /// could make all following frames look like a single frame that was cut. That is an error, as
    /// is a frame that breaks another rule. Sound frames may follow it, and
    /// [`Index::mend`](crate::Index::mend) and [`salvage`](crate::salvage()) can save them.
    ///
    /// Two kinds of damage can't be recognised without the simulation: damage in the last frame
    /// that makes it look like a frame that was cut, and damage that changes the content of whole
    /// frames. A caller that has the simulation should verify the recording and call
    /// [`Writer::resume_before`].
    ///
    /// # Errors
    /// [`ResumeError`]; the file is unchanged then.
    pub fn resume(file: F) -> Result<(Self, Resumed), ResumeError> {
        take_up(file, None)
    }

    /// [`Writer::resume`] for a caller that knows the next frame: `next` are its bytes, as
    /// [`write_frame`](crate::write_frame) makes them. The removed bytes must be the start of that
    /// frame, to the byte; they may then have any form.
    ///
    /// # Errors
    /// Same as [`Writer::resume`].
    pub fn resume_before(file: F, next: &[u8]) -> Result<(Self, Resumed), ResumeError> {
        take_up(file, Some(next))
    }
}

fn take_up<F: Output + Read + Seek>(
    mut file: F,
    next: Option<&[u8]>,
) -> Result<(Writer<F>, Resumed), ResumeError> {
    let io = |offset| move |source| Error::io(offset, source);
    file.seek(SeekFrom::Start(0)).map_err(io(0))?;
    let mut reader = Reader::new(Read::by_ref(&mut file));
    let header = reader.header()?.clone();
    let (mut frames, mut seen, mut problem) = (0, CutJudge::default(), None);
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                frames += 1;
                seen.push(&frame);
            }
            Ok(None) => break,
            Err(error) if error.is_truncated() => {
                problem = error.into_finding();
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let end = reader.offset();
    drop(reader);
    let mut dropped = 0;
    if let Some(problem) = &problem {
        // The reader has buffered as many bytes.
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(end)).map_err(io(end))?;
        file.read_to_end(&mut tail).map_err(io(end))?;
        let doubt = match next {
            None => seen.doubt(&tail),
            Some(next) => (!next.starts_with(&tail)).then_some(Doubt::OtherFrame),
        };
        if let Some(doubt) = doubt {
            let problem = Box::new(problem.clone());
            return Err(ResumeError::NotTorn { problem, doubt });
        }
        dropped = tail.len() as u64;
        file.take_back(dropped).map_err(io(end))?;
    } else {
        file.seek(SeekFrom::Start(end)).map_err(io(end))?;
    }
    let resumed = Resumed {
        header,
        frames,
        last_tick: seen.last_tick,
        dropped,
        problem,
    };
    Ok((Writer::after(file, frames), resumed))
}

/// Why the bytes after the last whole frame of a recording may not be a frame that was cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// Ticks do not rise. That is legal, but it is also what bytes look like if they are read from
    /// a wrong place on.
    #[error("tick {} follows tick {}", Grouped(*now), Grouped(*before))]
    TickOrder {
        /// The tick before.
        before: u64,
        /// The tick that is not larger.
        now: u64,
    },
    /// A command has a type that is not defined, so its length can't be checked.
    #[error("command {command} has the payload type {tag}; types 0 to 6 are defined")]
    UnknownPayload {
        /// The command, from 0.
        command: u32,
        /// The type of its payload.
        tag: u8,
    },
    /// A payload does not have the length that its own counts say: the claimed length may hide
    /// frames.
    #[error(
        "the {kind} payload of command {command} claims {}, by its own counts it has {}",
        Bytes(*claimed), Grouped(*counted)
    )]
    PayloadLength {
        /// The command, from 0.
        command: u32,
        /// The type's name.
        kind: &'static str,
        /// The length in front of the payload.
        claimed: u64,
        /// The length that follows from its content; a minimum if the counts are cut off.
        counted: u64,
    },
    /// It is not the start of the frame that the caller says comes next.
    #[error("the next frame starts differently")]
    OtherFrame,
}

/// The state of a recording's whole frames that decides about a cut after them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct CutJudge {
    pub last_tick: Option<u64>,
    doubt: Option<Doubt>,
}

impl CutJudge {
    pub fn push(&mut self, frame: &Frame<'_>) {
        self.tick(frame.tick);
        if self.doubt.is_none() {
            self.doubt = commands(frame.commands());
        }
    }

    fn tick(&mut self, now: u64) {
        if let Some(before) = self.last_tick
            && now <= before
        {
            self.doubt = self.doubt.or(Some(Doubt::TickOrder { before, now }));
        }
        self.last_tick = Some(now);
    }

    /// Returns why these bytes after the frames, in which no frame ends, may be something else than
    /// a frame that was cut.
    ///
    /// A damaged length or count can make all following bytes look like a single frame that was
    /// cut, or like whole frames and one that was cut. But the payload then has a wrong length for
    /// its type, and other bytes hardly have the form of a command.
    pub fn doubt(mut self, tail: &[u8]) -> Option<Doubt> {
        if let Ok(tick) = ByteReader::new(tail).u64_le() {
            self.tick(tick);
        }
        self.doubt.or_else(|| cut(tail))
    }
}

fn commands(commands: Commands<'_>) -> Option<Doubt> {
    (0..).zip(commands).find_map(|(at, command)| {
        let claimed = command.payload.len() as u64;
        payload(at, command.payload_type, Some(claimed), command.payload)
    })
}

/// Returns the problem of the commands of a frame that was cut.
fn cut(frame: &[u8]) -> Option<Doubt> {
    let mut scan = FrameScan::default();
    // The scan stops early by definition.
    let _ = scan.run(frame, &LIMITS);
    let (end, whole) = scan.commands();
    let there = frame.get(FRAME_HEAD..end).unwrap_or_default();
    commands(Commands::new(there, whole)).or_else(|| {
        // The command that is cut, if the cut is within the commands.
        let rest = frame.get(end..).filter(|_| scan.in_commands())?;
        let mut input = ByteReader::new(rest);
        let tag = input.u8().ok()?;
        match input.u32_le() {
            Err(_) => payload(whole, tag, None, &[]),
            Ok(claimed) => {
                let rest = input.rest();
                let there = rest.get(..claimed as usize).unwrap_or(rest);
                payload(whole, tag, Some(claimed.into()), there)
            }
        }
    })
}

/// Returns the problem of a payload, of which `there` has arrived.
fn payload(command: u32, tag: u8, claimed: Option<u64>, there: &[u8]) -> Option<Doubt> {
    let Some((kind, counted)) = Payload::NAMES
        .get(usize::from(tag))
        .zip(Payload::counted(tag, there))
    else {
        return Some(Doubt::UnknownPayload { command, tag });
    };
    let (fits, counted) = match counted {
        CountedLength::Exactly(counted) => (claimed? == counted, counted),
        CountedLength::AtLeast(counted) => (claimed? >= counted, counted),
    };
    (!fits).then_some(Doubt::PayloadLength {
        command,
        kind,
        claimed: claimed?,
        counted,
    })
}
