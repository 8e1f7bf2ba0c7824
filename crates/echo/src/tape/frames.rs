//! The formats, and the frames of a recording in any of them, one after another in bounded memory.

use std::io::{Read, Seek};
use std::sync::Arc;

use gametape_core::feed::Fed;
use gametape_core::tape::{Error, FormatInfo};

use super::options;
use crate::butter::{ChunkFrames, Header, Parts, Seen};
use crate::echoreplay::Spool;
use crate::{Error as ReadError, Finding, Findings, Frame, ReadOptions, butter, echoreplay};

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

    /// Returns a feed of a recording. Of the frames of a .butter only these parts are decoded; the others are
    /// not valid.
    pub fn feed(self, parts: Parts) -> Box<dyn FrameFeed> {
        match self {
            Self::Echoreplay => Box::new(echoreplay::Feed::with_options(ReadOptions::lenient())),
            Self::Butter => Box::new(butter::Feed::of_parts(parts)),
        }
    }
}

/// The header of a .butter, if it has one, and what its reader has counted.
pub(super) type Stored<'h> = (Option<&'h Header>, Seen);

/// A lenient reader of frames: problems are findings.
pub(super) trait FrameReader: Send {
    fn next_frame(&mut self) -> Result<Option<&Frame>, ReadError>;

    /// Returns the number of bytes read; for a zip, of its text.
    fn offset(&self) -> u64;

    fn findings(&self) -> &Findings;

    fn stored(&self) -> Option<Stored<'_>> {
        None
    }
}

/// The same for bytes that are pushed as they come.
pub(super) trait FrameFeed: Send {
    fn push(&mut self, bytes: &[u8]);

    fn finish(&mut self);

    fn next_frame(&mut self) -> Result<Fed<&Frame>, ReadError>;

    /// Returns the pushed bytes that were not used yet.
    fn rest(&self) -> &[u8];

    fn findings(&self) -> &Findings;

    fn stored(&self) -> Option<Stored<'_>> {
        None
    }
}

/// Methods that a type has itself.
macro_rules! forwarded {
    (reader) => {
        fn next_frame(&mut self) -> Result<Option<&Frame>, ReadError> {
            self.next_frame()
        }

        fn offset(&self) -> u64 {
            self.offset()
        }

        fn findings(&self) -> &Findings {
            self.findings()
        }
    };
    (feed) => {
        fn push(&mut self, bytes: &[u8]) {
            self.push(bytes);
        }

        fn finish(&mut self) {
            self.finish();
        }

        fn next_frame(&mut self) -> Result<Fed<&Frame>, ReadError> {
            self.next_frame()
        }

        fn rest(&self) -> &[u8] {
            self.rest()
        }

        fn findings(&self) -> &Findings {
            self.findings()
        }
    };
    (stored) => {
        fn stored(&self) -> Option<Stored<'_>> {
            Some((self.header(), self.seen()))
        }
    };
}

impl<R: Read + Send> FrameReader for butter::Reader<R> {
    forwarded!(reader);
    forwarded!(stored);
}

impl<R: Read + Send> FrameReader for echoreplay::Reader<R> {
    forwarded!(reader);
}

impl FrameReader for ChunkFrames {
    fn next_frame(&mut self) -> Result<Option<&Frame>, ReadError> {
        self.next_frame()
    }

    /// Nobody asks where in the recording one chunk is.
    fn offset(&self) -> u64 {
        0
    }

    fn findings(&self) -> &Findings {
        self.findings()
    }
}

impl FrameFeed for butter::Feed {
    forwarded!(feed);
    forwarded!(stored);
}

impl FrameFeed for echoreplay::Feed {
    forwarded!(feed);
}

/// The frames of a recording.
pub(super) struct TapeFrames<'s> {
    reader: Box<dyn FrameReader + 's>,
    /// The number of frames before the next one.
    pub count: u64,
    /// The fault after which nothing can be read.
    failed: Option<Box<Finding>>,
}

impl<'s> TapeFrames<'s> {
    /// Reads a stream. Of the frames of a .butter only these parts are decoded; the others are not
    /// valid.
    pub fn open(
        format: EchoFormat,
        stream: impl Read + Seek + Send + 's,
        parts: Parts,
    ) -> Result<Self, Error> {
        let options = ReadOptions::lenient();
        Ok(match format {
            EchoFormat::Butter => Self::after(0, butter::Reader::of_parts(stream, parts)),
            EchoFormat::Echoreplay => Self::after(0, echoreplay::open_with(stream, options)?),
        })
    }

    /// Reads the frames of a zip that was inflated before.
    pub fn spooled(spool: Arc<Spool>) -> Result<Self, Error> {
        let reader: echoreplay::Reader<std::fs::File> =
            echoreplay::Reader::spooled(spool, ReadOptions::lenient())?;
        Ok(Self::after(0, reader))
    }

    /// Reads the frames after those that are left out.
    pub fn after(count: u64, reader: impl FrameReader + 's) -> Self {
        Self {
            reader: Box::new(reader),
            count,
            failed: None,
        }
    }

    /// Returns the next frame, or `None` at the end.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, ReadError> {
        let frame = self.reader.next_frame()?;
        self.count += u64::from(frame.is_some());
        Ok(frame)
    }

    /// Like [`TapeFrames::next_frame`], but the recording ends with a fault that is not in its first frame:
    /// [`TapeFrames::problem`] has it.
    pub fn next(&mut self) -> Result<Option<&Frame>, Error> {
        if self.failed.is_some() {
            return Ok(None);
        }
        match self.reader.next_frame() {
            Ok(frame) => {
                self.count += u64::from(frame.is_some());
                Ok(frame)
            }
            Err(ReadError::Malformed(finding)) if self.count > 0 => {
                self.failed = Some(finding);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns what is wrong with the recording, as far as it was read.
    pub fn problem(&self) -> Option<Error> {
        match &self.failed {
            Some(finding) => Some((**finding).clone().into()),
            None => self.findings().problem(),
        }
    }

    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    pub fn findings(&self) -> &Findings {
        self.reader.findings()
    }

    pub fn stored(&self) -> Option<Stored<'_>> {
        self.reader.stored()
    }
}
