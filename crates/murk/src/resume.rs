//! Continues a recording that was cut.

use std::io::{Read, Seek, SeekFrom};

use gametape_core::{Class, Coded, Output};

use crate::error::{Error, Finding};
use crate::model::Header;
use crate::stream::Reader;
use crate::torn::{Doubt, Frames};
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
    let (mut frames, mut seen, mut problem) = (0, Frames::default(), None);
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
