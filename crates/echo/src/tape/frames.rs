//! The two formats, and the frames of a recording of either, one after another in bounded memory.

use std::io::{Read, Seek};
use std::sync::Arc;

use gametape_core::InputStream;
use gametape_core::tape::{Error, FormatInfo};

use super::chunks::Skipped;
use super::options;
use crate::butter::Parts;
use crate::echoreplay::Spool;
use crate::{Error as ReadError, Findings, Frame, ReadOptions, butter, echoreplay};

/// The format of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EchoFormat {
    Echoreplay,
    Butter,
}

impl EchoFormat {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Echoreplay => "echoreplay",
            Self::Butter => "butter",
        }
    }

    pub fn info(self) -> &'static FormatInfo {
        match self {
            Self::Echoreplay => &options::ECHOREPLAY_INFO,
            Self::Butter => &options::BUTTER_INFO,
        }
    }
}

/// A reader of frames. It is lenient: problems are findings.
pub(super) struct Frames<S: Read + Seek = InputStream> {
    reader: Reader<S>,
    /// The number of frames read so far.
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

    /// Frames of an .echoreplay without its first ones, of which there are so many.
    pub fn continuing(reader: echoreplay::Reader<InputStream>, count: u64) -> Self {
        Self {
            reader: Reader::Echoreplay(Box::new(reader)),
            count,
        }
    }

    /// Reads the frames of a zip that was inflated before.
    pub fn spooled(spool: Arc<Spool>) -> Result<Self, Error> {
        let reader = echoreplay::Reader::spooled(spool, ReadOptions::lenient())?;
        Ok(Self::continuing(reader, 0))
    }
}

impl<S: Read + Seek> Frames<S> {
    /// Reads a stream. Of the frames of a .butter only these parts are decoded; the others are not
    /// valid.
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

    /// Returns the next frame, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<&Frame>, ReadError> {
        let frame = match &mut self.reader {
            Reader::Butter(reader) => reader.next_frame()?,
            Reader::Echoreplay(reader) => reader.next_frame()?,
            Reader::Skipped(reader) => reader.next_frame()?,
        };
        self.count += u64::from(frame.is_some());
        Ok(frame)
    }

    /// Returns the number of bytes read; for a zip, of its text.
    pub fn offset(&self) -> u64 {
        match &self.reader {
            Reader::Butter(reader) => reader.offset(),
            Reader::Echoreplay(reader) => reader.offset(),
            Reader::Skipped(reader) => reader.offset(),
        }
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> &Findings {
        match &self.reader {
            Reader::Butter(reader) => reader.findings(),
            Reader::Echoreplay(reader) => reader.findings(),
            Reader::Skipped(reader) => reader.findings(),
        }
    }

    /// Returns the reader, if the recording is a .butter.
    pub fn butter(&self) -> Option<&butter::Reader<S>> {
        match &self.reader {
            Reader::Butter(reader) => Some(reader),
            Reader::Echoreplay(_) | Reader::Skipped(_) => None,
        }
    }
}
