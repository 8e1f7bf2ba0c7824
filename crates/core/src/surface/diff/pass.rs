//! Reads two recordings side by side, once for all of their tables.

use std::sync::Arc;

use super::super::pull::Pull;
use super::compare::Comparison;
use super::found::TableDiff;
use super::queue::RowQueue;
use crate::clock::Stamp;
use crate::table::{Batch, Scan, TableDef};
use crate::tape::{Error, Partial, Tape, Work};

/// The maximum number of batches of a table that wait for rows of the other recording. If one
/// recording has many more rows here, the table is compared separately.
const MOST: usize = 16;

/// The result for a table, and the steps at which it differs.
pub(super) type Compared = Partial<(TableDiff, Vec<u64>)>;

/// A table that is being compared.
struct TablePass {
    comparison: Comparison,
    feeds: [RowQueue; 2],
    state: PassState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PassState {
    Comparing,
    /// The comparison is complete, as far as possible.
    Done,
    /// One recording is too far ahead of the other in this table.
    Apart,
}

/// A recording that is being read.
struct Side {
    rows_of: Pull,
    ended: bool,
    /// The number of rows received.
    rows: u64,
}

/// Compares these tables; `last` is the last step of each recording.
pub(super) fn compare(
    tapes: [&Arc<dyn Tape>; 2],
    last: [Stamp; 2],
    tables: &[[&TableDef; 2]],
    work: &Work<'_>,
) -> Result<Vec<Compared>, Error> {
    let first = together(tapes, last, tables, work)?;
    let silent = work.silent();
    let mut all = Vec::with_capacity(first.len());
    for (table, compared) in tables.iter().zip(first) {
        match compared {
            Some(compared) => all.push(compared),
            None => all.extend(
                together(tapes, last, &[*table], &silent)?
                    .into_iter()
                    .flatten(),
            ),
        }
    }
    Ok(all)
}

/// Compares tables in one pass over each recording. Returns `None` for tables in which the
/// recordings are too far apart.
fn together(
    tapes: [&Arc<dyn Tape>; 2],
    last: [Stamp; 2],
    tables: &[[&TableDef; 2]],
    work: &Work<'_>,
) -> Result<Vec<Option<Compared>>, Error> {
    let of = |table: &[&TableDef; 2]| Comparison::new(*table);
    let comparisons: Vec<Comparison> = tables.iter().map(of).collect();
    let scans: Vec<Scan> = comparisons.iter().filter_map(Comparison::scan).collect();
    let (read, rest): (Vec<_>, Vec<_>) = comparisons
        .into_iter()
        .enumerate()
        .partition(|(_, comparison)| comparison.scan().is_some());
    let (places, read): (Vec<usize>, Vec<Comparison>) = read.into_iter().unzip();
    let mut tables_read: Vec<TablePass> = read.into_iter().map(TablePass::new).collect();
    if !tables_read.is_empty() {
        let scans: Arc<[Scan]> = scans.into();
        let mut sides = tapes.map(|tape| Side {
            rows_of: tape.pull(Arc::clone(&scans)),
            ended: false,
            rows: 0,
        });
        side_by_side(&mut tables_read, &mut sides, last, work)?;
    }
    let rest = rest.into_iter().map(|(at, comparison)| {
        let found = comparison.finish();
        (at, Some(found.into()))
    });
    let compared = tables_read.into_iter().map(TablePass::finish);
    let mut all: Vec<(usize, Option<Compared>)> = places.into_iter().zip(compared).collect();
    all.extend(rest);
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, compared)| compared).collect())
}

/// Reads rows of both recordings as they are needed.
fn side_by_side(
    tables: &mut [TablePass],
    sides: &mut [Side; 2],
    last: [Stamp; 2],
    work: &Work<'_>,
) -> Result<(), Error> {
    let several = tables.len() > 1;
    while let Some(at) = needed(tables, sides) {
        let Some(side) = sides.get_mut(at) else {
            break;
        };
        match side.rows_of.next_batch() {
            Ok(Some((scan, batch))) => {
                side.rows += batch.len() as u64;
                let Some(table) = tables.get_mut(scan) else {
                    continue;
                };
                table.take(at, batch, last, several);
                if table.state != PassState::Comparing {
                    for side in &*sides {
                        side.rows_of.stop(scan);
                    }
                }
            }
            read => {
                side.ended = true;
                end(tables, at, read.err(), &mut side.rows_of, last);
            }
        }
        work.done(sides[0].rows_of.bytes_read())?;
    }
    Ok(())
}

/// Returns which recording to read next: one that a table waits for, or else the one with fewer
/// rows so far.
fn needed(tables: &mut [TablePass], sides: &[Side; 2]) -> Option<usize> {
    let mut waited_for = [false; 2];
    let mut any = false;
    for table in tables
        .iter_mut()
        .filter(|table| table.state == PassState::Comparing)
    {
        any = true;
        match table.feeds.each_mut().map(RowQueue::waits) {
            [true, false] => waited_for[0] = true,
            [false, true] => waited_for[1] = true,
            _ => {}
        }
    }
    let [a, b] = sides;
    match waited_for {
        _ if !any => None,
        [true, false] if !a.ended => Some(0),
        [false, true] if !b.ended => Some(1),
        _ if a.ended && b.ended => None,
        _ if a.ended => Some(1),
        _ if b.ended => Some(0),
        _ => Some(usize::from(b.rows < a.rows)),
    }
}

/// Handles the end of a recording, which may have failed.
fn end(
    tables: &mut [TablePass],
    side: usize,
    mut failed: Option<Error>,
    rows: &mut Pull,
    last: [Stamp; 2],
) {
    let cut = failed.is_some();
    for (scan, table) in tables.iter_mut().enumerate() {
        // An error is reported once, for the first table.
        let problem = rows.problem(scan).or_else(|| failed.take());
        if let Some(feed) = table.feeds.get_mut(side) {
            feed.end(cut || problem.is_some(), problem);
        }
        table.go_on(last);
    }
}

impl TablePass {
    fn new(comparison: Comparison) -> Self {
        Self {
            comparison,
            feeds: [RowQueue::new(), RowQueue::new()],
            state: PassState::Comparing,
        }
    }

    /// Takes rows of one recording. With several tables, only a limited number of batches may wait.
    fn take(&mut self, side: usize, batch: Batch, last: [Stamp; 2], several: bool) {
        if self.state != PassState::Comparing {
            return;
        }
        let Some(feed) = self.feeds.get_mut(side) else {
            return;
        };
        feed.push(batch);
        self.go_on(last);
        let waiting = self.feeds.iter().map(RowQueue::waiting).max();
        if several && self.state == PassState::Comparing && waiting > Some(MOST) {
            self.state = PassState::Apart;
            self.feeds = [RowQueue::new(), RowQueue::new()];
        }
    }

    fn go_on(&mut self, last: [Stamp; 2]) {
        if self.state == PassState::Comparing && self.comparison.go_on(&mut self.feeds, last) {
            self.state = PassState::Done;
        }
    }

    fn finish(self) -> Option<Compared> {
        if self.state == PassState::Apart {
            return None;
        }
        let [a, b] = self.feeds;
        let problem = a.problem().or_else(|| b.problem().map(Error::of_other));
        Some(Partial::new(self.comparison.finish(), problem))
    }
}
