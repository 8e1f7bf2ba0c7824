//! Where the chunks of a .butter start, so that a range is read from the chunk in which it starts.

mod surveyed;

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gametape_core::tape::Error;
use gametape_core::{At, Input, InputStream};

pub(super) use self::surveyed::Kept;
use self::surveyed::{AT_ONCE, Start, Surveyed};
use super::index;
use crate::butter::{Parts, Reader, Skip, Table};
use crate::{ReadOptions, Time};

/// A recording whose bytes continue after some chunks that are left out.
pub type Skipped = io::Chain<Cursor<Vec<u8>>, InputStream>;

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
        let kept = path.and_then(|path| index::find_fresh::<Kept>(path, input));
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
    ) -> io::Result<Option<(Reader<Skipped>, u64, Time)>> {
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
                &Start {
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
