//! A game as tables.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::table::kit::{self, flat};
use gametape_core::table::{Scan, Value};
use gametape_core::tape::{Depth, Format, Options, Secrets, Source, Tape, Verdict, Work};
use gametape_mines::tape::Rmv;
use gametape_mines::{Event, Game, rmv};
use gametape_samples::mines::{record, scenarios};

fn open(bytes: Vec<u8>) -> Arc<dyn Tape> {
    Rmv.open(Source::new(bytes)).unwrap()
}

fn games() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let scenarios = scenarios().into_iter();
    scenarios.map(|scenario| {
        let game = record(&scenario, 3).unwrap();
        (scenario.name, rmv::write(&game).unwrap())
    })
}

/// The rows of a table, as text.
fn rows(tape: &dyn Tape, scan: &Scan) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    tape.scan_table(scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            let values = batch.columns().iter().map(|column| match column.get(row) {
                Value::Text(text) => text.to_owned(),
                Value::Uint(value) => value.to_string(),
                Value::Int(value) => value.to_string(),
                other => format!("{other:?}"),
            });
            rows.push(values.collect());
        }
        Ok(ControlFlow::Continue(()))
    })
    .unwrap()
    .whole()
    .unwrap();
    rows
}

#[test]
fn the_tables_of_games_of_every_kind_keep_to_the_rules_of_tables() {
    for (name, bytes) in games() {
        println!("{name}");
        kit::check(&open(bytes));
    }
}

#[test]
fn every_statement_about_a_game_is_a_fact() {
    let tape = open(games().next().unwrap().1);
    let tables = tape.tables().unwrap();
    let info = tape
        .describe(Depth::Whole, Secrets::Show, &Work::default())
        .unwrap()
        .value
        .details;
    let stats = tape
        .stats(&Options::new(), &Work::default())
        .unwrap()
        .value
        .stats;
    let row = rows(&*tape, &Scan::table("game"));
    // Names that only this file has cannot be columns.
    let made_up = |name: &String| name.starts_with("result_") || name.starts_with("extensions_");
    let told = [flat(&info), flat(&stats)].into_iter().flatten();
    for (name, value) in told.filter(|(name, _)| !made_up(name)) {
        let at = tables[0]
            .column(&name)
            .unwrap_or_else(|| panic!("{name} is no column"));
        if !value.is_null() && !value.is_f64() {
            let value = value.as_str().map_or(value.to_string(), str::to_owned);
            let shown = row[0][at].trim_start_matches("Bool(").trim_end_matches(')');
            let secret = tables[0].columns[at].secret;
            assert!(
                secret || shown == value.trim_end_matches(')'),
                "{name}: {shown} {value}"
            );
        }
    }
}

#[test]
fn a_sound_game_ends_by_the_rules_and_its_counts_are_the_statistics() {
    for (name, bytes) in games() {
        let tape = open(bytes.clone());
        if !rmv::audit(&bytes).findings.is_empty() {
            continue;
        }
        let mut last = BTreeMap::new();
        for row in rows(&*tape, &Scan::table("board")) {
            last.insert(
                [row[0].clone(), row[1].clone()],
                [row[2].clone(), row[3].clone()],
            );
        }
        for (cell, [recorded, rules]) in last {
            assert_eq!(recorded, rules, "{name}: {cell:?}");
        }
        let columns = ["solved_bbbv", "clicks", "effective_clicks", "left_clicks"];
        let counted = rows(&*tape, &Scan::table("counters").columns(columns));
        let said = rows(&*tape, &Scan::table("game").columns(columns));
        assert_eq!(counted.last(), said.first(), "{name}");
    }
}

#[test]
fn where_the_recording_and_the_rules_part_the_board_has_both() {
    let (_, bytes) = games().next().unwrap();
    let mut game = rmv::read(&bytes).unwrap().into_owned();
    let mut events: Vec<_> = game.events.iter().collect();
    let forged = events.iter_mut().rev().find_map(|event| match event {
        Event::Board(event) => Some(event),
        _ => None,
    });
    let forged = forged.unwrap();
    let was = forged.face.name();
    forged.face = gametape_mines::Face::Number(8);
    let cell = forged.cell;
    let mut log = rmv::EventLog::empty(game.version());
    for event in events {
        log.push(event).unwrap();
    }
    game.events = log;
    let tape = open(rmv::write(&game).unwrap());
    let scan = Scan::table("board")
        .key("col", cell.col.to_string())
        .key("row", cell.row.to_string());
    let row = rows(&*tape, &scan).pop().unwrap();
    assert_eq!(row[2..], ["open_8", was]);
}

#[test]
fn a_click_that_is_under_way_is_no_difference() {
    let wide = ["recorded", "rules"];
    for (name, bytes) in games() {
        let tape = open(bytes);
        // Old codes do not distinguish a blast.
        let sound = tape
            .audit(&Options::new(), &Work::default())
            .unwrap()
            .verdict()
            != Verdict::Fail;
        if !sound || name.ends_with("old-codes") {
            continue;
        }
        for row in rows(&*tape, &Scan::table("board").columns(wide)) {
            assert_eq!(row[0], row[1], "{name}");
        }
    }
    // A cell that the recording never reaches changes with the next mouse event.
    let game = record(&scenarios()[0], 3).unwrap();
    let mut events: Vec<Event> = game.events.iter().collect();
    let opened = |event: &Event| matches!(event, Event::Board(board) if board.face.name().starts_with("open"));
    let at = events.iter().position(opened).unwrap();
    let Event::Board(lost) = events.remove(at) else {
        unreachable!()
    };
    let next = events.iter().skip(at);
    let next = at
        + next
            .take_while(|event| !matches!(event, Event::Mouse(_)))
            .count();
    let mut log = rmv::EventLog::empty(game.version());
    for event in events {
        log.push(event).unwrap();
    }
    let game = Game {
        events: log,
        ..game
    };
    let tape = open(rmv::write(&game).unwrap());
    let mut parted = None;
    let scan = Scan::table("board").key("col", lost.cell.col.to_string());
    let scan = scan.key("row", lost.cell.row.to_string()).columns(wide);
    tape.scan_table(&scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            if batch.get(row, 0) != batch.get(row, 1) {
                parted.get_or_insert(batch.stamp(row).step);
            }
        }
        Ok(ControlFlow::Continue(()))
    })
    .unwrap()
    .whole()
    .unwrap();
    assert_eq!(parted, Some(next as u64));
}

#[test]
fn a_cut_game_gives_its_rows_and_reports_the_damage() {
    let (_, bytes) = games().next().unwrap();
    let tape = open(bytes[..bytes.len() * 2 / 3].to_vec());
    for table in tape.tables().unwrap() {
        let mut count = 0;
        let scan = Scan::table(&*table.name);
        let scanned = tape.scan_table(&scan, &Work::default(), |batch| {
            count += batch.len();
            Ok(ControlFlow::Continue(()))
        });
        assert!(
            scanned.unwrap().problem.is_some() && count > 0,
            "{}",
            table.name
        );
    }
}
