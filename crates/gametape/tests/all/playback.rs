//! The state at a moment is the same however it is reached, and a range gives the matching part of
//! all rows.

use std::cmp::Ordering;

use gametape::core::table::kit::{Row, all_of, scanned};
use gametape::{At, Lane, Scan};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::known::{KNOWN, Move, held, moves};

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_is_what_stepping_comes_to(which: Index, moves in moves(), table: Index) {
        let known = which.get(&KNOWN);
        let mut play = known.recording.playback().unwrap();
        let mut at = 0;
        let table = table.index(known.tables.len());
        let def = &known.tables[table];
        for go in &moves {
            if let Some(to) = go.at(known) {
                match (play.seek(to), known.newest(to)) {
                    (Ok(stamp), Some(wanted)) => {
                        prop_assert_eq!(stamp, known.stamps[wanted]);
                        at = wanted;
                    }
                    // An error leaves the position unchanged.
                    (Err(_), None) => {}
                    (found, wanted) => prop_assert!(false, "{to:?}: {found:?}, not {wanted:?}"),
                }
            } else if let Move::On(times) = go {
                for _ in 0..*times {
                    let next = play.step().unwrap();
                    prop_assert_eq!(next, known.stamps.get(at + 1).copied());
                    at += usize::from(next.is_some());
                }
            }
            prop_assert_eq!(play.now(), known.stamps[at]);
            let wanted = &known.states[at][table];
            prop_assert!(held(&mut *play, def) == *wanted, "{} at {:?}", def.name, play.now());
        }
    }

    #[test]
    fn a_range_is_what_is_left_of_all_rows(which: Index, ends in moves(), table: Index, fewer: Index) {
        let known = which.get(&KNOWN);
        let def = table.get(&known.tables);
        let tape = &**known.recording.tape();
        let all = scanned(tape, &all_of(def));
        let mut ends = ends.iter().filter_map(|end| end.at(known));
        let (from, to) = (ends.next(), ends.next());
        // Select one column.
        let column = fewer.index(def.columns.len());
        let scan = Scan { from, to, ..all_of(def) };
        let scan = scan.columns([&*def.columns[column].name]);
        if scan.check_range().is_err() {
            return Ok(());
        }
        let within = |row: &&Row| {
            let is = |at: Option<At>, no: Ordering| at.and_then(|at| at.order(row.stamp)) != Some(no);
            def.lane == Lane::Facts || is(from, Ordering::Less) && is(to, Ordering::Greater)
        };
        let key = def.columns[column].key;
        let wanted = all.iter().filter(within).map(|row| {
            let value = row.values[column].clone();
            // A row that ends its key has no other values.
            assert!(!row.ended || key || value.value() == gametape::Value::Null);
            Row { values: vec![value], ..row.clone() }
        });
        let found = scanned(tape, &scan);
        prop_assert!(wanted.eq(found), "{scan:?} of {}", known.recording.format().name());
    }
}
