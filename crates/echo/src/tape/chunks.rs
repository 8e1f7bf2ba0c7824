//! Where the chunks of a .butter start, so that a range is read from the chunk in which it starts.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use gametape_core::{At, Input, InputStream};

use crate::butter::{Parts, Reader, Shown, Skip, Table};
use crate::{ReadOptions, Time};

/// The number of chunks that are surveyed at once: enough for all cores, few enough for the memory.
const AT_ONCE: usize = 16;

/// A recording whose bytes continue after some chunks that are left out.
pub type Skipped = io::Chain<Cursor<Vec<u8>>, InputStream>;

/// The chunks of a .butter that is whole. To make it, all chunks are inflated once, and no frame is
/// decoded.
#[derive(Debug)]
pub struct Chunks {
    table: Table,
    starts: Vec<Start>,
    /// Whether the times of frames never go backwards.
    times_rise: bool,
    /// Whether any chunk is the reference's, so that some parts of a frame depend on the chunk before.
    is_reference: bool,
}

/// The start of a chunk.
#[derive(Clone, Copy, Debug)]
struct Start {
    step: u64,
    time: Time,
    shown: Shown,
}

impl Chunks {
    /// Surveys the chunks of a recording; `None` if there is a single chunk, or if anything about the
    /// recording is irregular, so that it has to be read from its start.
    pub fn of(input: &Input) -> Option<Self> {
        let table = Table::read(input, ReadOptions::lenient()).ok()?;
        let count = table.chunks().len();
        if !table.is_whole() || count < 2 {
            return None;
        }
        let mut starts: Vec<Start> = Vec::with_capacity(count);
        let (mut step, mut shown, mut before) = (0, Shown::default(), None);
        let (mut times_rise, mut is_reference) = (true, false);
        for from in (0..count).step_by(AT_ONCE) {
            for chunk in table.survey(input, from..count.min(from + AT_ONCE)) {
                let mut chunk = chunk?;
                let time = chunk.first;
                starts.push(Start { step, time, shown });
                is_reference |= chunk.settle(&mut shown);
                step += chunk.frames();
                let last = chunk.last();
                times_rise &= last.is_some() && before.is_none_or(|before| before <= Some(time));
                before = Some(last);
            }
        }
        Some(Self {
            table,
            starts,
            times_rise,
            is_reference,
        })
    }

    /// Returns a reader that starts with the chunk of the last frame before a moment, and the step of
    /// its first frame and the time at which the recording starts. `None` if these parts of the frames
    /// can be read only from the start.
    pub fn before(
        &self,
        input: &Input,
        at: At,
        parts: Parts,
    ) -> io::Result<Option<(Reader<Skipped>, u64, Time)>> {
        let dependent = Parts::GAME.with(Parts::BONES);
        let Some(start) = self.starts.first().map(|start| start.time) else {
            return Ok(None);
        };
        let is_before = |chunk: &Start| match at {
            At::Step(step) => chunk.step < step,
            At::Time(time) => chunk.time.since(start).whole_ms() < time.whole_ms(),
            At::Tick(_) => false,
        };
        let knows = matches!(at, At::Step(_)) || self.times_rise;
        let chunk = self.starts.partition_point(is_before).saturating_sub(1);
        let place = self.starts.get(chunk).zip(self.table.chunks().get(chunk));
        let (Some((begin, entry)), Some(first)) = (place, self.table.chunks().first()) else {
            return Ok(None);
        };
        if !knows || chunk == 0 || self.is_reference && parts.has(dependent) {
            return Ok(None);
        }
        let head = input.range(0, first.offset)?.into_owned();
        let mut stream = input.stream();
        stream.seek(SeekFrom::Start(entry.offset))?;
        let skip = Skip {
            chunks: chunk,
            bytes: entry.offset - first.offset,
            frames: begin.step,
            shown: begin.shown,
            start,
        };
        let reader = Reader::skipping(Cursor::new(head).chain(stream), parts, skip);
        Ok(Some((reader, begin.step, start)))
    }

    /// Returns the steps at which at most so many parts start, each of about as many chunks.
    pub fn parts(&self, at_most: usize) -> Vec<u64> {
        let every = self.starts.len().div_ceil(at_most.max(1)).max(1);
        let parts = self.starts.iter().step_by(every);
        parts.map(|start| start.step).collect()
    }
}
