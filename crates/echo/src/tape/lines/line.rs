//! The lines of frames.

use std::borrow::Cow;
use std::io;

use gametape_core::tape::Error;
use gametape_core::{Input, Stamp};

use crate::echoreplay::Line;
use crate::{Frame, Time};

/// The line of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The offset in the text at which it starts.
    pub offset: u64,
    /// Its bytes, with the ending.
    pub size: u32,
    /// Their CRC-32.
    pub checksum: u32,
    /// When it was recorded.
    pub time: Time,
}

/// The lines of all frames. Lines that are no frames are none of them.
#[derive(PartialEq, Eq, Debug)]
pub struct Lines {
    pub entries: Vec<Entry>,
}

impl Lines {
    /// When each frame is.
    pub fn stamps(&self) -> Vec<Stamp> {
        let start = self.entries.first().map(|entry| entry.time);
        let stamp = |(step, entry): (u64, &Entry)| Stamp {
            step,
            tick: None,
            time: start.map(|start| entry.time.since(start)),
        };
        (0..).zip(&self.entries).map(stamp).collect()
    }

    /// Whether frames are at the same times.
    pub fn has_times_of(&self, other: &Self) -> bool {
        let times = self.entries.iter().map(|entry| entry.time);
        times.eq(other.entries.iter().map(|entry| entry.time))
    }

    /// Reads the frame of a step; false where its line is not there, or is not what it was.
    pub fn read(&self, text: &Input, step: u64, frame: &mut Frame) -> Result<bool, Error> {
        let entry = usize::try_from(step)
            .ok()
            .and_then(|at| self.entries.get(at));
        let Some(entry) = entry else {
            return Ok(false);
        };
        let Some(line) = entry.line(text)? else {
            return Ok(false);
        };
        Ok(Line::reread(&line, frame) && frame.time == entry.time)
    }
}

impl Entry {
    /// The line, if it is there and what it was.
    pub fn line<'t>(&self, text: &'t Input) -> Result<Option<Cow<'t, [u8]>>, Error> {
        match text.range(self.offset, self.size.into()) {
            Ok(line) if crc32fast::hash(&line) == self.checksum => Ok(Some(line)),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(Error::Io(error)),
        }
    }

    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size as u64)
    }
}
