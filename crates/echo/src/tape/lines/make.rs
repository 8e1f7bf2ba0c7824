//! Finding the lines of frames in one pass over a recording.

use std::ops::Range;

use gametape_core::InputStream;
use gametape_core::tape::{Error, Work};

use super::line::{Entry, Lines};
use crate::course::running;
use crate::echoreplay::{Line, Reader};
use crate::{Error as ReadError, Frame, parallel};

/// The number of bytes of lines that are parsed in parallel.
const BATCH: usize = 2 << 20;

/// Lines that may be frames.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// The range of each line in `bytes`, and its offset in the text.
    lines: Vec<(Range<usize>, u64)>,
}

impl Batch {
    /// Adds the lines that are frames, and clears the batch.
    fn read(&mut self, entries: &mut Vec<Entry>) {
        let bytes = &self.bytes;
        let read = parallel::map(&self.lines, Frame::default, |frame, (at, offset)| {
            let line = bytes.get(at.clone())?;
            Line::reread(line, frame).then_some(Entry {
                offset: *offset,
                size: u32::try_from(line.len()).ok()?,
                checksum: crc32fast::hash(line),
                time: frame.time,
                clock: running(&frame.session).unwrap_or(f32::NAN),
            })
        });
        entries.extend(read.into_iter().flatten());
        self.bytes.clear();
        self.lines.clear();
    }
}

impl Lines {
    /// Finds the lines of frames. Broken lines are left out.
    pub fn of(mut reader: Reader<InputStream>, work: &Work<'_>) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let mut batch = Batch::default();
        let error = loop {
            let start = batch.bytes.len();
            match reader.next_line() {
                Ok(Some(line)) => line.write(&mut batch.bytes),
                Ok(None) => break None,
                Err(error @ ReadError::Io { .. }) => return Err(error.into()),
                // Nothing after an error is a step.
                Err(error) => break Some(error),
            }
            let end = batch.bytes.len();
            let offset = reader.place().saturating_sub((end - start) as u64);
            batch.lines.push((start..end, offset));
            work.done(reader.place())?;
            if end >= BATCH {
                batch.read(&mut entries);
            }
        };
        batch.read(&mut entries);
        match error.filter(|_| entries.is_empty()) {
            Some(error) => Err(error.into()),
            None => Ok(Self { entries }),
        }
    }
}
