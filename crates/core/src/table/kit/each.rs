//! Several tables at once.

use std::ops::ControlFlow;

use super::row::told;
use super::{Row, all_of, rows_of, scanned};
use crate::table::{Scan, TableDef};
use crate::tape::{Tape, Work};

/// Checks that scanning several tables at once gives the same rows as scanning each alone, and that
/// a visitor that stops one table still gets all rows of the others.
pub(super) fn check(tape: &dyn Tape, tables: &[TableDef]) {
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
