//! Asked columns decide what is decoded: whichever are asked for, and however a recording is broken,
//! they are those of the whole frames.

use std::ops::ControlFlow;

use gametape_core::table::{Owned, Scan, TableDef, Value};
use gametape_core::tape::{Format, Secrets, Source, Work};
use gametape_echo::butter::{Compression, Reader};
use gametape_echo::tape::Butter;
use gametape_echo::{Frame, Game, Holding, Player, Pose, ReadOptions, Session, Vec3};
use gametape_samples::echo::MatchOptions;
use proptest::prelude::*;

use crate::common::{cases, frames_of, match_options, options, reference, tape, write};

/// A row: its step and its values.
type Row = (u64, Vec<Owned>);
/// All rows, and what is wrong with the recording.
type Told = (Vec<Row>, Option<String>);

fn owned<'a>(value: impl Into<Value<'a>>) -> Owned {
    value.into().into()
}

fn vector(vector: Vec3) -> impl Iterator<Item = Owned> {
    vector.into_iter().map(owned)
}

fn pose(pose: &Pose) -> impl Iterator<Item = Owned> {
    [pose.position, pose.forward, pose.left, pose.up]
        .into_iter()
        .flat_map(vector)
}

/// What stands in the columns of the players, in their order.
fn of_player(session: &Session, team: usize, player: &Player) -> Vec<Owned> {
    let teams = ["blue", "orange", "spectator"];
    let hand = |held: &Option<Holding>| {
        let text = held.as_ref().map(|held| match held {
            Holding::Number(number) => match session.player_by_userid(*number) {
                Some(player) => player.playerid.to_string(),
                None if *number < 256 => number.to_string(),
                None => "player".to_owned(),
            },
            other => other.to_string(),
        });
        owned(text.as_deref())
    };
    let mut row = vec![
        owned(player.playerid),
        // The person follows from all frames: `check` leaves it out.
        Owned::Null,
        owned(teams[team]),
        owned(player.name.as_str()),
        owned(player.userid),
        owned(player.number),
        owned(player.level),
        owned(player.ping),
        owned(player.packetlossratio),
        owned(player.possession),
        owned(player.blocking),
        owned(player.stunned),
        owned(player.invulnerable),
        owned(player.is_emote_playing),
        hand(&player.holding_left),
        hand(&player.holding_right),
    ];
    row.extend(vector(player.velocity));
    let stats = player.stats.as_ref();
    row.push(owned(stats.map(|stats| stats.possession_time)));
    let counts = stats.map(|stats| {
        [
            stats.points,
            stats.goals,
            stats.assists,
            stats.saves,
            stats.stuns,
            stats.passes,
            stats.catches,
            stats.steals,
            stats.blocks,
            stats.interceptions,
            stats.shots_taken,
        ]
    });
    row.extend((0..11).map(|at| owned(counts.map(|counts| counts[at]))));
    let loadout = player.loadout.as_ref();
    row.push(owned(loadout.map(|loadout| loadout.weapon.as_str())));
    row.push(owned(loadout.map(|loadout| loadout.ordnance.as_str())));
    row.push(owned(loadout.map(|loadout| loadout.tac_mod.as_str())));
    row.push(owned(loadout.map(|loadout| loadout.arm.as_str())));
    for whole in [&player.head, &player.body, &player.lhand, &player.rhand] {
        row.extend(pose(whole));
    }
    row
}

/// What stands in the columns of the game's state, in their order.
fn of_game(session: &Session) -> Vec<Owned> {
    let pause = session.pause.as_ref();
    // No .butter says who possesses the disc.
    assert_eq!(session.possession, None);
    vec![
        owned(session.game_status.as_str()),
        owned(session.game_clock),
        owned(session.blue_points),
        owned(session.orange_points),
        owned(session.blue_round_score),
        owned(session.orange_round_score),
        Owned::Null,
        Owned::Null,
        owned(pause.map(|pause| pause.paused_state.as_str())),
        owned(pause.map(|pause| pause.paused_requested_team.as_str())),
        owned(pause.map(|pause| pause.paused_timer)),
        owned(pause.map(|pause| pause.unpaused_timer)),
        owned(session.blue_team_restart_request),
        owned(session.orange_team_restart_request),
    ]
}

/// The rows of a frame: all columns, in the order of the table.
fn rows_of(table: &str, frame: &Frame) -> Vec<Vec<Owned>> {
    let session = &frame.session;
    match table {
        "players" => session
            .players()
            .map(|(team, player)| of_player(session, team, player))
            .collect(),
        "game" => vec![of_game(session)],
        "disc" => {
            let disc = session.disc.iter().map(|disc| {
                let bounces = [owned(disc.bounce_count)];
                vector(disc.velocity)
                    .chain(bounces)
                    .chain(pose(&disc.pose))
                    .collect()
            });
            disc.collect()
        }
        "payload" => {
            let payload = session.payload.iter().map(|payload| {
                vec![
                    owned(payload.payload_distance),
                    owned(payload.payload_speed),
                    owned(payload.payload_multiplier),
                    owned(payload.payload_checkpoint),
                    owned(payload.payload_defenders),
                    owned(payload.contested),
                ]
            });
            payload.collect()
        }
        "bones" => {
            let bones = frame.bones.iter().flat_map(|bones| &bones.user_bones);
            let rows = session
                .players()
                .zip(bones)
                .flat_map(|((_, player), bones)| {
                    let all = bones.positions.iter().zip(&bones.rotations).enumerate();
                    all.map(|(number, (position, rotation))| {
                        let mut row =
                            vec![owned(player.playerid), owned(number as u64), Owned::Null];
                        row.extend(vector(*position));
                        row.extend(rotation.iter().map(|part| owned(*part)));
                        row
                    })
                });
            rows.collect()
        }
        other => panic!("{other}"),
    }
}

/// The rows that whole frames tell, and what is wrong with the recording; nothing else where not one
/// frame can be had.
fn told_by_frames(table: &str, bytes: &[u8]) -> Told {
    let mut reader = Reader::with_options(bytes, ReadOptions::lenient());
    let mut rows = Vec::new();
    for step in 0.. {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                rows.extend(rows_of(table, frame).into_iter().map(|row| (step, row)));
            }
            Ok(None) => break,
            Err(error) => {
                return (
                    rows,
                    Some(gametape_core::tape::Error::from(error).to_string()),
                );
            }
        }
    }
    let problem = reader.findings().problem();
    (rows, problem.map(|problem| problem.to_string()))
}

/// The rows that a scan tells, and what is wrong with the recording.
fn told_by_scan(scan: &Scan, bytes: &[u8]) -> Told {
    let tape = Butter.open(Source::new(bytes.to_vec())).unwrap();
    let mut rows = Vec::new();
    let scanned = tape.scan_table(scan, &Work::default(), |batch| {
        let there = (0..batch.len()).filter(|row| !batch.is_end(*row));
        rows.extend(there.map(|row| {
            let values = batch.columns().iter().map(|column| column.get(row).into());
            (batch.steps()[row], values.collect())
        }));
        Ok(ControlFlow::Continue(()))
    });
    match scanned {
        Ok(partial) => (rows, partial.problem.map(|problem| problem.to_string())),
        Err(error) => (rows, Some(error.to_string())),
    }
}

/// Asks for these columns of a table, by their places.
fn check(table: &TableDef, columns: &[usize], bytes: &[u8], (frames, problem): &Told) {
    let told = |at: &&usize| table.columns[**at].name != "person";
    let columns: Vec<usize> = columns.iter().filter(told).copied().collect();
    let names = columns.iter().map(|at| table.columns[*at].name.to_string());
    let scan = Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*table.name).columns(names)
    };
    let (rows, also) = told_by_scan(&scan, bytes);
    // What a .butter does not keep is missing, whatever a frame has in its place.
    let tape = Butter.open(Source::new(bytes.to_vec())).unwrap();
    let Ok(kept) = tape.tables() else {
        assert!(rows.is_empty());
        return;
    };
    let kept = kept.iter().find(|kept| kept.name == table.name).unwrap();
    assert_eq!(also, *problem, "{scan:?}");
    assert_eq!(rows.len(), frames.len(), "{scan:?}");
    for ((step, row), (at, whole)) in rows.iter().zip(frames) {
        let wanted: Vec<Owned> = columns
            .iter()
            .map(|at| {
                let value = whole.get(*at).filter(|_| kept.columns[*at].recorded);
                value.cloned().unwrap_or(Owned::Null)
            })
            .collect();
        assert_eq!((step, row), (at, &wanted), "{scan:?}");
    }
}

fn states() -> Vec<TableDef> {
    let tables = Butter.tables().into_iter();
    let states = ["game", "players", "bones", "disc", "payload"];
    tables
        .filter(|table| states.contains(&&*table.name))
        .collect()
}

/// Matches in which players come, go for a frame, change teams and come back.
fn samples() -> Vec<Vec<u8>> {
    let mut samples = Vec::new();
    for (seed, game, bones) in [
        (0, Game::Arena, false),
        (1, Game::Arena, true),
        (2, Game::Combat, false),
    ] {
        let mut frames = frames_of(MatchOptions {
            game,
            bones,
            ..match_options(seed, 40)
        });
        for frame in &mut frames[12..13] {
            frame.session.teams[0].players.remove(0);
        }
        for frame in &mut frames[23..25] {
            let moved = frame.session.teams[0].players.pop();
            frame.session.teams[2].players.extend(moved);
        }
        samples.push(write(&frames, options(10, Compression::None)));
        samples.push(write(&frames, options(10, Compression::Zstd3)));
    }
    samples.extend(["emptying-combat", "renamed"].map(|name| reference(name).bytes));
    samples
}

#[test]
fn each_column_alone_is_what_the_frames_say() {
    for bytes in samples() {
        for table in states() {
            let told = told_by_frames(&table.name, &bytes);
            assert_eq!(told.1, None);
            for column in 0..table.columns.len() {
                check(&table, &[column], &bytes, &told);
            }
        }
    }
}

#[test]
fn files_of_the_reference_are_told_by_columns_as_by_frames() {
    for name in [
        "a_single.k300.gzip.butter",
        "b_scenario.k5.none.butter",
        "c_combat.k4.gzip.butter",
    ] {
        let Some(bytes) = tape(name) else {
            continue;
        };
        for table in states() {
            for columns in [vec![0], (0..table.columns.len()).rev().collect()] {
                check(
                    &table,
                    &columns,
                    &bytes,
                    &told_by_frames(&table.name, &bytes),
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn broken_recordings_are_told_by_columns_as_by_frames(
        sample in 0_usize..10,
        table in 0_usize..5,
        picked in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static SAMPLES: std::sync::LazyLock<Vec<Vec<u8>>> = std::sync::LazyLock::new(samples);
        let mut bytes = SAMPLES[sample % SAMPLES.len()].clone();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let table = &states()[table];
        // Each once, in any order.
        let mut columns: Vec<usize> = Vec::new();
        for at in picked.iter().map(|index| index.index(table.columns.len())) {
            if !columns.contains(&at) {
                columns.push(at);
            }
        }
        check(table, &columns, &bytes, &told_by_frames(&table.name, &bytes));
    }
}
