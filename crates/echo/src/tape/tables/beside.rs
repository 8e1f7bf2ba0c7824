//! The rows of a state of a .butter, chunks beside each other on as many cores as there are. Where
//! anything is odd, what is behind it is read in its order.

use std::ops::ControlFlow;

use gametape_core::table::{Batch, Place, Scan, Scanning, TableDef, Visit};
use gametape_core::tape::Error;
use gametape_core::{Clocks, Stamp};

use super::frame::State;
use super::there::{Key, There};
use crate::butter::{OpenChunk, Parts, Shown, Table};
use crate::tape::encoding::EchoFormat;
use crate::tape::opened::EchoTape;
use crate::{ReadOptions, Time, parallel};

/// Most chunks that are held at once.
const MOST: usize = 16;

/// Most columns. Rows go from core to core by copies: of more columns that costs what it wins.
const COLUMNS: usize = 16;

/// How far rows were given.
pub enum Given {
    /// All that are wanted.
    All,
    /// Those before this step. Something behind it is odd, or has to be read in its order.
    Before(u64),
}

/// A scan of a state.
pub struct Beside<'s> {
    pub tape: &'s EchoTape,
    pub table: &'s TableDef,
    pub scan: &'s Scan,
    pub state: State,
    pub parts: Parts,
}

/// What a chunk gave.
struct Piece {
    batches: Vec<Batch>,
    /// Who is there in its first frame, and in its last.
    first: Vec<Key>,
    last: Vec<Key>,
    /// What follows is behind the range.
    behind: bool,
}

/// A chunk, its first step, and when the recording starts.
type Job = (OpenChunk, u64, Time);

impl Beside<'_> {
    /// Gives the rows of chunks, as many as are whole and stand for themselves.
    ///
    /// A few are held at a time: they are inflated beside each other, it is seen what their steps are,
    /// and they are decoded beside each other.
    pub fn given(&self, visit: &mut Visit<'_>) -> Result<Given, Error> {
        let nothing = Ok(Given::Before(0));
        let is_wide = self.scan.picked(self.table)?.len() > COLUMNS;
        if self.tape.format != EchoFormat::Butter || parallel::at_once() < 2 || is_wide {
            return nothing;
        }
        let at_once = (parallel::at_once() * 4).min(MOST);
        let input = &self.tape.input;
        let Ok(table) = Table::read(input, ReadOptions::lenient()) else {
            return nothing;
        };
        // A single chunk is read as fast in its order.
        let count = table.chunks().len();
        if !table.is_whole() || count < 2 {
            return nothing;
        }
        let (mut shown, mut start, mut next) = (Shown::default(), None, 0);
        let mut there: Option<Vec<Key>> = None;
        for from in (0..count).step_by(at_once) {
            let chunks = from..count.min(from + at_once);
            let wanted = chunks.len();
            let opened = table.open_beside(input, chunks, self.parts);
            let mut jobs: Vec<Job> = Vec::with_capacity(wanted);
            let mut first = next;
            for mut chunk in opened.into_iter().map_while(|chunk| chunk) {
                let Some(time) = chunk.first().filter(|_| chunk.settle(&mut shown)) else {
                    break;
                };
                let frames = chunk.frames();
                jobs.push((chunk, first, *start.get_or_insert(time)));
                first += frames;
            }
            let whole = jobs.len() == wanted;
            for piece in parallel::map_taken(jobs, |job| self.rows(job)) {
                // Somebody has gone between two chunks: that is told in the order of frames.
                let stays = |piece: &Piece| {
                    let mut before = there.iter().flatten();
                    before.all(|key| piece.first.contains(key))
                };
                let Some((piece, frames)) = piece.filter(|(piece, _)| stays(piece)) else {
                    return Ok(Given::Before(next));
                };
                for batch in &piece.batches {
                    if visit(batch)?.is_break() {
                        return Ok(Given::All);
                    }
                }
                if piece.behind {
                    return Ok(Given::All);
                }
                there = Some(piece.last);
                next += frames;
            }
            if !whole {
                return Ok(Given::Before(next));
            }
        }
        Ok(Given::All)
    }

    /// The rows of a chunk, and how many frames it has; `None` where something is odd after all.
    fn rows(&self, (mut chunk, first, start): Job) -> Option<(Piece, u64)> {
        let mut batches = Vec::new();
        let mut take = |batch: &Batch| {
            batches.push(batch.clone());
            Ok(ControlFlow::Continue(()))
        };
        let rows = Scanning::new(self.table, self.scan, Clocks::TIMES, &mut take);
        let mut rows = rows.ok()?;
        let mut there = There::new(self.table, self.state, self.parts);
        let (mut keys, mut step, mut behind) = (Vec::new(), first, false);
        let end = first + chunk.frames();
        while step < end {
            let frame = chunk.next_frame().ok()??;
            let stamp = Stamp {
                step,
                tick: None,
                time: Some(frame.time.since(start)),
            };
            behind = rows.place(stamp) == Place::Behind
                || there.frame(frame, stamp, &mut rows).ok()?.is_break();
            if step == first {
                keys.clone_from(&there.now);
            }
            if behind {
                break;
            }
            step += 1;
        }
        rows.end(None).ok()?;
        let piece = Piece {
            batches,
            first: keys,
            last: there.now,
            behind,
        };
        Some((piece, end - first))
    }
}
