//! Recordings of every format.

use std::sync::{Arc, Mutex};

use gametape::echo::{butter, echoreplay};
use gametape::murk::engine::World;
use gametape::{Lane, Options, Recording};
use gametape_core::table::kit::{all_of, scanned};
use gametape_core::table::{Scan, TableDef};
use gametape_core::tape::{Secrets, Tape};
use gametape_samples::echo::{Match, MatchOptions};
use gametape_tables::{ArrowTable, Merge};

use crate::told;

/// Recordings of each format, with captures of them.
pub fn recordings() -> Vec<Recording> {
    let frames: Vec<_> = Match::new(MatchOptions {
        frames: Some(40),
        ..MatchOptions::default()
    })
    .collect();
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in &frames {
        text.push(frame).unwrap();
    }
    let mut files = vec![
        ("game.rmv", gametape_samples::mines::example()),
        ("match.echoreplay", text.finish().unwrap()),
        (
            "match.butter",
            butter::write(&frames, butter::Options::default()).unwrap(),
        ),
    ];
    for (name, text) in gametape_samples::murk::ALL {
        let world = World::from_toml(text).unwrap();
        let run = gametape_samples::murk::record(&world, world.build().unwrap(), 1, 8).unwrap();
        files.push((name, run));
    }
    let mut all: Vec<Recording> = files
        .into_iter()
        .map(|(name, bytes)| Recording::from_bytes(bytes, name).unwrap())
        .collect();
    for at in 0..all.len() {
        let capture = all[at].convert("capture", &Options::new()).unwrap();
        let bytes = capture.content.bytes().unwrap();
        all.push(Recording::from_bytes(bytes, "made.mcap").unwrap());
    }
    all
}

/// Checks all rows, and those of some columns, of every table.
fn check(name: &str, tape: &Arc<dyn Tape>, table: &TableDef) {
    let rows = scanned(&**tape, &all_of(table));
    for secrets in [Secrets::Hide, Secrets::Show] {
        let arrow = ArrowTable::new(table, secrets);
        let wanted: Vec<_> = (rows.iter())
            .map(|row| told::wanted(name, table, secrets, row))
            .collect();
        let all: Vec<usize> = (0..arrow.schema().fields().len()).collect();
        let backwards: Vec<usize> = all.iter().rev().step_by(2).copied().collect();
        for columns in [all, backwards, vec![0], Vec::new()] {
            let scan = Scan::table(&*table.name);
            let reader = arrow.reader(name, tape, &scan, Some(&columns)).unwrap();
            let (mut found, mut count) = (Vec::new(), 0);
            for batch in reader {
                let batch = batch.unwrap();
                count += batch.num_rows();
                found.extend(told::batch(&batch));
            }
            assert_eq!(count, rows.len(), "{name} {}", table.name);
            for (found, wanted) in found.iter().zip(&wanted) {
                let wanted: Vec<_> = columns.iter().map(|at| wanted[*at].clone()).collect();
                assert_eq!(*found, wanted, "{name} {}", table.name);
            }
        }
    }
}

#[test]
fn arrow_has_the_rows_of_every_table_of_every_format() {
    for recording in recordings() {
        let name = recording.path().to_string_lossy().into_owned();
        for table in recording.tables().unwrap() {
            check(&name, recording.tape(), &table);
        }
    }
}

#[test]
fn a_broken_recording_has_its_rows_and_then_its_problem() {
    let mut broken = 0;
    for recording in recordings() {
        let whole = recording.input().bytes().unwrap().into_owned();
        let name = recording.path().to_string_lossy().into_owned();
        let Ok(cut) = Recording::from_bytes(whole[..whole.len() * 2 / 3].to_vec(), &name) else {
            continue;
        };
        for table in cut.tables().unwrap_or_default() {
            let rows = scanned(&**cut.tape(), &all_of(&table));
            let arrow = ArrowTable::new(&table, Secrets::Hide);
            let read = || {
                arrow
                    .reader(&name, cut.tape(), &Scan::table(&*table.name), None)
                    .unwrap()
            };
            let (batches, errors): (Vec<_>, Vec<_>) = read().partition(Result::is_ok);
            let count: usize = batches
                .into_iter()
                .map(|batch| batch.unwrap().num_rows())
                .sum();
            assert_eq!(count, rows.len());

            let problems = Arc::new(Mutex::new(Vec::new()));
            let sink = Arc::clone(&problems);
            let reader = read().problems_to(move |problem| sink.lock().unwrap().push(problem));
            assert!(reader.into_iter().all(|batch| batch.is_ok()));
            let problems = problems.lock().unwrap();
            assert_eq!(problems.len(), errors.len(), "{name} {}", table.name);
            for (problem, error) in problems.iter().zip(errors) {
                assert!(problem.to_string().starts_with(&format!("{name}: ")));
                let error = error.unwrap_err().to_string();
                assert_eq!(error, format!("External error: {problem}"));
                broken += 1;
            }
        }
    }
    assert!(broken > 10, "{broken}");
}

#[test]
fn tables_of_a_kind_go_together() {
    let all = recordings();
    let matches: Vec<&Recording> = (all.iter())
        .filter(|recording| ["butter", "echoreplay"].contains(&recording.format().name()))
        .collect();
    for table in matches[0].tables().unwrap() {
        let mut merge = Merge::default();
        for recording in &matches {
            let tables = recording.tables().unwrap();
            let own = tables.iter().find(|own| own.name == table.name).unwrap();
            merge.add(&recording.path().to_string_lossy(), own).unwrap();
        }
        let arrow = ArrowTable::new(merge.table().unwrap(), Secrets::Show);
        for recording in &matches {
            let scan = Scan::table(&*table.name);
            let reader = arrow.reader("a", recording.tape(), &scan, None).unwrap();
            let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
            assert_eq!(rows, scanned(&**recording.tape(), &all_of(&table)).len());
        }
    }
    // A recording of another kind does not have the table, and so no rows.
    let game = all
        .iter()
        .find(|recording| recording.format().name() == "rmv")
        .unwrap();
    let tables = matches[0].tables().unwrap();
    let players = tables.iter().find(|table| table.name == "players").unwrap();
    assert_eq!(players.lane, Lane::State);
    let arrow = ArrowTable::new(players, Secrets::Hide);
    let mut rows = arrow
        .reader("game.rmv", game.tape(), &Scan::table("players"), None)
        .unwrap();
    assert!(rows.next().is_none());
}
