//! The frames of a recording of either format, one after another, in bounded memory.

use std::io::{Read, Seek};
use std::sync::Arc;

use gametape_core::InputStream;
use gametape_core::tape::Error;

use super::chunks::Skipped;
use super::encoding::EchoFormat;
use crate::butter::Parts;
use crate::echoreplay::Spool;
use crate::{Error as ReadError, Findings, Frame, ReadOptions, butter, echoreplay};

/// Reads leniently: broken parts are findings.
pub(super) struct Frames<S: Read + Seek = InputStream> {
    reader: Reader<S>,
    /// Frames given so far.
    pub count: u64,
}

enum Reader<S: Read + Seek> {
    Butter(Box<butter::Reader<S>>),
    Echoreplay(Box<echoreplay::Reader<S>>),
    /// A .butter without its first chunks.
    Skipped(Box<butter::Reader<Skipped>>),
}

impl Frames {
    /// Frames of a .butter without its first chunks, which have so many frames.
    pub fn skipping(reader: butter::Reader<Skipped>, count: u64) -> Self {
        Self {
            reader: Reader::Skipped(Box::new(reader)),
            count,
        }
    }

    /// Reads the frames of a zip that was inflated before.
    pub fn spooled(spool: Arc<Spool>) -> Result<Self, Error> {
        let reader = echoreplay::Reader::spooled(spool, ReadOptions::lenient())?;
        Ok(Self {
            reader: Reader::Echoreplay(Box::new(reader)),
            count: 0,
        })
    }
}

impl<S: Read + Seek> Frames<S> {
    /// Opens a recording. Of a .butter, only these parts of a frame are decoded; the other values of
    /// the frame are not valid.
    pub fn open(format: EchoFormat, stream: S, parts: Parts) -> Result<Self, Error> {
        let reader = match format {
            EchoFormat::Butter => Reader::Butter(Box::new(butter::Reader::of_parts(stream, parts))),
            EchoFormat::Echoreplay => Reader::Echoreplay(Box::new(echoreplay::open_with(
                stream,
                ReadOptions::lenient(),
            )?)),
        };
        Ok(Self { reader, count: 0 })
    }

    /// The next frame; `None` at the end.
    pub fn next(&mut self) -> Result<Option<&Frame>, ReadError> {
        let frame = match &mut self.reader {
            Reader::Butter(reader) => reader.next_frame()?,
            Reader::Echoreplay(reader) => reader.next_frame()?,
            Reader::Skipped(reader) => reader.next_frame()?,
        };
        self.count += u64::from(frame.is_some());
        Ok(frame)
    }

    /// The number of bytes read, of the text if it is in a zip.
    pub fn offset(&self) -> u64 {
        match &self.reader {
            Reader::Butter(reader) => reader.offset(),
            Reader::Echoreplay(reader) => reader.offset(),
            Reader::Skipped(reader) => reader.offset(),
        }
    }

    /// The findings so far.
    pub fn findings(&self) -> &Findings {
        match &self.reader {
            Reader::Butter(reader) => reader.findings(),
            Reader::Echoreplay(reader) => reader.findings(),
            Reader::Skipped(reader) => reader.findings(),
        }
    }

    /// The reader of a .butter.
    pub fn butter(&self) -> Option<&butter::Reader<S>> {
        match &self.reader {
            Reader::Butter(reader) => Some(reader),
            Reader::Echoreplay(_) | Reader::Skipped(_) => None,
        }
    }
}

/// Goes through all frames; what is wrong with the recording, where it is not whole.
pub(super) fn each(
    mut frames: Frames,
    mut visit: impl FnMut(u64, &Frame),
) -> Result<Option<Error>, Error> {
    loop {
        let index = frames.count;
        match frames.next() {
            Ok(Some(frame)) => visit(index, frame),
            Ok(None) => return Ok(frames.findings().problem()),
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            // A header that can't be read, a limit: nothing can be had.
            Err(error) if index == 0 => return Err(error.into()),
            Err(error) => return Ok(Some(error.into())),
        }
    }
}
