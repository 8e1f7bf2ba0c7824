//! Where the chunks of a .butter start, so that a range is read from the chunk in which it starts.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gametape_core::tape::Error;
use gametape_core::{At, ByteReader, Input, InputStream, Short};

use crate::butter::{Dialect, Parts, Reader, Shown, Skip, SurveyedChunk, Table};
use crate::tape::index::{self, Places};
use crate::{ReadOptions, Time};

/// A recording whose bytes continue after some chunks that are left out.
pub type WithoutChunks = io::Chain<Cursor<Vec<u8>>, InputStream>;

/// The chunks of a .butter that is whole. They are surveyed as far as ranges ask: a survey inflates a chunk
/// once, and decodes no frame.
#[derive(Debug)]
pub struct Chunks {
    table: Table,
    surveyed: Mutex<Surveyed>,
}

impl Chunks {
    /// The chunks of a recording, as far as the index beside `path` knows them; `None` if there is a single
    /// chunk, or if anything about the header and the table is irregular, so that it has to be read from its
    /// start.
    pub fn of(input: &Input, path: Option<&Path>) -> Option<Self> {
        let table = Table::read(input, ReadOptions::lenient()).ok()?;
        if !table.is_whole() || table.chunks().len() < 2 {
            return None;
        }
        let kept = path.and_then(|path| index::find_fresh::<ChunkPlaces>(path, input));
        let kept = kept.filter(|kept| kept.count() == table.chunks().len());
        let surveyed = Mutex::new(kept.map(Surveyed::from).unwrap_or_default());
        Some(Self { table, surveyed })
    }

    /// Keeps what is known of all chunks in an index beside the recording. Of one with an irregular chunk,
    /// nothing is kept.
    pub fn keep(&self, input: &Input, path: &Path) -> Result<(), Error> {
        index::keep(path, input, || {
            let mut known = self.surveyed();
            known.go_on(&self.table, input, |_| Some(AT_ONCE));
            Ok((!known.irregular).then(|| Arc::new(known.kept())))
        })
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
    ) -> io::Result<Option<(Reader<WithoutChunks>, u64, Time)>> {
        let mut known = self.surveyed();
        known.reach(&self.table, input, at);
        let mut chunk = known.chunk_before(at);
        if known.has_changed(chunk, &self.table, input)? {
            *known = Surveyed::default();
            known.reach(&self.table, input, at);
            chunk = known.chunk_before(at);
        }
        let place = known.starts.get(chunk).zip(known.starts.first());
        let chunks = self.table.chunks();
        let entries = chunks.get(chunk).zip(chunks.first());
        let (
            Some((
                &begin,
                &ChunkStart {
                    chunk: of_first, ..
                },
            )),
            Some((entry, first)),
        ) = (place, entries)
        else {
            return Ok(None);
        };
        let start = of_first.first;
        if chunk == 0 {
            return Ok(None);
        }
        // Of the reference's chunks, some parts continue those of the chunk before. One that shows nothing
        // may be the reference's, too, as a later one shows.
        let depends = parts.has(Parts::BONES) || parts.has(Parts::GAME) && !begin.chunk.is_exact();
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

/// The number of chunks that are surveyed at once: enough for all cores, few enough for the memory.
const AT_ONCE: usize = 16;

/// The chunks up to some place.
#[derive(Default, Debug)]
struct Surveyed {
    pub starts: Vec<ChunkStart>,
    /// Whether they come from the index, and not from the recording.
    from_index: bool,
    /// The number of frames so far.
    frames: u64,
    /// When the last frame was recorded, if the times of frames never went backwards.
    last: Option<Time>,
    /// The frames of the last chunk, and their duration in milliseconds: others are nearly always alike.
    alike: (u64, u64),
    shown: Shown,
    /// Whether any chunk is the reference's, so that some parts of a frame depend on the chunk before.
    pub is_reference: bool,
    /// Whether a chunk is irregular, so that nothing is known from there on.
    pub irregular: bool,
}

/// The start of a chunk.
#[derive(Clone, Copy, Debug)]
struct ChunkStart {
    pub step: u64,
    pub shown: Shown,
    /// Whether times rise up to this chunk.
    rises: bool,
    pub chunk: ChunkFound,
}

/// The findings of a survey about a chunk.
#[derive(Clone, Copy, Debug)]
struct ChunkFound {
    frames: u32,
    /// When its first frame was recorded.
    pub first: Time,
    /// When its last frame was recorded, if the times of its frames do not go backwards.
    last: Option<Time>,
    /// Its writer, if it shows.
    dialect: Option<Dialect>,
    /// The writer of the chunks up to this one, for those that do not show it.
    shown: Shown,
    /// The CRC-32 of its bytes.
    checksum: u32,
}

impl ChunkFound {
    /// Whether it shows that it is not the reference's.
    pub fn is_exact(&self) -> bool {
        self.dialect == Some(Dialect::Exact)
    }
}

/// All chunks of a recording, as an index keeps them.
pub(super) struct ChunkPlaces(Vec<ChunkFound>);

impl ChunkPlaces {
    pub const fn count(&self) -> usize {
        self.0.len()
    }
}

impl From<ChunkPlaces> for Surveyed {
    fn from(kept: ChunkPlaces) -> Self {
        let mut surveyed = Self {
            from_index: true,
            ..Self::default()
        };
        kept.0.into_iter().for_each(|chunk| surveyed.add(chunk));
        surveyed
    }
}

/// The value of a time that is not known.
const UNKNOWN: i64 = i64::MIN;

/// In an index, a chunk is the number of its frames (4 bytes), the times of the first and the last in
/// milliseconds since 1970 (8 each), the CRC-32 of its bytes (4), its writer (1), and the writer of the last
/// chunk that showed it clearly and how many chunks ago that was (2).
impl Places for ChunkPlaces {
    const MAGIC: [u8; 8] = *b"GTECHOB1";
    const ENTRY: usize = 27;
    /// A chunk is in the recording's table.
    const LEAST: u64 = 4;

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() * Self::ENTRY);
        for chunk in &self.0 {
            let (shown, ago) = match chunk.shown.0 {
                Some((dialect, ago)) => (Some(dialect), ago),
                None => (None, 0),
            };
            out.extend_from_slice(&chunk.frames.to_le_bytes());
            out.extend_from_slice(&chunk.first.0.to_le_bytes());
            out.extend_from_slice(&chunk.last.map_or(UNKNOWN, |last| last.0).to_le_bytes());
            out.extend_from_slice(&chunk.checksum.to_le_bytes());
            out.push(number(chunk.dialect));
            out.push(number(shown));
            out.push(u8::try_from(ago).unwrap_or(u8::MAX));
        }
        out
    }

    fn decode(entries: &[u8], _: &Input) -> Option<Self> {
        let chunks: Result<_, Short> = entries
            .chunks_exact(Self::ENTRY)
            .map(ChunkFound::read)
            .collect();
        chunks.ok().map(Self)
    }

    /// The chunk that is read is compared then; others would have to be read for it.
    fn sample_fits(&self, _: &Input) -> bool {
        true
    }
}

impl ChunkFound {
    fn read(bytes: &[u8]) -> Result<Self, Short> {
        let mut input = ByteReader::new(bytes);
        Ok(Self {
            frames: input.u32_le()?,
            first: Time(input.u64_le()?.cast_signed()),
            last: Some(input.u64_le()?.cast_signed())
                .filter(|last| *last != UNKNOWN)
                .map(Time),
            checksum: input.u32_le()?,
            dialect: dialect(input.u8()?),
            shown: {
                let (writer, ago) = (dialect(input.u8()?), input.u8()?);
                Shown(writer.map(|writer| (writer, ago.into())))
            },
        })
    }
}

const fn number(dialect: Option<Dialect>) -> u8 {
    match dialect {
        None => 0,
        Some(Dialect::Exact) => 1,
        Some(Dialect::Reference) => 2,
    }
}

const fn dialect(number: u8) -> Option<Dialect> {
    match number {
        1 => Some(Dialect::Exact),
        2 => Some(Dialect::Reference),
        _ => None,
    }
}

impl Surveyed {
    /// Surveys chunks as long as `more` says how many are wanted.
    pub fn go_on(&mut self, table: &Table, input: &Input, more: impl Fn(&Self) -> Option<usize>) {
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
    pub fn reach(&mut self, table: &Table, input: &Input, at: At) {
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
    pub fn chunk_before(&self, at: At) -> usize {
        let is_before = |start: &ChunkStart| match at {
            At::Step(step) => start.step < step,
            At::Time(time) => start.rises && self.since_start(start.chunk.first) < time.whole_ms(),
            At::Tick(_) => false,
        };
        self.starts.partition_point(is_before).saturating_sub(1)
    }

    /// Milliseconds since the start of the recording.
    fn since_start(&self, time: Time) -> i64 {
        let start = self.starts.first().map_or(time, |start| start.chunk.first);
        time.since(start).whole_ms()
    }

    fn push(&mut self, mut chunk: SurveyedChunk) {
        let mut shown = self.shown;
        let dialect = chunk.settle(&mut shown);
        self.add(ChunkFound {
            // A chunk that is surveyed has fewer bytes.
            frames: u32::try_from(chunk.frames()).unwrap_or(u32::MAX),
            first: chunk.first,
            last: chunk.last(),
            dialect,
            shown,
            checksum: chunk.checksum,
        });
    }

    fn add(&mut self, chunk: ChunkFound) {
        let ChunkFound { first, last, .. } = chunk;
        let rises = self.starts.is_empty() || self.last.is_some_and(|before| before <= first);
        self.starts.push(ChunkStart {
            step: self.frames,
            shown: self.shown,
            rises,
            chunk,
        });
        self.shown = chunk.shown;
        self.is_reference |= chunk.dialect == Some(Dialect::Reference);
        self.frames += u64::from(chunk.frames);
        self.last = last.filter(|_| rises);
        let ms = last.map_or(0, |last| last.since(first).whole_ms());
        self.alike = (chunk.frames.into(), ms.unsigned_abs());
    }

    /// The content of an index.
    pub fn kept(&self) -> ChunkPlaces {
        ChunkPlaces(self.starts.iter().map(|start| start.chunk).collect())
    }

    /// Whether the bytes of a chunk are not those that the index was made from.
    pub fn has_changed(&self, chunk: usize, table: &Table, input: &Input) -> io::Result<bool> {
        let (Some(start), Some(entry)) = (self.starts.get(chunk), table.chunks().get(chunk)) else {
            return Ok(false);
        };
        Ok(self.from_index
            && crc32fast::hash(&input.range(entry.offset, entry.size)?) != start.chunk.checksum)
    }
}
