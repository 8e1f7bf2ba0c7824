//! The dump of a recording beside its rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

use super::row::scanned;
use crate::clock::At;
use crate::table::{Lane, Scan, TableDef};
use crate::tape::{Dump, Secrets, Tape};

/// Checks that a dump has the rows of all tables, and that of a moment those of its step or tick.
pub fn check(tape: &Arc<dyn Tape>, tables: &[TableDef]) {
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
