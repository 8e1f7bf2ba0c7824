//! The audit of a match: every rule is raised by a case that breaks it, and by nothing that happens in
//! ordinary matches.

mod cases;

use std::collections::BTreeSet;

use crate::common::arena::{arena, pose, score, tapes};
use crate::common::{everybody, frames_of, read_strictly, reference_matches, write};
use cases::{Case, people, player, second, since, the_match, time_and_session, values};
use gametape_core::Place;
use gametape_echo::audit::SessionAudit;
use gametape_echo::butter::Options;
use gametape_echo::{
    Finding, Findings, Frame, Game, GameStatus, GoalType, Holding, Map, PausedState, Rule,
    Severity, TeamId, Time,
};
use gametape_samples::echo::MatchOptions;

fn audit<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Vec<Finding> {
    let (mut audit, mut findings) = (SessionAudit::new(), Findings::default());
    for (at, frame) in frames.into_iter().enumerate() {
        let mut place = Place::nowhere("frame");
        (place.step, place.offset) = (Some(at as u64), Some(100 * at as u64));
        place.within = Some("a.echoreplay".into());
        audit.push_at(&place, frame, &mut findings);
    }
    audit.finish(&mut findings);
    findings.into_iter().collect()
}

#[test]
fn every_rule_is_raised_where_it_is_broken() {
    let mut raised = BTreeSet::new();
    let cases = [time_and_session(), values(), the_match(), people()];
    for Case(code, frames, frame, sentence) in cases.into_iter().flatten() {
        let found = audit(&frames);
        let Some(finding) = found.iter().find(|finding| finding.code() == code) else {
            panic!("{code} is not found, but {found:?}");
        };
        assert!(
            finding.message().contains(sentence),
            "{code} says {:?}",
            finding.message()
        );
        if code != "echo.no-frames" {
            let place = &finding.place;
            assert_eq!(place.step, Some(frame), "{code}");
            assert_eq!(place.offset, Some(100 * frame), "{code}");
            assert_eq!(place.within.as_deref(), Some("a.echoreplay"), "{code}");
            // The clock that was changed is no time since the start.
            let changed = if code == "echo.wall-clock" {
                3_600_000
            } else {
                0
            };
            let at = Time(frames[frame as usize].time.0 + changed);
            let since = at.since(frames[0].time);
            assert_eq!(place.time, Some(since), "{code}");
        }
        // Other findings are only those that follow from the change.
        let others: Vec<&str> = found
            .iter()
            .map(Finding::code)
            .filter(|other| *other != code)
            .collect();
        let expected: &[&str] = match code {
            // The lobby has no arena's clock; two ids of one player imply a leaver, too.
            "echo.time-backwards" => &["echo.clock-up"],
            "echo.duplicate-userid" => &[
                "echo.name-changed",
                "echo.player-left",
                "echo.player-joined",
            ],
            "echo.duplicate-name" => &["echo.name-changed"],
            "echo.position" => &["echo.disc-jump"],
            "echo.hole-points" => &["echo.hole"],
            "echo.roster-changed" => &["echo.player-left", "echo.player-joined"],
            _ => &[],
        };
        for other in others {
            assert!(expected.contains(&other), "{code} raises {other} as well");
        }
        raised.insert(code);
    }
    let all: BTreeSet<&str> = Rule::ALL
        .iter()
        .map(|rule| rule.code)
        .filter(|code| code.starts_with("echo.") && *code != "echo.feature")
        .collect();
    assert_eq!(raised, all);
}

/// No recording shows what the clock does then.
#[test]
fn in_sudden_death_a_jump_is_found_and_the_clock_is_not_judged() {
    let mut frames = since(100, 0, |frame| {
        frame.session.game_status = GameStatus::SuddenDeath;
        frame.session.game_clock = 0.0;
        frame.session.game_clock_display = "00:00.00".into();
    });
    assert_eq!(audit(&frames), []);
    for frame in &mut frames[50..] {
        for player in everybody(frame) {
            player.head.position[2] += 15.0;
        }
    }
    let found: Vec<_> = audit(&frames).iter().map(Finding::code).collect();
    assert_eq!(found, ["echo.all-jump"]);
}

#[test]
fn ordinary_events_are_no_warning() {
    // A goal whose score is reported half a second late, one reported early, and a self goal in the name of
    // the player who made it.
    let mut frames = since(200, 20, |f| f.session.blue_points = 2.0);
    for (at, frame) in frames.iter_mut().enumerate() {
        let session = &mut frame.session;
        if at >= 25 {
            session.last_score = Some(score(TeamId::Blue, 2, "player-00"));
        }
        if at >= 60 {
            session.last_score = Some(score(TeamId::Orange, 3, "player-10"));
        }
        if at >= 65 {
            session.orange_points = 3.0;
        }
        if at >= 100 {
            let mut own = score(TeamId::Orange, 2, "player-11");
            own.goal_type = GoalType::SelfGoal;
            session.last_score = Some(own);
            session.blue_points = 4.0;
        }
        // The next round.
        if at >= 130 {
            session.game_status = GameStatus::RoundStart;
            (session.blue_points, session.orange_points) = (0.0, 0.0);
            session.game_clock = 600.0;
            session.game_clock_display = "10:00.00".into();
        }
    }
    assert_eq!(audit(&frames), []);

    // A restart that both request, a pause in which the clock stands still.
    let mut frames = since(200, 20, |f| f.session.blue_points = 2.0);
    for (at, frame) in frames.iter_mut().enumerate() {
        let session = &mut frame.session;
        session.last_score = None;
        session.blue_team_restart_request = (40..45).contains(&at);
        session.orange_team_restart_request = (42..45).contains(&at);
        if at >= 50 {
            session.blue_points = 0.0;
        }
        if at >= 80 {
            session.pause.as_mut().unwrap().paused_state = PausedState::Paused;
            session.game_clock = 592.0;
            session.game_clock_display = "09:52.00".into();
        }
    }
    assert_eq!(audit(&frames), []);

    // A lobby, where the API has no orientations.
    let mut lobby = arena(0);
    lobby.session.map_name = Map::Lobby;
    lobby.session.game_status = GameStatus::Empty;
    everybody(&mut lobby).for_each(|player| {
        (player.head, player.body) = Default::default();
    });
    assert_eq!(audit([&lobby]), []);

    // One respawn is no splice, nor is a redacted recording.
    let mut frames = second(|f| player(f).head = pose([0.0, 0.0, -40.0]));
    let found = audit(&frames);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code(), "echo.player-jump");
    assert_eq!(found[0].severity(), Severity::Info);
    for frame in &mut frames {
        everybody(frame).for_each(|player| player.userid = 0);
    }
    assert_eq!(audit(&frames), []);
}

#[test]
fn a_cut_match_is_distinguished_from_a_whole_one() {
    for (game, private) in [
        (Game::Arena, false),
        (Game::Arena, true),
        (Game::Combat, false),
    ] {
        let options = MatchOptions {
            seed: 11,
            game,
            private,
            pauses: true,
            spectators: 1,
            frames: Some(9_000),
            ..MatchOptions::default()
        };
        let mut frames = frames_of(options);
        for finding in audit(&frames) {
            assert_eq!(finding.severity(), Severity::Info, "{game:?}: {finding}");
        }
        // Eight seconds are cut out of play, and times adjusted.
        let played = |frame: &Frame| {
            let pause = frame.session.pause.as_ref();
            frame.session.game_status == GameStatus::Playing
                && pause.is_none_or(|pause| {
                    matches!(
                        pause.paused_state,
                        PausedState::Unpaused | PausedState::None
                    )
                })
        };
        let cut = frames
            .windows(260)
            .position(|window| window.iter().all(played))
            .unwrap()
            + 10;
        frames.drain(cut..cut + 240);
        for frame in &mut frames[cut..] {
            frame.time.0 -= 8_000;
        }
        let found = audit(&frames);
        assert!(
            found
                .iter()
                .any(|finding| finding.code() == "echo.clock-jump"
                    && finding.place.step == Some(cut as u64)),
            "{game:?}: {found:?}"
        );
    }
}

#[test]
fn real_recordings_raise_no_warning() {
    for (name, frames) in tapes() {
        for finding in audit(&frames) {
            assert_eq!(finding.severity(), Severity::Info, "{name}: {finding}");
        }
    }
}

#[test]
fn a_frame_with_very_many_players_takes_no_longer_than_its_size() {
    let mut frames = [arena(0), arena(33)];
    for frame in &mut frames {
        let players = &mut frame.session.teams[0].players;
        let one = players[0].clone();
        players.resize(200_000, one);
        players[1].holding_left = Some(Holding::Number(5_000));
    }
    let found = audit(&frames);
    assert!(found.iter().any(|f| f.code() == "echo.duplicate-userid"));
}

fn quiet<'a>(what: &str, frames: impl IntoIterator<Item = &'a Frame>) {
    for finding in audit(frames) {
        assert_eq!(finding.severity(), Severity::Info, "{what}: {finding}");
    }
}

#[test]
fn matches_raise_no_warning_in_any_format() {
    for seed in 0..20 {
        for game in [Game::Arena, Game::Combat] {
            let options = MatchOptions {
                seed,
                rate_hz: [10, 30, 60][seed as usize % 3],
                private: seed % 2 == 1,
                pauses: seed % 4 > 1,
                frames: Some(2_500),
                game,
                ..MatchOptions::default()
            };
            let what = format!("{options:?}");
            let frames = frames_of(options);
            quiet(&what, &frames);
            if seed % 5 > 0 {
                continue;
            }
            let again = read_strictly(&write(&frames, Options::default())).frames;
            quiet(&format!("as .butter, {what}"), &again);
        }
    }
    for file in reference_matches() {
        quiet(&file.name, &read_strictly(&file.bytes).frames);
    }
}

/// What a recorder sees when the server or the network stalls.
#[test]
fn a_stall_is_no_cut() {
    // The clock stands for three seconds, once every twenty, and makes up for it.
    let mut frames: Vec<Frame> = (0..900).map(|at| arena(at * 100)).collect();
    for at in 0..frames.len() {
        let seen = if at % 200 > 170 {
            at - at % 200 + 170
        } else {
            at
        };
        let session = frames[seen].session.clone();
        frames[at].session = session;
    }
    quiet("stalls", &frames);
    // It stands and does not make up for it.
    let mut frames: Vec<Frame> = (0..900).map(|at| arena(at * 100)).collect();
    for (at, frame) in frames.iter_mut().enumerate() {
        let stood = at / 200 * 30 + (at % 200).saturating_sub(170);
        frame.session = arena((at - stood) as i64 * 100).session;
    }
    quiet("stands", &frames);
    // The recorder loses the game for a while.
    frames.drain(300..400);
    quiet("loses", &frames);
}

fn made(seed: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        seed,
        rate_hz: 15,
        frames: Some(3_000),
        ..MatchOptions::default()
    })
}

#[track_caller]
fn warns(frames: &[Frame], code: &str) {
    let found = audit(frames);
    let warning = found
        .iter()
        .find(|finding| finding.severity() > Severity::Info && finding.code() == code);
    assert!(warning.is_some(), "no {code}, but {found:?}");
}

fn points(frame: &Frame) -> f32 {
    frame.session.blue_points + frame.session.orange_points
}

/// The frame of a match's first goal.
fn goal(frames: &[Frame]) -> usize {
    let rises = |pair: &[Frame]| points(&pair[1]) > points(&pair[0]);
    frames.windows(2).position(rises).unwrap() + 1
}

fn team_points<'a>(frame: &'a mut Frame, team: &TeamId) -> &'a mut f32 {
    if *team == TeamId::Blue {
        &mut frame.session.blue_points
    } else {
        &mut frame.session.orange_points
    }
}

#[test]
fn a_match_continued_by_another_one() {
    let mut frames = made(1);
    let session = frames[0].session.clone();
    let tail = made(2).split_off(1_500);
    let server = frames[1_499].time.0 + 67 - tail[0].time.0;
    frames.truncate(1_500);
    frames.extend(tail.into_iter().map(|mut frame| {
        frame.time.0 += server;
        frame.session.sessionid = session.sessionid.clone();
        frame.session.sessionip = session.sessionip.clone();
        frame.session.client_name = session.client_name.clone();
        frame
    }));
    warns(&frames, "echo.roster-changed");
}

#[test]
fn a_goal_that_is_edited() {
    for seed in 0..5 {
        let whole = made(seed);
        let at = goal(&whole);
        let score = whole[at].session.last_score.clone().unwrap();

        let mut removed = whole.clone();
        for frame in &mut removed[at..] {
            *team_points(frame, &score.team) -= score.point_amount as f32;
        }
        warns(&removed, "echo.goal-uncounted");
        for frame in &mut removed {
            frame.session.last_score = whole[0].session.last_score.clone();
        }
        warns(&removed, "echo.goal-stats");

        let mut dearer = whole.clone();
        for frame in &mut dearer[at..] {
            *team_points(frame, &score.team) += 1.0;
            if frame.session.last_score.as_ref() == Some(&score) {
                frame.session.last_score.as_mut().unwrap().point_amount += 1;
            }
        }
        warns(&dearer, "echo.goal-stats");

        let mut stolen = whole.clone();
        let other = usize::from(score.team == TeamId::Blue);
        let thief = whole[at].session.teams[other].players[0].name.clone();
        for frame in &mut stolen[at..] {
            if frame.session.last_score.as_ref() == Some(&score) {
                frame.session.last_score.as_mut().unwrap().person_scored = thief.clone();
            }
        }
        warns(&stolen, "echo.goal-scorer");

        // From the last moment before the goal straight to the next round.
        let mut cut = whole.clone();
        let next = cut[at..]
            .iter()
            .position(|frame| frame.session.game_status == GameStatus::RoundStart)
            .unwrap();
        cut.drain(at..at + next);
        let closed = cut[at].time.0 - cut[at - 1].time.0 - 67;
        cut[at..]
            .iter_mut()
            .for_each(|frame| frame.time.0 -= closed);
        warns(&cut, "echo.goal-cut");

        // Left out, without closing the gap.
        let mut left_out = whole;
        left_out.drain(at - 20..at + 20);
        warns(&left_out, "echo.hole-points");
    }
}

#[test]
fn a_match_that_is_slowed_down_or_sped_up() {
    for seed in 0..5 {
        for factor in [0.5, 0.9, 1.1, 1.25, 2.0] {
            let mut frames = made(seed);
            let start = frames[0].time.0;
            for frame in &mut frames {
                frame.time.0 = start + ((frame.time.0 - start) as f64 * factor) as i64;
            }
            warns(&frames, "echo.clock-rate");
        }
    }
}

#[test]
fn a_clock_that_is_set_back() {
    let mut frames = made(1);
    for frame in &mut frames[1_000..] {
        frame.session.game_clock += 20.0;
        frame.session.game_clock_display = gametape_echo::clock_display(frame.session.game_clock);
    }
    let playing = |frame: &Frame| frame.session.game_status == GameStatus::Playing;
    assert!(playing(&frames[999]) && playing(&frames[1_000]));
    warns(&frames, "echo.clock-set");
}
