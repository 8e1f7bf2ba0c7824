//! Taking up a recording that was cut.

use std::io::{Read, Seek, SeekFrom};

use gametape_core::{Class, Coded, Output};

use crate::error::{Error, Finding};
use crate::model::Header;
use crate::stream::Reader;
use crate::torn::{Doubt, Frames};
use crate::write::Writer;

/// Where a recording was taken up again.
#[derive(Clone, PartialEq, Debug)]
pub struct Resumed {
    /// The header as it stands in the file.
    pub header: Header<'static>,
    /// Whole frames that were there.
    pub frames: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u64>,
    /// Bytes behind them that were cut off.
    pub dropped: u64,
    /// Why they were: `None` where the recording ended with a whole frame.
    pub problem: Option<Finding>,
}

/// Why a recording is not taken up again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It can't be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// What stands behind the last whole frame is not surely the start of another one: it may be
    /// damage, and hide frames that are whole.
    #[error("{}: {}; {doubt}: that is no frame that was cut, but damage", .problem.place, .problem.rule)]
    NotTorn {
        /// Why the frame can't be read.
        problem: Box<Finding>,
        /// Why it is not a frame that was cut.
        doubt: Doubt,
    },
}

impl ResumeError {
    /// The rule that is broken, and where; `None` where the source failed.
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
            // More bytes would not mend it.
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
    /// Takes up a recording that was cut: reads it to its last whole frame, cuts off what follows,
    /// and goes on behind it. A file has to be open for reading and writing.
    ///
    /// Something is cut off only where ticks rise, that of the cut frame included, and all payloads
    /// are of the defined types, and as long as the counts in them say. A length that is damaged can
    /// make everything behind it look like a frame that was cut; that is an error, as is a frame
    /// that breaks another rule. What follows it may be sound: [`Index::mend`](crate::Index::mend)
    /// and [`salvage`](crate::salvage()) are for that.
    ///
    /// What can't be told without the simulation: damage in the last frame that leaves the form of
    /// a frame that was cut, and damage that leaves whole frames of another content, behind which
    /// the recording goes on. Who has the simulation should verify what is there, and call
    /// [`Writer::resume_before`].
    ///
    /// # Errors
    /// [`ResumeError`]; the file is as it was.
    pub fn resume(file: F) -> Result<(Self, Resumed), ResumeError> {
        take_up(file, None)
    }

    /// [`Writer::resume`], where it is known which frame comes next: `next` are the bytes of it, as
    /// [`write_frame`](crate::write_frame) makes them. What is cut off has to be the start of that
    /// frame, to the byte; it may then be of any form.
    ///
    /// # Errors
    /// As [`Writer::resume`].
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
        // The reader has held as much.
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
    Ok((Writer::behind(file, frames), resumed))
}
