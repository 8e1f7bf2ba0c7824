//! Converts a recording of each format to a capture and compares the tables. Fails for a format
//! without samples here.

use std::sync::Arc;

use gametape::core::table::kit::{self, Row, all_of, assert_same, by_key};
use gametape::core::tape::{Options, Tape, Verdict};
use gametape::{At, Lane, Recording, TableDef};

use crate::known::samples;

fn scanned(tape: &dyn Tape, table: &TableDef) -> Vec<Row> {
    let mut rows = kit::scanned(tape, &all_of(table));
    if table.lane == Lane::State || table.lane == Lane::Grid {
        // The order of rows within a step does not matter, except for rows of the same key.
        rows.sort_by_key(|row| (row.stamp.step, row.key(table)));
    }
    rows
}

/// Compares the state of a table at some moments, visited forwards and backwards.
fn states(table: &TableDef, tapes: [&Arc<dyn Tape>; 2], steps: &[u64]) {
    let mut plays = tapes.map(|tape| tape.playback().unwrap());
    for step in steps {
        let [wanted, found] = plays.each_mut().map(|play| {
            let now = play.seek(At::Step(*step)).unwrap();
            let state = play.state(&all_of(table)).unwrap();
            (now, by_key(table, &state))
        });
        assert_eq!(wanted.0, found.0, "{}", table.name);
        assert_same(table, &wanted.1, &found.1);
    }
}

fn check(original: &Recording, copy: &Recording, secret: bool) {
    assert_eq!(copy.audit().unwrap().verdict(), Verdict::Pass);
    let tables = copy.tables().unwrap();
    let (packets, tables) = tables.split_last().unwrap();
    assert_eq!(packets.name, "packets");
    let originals = original.tables().unwrap();
    assert_eq!(tables.len(), originals.len());
    for (table, of) in tables.iter().zip(&originals) {
        assert_eq!(
            (&table.name, table.lane, &table.shape),
            (&of.name, of.lane, &of.shape)
        );
        let columns = of.columns.iter().filter(|column| secret || !column.secret);
        assert!(columns.eq(&table.columns), "{}", table.name);
        let rows = scanned(&**original.tape(), table);
        assert_same(table, &rows, &scanned(&**copy.tape(), table));
        if table.lane != Lane::Events {
            let last = original.tape().playback().unwrap().span().last.step;
            let steps = [last, 0, last / 2, last / 3, last * 9 / 10];
            states(table, [original.tape(), copy.tape()], &steps);
        }
    }
}

#[test]
fn a_recording_of_every_format_is_a_capture_whose_tables_are_its_own() {
    for format in gametape::formats().iter() {
        for (at, bytes) in samples(format.name()).into_iter().enumerate() {
            println!("{} {at}", format.name());
            let original = Recording::from_bytes(bytes, "a").unwrap();
            for secret in [false, true] {
                let mut options = Options::new();
                if secret {
                    options = options.flag("show-secrets");
                }
                let made = original.convert("capture", &options).unwrap();
                assert_eq!(made.outcome.losses, [""; 0]);
                let copy = Recording::from_bytes(made.content.bytes().unwrap(), "b").unwrap();
                check(&original, &copy, secret);
                if secret && at == 0 {
                    kit::check(copy.tape());
                }
            }
        }
    }
}
