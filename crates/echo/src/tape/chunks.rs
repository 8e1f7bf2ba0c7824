//! Where the chunks of a .butter start, so that a range is read from the chunk in which it starts.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gametape_core::{At, Input, InputStream};

use crate::butter::{Dialect, Parts, Reader, Shown, Skip, SurveyedChunk, Table};
use crate::{ReadOptions, Time};

/// The number of chunks that are surveyed at once: enough for all cores, few enough for the memory.
const AT_ONCE: usize = 16;

/// A recording whose bytes continue after some chunks that are left out.
pub type Skipped = io::Chain<Cursor<Vec<u8>>, InputStream>;

/// The chunks of a .butter that is whole. They are surveyed as far as ranges ask: a survey inflates a chunk
/// once, and decodes no frame.
#[derive(Debug)]
pub struct Chunks {
    table: Table,
    surveyed: Mutex<Surveyed>,
}

/// The chunks up to some place.
#[derive(Default, Debug)]
struct Surveyed {
    starts: Vec<Start>,
    /// The number of frames so far.
    frames: u64,
    /// When the last frame was recorded, if the times of frames never went backwards.
    last: Option<Time>,
    /// The frames of the last chunk, and their duration in milliseconds: others are nearly always alike.
    alike: (u64, u64),
    shown: Shown,
    /// Whether any chunk is the reference's, so that some parts of a frame depend on the chunk before.
    is_reference: bool,
    /// Whether a chunk is irregular, so that nothing is known from there on.
    irregular: bool,
}

/// The start of a chunk.
#[derive(Clone, Copy, Debug)]
struct Start {
    step: u64,
    time: Time,
    shown: Shown,
    /// Whether times rise up to this chunk.
    rises: bool,
    /// Whether the chunk shows that it is not the reference's.
    is_exact: bool,
}

impl Surveyed {
    /// Surveys chunks as long as `more` says how many are wanted.
    fn go_on(&mut self, table: &Table, input: &Input, more: impl Fn(&Self) -> Option<usize>) {
        let count = table.chunks().len();
        while self.starts.len() < count
            && !self.irregular
            && let Some(more) = more(self)
        {
            let from = self.starts.len();
            let to = count.min(from + more.clamp(1, AT_ONCE));
            for chunk in table.survey(input, from..to) {
                let Some(chunk) = chunk else {
                    self.irregular = true;
                    return;
                };
                self.push(chunk);
            }
        }
    }

    /// Surveys chunks up to that of the last frame before a moment, and no others if chunks are alike.
    fn reach(&mut self, table: &Table, input: &Input, at: At) {
        self.go_on(table, input, |known| {
            // What is missing, and what each chunk brings: in frames, or in milliseconds.
            let (left, each) = match at {
                At::Step(step) => (step.saturating_sub(known.frames), known.alike.0),
                At::Time(time) => {
                    // Where times go backwards, frames from there on are read one after another.
                    let left = known.last.map_or(0, |last| {
                        time.whole_ms().saturating_sub(known.since_start(last))
                    });
                    (u64::try_from(left).unwrap_or(0), known.alike.1)
                }
                At::Tick(_) => (0, 0),
            };
            if known.starts.is_empty() {
                return Some(1);
            }
            let more = left.div_ceil(each.max(1));
            (left > 0).then(|| usize::try_from(more).unwrap_or(AT_ONCE))
        });
    }

    /// Returns the chunk of the last frame before a moment, as far as is known.
    fn chunk_before(&self, at: At) -> usize {
        let is_before = |start: &Start| match at {
            At::Step(step) => start.step < step,
            At::Time(time) => start.rises && self.since_start(start.time) < time.whole_ms(),
            At::Tick(_) => false,
        };
        self.starts.partition_point(is_before).saturating_sub(1)
    }

    /// Milliseconds since the start of the recording.
    fn since_start(&self, time: Time) -> i64 {
        let start = self.starts.first().map_or(time, |start| start.time);
        time.since(start).whole_ms()
    }

    fn push(&mut self, mut chunk: SurveyedChunk) {
        let (time, last, shown) = (chunk.first, chunk.last(), self.shown);
        let dialect = chunk.settle(&mut self.shown);
        self.is_reference |= dialect == Some(Dialect::Reference);
        let rises = self.starts.is_empty() || self.last.is_some_and(|before| before <= time);
        self.starts.push(Start {
            step: self.frames,
            time,
            shown,
            rises,
            is_exact: dialect == Some(Dialect::Exact),
        });
        self.frames += chunk.frames();
        self.last = last.filter(|_| rises);
        let ms = last.map_or(0, |last| last.since(time).whole_ms());
        self.alike = (chunk.frames(), ms.unsigned_abs());
    }
}

impl Chunks {
    /// The chunks of a recording; `None` if there is a single chunk, or if anything about the header and the
    /// table is irregular, so that it has to be read from its start.
    pub fn of(input: &Input) -> Option<Self> {
        let table = Table::read(input, ReadOptions::lenient()).ok()?;
        let surveyed = Mutex::default();
        (table.is_whole() && table.chunks().len() > 1).then_some(Self { table, surveyed })
    }

    fn surveyed(&self) -> MutexGuard<'_, Surveyed> {
        self.surveyed.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut known = self.surveyed();
        known.reach(&self.table, input, at);
        let chunk = known.chunk_before(at);
        let place = known.starts.get(chunk).zip(known.starts.first());
        let chunks = self.table.chunks();
        let entries = chunks.get(chunk).zip(chunks.first());
        let (Some((&begin, &Start { time: start, .. })), Some((entry, first))) = (place, entries)
        else {
            return Ok(None);
        };
        if chunk == 0 {
            return Ok(None);
        }
        // Of the reference's chunks, some parts continue those of the chunk before. One that shows nothing
        // may be the reference's, too, as a later one shows.
        let depends = parts.has(Parts::BONES) || parts.has(Parts::GAME) && !begin.is_exact;
        if depends {
            known.go_on(&self.table, input, |_| Some(AT_ONCE));
            if known.irregular || known.is_reference {
                return Ok(None);
            }
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
    pub fn parts(&self, input: &Input, at_most: usize) -> Vec<u64> {
        let mut known = self.surveyed();
        known.go_on(&self.table, input, |_| Some(AT_ONCE));
        if known.irregular {
            return vec![0];
        }
        let every = known.starts.len().div_ceil(at_most.max(1)).max(1);
        let parts = known.starts.iter().step_by(every);
        parts.map(|start| start.step).collect()
    }
}
