//! Players who look alike, vanish for a moment, return under another name, or only watch: judged by the match
//! without these.

use crate::common::arena::{frames, stats};
use crate::common::{everybody, frames_of, lines, match_options, recording};
use gametape_echo::audit::SessionAudit;
use gametape_echo::stats::{JoinEvent, PlayerStats};
use gametape_echo::{Finding, Findings, Frame, GameStatus, Holding, Stats};

fn codes(frames: &[Frame]) -> Vec<&'static str> {
    let (mut audit, mut findings) = (SessionAudit::new(), Findings::default());
    for (at, frame) in (0..).zip(frames) {
        audit.push(at, frame, &mut findings);
    }
    audit.finish(&mut findings);
    findings.iter().map(Finding::code).collect()
}

/// The frames of an input from a report; none if it is not beside the project.
fn report(name: &str) -> Option<Vec<Frame>> {
    let bytes = recording(&format!("reports/echo-{name}.echoreplay"))?;
    Some(lines(&bytes))
}

fn nobody(frame: &mut Frame) {
    for team in &mut frame.session.teams {
        team.players.clear();
    }
}

/// What a player did, without the names.
fn deeds(player: &PlayerStats) -> (u64, u64, u64, Stats) {
    let metres = (player.distance * 100.0).round() as u64;
    (
        player.present_ms,
        metres,
        player.possession_ms,
        player.stats,
    )
}

#[test]
fn two_players_of_a_frame_are_never_one() {
    if let Some(frames) = report("two-players-account-0-one-name") {
        let found = stats(&frames);
        assert_eq!(found.players.len(), 10);
        assert!(found.players.iter().all(|player| player.present_ms == 330));
        assert_eq!(found.timeline.joins, []);
    }
    // Three of a match lose account and name, or all have one account.
    let whole = frames_of(match_options(7, 600));
    let before = stats(&whole);
    for (userid, name) in [(0, ""), (0, "Guest"), (9, "Same")] {
        let mut alike = whole.clone();
        for frame in &mut alike {
            for (at, player) in everybody(frame).enumerate() {
                if at % 3 == 1 {
                    (player.userid, player.name) = (userid, name.into());
                }
            }
        }
        let found = stats(&alike);
        assert_eq!(found.players.len(), before.players.len(), "{name:?}");
        for (a, b) in before.players.iter().zip(&found.players) {
            assert_eq!(deeds(a), deeds(b), "{name:?}");
        }
    }
}

#[test]
fn all_players_gone_for_a_moment_did_not_leave() {
    if let Some(frames) = report("all-players-gone-for-one-frame") {
        let found = stats(&frames);
        assert_eq!(found.timeline.joins, []);
        assert!(found.players.iter().all(|player| player.present_ms == 330));
        assert_eq!(codes(&frames), ["echo.no-players"]);
    }
    let whole = frames_of(match_options(3, 600));
    let before = stats(&whole);
    let mut gaps = whole.clone();
    for at in [5, 6, 7, 200, 201, 400] {
        nobody(&mut gaps[at]);
    }
    let found = stats(&gaps);
    assert_eq!(found.timeline.joins, before.timeline.joins);
    assert_eq!(found.players.len(), before.players.len());
    for (a, b) in before.players.iter().zip(&found.players) {
        assert_eq!((a.present_ms, a.stats), (b.present_ms, b.stats));
        assert_eq!((a.left_ms, &a.name), (b.left_ms, &b.name));
    }
    let new: Vec<&str> = codes(&gaps);
    let old = codes(&whole);
    let new: Vec<_> = new.iter().filter(|code| !old.contains(code)).collect();
    assert_eq!(new, [&"echo.no-players"]);

    // Gone for good: they left when they were last seen, if that is seen for long enough.
    let gone = frames(100, |at, frame| {
        if at >= 40 {
            nobody(frame);
        }
    });
    let found = stats(&gone);
    assert_eq!(found.timeline.joins.len(), 6);
    assert!(
        found
            .players
            .iter()
            .all(|player| player.present_ms == 4_000)
    );
    let found = stats(&gone[..50]);
    assert_eq!(found.timeline.joins, []);
    assert_eq!(found.players[0].left_ms, Some(4_000));
    assert_eq!(found.players[0].present_ms, 4_000);
}

#[test]
fn a_player_who_leaves_keeps_what_was_done_and_says_when() {
    let left = frames(60, |at, frame| {
        for player in everybody(frame) {
            player.stats = Some(Stats {
                points: 2,
                ..Stats::default()
            });
        }
        if at >= 32 {
            frame.session.teams[1].players.remove(1);
        }
    });
    let found = stats(&left);
    let gone = &found.players[4];
    assert_eq!((gone.left_ms, gone.stats.points), (Some(3_200), 2));
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["players"][4]["left_ms"], 3_200);
    assert_eq!(json["players"][3].get("left_ms"), None);
}

#[test]
fn an_account_that_changes_its_name_stays_one() {
    let Some(frames) = report("renamed-while-away-and-name-taken") else {
        return;
    };
    let found = stats(&frames);
    let [one] = found
        .players
        .iter()
        .filter(|player| player.userid == 1_000_000_000_000_043)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", found.players);
    };
    assert_eq!(
        (&*one.name, &*one.earlier_names),
        ("Renamed", &["Golf7".into()][..])
    );
    let taken = found.players.iter().find(|player| player.name == "Golf7");
    assert_eq!(taken.unwrap().earlier_names, ["Hotel8"]);
    let joins: Vec<(JoinEvent, &str)> = found
        .timeline
        .joins
        .iter()
        .map(|join| (join.event, join.name.as_str()))
        .collect();
    assert_eq!(
        joins[..3],
        [
            (JoinEvent::Leave, "Golf7"),
            (JoinEvent::Join, "Kilo11"),
            (JoinEvent::Join, "Renamed"),
        ]
    );
    assert_eq!(joins[3], (JoinEvent::Leave, "Bravo-2"));
}

#[test]
fn counts_that_are_0_for_a_moment_are_not_added_twice() {
    if let (Some(base), Some(zero)) = (report("stats-zero-base"), report("stats-zero-in-one-frame"))
    {
        let (base, zero) = (stats(&base), stats(&zero));
        for (a, b) in base.players.iter().zip(&zero.players) {
            assert_eq!(a.stats, b.stats);
        }
    }
    let whole = frames_of(match_options(11, 1_500));
    let before = stats(&whole);
    let mut zero = whole.clone();
    for at in [300, 700, 701, 702, 1_200] {
        for player in everybody(&mut zero[at]) {
            // In some frames a part of the counts is left.
            let stuns = player.stats.map_or(0, |stats| stats.stuns);
            player.stats = Some(Stats {
                stuns: if at == 1_200 { stuns } else { 0 },
                ..Stats::default()
            });
        }
    }
    for (a, b) in before.players.iter().zip(&stats(&zero).players) {
        assert_eq!(a.stats, b.stats);
    }
}

#[test]
fn times_count_while_the_match_is_played() {
    let frames = frames(100, |at, frame| {
        frame.session.game_status = match at {
            0..30 => GameStatus::PreMatch,
            80.. => GameStatus::PostMatch,
            _ => GameStatus::Playing,
        };
        frame.session.teams[0].possession = true;
        let player = everybody(frame).next().unwrap();
        player.possession = true;
        player.stunned = true;
        player.holding_left = Some(Holding::Disc);
    });
    let found = stats(&frames);
    let player = &found.players[0];
    assert_eq!(found.possession.blue_ms, 5_000);
    assert_eq!(player.present_ms, 9_900);
    let times = [player.possession_ms, player.disc_held_ms, player.stunned_ms];
    assert_eq!(times, [5_000; 3]);
}

#[test]
fn spectators_have_no_speed() {
    let frames = frames(50, |at, frame| {
        let mut camera = frame.session.teams[0].players[0].clone();
        (camera.userid, camera.playerid, camera.name) = (77, 7, "camera".into());
        camera.head.position[0] = at as f32;
        camera.velocity = [20.0, 0.0, 0.0];
        frame.session.teams[2].players.push(camera);
    });
    let found = stats(&frames);
    let camera = found.players.last().unwrap();
    assert_eq!(camera.name, "camera");
    assert_eq!((camera.top_speed, camera.distance), (0.0, 0.0));
    assert_eq!((camera.mean_speed, camera.present_ms), (None, 4_900));
}
