//! The audit of a match: every rule is raised by a case that breaks it, and by nothing that happens in
//! ordinary matches.

mod cases;
mod forged;
mod genuine;

use std::collections::BTreeSet;

use crate::common::arena::{arena, pose, score, tapes};
use crate::common::{everybody, frames_of};
use cases::{Case, people, player, second, since, the_match, time_and_session, values};
use gametape_core::Place;
use gametape_echo::audit::SessionAudit;
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
