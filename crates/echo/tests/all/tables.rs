//! A match as tables.

use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::table::kit::{self, fact, flat};
use gametape_core::table::{Owned, Scan};
use gametape_core::tape::{Depth, Format, Options, Secrets, Source, Started, Tape, Work};
use gametape_core::{At, Time};
use gametape_echo::stats::StatsBuilder;
use gametape_echo::tape::{Butter, Echoreplay};
use gametape_echo::{Frame, Game, Holding, ReadOptions, butter};
use gametape_samples::echo::{MatchOptions, echoreplay};
use serde_json::Value;

use crate::common::{frames_of, in_lines, journal, match_options, options, reference, rows, write};

fn zipped(frames: &[Frame]) -> Vec<u8> {
    echoreplay(frames).unwrap()
}

fn in_butter(frames: &[Frame]) -> Vec<u8> {
    use gametape_echo::butter::Compression;
    write(frames, options(10, Compression::Zstd3))
}

fn open(format: &dyn Format, bytes: Vec<u8>) -> Arc<dyn Tape> {
    format.open(Source::new(bytes)).unwrap()
}

fn matches() -> impl Iterator<Item = (String, Vec<Frame>)> {
    (0..4).map(|seed| {
        let options = MatchOptions {
            game: if seed == 2 { Game::Combat } else { Game::Arena },
            bones: seed == 3,
            ..match_options(seed, 100)
        };
        (format!("match {seed}"), frames_of(options))
    })
}

#[test]
fn the_start_of_a_match_is_told_from_its_header_alone() {
    for (name, frames) in matches() {
        let from = frames[0].time.to_string();
        let start = Some(Started::Local(from.clone()));
        let butter = in_butter(&frames);
        for tape in [
            open(&Echoreplay, in_lines(&frames)),
            open(&Echoreplay, zipped(&frames)),
            open(&Butter, butter.clone()),
        ] {
            for depth in [Depth::Header, Depth::Whole] {
                let info = tape
                    .describe(depth, Secrets::Hide, &Work::default())
                    .unwrap()
                    .value;
                assert_eq!(info.started, start, "{name} {depth:?}");
                assert_eq!(info.details["recorded_from"], from, "{name} {depth:?}");
            }
        }
        // A first chunk that can't be inflated takes nothing else away.
        let table = butter::Table::read(&butter.clone().into(), ReadOptions::lenient()).unwrap();
        let mut broken = butter;
        broken[table.chunks()[0].offset as usize..][..20].fill(0);
        let info = open(&Butter, broken).describe(Depth::Header, Secrets::Hide, &Work::default());
        let info = info.unwrap().value;
        assert_eq!(info.started, None);
        assert!(info.details["recorded_from"].is_null() && info.details["map"].is_string());
    }
}

#[test]
fn the_tables_of_matches_in_both_encodings_keep_to_the_rules_of_tables() {
    for (at, (name, mut frames)) in matches().enumerate() {
        println!("{name}");
        frames.truncate(32);
        // Somebody goes, and comes back.
        for frame in &mut frames[12..20] {
            frame.session.teams[0].players.pop();
            if let Some(bones) = &mut frame.bones {
                bones.user_bones.clear();
            }
        }
        kit::check(&match at {
            0 => open(&Echoreplay, in_lines(&frames)),
            1 => open(&Echoreplay, zipped(&frames)),
            _ => open(&Butter, in_butter(&frames)),
        });
    }
    // In the reference's files, parts are left out and come back.
    for name in ["emptying-combat", "renamed"] {
        kit::check(&open(&Butter, reference(name).bytes));
    }
}

#[test]
fn a_recording_that_was_not_finished_is_sought_too() {
    use gametape_echo::butter::Compression;
    let (_, frames) = matches().next().unwrap();
    let (bytes, _) = journal(&frames[..24], options(10, Compression::None));
    kit::check(&open(&Butter, bytes));
}

#[test]
fn what_holds_at_a_moment_is_what_the_frame_says() {
    let (_, frames) = matches().next().unwrap();
    let tape = open(&Echoreplay, in_lines(&frames));
    let mut play = tape.playback().unwrap();
    for at in [99, 3, 77, 78, 10] {
        let frame = &frames[at];
        let since = frame.time.since(frames[0].time);
        play.seek(At::Time(since)).unwrap();
        let scan = Scan::table("players").columns(["player", "name", "head_x", "ping"]);
        let players: Vec<_> = kit::rows_of(&play.state(&scan).unwrap())
            .map(|row| (row.stamp.step, row.values))
            .collect();
        let wanted: Vec<_> = frame
            .session
            .players()
            .map(|(_, player)| {
                let values = vec![
                    Owned::Int(player.playerid.into()),
                    Owned::Text(player.name.to_string()),
                    Owned::Float32(player.head.position[0].to_bits()),
                    Owned::Int(player.ping.into()),
                ];
                (at as u64, values)
            })
            .collect();
        assert_eq!(players, wanted);
    }
    assert!(play.seek(At::Time(Time::from_ms(1_000_000))).is_err());
}

#[test]
fn goals_and_joins_are_those_of_the_statistics() {
    for (name, frames) in matches() {
        let mut stats = StatsBuilder::new();
        for frame in &frames {
            stats.push(frame);
        }
        let timeline = stats.finish().timeline;
        let tape = open(&Echoreplay, in_lines(&frames));
        let scan = Scan::table("goals").columns(["team", "points", "thrower"]);
        let wanted: Vec<_> = timeline
            .goals
            .iter()
            .map(|goal| {
                let thrower = goal.thrower.as_ref().map(ToString::to_string);
                let values = vec![
                    Owned::Text(goal.team.to_string()),
                    Owned::Float32(goal.points.to_bits()),
                    thrower.map_or(Owned::Null, Owned::Text),
                ];
                (goal.frame, values)
            })
            .collect();
        assert_eq!(rows(&*tape, &scan), wanted, "{name}");
        let joins = rows(&*tape, &Scan::table("joins").columns(["name"]));
        assert_eq!(joins.len(), timeline.joins.len(), "{name}");
    }
}

#[test]
fn no_account_is_shown_unless_asked_for() {
    let (_, mut frames) = matches().next().unwrap();
    let held = frames[0].session.teams[1].players[0].clone();
    assert!(held.userid > 1000);
    for frame in &mut frames {
        let hand = &mut frame.session.teams[0].players[0].holding_left;
        *hand = Some(Holding::Number(held.userid));
        let other = &mut frame.session.teams[0].players[0].holding_right;
        *other = Some(Holding::Number(held.userid + 1));
    }
    let tape = open(&Echoreplay, in_lines(&frames));
    let columns = ["user_id", "holding_left", "holding_right"];
    let scan = Scan::table("players").columns(columns);
    let (_, first) = rows(&*tape, &scan).swap_remove(0);
    let number = Owned::Text(held.playerid.to_string());
    assert_eq!(first, [Owned::Null, number, Owned::Text("player".into())]);
    let shown = Scan {
        secrets: Secrets::Show,
        ..scan
    };
    let account = frames[0].session.teams[0].players[0].userid;
    assert_eq!(rows(&*tape, &shown)[0].1[0], Owned::Uint(account));
    let server = Scan::table("match").columns(["server"]);
    assert_eq!(rows(&*tape, &server)[0].1, [Owned::Text("<hidden>".into())]);
}

/// Recordings in both formats, in a zip, unfinished, and without frames.
fn varied() -> Vec<(String, Arc<dyn Tape>)> {
    use gametape_echo::butter::Compression;
    let mut tapes: Vec<(String, Arc<dyn Tape>)> = Vec::new();
    for (name, mut frames) in matches() {
        frames.truncate(40);
        let mut odd = frames.clone();
        for frame in &mut odd[20..] {
            let session = &mut frame.session;
            session.sessionid = "another".into();
            session.blue_points = -0.0;
            session.orange_points = 1234.5678;
            session.total_round_count = -1;
            session.orange_round_score = -2;
            session.sessionip = "".into();
            if let Some(payload) = &mut session.payload {
                payload.payload_checkpoint = -3;
                payload.payload_speed = 0.1;
            }
            if let Some(disc) = &mut session.disc {
                disc.velocity = [0.1, 0.2, 0.3];
            }
        }
        for (what, frames) in [
            ("", &frames),
            (", odd", &odd),
            (", late", &odd[20..].to_vec()),
        ] {
            let journal = journal(frames, options(10, Compression::None)).0;
            tapes.extend([
                (
                    format!("{name}{what}, lines"),
                    open(&Echoreplay, in_lines(frames)),
                ),
                (
                    format!("{name}{what}, zip"),
                    open(&Echoreplay, zipped(frames)),
                ),
                (
                    format!("{name}{what}, butter"),
                    open(&Butter, in_butter(frames)),
                ),
                (format!("{name}{what}, journal"), open(&Butter, journal)),
                (
                    format!("{name}{what}, one"),
                    open(&Echoreplay, in_lines(&frames[..1])),
                ),
            ]);
        }
    }
    // A header alone: the most bytes that contain no frame.
    let (_, frames) = matches().next().unwrap();
    let bytes = in_butter(&frames[..10]);
    let no_frames = |size: &usize| {
        let tape = Butter.open(Source::new(bytes[..*size].to_vec())).unwrap();
        let info = tape.describe(Depth::Whole, Secrets::Hide, &Work::default());
        info.is_ok_and(|info| info.value.steps == Some(0) && !info.value.details.is_empty())
    };
    let size = (0..bytes.len()).rev().find(no_frames).unwrap();
    tapes.push((
        "no frames".to_owned(),
        open(&Butter, bytes[..size].to_vec()),
    ));
    tapes
}

#[test]
fn facts_of_a_match_have_the_values_of_its_description_and_statistics() {
    for (name, tape) in varied() {
        let table = &tape.tables().unwrap()[0];
        let stats = tape.stats(&Options::new(), &Work::default()).unwrap();
        let stats = flat(&stats.value.stats);
        let one = Value::from(1);
        for secrets in [Secrets::Show, Secrets::Hide] {
            let info = tape
                .describe(Depth::Whole, secrets, &Work::default())
                .unwrap();
            let info = flat(&info.value.details);
            for (name, value) in info.iter().chain(&stats) {
                let is_fact = value.is_null() || table.column(name).is_some();
                assert!(is_fact, "{name}");
            }
            let all = Scan {
                secrets,
                ..Scan::table("match")
            };
            let (_, facts) = rows(&*tape, &all).swap_remove(0);
            for (column, value) in table.columns.iter().zip(&facts) {
                let json = match info.get(&*column.name) {
                    // A description leaves out what is ordinary: one session.
                    Some(Value::Null) if column.name == "sessions" => Some(&one),
                    said => said.or(stats.get(&*column.name)),
                };
                let what = format!("{name}: {}", column.name);
                assert_eq!(*value, fact(column.kind, json), "{what}");
                if secrets == Secrets::Show {
                    continue;
                }
                // Fewer columns need less of the recording.
                let alone = all.clone().columns([column.name.to_string()]);
                assert_eq!(rows(&*tape, &alone), [(0, vec![value.clone()])], "{what}");
            }
        }
    }
}

#[test]
fn a_recording_that_is_cut_gives_its_rows_and_says_what_is_wrong() {
    let (_, frames) = matches().next().unwrap();
    for (format, bytes) in [
        (&Echoreplay as &dyn Format, in_lines(&frames)),
        (&Butter, in_butter(&frames)),
    ] {
        let tape = open(format, bytes[..bytes.len() - 40].to_vec());
        let mut last = 0;
        let scanned = tape.scan_table(&Scan::table("game"), &Work::default(), |batch| {
            last = batch.steps().last().copied().unwrap_or(0);
            Ok(ControlFlow::Continue(()))
        });
        assert!(scanned.unwrap().problem.is_some(), "{}", format.name());
        assert!(last > 60, "{}: {last}", format.name());
    }
}
