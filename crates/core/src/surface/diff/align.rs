//! Aligns rows that come earlier or later than in the other recording, so that an inserted row is
//! one difference although it moves all rows after it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::found::TableDiff;
use super::queue::By;
use crate::clock::Stamp;
use crate::table::{Lane, Owned, Scan, TableDef};
use crate::tape::{Error, Tape, Work};

/// The maximum number of rows of a table; larger tables are compared only by moment.
const MOST_ROWS: usize = 1 << 18;
/// With fewer differing steps than this, aligning is not worth the effort: a person sees the
/// difference at once.
const LEAST_ROWS: usize = 8;
/// The maximum number of rows that only one recording has.
const MOST_EDITS: usize = 1 << 9;
/// At most one row in this many may be in only one recording; otherwise the recordings are too
/// different to align.
const SHARE: usize = 4;

/// At least one row in this many must be distinct: rows that are all equal would match any other.
const VARIED: usize = 16;

/// The hash of a row's values, and its stamp.
type HashedRow = (u64, Stamp);

/// Returns the difference that remains after matching rows that are the same at another moment;
/// `None` if this does not explain the difference.
pub(super) fn closer(
    tapes: [&Arc<dyn Tape>; 2],
    table: &TableDef,
    scan: &Scan,
    (found, steps): &(TableDiff, Vec<u64>),
    work: &Work<'_>,
) -> Result<Option<(TableDiff, Vec<u64>)>, Error> {
    let differ = found.rows + found.only_first + found.only_second;
    if table.lane == Lane::Facts || differ < 2 || steps.len() < LEAST_ROWS {
        return Ok(None);
    }
    // Only times can shift: an equal row at another tick or step is a real difference.
    let first = found.first.as_ref().and_then(|row| row.stamp);
    if first.is_some_and(|stamp| stamp.time.is_none()) {
        return Ok(None);
    }
    let (Some(ours), Some(theirs)) = (
        hashed_rows(&**tapes[0], scan, work)?,
        hashed_rows(&**tapes[1], scan, work)?,
    ) else {
        return Ok(None);
    };
    let hashes = |rows: &[HashedRow]| rows.iter().map(|row| row.0).collect::<Vec<u64>>();
    let by = By::of([
        ours.first().map(|row| row.1),
        theirs.first().map(|row| row.1),
    ]);
    if by != By::Time {
        return Ok(None);
    }
    let (hashed, other) = (hashes(&ours), hashes(&theirs));
    let different: HashSet<&u64> = hashed.iter().collect();
    if different.len() * VARIED < hashed.len() {
        return Ok(None);
    }
    let Some(same) = common(&hashed, &other) else {
        return Ok(None);
    };
    let kept: usize = same.iter().map(|(ours, _)| ours.len()).sum();
    let (only_first, only_second) = (ours.len() - kept, theirs.len() - kept);
    let edits = only_first + only_second;
    if edits as u64 >= differ || edits * SHARE > ours.len().max(theirs.len()) {
        return Ok(None);
    }
    let by = By::of([
        ours.first().map(|row| row.1),
        theirs.first().map(|row| row.1),
    ]);
    let moved = same.iter().flat_map(|(a, b)| {
        let pairs = ours.get(a.clone()).into_iter().flatten();
        pairs.zip(theirs.get(b.clone()).into_iter().flatten())
    });
    let mut moved = moved
        .filter(|(a, b)| by.at(a.1) != by.at(b.1))
        .map(|(a, _)| a.1.step)
        .peekable();
    let mut steps = between(&ours, same.iter().map(|pair| &pair.0));
    steps.extend(between(&theirs, same.iter().map(|pair| &pair.1)));
    // All moved rows are one difference: report the first.
    steps.extend(moved.peek().copied());
    let found = TableDiff {
        rows: 0,
        columns: Vec::new(),
        only_first: only_first as u64,
        only_second: only_second as u64,
        moved: moved.count() as u64,
        ..found.clone()
    };
    Ok((found.moved > 0).then_some((found, steps)))
}

/// Returns the steps of the rows between these stretches, which must be in order.
fn between<'r>(rows: &[HashedRow], stretches: impl Iterator<Item = &'r Range<usize>>) -> Vec<u64> {
    let mut steps = Vec::new();
    let mut from = 0;
    let end = rows.len()..rows.len();
    for stretch in stretches.cloned().chain(std::iter::once(end)) {
        let alone = rows.get(from..stretch.start).unwrap_or_default();
        steps.extend(alone.iter().map(|row| row.1.step));
        from = stretch.end;
    }
    steps
}

/// Returns all rows of a table; `None` if there are too many or the recording has a problem.
fn hashed_rows(
    tape: &dyn Tape,
    scan: &Scan,
    work: &Work<'_>,
) -> Result<Option<Vec<HashedRow>>, Error> {
    let mut rows: Vec<HashedRow> = Vec::new();
    let read = tape.scan_table(scan, work, |batch| {
        for row in 0..batch.len() {
            let mut hasher = DefaultHasher::new();
            batch.is_end(row).hash(&mut hasher);
            for column in batch.columns() {
                Owned::from(column.get(row)).hash(&mut hasher);
            }
            rows.push((hasher.finish(), batch.stamp(row)));
        }
        Ok(if rows.len() > MOST_ROWS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok((rows.len() <= MOST_ROWS && read.problem.is_none()).then_some(rows))
}

/// Returns the stretches that two sequences have in common, in order; `None` if too many rows are
/// in only one of them. Uses Myers' algorithm.
fn common(a: &[u64], b: &[u64]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut ends: Vec<Vec<usize>> = Vec::new();
    let goal = (a.len(), b.len());
    let slide = |mut x: usize, mut y: usize| {
        while let (Some(ours), Some(theirs)) = (a.get(x), b.get(y)) {
            if ours != theirs {
                break;
            }
            (x, y) = (x + 1, y + 1);
        }
        (x, y)
    };
    for edits in 0..=MOST_EDITS {
        // The furthest position on each diagonal from -edits to edits, in steps of two.
        let mut furthest = Vec::with_capacity(edits + 1);
        for nth in 0..=edits {
            let x = step(ends.last(), nth);
            let y = (x + edits).checked_sub(2 * nth);
            let end = y
                .filter(|y| x <= goal.0 && *y <= goal.1)
                .map(|y| slide(x, y));
            if end == Some(goal) {
                furthest.push(goal.0);
                ends.push(furthest);
                return Some(back(&ends, goal));
            }
            furthest.push(end.map_or(x, |end| end.0));
        }
        ends.push(furthest);
    }
    None
}

/// Returns where the next edit on this diagonal leads: it skips a row of the first or of the second
/// sequence.
fn step(before: Option<&Vec<usize>>, nth: usize) -> usize {
    let Some(before) = before else {
        return 0;
    };
    // Coming from the diagonal below skips a row of the first; from above, a row of the second.
    let right = nth.checked_sub(1).and_then(|below| before.get(below));
    let down = before.get(nth).copied();
    match (right.map(|x| x + 1), down) {
        (Some(right), Some(down)) => right.max(down),
        (right, down) => right.or(down).unwrap_or(0),
    }
}

/// Traces the path back from the end.
fn back(ends: &[Vec<usize>], goal: (usize, usize)) -> Vec<(Range<usize>, Range<usize>)> {
    let mut same = Vec::new();
    let (mut x, mut y) = goal;
    for (edits, _) in ends.iter().enumerate().rev() {
        // Because x - y = 2 * nth - edits.
        let nth = (x + edits).saturating_sub(y) / 2;
        let before = edits.checked_sub(1).and_then(|before| ends.get(before));
        let from = step(before, nth);
        let length = x.saturating_sub(from);
        if length > 0 {
            same.push((from..x, y.saturating_sub(length)..y));
        }
        (x, y) = (from, y.saturating_sub(length));
        let was_right = nth
            .checked_sub(1)
            .and_then(|below| before?.get(below))
            .is_some_and(|below| below + 1 == from);
        if before.is_some() {
            if was_right {
                x = x.saturating_sub(1);
            } else {
                y = y.saturating_sub(1);
            }
        }
    }
    same.reverse();
    same
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the length of the longest common subsequence.
    fn longest(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y {
                    diagonal + 1
                } else {
                    above.max(row[at])
                };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn what_is_common_is_the_longest_that_is(
            a in prop::collection::vec(0..4_u64, 0..40),
            b in prop::collection::vec(0..4_u64, 0..40),
        ) {
            let same = common(&a, &b).unwrap();
            let mut last = (0, 0);
            for (ours, theirs) in &same {
                prop_assert!(ours.start >= last.0 && theirs.start >= last.1);
                prop_assert_eq!(&a[ours.clone()], &b[theirs.clone()]);
                last = (ours.end, theirs.end);
            }
            let length: usize = same.iter().map(|(ours, _)| ours.len()).sum();
            prop_assert_eq!(length, longest(&a, &b));
        }
    }

    #[test]
    fn two_that_have_nothing_in_common_are_given_up() {
        let a: Vec<u64> = (0..2000).collect();
        let b: Vec<u64> = (5000..7000).collect();
        assert_eq!(common(&a, &b), None);
    }
}
