//! A game as tables.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::surface::ScanPlayback;
use gametape_core::table::kit::{self, flat};
use gametape_core::table::{Batch, Playback, Scan, Value};
use gametape_core::tape::{Depth, Format, Options, Secrets, Source, Tape, Verdict, Work};
use gametape_core::{At, Time};
use gametape_mines::tape::Rmv;
use gametape_mines::{Event, Face, Game, MouseAction, rmv};
use gametape_samples::mines::{record, scenarios};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{real_files, rewritten};

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
    forged.face = Face::Number(8);
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

const STATES: [&str; 3] = ["board", "cursor", "counters"];

/// A change to an event.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Drop,
    Twice,
    /// A board event shows another face, in addition to the original one; a mouse event has another
    /// button.
    Forge(u8),
}

fn deeds() -> impl Strategy<Value = Vec<(f64, Deed)>> {
    let deed = prop_oneof![
        Just(Deed::Drop),
        Just(Deed::Twice),
        any::<u8>().prop_map(Deed::Forge)
    ];
    vec((0.0..1.0, deed), 0..12)
}

fn forged(game: &Game<'_>, deeds: &[(f64, Deed)]) -> Game<'static> {
    let mut events: Vec<Event> = game.events.iter().collect();
    for (place, deed) in deeds {
        if events.len() < 3 {
            break;
        }
        let at = (place * events.len() as f64) as usize;
        match (deed, &mut events[at]) {
            (Deed::Drop, _) => {
                events.remove(at);
            }
            (Deed::Twice, event) => {
                let event = *event;
                events.insert(at, event);
            }
            (Deed::Forge(by), Event::Board(event)) => {
                event.face = Face::from_code(9 + by % 6).unwrap();
                event.cell.col = (event.cell.col + by % 3) % game.board.cols;
            }
            (Deed::Forge(by), Event::Mouse(event)) => {
                event.action = MouseAction::from_code(1 + by % 7).unwrap();
                event.reduced = false;
            }
            (Deed::Forge(_), Event::Timestamp(_)) => {}
        }
    }
    // A reduced move after a different event has another position, or is not possible.
    for event in &mut events {
        if let Event::Mouse(event) = event {
            event.reduced = false;
        }
    }
    rewritten(game, events)
}

fn same(play: &mut dyn Playback, scanned: &mut ScanPlayback) {
    for table in STATES {
        let scan = Scan::table(table);
        let [now, wanted]: [Batch; 2] = [play.state(&scan).unwrap(), scanned.state(&scan).unwrap()];
        assert_eq!(
            now.columns(),
            wanted.columns(),
            "{table} at {:?}",
            play.now()
        );
        assert!(now.steps().iter().all(|step| *step == play.now().step));
    }
}

/// A way to another moment: a fraction of the steps, a fraction of the time, or some steps further.
#[derive(Clone, Copy, Debug)]
enum Way {
    Step(f64),
    Time(f64),
    On(u8),
}

fn ways() -> impl Strategy<Value = Vec<Way>> {
    let way = prop_oneof![
        (0.0..1.0).prop_map(Way::Step),
        (0.0..1.0).prop_map(Way::Time),
        (0u8..40).prop_map(Way::On)
    ];
    vec(way, 1..8)
}

fn walk(bytes: Vec<u8>, ways: &[Way]) {
    let tape = open(bytes);
    let mut play = tape.playback().unwrap();
    let mut scanned = ScanPlayback::new(tape.clone(), &Work::default()).unwrap();
    let span = play.span();
    assert_eq!(span, scanned.span());
    assert_eq!(play.now(), span.first);
    same(&mut *play, &mut scanned);
    for way in ways {
        match way {
            Way::Step(part) => {
                let step = (part * (span.last.step + 1) as f64) as u64;
                assert_eq!(play.seek(At::Step(step)).unwrap().step, step);
            }
            Way::Time(part) => {
                let [from, to] = [span.first, span.last].map(|stamp| stamp.time.unwrap().0);
                let time = At::Time(Time(from + (part * (to - from) as f64) as i64));
                assert_eq!(play.seek(time).unwrap(), scanned.seek(time).unwrap());
            }
            Way::On(steps) => {
                for _ in 0..*steps {
                    let before = play.now().step;
                    match play.step().unwrap() {
                        Some(stamp) => assert_eq!((stamp.step, stamp), (before + 1, play.now())),
                        None => assert_eq!(play.now(), span.last),
                    }
                }
            }
        }
        scanned.seek(At::Step(play.now().step)).unwrap();
        same(&mut *play, &mut scanned);
    }
    let after = At::Step(span.last.step + 1);
    let now = play.now();
    assert!(play.seek(after).is_err() && play.now() == now);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn seeking_in_a_forged_or_cut_game_gives_the_state_of_a_scan(
        scenario in 0..scenarios().len(),
        seed in 0u64..4,
        deeds in deeds(),
        cut in prop_oneof![Just(1.0), 0.0..1.0],
        ways in ways(),
    ) {
        let game = record(&scenarios()[scenario], seed).unwrap();
        let bytes = rmv::write(&forged(&game, &deeds)).unwrap();
        let start = rmv::read(&bytes).unwrap().events.offset() as usize + 9;
        let whole = start + ((bytes.len() - start) as f64 * cut) as usize;
        walk(bytes[..whole].to_vec(), &ways);
    }
}

#[test]
fn real_games_are_gone_to_as_they_are_scanned() {
    let ways = [0.5, 0.1, 0.99, 0.4, 0.41].map(Way::Step);
    let ways = [&ways[..], &[Way::Time(0.3), Way::On(30), Way::Time(0.9)]].concat();
    for (name, bytes) in real_files() {
        println!("{name}");
        walk(bytes, &ways);
    }
}

#[test]
fn a_game_without_events_has_one_moment() {
    let game = record(&scenarios()[0], 1).unwrap();
    let mut empty = rewritten(&game, []);
    empty.ending = Some(gametape_mines::Ending {
        outcome: gametape_mines::Outcome::Other,
        time_ms: 0,
    });
    let tape = open(rmv::write(&empty).unwrap());
    let mut play = tape.playback().unwrap();
    assert_eq!(play.span().first, play.span().last);
    assert_eq!(play.step().unwrap(), None);
    let board = play.state(&Scan::table("board")).unwrap();
    assert_eq!(board.len(), 64);
    assert!(play.state(&Scan::table("cursor")).unwrap().is_empty());
}

#[test]
fn a_change_beside_the_board_is_an_event_and_no_cell() {
    let game = record(&scenarios()[0], 1).unwrap();
    let bytes = rmv::write(&game).unwrap();
    let first = game.events.iter().find_map(|event| match event {
        Event::Board(event) => Some([event.face.code(), event.cell.col, event.cell.row]),
        _ => None,
    });
    let first = first.unwrap();
    let at = bytes.windows(3).position(|bytes| bytes == first).unwrap();
    let mut beside = bytes;
    beside[at + 1] = 200;
    let tape = open(beside.clone());
    let mut cols = Vec::new();
    let scan = Scan::table("board_events").columns(["col"]);
    tape.scan_table(&scan, &Work::default(), |batch| {
        cols.extend((0..batch.len()).map(|row| batch.get(row, 0) == 200_u8.into()));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap()
    .readable();
    assert_eq!(cols.iter().filter(|beside| **beside).count(), 1);
    kit::check(&tape);
    walk(beside, &[Way::Step(0.9), Way::Step(0.2)]);
}
