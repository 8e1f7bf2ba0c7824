//! The output of compat mode against the reference's files: byte for byte, gzip after inflating.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use gametape_echo::butter::{self, Compression, Mode};
use gametape_echo::{Frame, ReadOptions, Stats, WriteError, echoreplay};

use crate::common::{
    Outcome, by_reference, lines, model, options, read_strictly, recording_names, tape, write,
};
use gametape_testkit::echo::odd_match;

/// Returns the file with its chunks inflated.
fn inflated(bytes: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let file = butter::read(bytes).unwrap();
    let mut header = Vec::new();
    file.header().unwrap().write(&mut header);
    let chunks = file
        .chunks()
        .iter()
        .map(|chunk| {
            let start = chunk.offset as usize;
            let stored = &bytes[start..start + chunk.size as usize];
            let mut raw = Vec::new();
            if stored.starts_with(&[0x1F, 0x8B]) {
                flate2::read::GzDecoder::new(stored)
                    .read_to_end(&mut raw)
                    .unwrap();
            } else {
                raw.extend_from_slice(stored);
            }
            raw
        })
        .collect();
    (header, chunks)
}

/// Compares a file with the reference's.
fn compare(ours: &[u8], theirs: &[u8], name: &str) {
    let (our_header, our_chunks) = inflated(ours);
    let (their_header, their_chunks) = inflated(theirs);
    assert_eq!(our_header, their_header, "{name}");
    for (at, (ours, theirs)) in our_chunks.iter().zip(&their_chunks).enumerate() {
        let first = ours.iter().zip(theirs).position(|(a, b)| a != b);
        let sizes = [ours.len(), theirs.len()];
        let what = format!("{name}, chunk {at} of {sizes:?} bytes");
        assert_eq!(first, None, "{what}");
        assert_eq!(ours.len(), theirs.len(), "{what}");
    }
    assert_eq!(our_chunks.len(), their_chunks.len());
}

/// Writes a recording in compat mode and compares it with the reference's file, if that is there.
fn check(name: &str, interval: u16, compression: Compression) {
    let Some(recorded) = tape(&format!("{name}.echoreplay")) else {
        return;
    };
    let options = options(Mode::Compat, interval, compression);
    let theirs = tape(&format!("{name}.k{interval}.{compression}.butter")).unwrap();
    // From the frames, and from their lines.
    let ways: [Vec<u8>; 2] = [
        write(&lines(&recorded), options),
        by_reference(&recorded, options).unwrap(),
    ];
    for ours in ways {
        compare(&ours, &theirs, &format!("{name} {compression}"));
        if compression == Compression::None {
            assert_eq!(ours, theirs);
        }
    }
}

#[test]
fn files_of_the_reference_come_out_byte_for_byte() {
    for (name, interval) in [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)] {
        for compression in [Compression::None, Compression::Gzip] {
            check(name, interval, compression);
        }
    }
}

/// Returns the frame at which the reference throws: `encoding frame 2: …`.
fn frame_of(throws: &[u8]) -> u64 {
    let text = str::from_utf8(throws).unwrap();
    let rest = text.split("frame ").nth(1).unwrap();
    rest.split(':').next().unwrap().parse().unwrap()
}

#[test]
fn every_case_of_the_reference_comes_out_byte_for_byte_or_is_refused() {
    for name in recording_names("butter/compat") {
        let Some((stem, rest)) = name.split_once(".k") else {
            continue;
        };
        let Some((interval, ending)) = rest.split_once('.') else {
            continue;
        };
        let recorded = tape(&format!("compat/{stem}.echoreplay")).unwrap();
        let options = options(Mode::Compat, interval.parse().unwrap(), Compression::None);
        let ours = by_reference(&recorded, options);
        let theirs = tape(&format!("compat/{name}")).unwrap();
        match ending {
            "none.butter" => {
                let ours = ours.unwrap_or_else(|error| panic!("{stem}: {error}"));
                compare(&ours, &theirs, stem);
                assert_eq!(ours, theirs, "{stem}");
            }
            "throws" => match ours {
                Err(WriteError::Reference { frame, .. }) => {
                    assert_eq!(frame, frame_of(&theirs), "{stem}");
                }
                other => panic!("{stem}: {other:?}"),
            },
            _ => {}
        }
    }
}

/// Writes a match with the crate and with the model, and compares the results. Returns whether a file was
/// written; otherwise both refused.
fn agree(text: &[u8], interval: u16, what: &str) -> bool {
    let ours = by_reference(text, options(Mode::Compat, interval, Compression::None));
    let theirs = model::write(str::from_utf8(text).unwrap(), interval.into());
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let first = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            let sizes = [ours.len(), theirs.len()];
            assert_eq!(first, None, "{what}: {sizes:?} bytes");
            assert_eq!(ours.len(), theirs.len(), "{what}");
            // The file can be read strictly, and its clock is right.
            let frames = frames_of_reference(text);
            let outcome = if ours.is_empty() {
                Outcome::default()
            } else {
                read_strictly(&ours)
            };
            let read = outcome.frames;
            assert_eq!(read.len(), frames.len(), "{what}");
            let open = outcome.findings.has("butter.team-stats");
            let wrong = frames
                .iter()
                .zip(&read)
                .position(|(a, b)| !teams_agree(a, b));
            assert!(
                open || wrong.is_none() || has_ambiguous_players(&frames),
                "{what}, frame {wrong:?}"
            );
            for (at, (a, b)) in frames.iter().zip(&read).enumerate() {
                let (a, b) = (&a.session, &b.session);
                assert!(
                    (a.game_clock - b.game_clock).abs() < 1e-3,
                    "{what}, frame {at}"
                );
            }
            true
        }
        (Err(WriteError::Reference { frame, member, .. }), Err(theirs)) => {
            assert!(!member.is_empty());
            assert_eq!(frame, theirs as u64, "{what}: {member}");
            false
        }
        (ours, theirs) => panic!(
            "{what}: {:?}, the model {:?}",
            ours.map(|ours| ours.len()),
            theirs.map(|theirs| theirs.len())
        ),
    }
}

/// Whether the stats of teams are read as recorded. Stuns are excepted: the reference does not write that
/// they fall.
fn teams_agree(recorded: &Frame, read: &Frame) -> bool {
    let counts = |stats: &Stats| {
        [stats.points, stats.goals, stats.saves, stats.passes].map(|count| count as u8)
    };
    let mut teams = recorded.session.teams.iter().zip(&read.session.teams);
    teams.all(|(recorded, read)| {
        let recorded = recorded.stats.as_ref();
        recorded.is_none_or(|recorded| {
            read.stats
                .as_ref()
                .is_some_and(|read| counts(recorded) == counts(read))
        })
    })
}

/// Whether two players share a user id or a name, so that a reader can't tell them apart.
fn has_ambiguous_players(frames: &[Frame]) -> bool {
    let mut names = HashMap::new();
    frames.iter().any(|frame| {
        let mut ids = HashSet::new();
        frame.session.players().any(|(_, player)| {
            let known = names.entry(&player.name).or_insert(player.userid);
            *known != player.userid || !ids.insert(player.userid)
        })
    })
}

/// The frames of the lines that the reference does not leave out.
fn frames_of_reference(text: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut frame = Frame::default();
    let mut lines = echoreplay::read_with(text, ReadOptions::lenient());
    while let Some(line) = lines.next_line().unwrap() {
        if line.reference(&mut frame).is_ok() {
            frames.push(frame.clone());
        }
    }
    frames
}

/// The number of matches; `ODD_MATCHES` sets it, for a longer search.
fn odd_matches() -> std::ops::Range<u64> {
    let count = std::env::var("ODD_MATCHES").ok();
    0..count.and_then(|count| count.parse().ok()).unwrap_or(1500)
}

#[test]
fn odd_matches_come_out_as_the_model_of_the_reference_writes_them() {
    let mut written = 0;
    for seed in odd_matches() {
        let text = odd_match(seed);
        let interval = [1, 2, 3, 7, 300][(seed % 5) as usize];
        written += u64::from(agree(&text, interval, &format!("seed {seed}")));
    }
    // Neither outcome is rare, and no more is refused than the reference throws for.
    let all = odd_matches().count() as u64;
    assert!((all * 3 / 4..all).contains(&written), "{written} of {all}");
}

#[test]
fn the_model_writes_what_the_reference_wrote() {
    for name in recording_names("butter/compat") {
        let Some((stem, ending)) = name.split_once(".k") else {
            continue;
        };
        let Some((interval, ending)) = ending.split_once('.') else {
            continue;
        };
        let recorded = tape(&format!("compat/{stem}.echoreplay")).unwrap();
        let ours = model::write(
            str::from_utf8(&recorded).unwrap(),
            interval.parse().unwrap(),
        );
        let theirs = tape(&format!("compat/{name}")).unwrap();
        match ending {
            "none.butter" => assert!(ours == Ok(theirs), "{stem}"),
            "throws" => assert_eq!(ours.unwrap_err() as u64, frame_of(&theirs), "{stem}"),
            _ => {}
        }
    }
}

/// A line of an arena match with one player, with some of its text replaced.
fn line(at: usize, put: &[(&str, &str)]) -> String {
    let stats = r#"{"possession_time":0.0,"points":0,"saves":0,"goals":0,"stuns":0,"passes":0,"catches":0,"steals":0,"blocks":0,"interceptions":0,"assists":0,"shots_taken":0}"#;
    let facing = r#""forward":[0.0,0.0,1.0],"up":[0.0,1.0,0.0]"#;
    let player = format!(
        r#"{{"name":"Ann","playerid":0,"userid":1001,"number":7,"level":50,"ping":40,"packetlossratio":0.0,"stunned":false,"holding_left":"none","holding_right":"none","velocity":[0.0,0.0,0.0],"head":{{"position":[1.5,2.25,-3.0],{facing}}},"body":{{"position":[1.5,2.25,-3.0],{facing}}},"lhand":{{"pos":[1.5,2.25,-3.0],{facing}}},"rhand":{{"pos":[1.5,2.25,-3.0],{facing}}},"stats":{stats}}}"#
    );
    let mut text = format!(
        r#"{{"sessionid":"01234567-89AB-CDEF-0123-456789ABCDEF","sessionip":"10.20.30.40","client_name":"Ann","map_name":"mpl_arena_a","private_match":true,"game_status":"playing","game_clock":300.0,"blue_points":0,"orange_points":0,"total_round_count":3,"blue_round_score":0,"orange_round_score":0,"blue_team_restart_request":0,"pause":{{"paused_state":"unpaused","unpaused_team":"none","paused_requested_team":"none","unpaused_timer":0.0,"paused_timer":0.0}},"player":{{"vr_position":[0.0,1.0,0.0],"vr_forward":[0.0,0.0,1.0],"vr_up":[0.0,1.0,0.0]}},"rules_changed_by":"[INVALID]","rules_changed_at":0,"teams":[{{"possession":false,"stats":{stats},"players":[{player}]}},{{"possession":false,"players":[]}},{{"possession":false}}],"last_score":{{"disc_speed":0.0,"team":"none","goal_type":"[NO GOAL]","point_amount":0,"distance_thrown":0.0,"person_scored":"[INVALID]","assist_scored":"[INVALID]"}},"disc":{{"position":[0.0,0.0,27.5],{facing},"velocity":[0.0,0.0,0.0]}}}}"#
    );
    for (from, to) in put {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    format!("2022/01/02 03:00:00.{:03}\t{text}\r\n", at * 33)
}

/// Lines that differ from each other in one thing, each after an ordinary one.
fn lines_of(changes: &[&[(&str, &str)]]) -> String {
    let usual: &[(&str, &str)] = &[];
    let all = std::iter::once(&usual).chain(changes);
    all.enumerate().map(|(at, put)| line(at, put)).collect()
}

#[test]
fn facts_of_the_reference_come_out_as_the_model_writes_them() {
    for (name, changes) in [
        (
            "null status",
            &[&[("\"playing\"", "null")][..], &[("\"playing\"", "\"\"")]][..],
        ),
        (
            "goal text",
            &[
                &[("\"[NO GOAL]\"", "\"SLAM DUNK,LONG SHOT\"")],
                &[("\"[NO GOAL]\"", "\"17\"")],
            ],
        ),
        (
            "holding text",
            &[&[("\"holding_left\":\"none\"", "\"holding_left\":\"007\"")]],
        ),
        (
            "names",
            &[&[("\"person_scored\":\"[INVALID]\"", "\"person_scored\":null")]],
        ),
        (
            "rules",
            &[&[(
                "\"rules_changed_by\":\"[INVALID]\"",
                "\"rules_changed_by\":null",
            )]],
        ),
        (
            "points",
            &[
                &[("\"blue_points\":0", "\"blue_points\":-1")],
                &[("\"blue_points\":0", "\"blue_points\":0.005")],
            ],
        ),
        ("negative id", &[&[("1001", "-1001")]]),
        (
            "left out",
            &[
                &[("\"game_clock\":300.0", "\"game_clock\":null")],
                &[("\"number\":7", "\"number\":7.0")],
            ],
        ),
        ("no status", &[&[("\"game_status\":\"playing\",", "")]]),
        (
            "stats of a team that go away",
            &[
                &[(NO_PLAYERS, STATS_AND_NO_PLAYERS)],
                &[],
                &[(NO_PLAYERS, STATS_AND_NO_PLAYERS)],
                &[(NO_PLAYERS, "\"stats\":null,\"players\":[]")],
            ],
        ),
        (
            "players that are null, and everybody is found before them",
            &[&[(NO_PLAYERS, NULL_PLAYERS)], &[], &[]],
        ),
    ] {
        for interval in [1, 2, 300] {
            assert!(
                agree(lines_of(changes).as_bytes(), interval, name),
                "{name}"
            );
        }
    }
}

/// The players of a line's second team.
const NO_PLAYERS: &str = "\"players\":[]";
const NULL_PLAYERS: &str = "\"players\":null";
const STATS_AND_NO_PLAYERS: &str = "\"stats\":{\"points\":18,\"stuns\":3},\"players\":[]";

/// The reference looks up each player by user id in both frames before.
#[test]
fn null_players_are_refused_if_a_player_is_looked_up_among_them() {
    let null = &[(NO_PLAYERS, NULL_PLAYERS)][..];
    let (same, other) = (&[][..], &[("1001", "1002")][..]);
    for (lines, interval, refused) in [
        // One frame later, and two frames later.
        (&[null, other][..], 300, Some(2)),
        (&[null, same, other], 300, Some(3)),
        (&[null, same, same, other], 300, None),
        // After a keyframe, no player is looked up.
        (&[null, other], 2, None),
        (&[null, same, other], 2, None),
        (&[same, null, other], 3, None),
        (&[same, null, same, other], 3, None),
    ] {
        let text = lines_of(lines);
        let what = format!("{lines:?}, {interval}");
        let options = options(Mode::Compat, interval, Compression::None);
        match (by_reference(text.as_bytes(), options), refused) {
            (Ok(_), None) => {}
            (Err(WriteError::Reference { frame, member, .. }), Some(at)) => {
                assert_eq!((frame, member.as_str()), (at, "teams[1].players"), "{what}");
            }
            (other, _) => panic!("{what}: {other:?}"),
        }
        assert_eq!(agree(text.as_bytes(), interval, &what), refused.is_none());
    }
}

#[test]
fn frames_that_the_reference_throws_for_are_refused_with_frame_and_member() {
    for (put, member) in [
        (
            (
                "\"holding_left\":\"none\"",
                "\"holding_left\":\"[INVALID]\"",
            ),
            "teams[0].players[0].holding_left",
        ),
        (
            ("\"unpaused_team\":\"none\"", "\"unpaused_team\":\"red\""),
            "pause.unpaused_team",
        ),
        (
            ("\"goal_type\":\"[NO GOAL]\"", "\"goal_type\":null"),
            "last_score.goal_type",
        ),
        (
            ("\"velocity\":[0.0,0.0,0.0],\"head\"", "\"head\""),
            "teams[0].players[0].velocity",
        ),
        ((",{\"possession\":false}]", "]"), "teams"),
        ((",{\"possession\":false}]", ",null]"), "teams[2]"),
        (
            (",{\"possession\":false}]", ",{\"possession\":false},null]"),
            "teams[3]",
        ),
        (
            ("\"stats\":{", "\"no_stats\":{"),
            "teams[0].players[0].stats",
        ),
        (("\"stuns\":0", "\"stuns\":65536"), "teams[0].stats"),
        (
            (
                "\"map_name\":\"mpl_arena_a\"",
                "\"map_name\":\"mpl_lobby_b2\"",
            ),
            "map_name",
        ),
    ] {
        let text = lines_of(&[&[], &[put]]);
        let options = options(Mode::Compat, 300, Compression::None);
        match by_reference(text.as_bytes(), options) {
            Err(WriteError::Reference {
                frame,
                member: found,
                ..
            }) => {
                assert_eq!((frame, found.as_str()), (2, member));
            }
            other => panic!("{member}: {other:?}"),
        }
    }
}
