//! Several tables at once: in one scan, and in a dump.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value as Json;

use super::row::told;
use super::{Row, all_of, rows_of, scanned};
use crate::clock::At;
use crate::table::{Lane, Scan, TableDef};
use crate::tape::{Dump, Secrets, Tape, Work};

/// Checks that a dump has the rows of all tables, and that of a moment those of its step or tick.
pub(super) fn dumps(tape: &Arc<dyn Tape>, tables: &[TableDef]) {
    if tape.abilities().steps.is_some() {
        return;
    }
    let is_dumped = |table: &&TableDef| table.lane != Lane::Facts && !table.on_request;
    let rows = tables.iter().filter(is_dumped).map(|table| {
        let scan = Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*table.name)
        };
        scanned(&**tape, &scan).len()
    });
    let all = lines(tape, None);
    assert_eq!(all.len(), rows.sum::<usize>(), "rows in a dump");
    let number = |line: &str, clock: &str| -> Option<u64> {
        serde_json::from_str::<Json>(line)
            .ok()?
            .get(clock)?
            .as_u64()
    };
    for (clock, at) in [
        ("step", At::Step as fn(u64) -> At),
        ("tick", At::Tick as fn(u64) -> At),
    ] {
        let numbers: BTreeSet<u64> = all.iter().filter_map(|line| number(line, clock)).collect();
        let count = numbers.len();
        for share in [0, 3, 7, 10] {
            let nth = (count.saturating_sub(1)) * share / 10;
            let Some(wanted) = numbers.iter().nth(nth) else {
                continue;
            };
            let at = at(*wanted);
            let of_moment: Vec<&String> = all
                .iter()
                .filter(|line| number(line, clock) == Some(*wanted))
                .collect();
            let dumped = lines(tape, Some(at));
            assert!(dumped.iter().eq(of_moment), "the dump at {at}: {dumped:?}");
        }
    }
}

fn lines(tape: &Arc<dyn Tape>, at: Option<At>) -> Vec<String> {
    let wanted = Dump {
        at,
        secrets: Secrets::Show,
        ..Dump::default()
    };
    let mut out = Vec::new();
    if let Err(error) = tape.dump(&wanted, &mut out) {
        panic!("no dump: {error}");
    }
    let text = String::from_utf8_lossy(&out);
    text.lines().map(str::to_owned).collect()
}

/// Checks that scanning several tables at once gives the same rows as scanning each alone, and that
/// a visitor that stops one table still gets all rows of the others.
pub(super) fn each(tape: &dyn Tape, tables: &[TableDef]) {
    let last = tables.last().map(|table| Scan::table(&*table.name));
    let scans: Vec<Scan> = tables.iter().map(all_of).chain(last).collect();
    for enough in [None, Some(0)] {
        let mut rows: Vec<Vec<Row>> = vec![Vec::new(); scans.len()];
        let mut batches = 0;
        let read = tape.scan(&scans, &Work::default(), &mut |scan, batch| {
            assert!(!batch.is_empty(), "an empty batch of {:?}", scans.get(scan));
            if enough == Some(scan) {
                batches += 1;
                return Ok(ControlFlow::Break(()));
            }
            if let Some(rows) = rows.get_mut(scan) {
                rows.extend(rows_of(&batch));
            }
            Ok(ControlFlow::Continue(()))
        });
        assert!(batches <= 1, "a table goes on of which enough was seen");
        let problems: Vec<Option<String>> = match read {
            Ok(read) => read
                .iter()
                .map(|read| Some(read.problem.as_ref()?.to_string()))
                .collect(),
            Err(error) => panic!("the tables can't be read at once: {error}"),
        };
        assert_eq!(problems.len(), scans.len(), "an end for each scan");
        for (at, ((scan, rows), problem)) in scans.iter().zip(&rows).zip(problems).enumerate() {
            if enough == Some(at) {
                continue;
            }
            super::row::same_rows(scan, rows, &scanned(tape, scan));
            let alone = tape.scan_table(scan, &Work::default(), |_| Ok(ControlFlow::Continue(())));
            let alone = alone.map(|read| Some(read.problem?.to_string()));
            assert_eq!(Some(problem), alone.ok(), "{}: what is wrong", told(scan));
        }
    }
}
