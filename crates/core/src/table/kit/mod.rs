//! Checks that every recording's tables must pass, for the tests of formats.

mod book;
mod grows;
mod made;
mod row;
#[cfg(test)]
mod tests;
mod together;

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use super::{Batch, Kind, Lane, Late, Owned, Playback, Scan, StampColumn, TableDef};
use crate::clock::{At, Stamp};
use crate::tape::{Error, RowCount, Secrets, Tape, Work};

pub use book::{blessed, findings};

pub use grows::grows;
pub use made::Made;
use row::{KeptInput, same_rows, told};
pub use row::{Row, all_of, assert_same, by_key, fact, flat, holding, rows_of, scanned};

/// Checks the tables of a recording:
///
/// - Tables and columns are named and documented; rows are in the order of their steps and have the
///   declared number, kind and shape, and text columns have declared values alone.
/// - Fewer columns, a range and a filter give the matching part of all rows.
/// - A scan stops when the visitor stops it.
/// - The state at a moment is the result of the rows before it.
/// - Scanning several tables at once gives the rows of each.
/// - Rows on request ([`Pull`](super::Pull)) are the same, and a cancelled scan ends.
/// - The parts of a scan, one after the other, are the scan.
/// - A dump has all rows, and that of a moment all rows of its step or tick.
/// - An estimate that claims to be exact is, and clocks that are said to rise do.
///
/// # Panics
/// If a check fails. The recording is then kept in a file, whose path is printed.
pub fn check(tape: &Arc<dyn Tape>) {
    let _kept = KeptInput {
        input: tape.input(),
        what: "the recording that was checked".to_owned(),
    };
    let shared = tape;
    let tape = &**tape;
    let tables = match tape.tables() {
        Ok(tables) => tables,
        Err(error) => panic!("no tables: {error}"),
    };
    for (at, table) in tables.iter().enumerate() {
        let before = tables.iter().take(at);
        assert!(
            before.into_iter().all(|other| other.name != table.name),
            "{} is there twice",
            table.name
        );
        described(table);
        let scan = Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*table.name)
        };
        let rows = scanned(tape, &scan);
        whole(table, &rows);
        estimated(tape, table, &rows);
        columns(tape, &scan, table, &rows);
        ranges(tape, &scan, &rows);
        filters(tape, &scan, table, &rows);
        breaks(tape, &scan, &rows);
        cancels(tape, &scan, &rows);
        pulls(shared, &scan, &rows);
        pieces(tape, &scan, &rows);
        if table.lane != Lane::Events {
            playback(shared, table, &rows);
        }
    }
    together::each(tape, &tables);
    together::dumps(shared, &tables);
    match crate::surface::diff_tables([shared, shared], &Work::default()) {
        Ok(found) => assert_eq!(found.value.tables, [], "it differs from itself"),
        Err(error) => panic!("it can't be compared with itself: {error}"),
    }
}

fn described(table: &TableDef) {
    let is_name = |name: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !name.is_empty() && name.chars().all(plain)
    };
    let name = &table.name;
    assert!(is_name(name), "{name:?} is no name");
    assert!(table.doc.ends_with('.'), "{name}: {:?}", table.doc);
    assert!(!table.columns.is_empty(), "{name} has no columns");
    for (at, column) in table.columns.iter().enumerate() {
        let place = format!("{name}.{}", column.name);
        assert!(is_name(&column.name), "{place:?} is no name");
        assert!(column.doc.ends_with('.'), "{place}: {:?}", column.doc);
        assert!(
            !super::is_reserved(&column.name),
            "{place}: a name that every table has, or the name of the recording"
        );
        assert_eq!(
            table.column(&column.name),
            Some(at),
            "{place} is there twice"
        );
        assert!(
            !column.key || !matches!(column.kind, Kind::Float32 | Kind::Float64),
            "{place}: a key with a fraction"
        );
    }
    let keys = table.columns.iter().filter(|column| column.key).count();
    if table.lane == Lane::Grid {
        assert_eq!(table.shape.len(), keys, "{name}: a length for each key");
    } else {
        assert!(table.shape.is_empty(), "{name} is no grid");
    }
}

fn whole(table: &TableDef, rows: &[Row]) {
    let name = &table.name;
    if let Some(count) = table.rows {
        assert_eq!(rows.len() as u64, count, "{name}: the number of rows");
    }
    let steps: Vec<u64> = rows.iter().map(|row| row.stamp.step).collect();
    assert!(steps.is_sorted(), "{name}: steps that do not rise");
    for row in rows {
        if row.ended {
            assert_eq!(table.lane, Lane::State, "{name}: {row}");
        }
        let keys = table.columns.iter().zip(&row.values);
        for (column, value) in keys.filter(|(column, _)| column.key) {
            assert_ne!(*value, Owned::Null, "{name}.{}: {row}", column.name);
        }
        let values = table.columns.iter().zip(&row.values);
        for (column, value) in values.clone().filter(|(column, _)| !column.recorded) {
            assert_eq!(*value, Owned::Null, "{name}.{}: not recorded", column.name);
        }
        for (column, value) in values.filter(|(column, _)| !column.values.is_empty()) {
            if let Owned::Text(value) = value {
                let known = column.values.iter().any(|known| *known == **value);
                assert!(known, "{name}.{}: never {value:?}", column.name);
            }
        }
    }
    if table.lane == Lane::Facts {
        assert!(rows.len() <= 1 || table.columns.iter().any(|column| column.key));
    }
}

fn estimated(tape: &dyn Tape, table: &TableDef, rows: &[Row]) {
    let name = &table.name;
    let estimate = match tape.estimate(name) {
        Ok(estimate) => estimate,
        Err(error) => panic!("{name}: no estimate: {error}"),
    };
    if let RowCount::Exact(count) = estimate.rows {
        assert_eq!(rows.len() as u64, count, "{name}: the number of rows");
    }
    let stamps = || rows.iter().map(|row| row.stamp);
    if table.lane != Lane::Facts {
        let rises = !estimate.rises.ticks || stamps().is_sorted_by_key(|stamp| stamp.tick);
        assert!(rises, "{name}: ticks go back");
        let rises = !estimate.rises.times || stamps().is_sorted_by_key(|stamp| stamp.time);
        assert!(rises, "{name}: times go back");
    }
    if let Some(span) = estimate.span {
        let within = |stamp: Stamp| (span.first.step..=span.last.step).contains(&stamp.step);
        assert!(stamps().all(within), "{name}: a row outside of {span:?}");
    }
}

/// The number of column selections; together they select each column once.
const WISHES: usize = 6;

fn columns(tape: &dyn Tape, scan: &Scan, table: &TableDef, rows: &[Row]) {
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let every = |at: usize| (at..names.len()).step_by(WISHES).collect();
    let mut wishes: Vec<Vec<usize>> = (0..WISHES.min(names.len())).map(every).collect();
    wishes.push((0..names.len()).rev().collect());
    for wish in wishes {
        let wanted = wish.iter().filter_map(|at| names.get(*at)).copied();
        let scan = scan.clone().columns(wanted);
        let picked: Vec<Row> = rows
            .iter()
            .map(|row| Row {
                values: wish
                    .iter()
                    .filter_map(|at| row.values.get(*at).cloned())
                    .collect(),
                ..row.clone()
            })
            .collect();
        same_rows(&scan, &scanned(tape, &scan), &picked);
    }
    stamps(tape, scan, table, rows);
    let no_columns: [&str; 0] = [];
    let bare = |row: &Row| Row {
        values: Vec::new(),
        ..row.clone()
    };
    let bare: Vec<Row> = rows.iter().map(bare).collect();
    let scan = scan.clone().columns(no_columns);
    same_rows(&scan, &scanned(tape, &scan), &bare);
    let without = bare.into_iter().map(|row| Row {
        stamp: Stamp::default(),
        ..row
    });
    let without: Vec<Row> = without.collect();
    let scan = scan.without_stamps();
    same_rows(&scan, &scanned(tape, &scan), &without);
}

/// Checks stamps as columns: alone, and on both sides of the table's own.
fn stamps(tape: &dyn Tape, scan: &Scan, table: &TableDef, rows: &[Row]) {
    let [step, tick, time, ended] = StampColumn::ALL;
    let own = table.columns.first();
    for (before, own, after) in [
        (&[tick][..], None, &[][..]),
        (&[ended, time], own, &[tick, step]),
    ] {
        let scan = scan.clone().columns(
            before
                .iter()
                .map(|stamp| stamp.name())
                .chain(own.map(|column| &*column.name))
                .chain(after.iter().map(|stamp| stamp.name())),
        );
        let picked = |row: &Row| {
            let value = |stamp: &StampColumn| stamp.value(row.stamp, row.ended).into();
            let own = own.and(row.values.first()).cloned();
            let values = before
                .iter()
                .map(value)
                .chain(own)
                .chain(after.iter().map(value));
            Row {
                values: values.collect(),
                ..row.clone()
            }
        };
        let picked: Vec<Row> = rows.iter().map(picked).collect();
        same_rows(&scan, &scanned(tape, &scan), &picked);
    }
}

fn ranges(tape: &dyn Tape, scan: &Scan, rows: &[Row]) {
    let places = [0, rows.len() / 3, rows.len() * 9 / 10];
    let stamps: Vec<Stamp> = places
        .iter()
        .filter_map(|at| Some(rows.get(*at)?.stamp))
        .collect();
    // Where a clock goes backwards, the rows in a range may not be contiguous: such clocks are
    // checked with `Late::Skip` alone.
    let ticks: Vec<_> = rows.iter().map(|row| row.stamp.tick).collect();
    let times: Vec<_> = rows.iter().map(|row| row.stamp.time).collect();
    let mut pairs: Vec<([Option<At>; 2], Late)> = Vec::new();
    for (from, to) in stamps.iter().zip(stamps.iter().skip(1)) {
        let mut add = |a: Option<At>, b: Option<At>, rises: bool| {
            for range in [[a, b], [a, None], [None, b]] {
                pairs.push((range, Late::Skip));
                if rises {
                    pairs.push((range, Late::End));
                }
            }
        };
        add(Some(At::Step(from.step)), Some(At::Step(to.step)), true);
        let [a, b] = [from, to].map(|stamp| stamp.tick.map(At::Tick));
        if ticks.iter().all(Option::is_some) && from.tick <= to.tick {
            add(a, b, ticks.is_sorted());
        }
        let [a, b] = [from, to].map(|stamp| stamp.time.map(At::Time));
        if times.iter().all(Option::is_some) && from.time <= to.time {
            add(a, b, times.is_sorted());
        }
    }
    for ([from, to], late) in pairs {
        let scan = Scan {
            from,
            to,
            late,
            ..scan.clone()
        };
        let after =
            |row: &&Row| from.is_none_or(|at| at.order(row.stamp).is_some_and(Ordering::is_ge));
        let before =
            |row: &&Row| to.is_none_or(|at| at.order(row.stamp).is_some_and(Ordering::is_le));
        let wanted: Vec<Row> = rows.iter().filter(after).filter(before).cloned().collect();
        same_rows(&scan, &scanned(tape, &scan), &wanted);
    }
}

fn filters(tape: &dyn Tape, scan: &Scan, table: &TableDef, rows: &[Row]) {
    for (at, column) in table.columns.iter().enumerate() {
        if !column.key {
            continue;
        }
        let mut seen: Vec<&Owned> = Vec::new();
        for value in rows.iter().filter_map(|row| row.values.get(at)) {
            if seen.len() < 3 && !seen.contains(&value) {
                seen.push(value);
            }
        }
        for value in seen {
            let text = match value {
                Owned::Bool(value) => value.to_string(),
                Owned::Int(value) => value.to_string(),
                Owned::Uint(value) => value.to_string(),
                Owned::Text(value) => value.clone(),
                _ => continue,
            };
            let scan = scan.clone().key(&*column.name, text);
            let is = |row: &&Row| row.values.get(at) == Some(value);
            let wanted: Vec<Row> = rows.iter().filter(is).cloned().collect();
            same_rows(&scan, &scanned(tape, &scan), &wanted);
        }
    }
}

fn breaks(tape: &dyn Tape, scan: &Scan, rows: &[Row]) {
    let mut batches = 0;
    let scanned = tape.scan_table(scan, &Work::default(), |_| {
        batches += 1;
        Ok(ControlFlow::Break(()))
    });
    assert!(scanned.is_ok(), "{}", told(scan));
    assert_eq!(batches, usize::from(!rows.is_empty()), "{}", told(scan));
}

/// Checks that a scan of many rows ends soon after it was cancelled.
fn cancels(tape: &dyn Tape, scan: &Scan, rows: &[Row]) {
    let cancel = AtomicBool::new(true);
    let work = Work {
        cancel: Some(&cancel),
        ..Work::default()
    };
    let mut seen = 0;
    let scanned = tape.scan_table(scan, &work, |batch: Batch| {
        seen += batch.len();
        Ok(ControlFlow::Continue(()))
    });
    match scanned {
        Err(Error::Cancelled) => {}
        Ok(_) => assert!(
            rows.len() <= 1,
            "{}: not cancelled after {seen} rows",
            told(scan)
        ),
        Err(error) => panic!("{}: {error}", told(scan)),
    }
    cancel.store(false, Memory::Relaxed);
}

/// Checks that rows on request are the rows of a scan.
fn pulls(tape: &Arc<dyn Tape>, scan: &Scan, rows: &[Row]) {
    let mut pull = tape.pull([scan.clone()]);
    let mut pulled = Vec::new();
    loop {
        match pull.next_batch() {
            Ok(Some((_, batch))) => pulled.extend(rows_of(&batch)),
            Ok(None) => break,
            Err(error) => panic!("{}: {error}", told(scan)),
        }
    }
    same_rows(scan, &pulled, rows);
}

/// Checks that the parts of a scan, one after the other, are the scan.
fn pieces(tape: &dyn Tape, scan: &Scan, rows: &[Row]) {
    let middle = rows.get(rows.len() / 2).map_or(0, |row| row.stamp.step);
    let late = |row: &&Row| row.stamp.step >= middle;
    for (scan, wanted) in [
        (scan.clone(), rows.to_vec()),
        (
            scan.clone().from(At::Step(middle)),
            rows.iter().filter(late).cloned().collect(),
        ),
    ] {
        for at_most in [2, 3, 7] {
            let pieces = match tape.pieces(&scan, at_most) {
                Ok(pieces) => pieces,
                Err(error) => panic!("{}: {error}", told(&scan)),
            };
            assert!(
                (1..=at_most).contains(&pieces.len()),
                "{}: {pieces:?}",
                told(&scan)
            );
            let found: Vec<Row> = pieces
                .iter()
                .flat_map(|piece| scanned(tape, piece))
                .collect();
            // Facts are valid in every range.
            if pieces.len() > 1 || scan.from.is_none() {
                same_rows(&scan, &found, &wanted);
            }
        }
    }
}

/// Checks the state at some moments, visited forwards and backwards, against the rows before them.
fn playback(tape: &Arc<dyn Tape>, table: &TableDef, rows: &[Row]) {
    let mut play = match tape.playback() {
        Ok(play) => play,
        Err(error) => panic!("no playback: {error}"),
    };
    let scan = Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*table.name)
    };
    let facts = table.lane == Lane::Facts;
    let span = play.span();
    let mut stamps = vec![span.first, span.last];
    for share in [7, 2, 9, 1, 5, 4] {
        stamps.extend(rows.get(rows.len() * share / 10).map(|row| row.stamp));
    }
    for stamp in stamps {
        let sought = play.seek(At::Step(stamp.step));
        match sought {
            Ok(at) => assert_eq!(at.step, stamp.step, "{}", table.name),
            Err(error) => panic!("{stamp:?}: {error}"),
        }
        let upto = rows
            .iter()
            .filter(|row| facts || row.stamp.step <= stamp.step);
        let wanted = holding(table, upto).into_iter().map(|row| Row {
            stamp: play.now(),
            ..row
        });
        let wanted: Vec<Row> = wanted.collect();
        same_rows(&scan, &held(&mut *play, table, &scan), &wanted);
        if let Err(error) = play.step() {
            panic!("after {stamp:?}: {error}");
        }
        let now = play.now();
        let upto = rows
            .iter()
            .filter(|row| facts || row.stamp.step <= now.step);
        let wanted = holding(table, upto)
            .into_iter()
            .map(|row| Row { stamp: now, ..row });
        let wanted: Vec<Row> = wanted.collect();
        same_rows(&scan, &held(&mut *play, table, &scan), &wanted);
    }
}

/// Returns the state at the current moment, in the order of the keys.
fn held(play: &mut dyn Playback, table: &TableDef, scan: &Scan) -> Vec<Row> {
    match play.state(scan) {
        Ok(batch) => by_key(table, &batch),
        Err(error) => panic!("{} at {:?}: {error}", told(scan), play.now()),
    }
}
