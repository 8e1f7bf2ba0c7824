//! Rows that come earlier or later than in the other recording: one that was put in between moves all
//! that follow, and differs alone.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::{ControlFlow, Range};

use super::super::batch::Owned;
use super::super::def::TableDef;
use super::super::kind::Lane;
use super::super::scan::Scan;
use super::feed::By;
use super::found::TableDiff;
use crate::clock::Stamp;
use crate::tape::{Error, Tape};

/// Rows of a table that are aligned: of more their moments alone tell which belong together.
const MOST_ROWS: usize = 1 << 18;
/// Fewer are looked through at a glance.
const LEAST_ROWS: usize = 8;
/// Rows that one of two has alone.
const MOST_EDITS: usize = 1 << 9;
/// Of so many rows one may be one recording's alone: else the two are two.
const SHARE: usize = 4;

/// Of so many rows one at least is different: rows that all say the same belong to any other.
const VARIED: usize = 16;

/// A row, by what it says, and when.
type Said = (u64, Stamp);

/// What is left of the differences of a table where rows of one recording belong to rows that the other
/// has at another moment; `None` where that explains nothing.
pub(super) fn closer(
    tapes: [&dyn Tape; 2],
    table: &TableDef,
    scan: &Scan,
    (found, steps): &(TableDiff, Vec<u64>),
) -> Result<Option<(TableDiff, Vec<u64>)>, Error> {
    let differ = found.rows + found.only_first + found.only_second;
    if table.lane == Lane::Facts || differ < 2 || steps.len() < LEAST_ROWS {
        return Ok(None);
    }
    let (Some(ours), Some(theirs)) = (said(tapes[0], scan)?, said(tapes[1], scan)?) else {
        return Ok(None);
    };
    let hashes = |rows: &[Said]| rows.iter().map(|row| row.0).collect::<Vec<u64>>();
    let by = By::of([
        ours.first().map(|row| row.1),
        theirs.first().map(|row| row.1),
    ]);
    if by != By::Time {
        // A tick, or a step, is no other one.
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
    // What is moved with the rest is one difference.
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

/// The steps of rows outside of some stretches, which are in their order.
fn between<'r>(rows: &[Said], stretches: impl Iterator<Item = &'r Range<usize>>) -> Vec<u64> {
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

/// All rows of a table, if they are not too many and nothing is wrong with them.
fn said(tape: &dyn Tape, scan: &Scan) -> Result<Option<Vec<Said>>, Error> {
    let mut rows: Vec<Said> = Vec::new();
    let read = tape.scan(scan, &mut |batch| {
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

/// The stretches that two sequences have in common, in their order, where all but a few of their members
/// are in them: Myers' algorithm.
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
        // The furthest on each diagonal, from -edits to edits by twos.
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

/// Where the next edit leads to on the diagonal of this number: a row of the second alone, or of the first.
fn step(before: Option<&Vec<usize>>, nth: usize) -> usize {
    let Some(before) = before else {
        return 0;
    };
    // From the diagonal below the first's member is passed, from that above the second's.
    let right = nth.checked_sub(1).and_then(|below| before.get(below));
    let down = before.get(nth).copied();
    match (right.map(|x| x + 1), down) {
        (Some(right), Some(down)) => right.max(down),
        (right, down) => right.or(down).unwrap_or(0),
    }
}

/// The way back from the end.
fn back(ends: &[Vec<usize>], goal: (usize, usize)) -> Vec<(Range<usize>, Range<usize>)> {
    let mut same = Vec::new();
    let (mut x, mut y) = goal;
    for (edits, _) in ends.iter().enumerate().rev() {
        // x - y is 2 * nth - edits.
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

    /// The length of the longest common subsequence.
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
