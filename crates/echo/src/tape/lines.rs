//! The places of the frames of an .echoreplay, found in one pass over it.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use gametape_core::tape::{Error, Work};
use gametape_core::{At, ByteReader, Input, InputStream, Short, Stamp, Time as Since};

use crate::course::{Course, running};
use crate::echoreplay::{Line, Reader};
use crate::tape::index::Places;
use crate::{Error as ReadError, Frame, Time, parallel};

/// The number of lines that are compared if the recording seems unchanged.
const SAMPLES: usize = 64;

/// The line of a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// Its offset in the text.
    pub offset: u64,
    /// Its size in bytes, including the line ending.
    pub size: u32,
    /// The CRC-32 of these bytes.
    pub checksum: u32,
    /// When it was recorded.
    pub time: Time,
    /// The game clock in seconds, while it runs; else NaN.
    pub clock: f32,
}

/// The lines of all frames, without lines that are not frames.
#[derive(PartialEq, Debug)]
pub struct FrameLines {
    pub entries: Vec<Entry>,
}

impl FrameLines {
    /// Returns the stamp of each frame.
    pub fn stamps(&self) -> Vec<Stamp> {
        let mut course = Course::default();
        let stamp = |(step, entry): (u64, &Entry)| Stamp {
            step,
            tick: None,
            time: Some(entry.since(&mut course)),
        };
        (0..).zip(&self.entries).map(stamp).collect()
    }

    /// The course of the time up to a step.
    pub fn course(&self, step: u64) -> Course {
        let mut course = Course::default();
        let before = usize::try_from(step).unwrap_or(usize::MAX);
        for entry in self.entries.iter().take(before) {
            entry.since(&mut course);
        }
        course
    }

    /// Returns whether the frames have the same times.
    pub fn has_times_of(&self, other: &Self) -> bool {
        let times = self.entries.iter().map(|entry| entry.time);
        times.eq(other.entries.iter().map(|entry| entry.time))
    }

    /// Returns the last frame before a moment: its step, its line, and when the first was recorded. `None`
    /// if it is the first, or if something else is between the lines before it: readers report that.
    pub fn before(&self, at: At) -> Option<(u64, Entry, Time)> {
        let start = self.entries.first()?.time;
        let from = match at {
            At::Step(step) => usize::try_from(step).ok()?.min(self.entries.len()),
            At::Time(time) => {
                let mut course = Course::default();
                let is_late = |entry: &Entry| entry.since(&mut course) >= time;
                let found = self.entries.iter().position(is_late);
                found.unwrap_or(self.entries.len())
            }
            At::Tick(_) => return None,
        };
        let step = from.checked_sub(1).filter(|step| *step > 0)?;
        let mut end = 0;
        let follows = |entry: &Entry| std::mem::replace(&mut end, entry.end()) == entry.offset;
        let is_gapless = self.entries.iter().take(from).all(follows);
        let entry = self.entries.get(step).filter(|_| is_gapless)?;
        Some((step as u64, *entry, start))
    }

    /// Returns the steps at which at most so many parts start, of about as many lines each.
    pub fn parts(&self, at_most: usize) -> Vec<u64> {
        let every = self.entries.len().div_ceil(at_most.max(1)).max(1);
        let mut parts: Vec<u64> = (0..self.entries.len() as u64).step_by(every).collect();
        if parts.is_empty() {
            parts.push(0);
        }
        parts
    }

    /// Reads the frame of a step. Returns false if its line is missing or has changed.
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

/// In an index, a line is its offset (8 bytes), size (4), CRC-32 (4), time in milliseconds since 1970 (8) and game clock
/// (4).
impl Places for FrameLines {
    const MAGIC: [u8; 8] = *b"GTECHOI2";
    const ENTRY: usize = 28;
    /// Any line has a time, a tab and an object.
    const LEAST: u64 = 20;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.entries.len() * Self::ENTRY);
        for entry in &self.entries {
            out.extend_from_slice(&entry.offset.to_le_bytes());
            out.extend_from_slice(&entry.size.to_le_bytes());
            out.extend_from_slice(&entry.checksum.to_le_bytes());
            out.extend_from_slice(&entry.time.0.to_le_bytes());
            out.extend_from_slice(&entry.clock.to_bits().to_le_bytes());
        }
        out
    }

    fn decode(entries: &[u8], recording: &Input) -> Option<Self> {
        let entries: Result<Vec<Entry>, Short> =
            entries.chunks_exact(Self::ENTRY).map(Entry::read).collect();
        let entries = entries.ok()?;
        let mut end = 0;
        let follows = |entry: &Entry| std::mem::replace(&mut end, entry.end()) <= entry.offset;
        let ascend = entries.iter().all(follows) && end <= recording.size();
        ascend.then_some(Self { entries })
    }

    fn sample_fits(&self, recording: &Input) -> bool {
        let entries = &self.entries;
        let step = entries.len().div_ceil(SAMPLES).max(1);
        let mut some = entries.iter().step_by(step).chain(entries.last());
        some.all(|entry| matches!(entry.line(recording), Ok(Some(_))))
    }
}

impl Entry {
    fn read(bytes: &[u8]) -> Result<Self, Short> {
        let mut input = ByteReader::new(bytes);
        Ok(Self {
            offset: input.u64_le()?,
            size: input.u32_le()?,
            checksum: input.u32_le()?,
            time: Time(input.u64_le()?.cast_signed()),
            clock: f32::from_bits(input.u32_le()?),
        })
    }

    /// The time since the first line, by the course of the time up to this one.
    fn since(&self, course: &mut Course) -> Since {
        let clock = Some(self.clock).filter(|clock| clock.is_finite());
        Since::from_ms(course.push(self.time, clock).now.max(0))
    }

    /// Returns the line, if it is there and unchanged.
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

/// The number of bytes of lines that are parsed in parallel.
const BATCH: usize = 2 << 20;

/// Lines that may be frames.
#[derive(Default)]
struct LineBatch {
    bytes: Vec<u8>,
    /// The range of each line in `bytes`, and its offset in the text.
    lines: Vec<(Range<usize>, u64)>,
}

impl LineBatch {
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

impl FrameLines {
    /// Finds the lines of frames. Broken lines are left out.
    pub fn of(mut reader: Reader<InputStream>, work: &Work<'_>) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let mut batch = LineBatch::default();
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
