//! Checks of parts of recordings, for every format.

use std::ops::ControlFlow;

use gametape::core::table::{Batch, Lane, Owned, Playback, Scan, TableDef};
use gametape::core::tape::{Cut, Cutout, Options};
use gametape::{At, Recording, Secrets, Tape, Time, Work};

use crate::Check;
use crate::tables::smallest;

/// The check of parts for all formats, with its seeds.
pub const CHECKS: &[Check] = &[Check::new("cut", cut, seeds)];

/// The length of a range in bytes: its kind and two numbers.
const RANGE: usize = 5;

/// The smallest recording of each kind, combined with ranges of every kind.
fn seeds() -> Vec<Vec<u8>> {
    let recordings = smallest();
    let ranges = [
        [0b0000_0001, 0, 0, 0, 0],
        [0b0000_0010, 0, 0, 1, 0],
        [0b0000_0011, 1, 0, 1, 0],
        [0b0000_0001, 2, 0, 0, 0],
        [0b0001_0111, 1, 0, 2, 0],
        [0b0010_1011, 30, 0, 200, 0],
        [0b0010_0001, 1, 0, 0, 0],
    ];
    let with =
        |recording: Vec<u8>| ranges.map(|range| [range.to_vec(), recording.clone()].concat());
    recordings.into_iter().flat_map(with).collect()
}

/// A range of any kind. The bits of `kind` select the ends that it has, and their clocks.
fn range([kind, from_low, from_high, to_low, to_high]: [u8; RANGE]) -> Cut {
    let at = |clock: u8, number: u16| match clock & 3 {
        0 => At::Step(number.into()),
        1 => At::Tick(number.into()),
        _ => At::Time(Time::from_ms(i64::from(number.cast_signed()))),
    };
    let from = at(kind >> 2, u16::from_le_bytes([from_low, from_high]));
    let to = at(kind >> 4, u16::from_le_bytes([to_low, to_high]));
    Cut::new(
        (kind & 1 != 0).then_some(from),
        (kind & 2 != 0).then_some(to),
    )
}

/// The part, if there is one.
fn part(recording: &Recording, range: &Cut) -> Option<(Vec<u8>, Cutout)> {
    let made = recording.cut(range, &Options::new()).ok()?;
    let bytes = made.content.bytes().expect("a file of ours");
    Some((bytes, made.outcome))
}

/// The values of rows.
type Rows = Vec<Vec<Owned>>;

/// The most rows of a table that are examined: a small input can claim a large grid.
const MOST: usize = 4096;

fn put(batch: &Batch, rows: &mut Rows) {
    for row in 0..batch.len().min(MOST) {
        let values = batch.columns().iter().map(|column| column.get(row).into());
        rows.push(values.collect());
    }
}

/// The rows of a table before a step, if there are few; `None` if they cannot be read.
fn rows_before(tape: &dyn Tape, table: &str, end: u64) -> Option<Vec<(u64, Vec<Owned>)>> {
    let mut all = Vec::new();
    let read = tape.scan_table(&Scan::table(table), &Work::default(), |batch| {
        let mut rows = Rows::new();
        put(&batch, &mut rows);
        all.extend(batch.steps().iter().copied().zip(rows));
        let goes_on = all.len() < MOST && all.last().is_none_or(|(step, _)| *step < end);
        Ok(if goes_on {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    });
    all.retain(|(step, _)| *step < end);
    all.truncate(MOST);
    read.ok().map(|_| all)
}

/// The rows of a state table at a step; `None` if they cannot be read.
fn held(play: &mut dyn Playback, table: &TableDef, step: u64) -> Option<Rows> {
    play.seek(At::Step(step)).ok()?;
    let mut rows = Rows::new();
    put(&play.state(&Scan::table(&*table.name)).ok()?, &mut rows);
    Some(rows)
}

/// The state and grid tables; facts belong to the whole recording.
fn of_states(recording: &Recording) -> Vec<TableDef> {
    let mut tables = recording.tables().unwrap_or_default();
    tables.retain(|table| matches!(table.lane, Lane::State | Lane::Grid));
    tables
}

/// Cuts a part out of any recording. The part is a whole recording of the same format with as many
/// steps as reported, or there is an error with a reason. Cutting it again with the same range
/// removes nothing more, and a part of everything is a copy. If no number was rounded, the state at
/// the first, the middle and the last step of the part is the original one. If the part is the
/// start of a recording, every row is the original one.
pub fn cut(data: &[u8]) {
    let Some((kind, data)) = data.split_first_chunk::<RANGE>() else {
        return;
    };
    let Ok(recording) = Recording::from_bytes(data.to_vec(), "a") else {
        return;
    };
    let all = Cut::new(Some(At::Step(0)), None);
    if let Some((bytes, cutout)) = part(&recording, &all) {
        assert!(bytes == data, "all of it is a copy");
        assert!(cutout.kept.is_all, "{:?}", cutout.kept);
    }
    let range = range(*kind);
    let Some((bytes, cutout)) = part(&recording, &range) else {
        return;
    };
    let kept = &cutout.kept;
    assert!(!kept.steps.is_empty(), "{kept:?}");
    if kept.is_all {
        assert!(bytes == data, "all of it is a copy");
        return;
    }
    let cut = Recording::from_bytes(bytes.clone(), "a").expect("a recording of the same format");
    assert_eq!(cut.format().name(), recording.format().name());
    let info = cut
        .info(Secrets::Hide)
        .expect("a recording that can be read");
    assert!(info.problem.is_none(), "{:?}", info.problem);
    let count = kept.steps.end - kept.steps.start;
    if let Some(steps) = info.value.steps {
        assert_eq!(steps, count, "{kept:?}");
    }
    let (again, _) = part(&cut, &all).expect("a part of a part");
    assert!(again == bytes, "a part is cut no further");
    if cutout.converted.report.is_some() {
        return;
    }
    holds_what_was_there(&recording, &cut, kept.steps.start, count);
    if kept.steps.start == 0 {
        for table in recording.tables().unwrap_or_default() {
            if table.lane == Lane::Facts {
                continue;
            }
            let of_all = rows_before(&**recording.tape(), &table.name, count);
            let of_part = rows_before(&**cut.tape(), &table.name, count);
            assert_eq!(of_all, of_part, "{}", table.name);
        }
    }
}

/// Compares the states at the first step, in the middle and at the last step.
fn holds_what_was_there(recording: &Recording, cut: &Recording, start: u64, count: u64) {
    let (Ok(mut then), Ok(mut now)) = (recording.playback(), cut.playback()) else {
        return;
    };
    let span = now.span();
    assert_eq!(span.last.step - span.first.step + 1, count);
    for table in of_states(recording) {
        for step in [0, count / 2, count - 1] {
            let wanted = held(&mut *then, &table, start + step);
            if wanted.is_some() {
                let found = held(&mut *now, &table, step);
                assert_eq!(found, wanted, "{} at step {step} of the part", table.name);
            }
        }
    }
}
