//! The audit of a match: every rule is raised by what breaks it, and by nothing that happens in
//! matches.

mod arena;

use std::collections::BTreeSet;

use arena::{arena, pose, score};
use gametape_echo::audit::SessionAudit;
use gametape_echo::generate::{Match, MatchOptions};
use gametape_echo::{
    Bones, Finding, Findings, Frame, Game, GameStatus, GoalType, Holding, Map, PausedState, Player,
    PlayerBones, Rule, Severity, Stats, Team, TeamId,
};

fn audit<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Vec<Finding> {
    let (mut audit, mut findings) = (SessionAudit::new(), Findings::default());
    for (at, frame) in frames.into_iter().enumerate() {
        audit.push(at as u64, Some(100 * at as u64), frame, &mut findings);
    }
    audit.finish(&mut findings);
    findings.into_iter().collect()
}

/// Frames that break a rule, and how: code, the frame that is named, a part of the sentence.
struct Case(&'static str, Vec<Frame>, u64, &'static str);

/// Two frames, 33 ms apart; the second one is changed.
fn second(change: impl Fn(&mut Frame)) -> Vec<Frame> {
    let mut frames = vec![arena(1_000), arena(1_033)];
    change(&mut frames[1]);
    frames
}

/// So many frames, 100 ms apart; those from `from` on are changed.
fn since(count: i64, from: usize, change: impl Fn(&mut Frame)) -> Vec<Frame> {
    let mut frames: Vec<Frame> = (0..count).map(|at| arena(at * 100)).collect();
    frames.iter_mut().skip(from).for_each(change);
    frames
}

fn player(frame: &mut Frame) -> &mut Player {
    &mut frame.session.teams[0].players[0]
}

fn everybody(frame: &mut Frame) -> impl Iterator<Item = &mut Player> {
    let teams = frame.session.teams.iter_mut();
    teams.flat_map(|team| team.players.iter_mut())
}

fn time_and_session() -> Vec<Case> {
    let at = |ms: [i64; 2]| ms.map(arena).to_vec();
    let one = |change: fn(&mut Frame)| second(change);
    vec![
        Case("echo.no-frames", vec![], 0, "no frames"),
        Case(
            "echo.time-backwards",
            at([5_000, 4_200]),
            1,
            "800 ms before",
        ),
        Case("echo.same-time", at([1_000, 1_000]), 1, "same millisecond"),
        Case("echo.time-gap", at([0, 61_500]), 1, "61 s after"),
        Case(
            "echo.api-error",
            one(|f| f.session.err_code = Some(-6)),
            1,
            "error -6",
        ),
        Case(
            "echo.session-changed",
            one(|f| f.session.sessionid = "another".into()),
            1,
            "another match",
        ),
        Case(
            "echo.server-changed",
            one(|f| f.session.sessionip = "203.0.113.8".into()),
            1,
            "another server",
        ),
        Case(
            "echo.client-changed",
            one(|f| f.session.client_name = "player-01".into()),
            1,
            "another client",
        ),
        Case(
            "echo.map-changed",
            one(|f| f.session.map_name = Map::Lobby),
            1,
            "\"mpl_lobby_b2\" instead of \"mpl_arena_a\"",
        ),
        Case(
            "echo.teams",
            one(|f| f.session.teams.push(Team::default())),
            1,
            "4 teams",
        ),
        Case(
            "echo.round-score",
            one(|f| f.session.orange_round_score = 4),
            1,
            "blue has won 0 rounds and orange 4, of 3",
        ),
    ]
}

fn values() -> Vec<Case> {
    let one = |change: fn(&mut Frame)| second(change);
    vec![
        Case(
            "echo.not-finite",
            one(|f| player(f).lhand.up[1] = f32::NAN),
            1,
            "a hand is no finite number",
        ),
        Case(
            "echo.position",
            one(|f| f.session.disc.as_mut().unwrap().pose.position[2] = -12_000.0),
            1,
            "the disc is 12000 m",
        ),
        Case(
            "echo.speed",
            one(|f| player(f).velocity = [0.0, 1_500.0, 0.0]),
            1,
            "1500 m/s",
        ),
        Case(
            "echo.basis",
            one(|f| player(f).head.up = [0.0, 0.9, 0.3]),
            1,
            "a head are off unit length or right angles by 0.300",
        ),
        Case(
            "echo.bone-rotation",
            one(|f| {
                let mut bones = PlayerBones::default();
                bones.rotations[7] = [0.0, 0.0, 0.0, 2.0];
                f.bones = Some(Bones {
                    user_bones: vec![bones],
                    unknown: vec![],
                });
            }),
            1,
            "length 2.000",
        ),
        Case("echo.ping", one(|f| player(f).ping = -2), 1, "-2 ms"),
        Case(
            "echo.packet-loss",
            one(|f| player(f).packetlossratio = 1.5),
            1,
            "loss of 1.5",
        ),
        Case(
            "echo.inputs",
            one(|f| f.session.inputs.left_shoulder2 = 2.0),
            1,
            "input of 2",
        ),
        Case(
            "echo.range",
            one(|f| player(f).level = 4_000),
            1,
            "level 4000; 0 to 255",
        ),
        Case(
            "echo.clock-display",
            one(|f| f.session.game_clock_display = "01:00.00".into()),
            1,
            "shows \"01:00.00\" and stands at 598.97 s",
        ),
    ]
}

fn the_match() -> Vec<Case> {
    let clock = |f: &mut Frame, seconds: f32| {
        f.session.game_clock = seconds;
        f.session.game_clock_display = gametape_echo::clock_display(seconds);
    };
    vec![
        Case(
            "echo.clock-up",
            second(|f| clock(f, 600.0)),
            1,
            "from 599.00 to 600.00 s",
        ),
        Case(
            "echo.clock-jump",
            second(|f| clock(f, 550.0)),
            1,
            "from 599.00 to 550.00 s while 33 ms pass",
        ),
        Case(
            "echo.clock-stopped",
            since(60, 0, |f| clock(f, 300.0)),
            50,
            "stood at 300.00 s for 5 s",
        ),
        Case(
            "echo.all-jump",
            second(|f| {
                for player in everybody(f).skip(2) {
                    player.head.position[2] += 15.0;
                }
            }),
            1,
            "4 of 6 players are elsewhere at once, 33 ms after",
        ),
        Case(
            "echo.points-fell",
            {
                let mut frames = since(3, 0, |f| f.session.blue_points = 5.0);
                frames[2].session.blue_points = 3.0;
                frames
            },
            2,
            "blue fall from 5 to 3",
        ),
        Case(
            "echo.goal-points",
            since(20, 2, |f| {
                f.session.orange_points = 3.0;
                f.session.last_score = Some(score(TeamId::Orange, 2, "player-10"));
            }),
            2,
            "orange rise by 3, its last score is worth 2",
        ),
        Case(
            "echo.goal-untold",
            since(20, 2, |f| f.session.orange_points = 3.0),
            2,
            "orange rise by 3, and no score",
        ),
    ]
}

fn people() -> Vec<Case> {
    let one = |change: fn(&mut Frame)| second(change);
    let done = |stuns: i32| {
        Some(Stats {
            stuns,
            ..Stats::default()
        })
    };
    vec![
        Case(
            "echo.player-joined",
            one(|f| {
                let mut new = player(f).clone();
                (new.userid, new.playerid, new.name) = (77, 77, "new".into());
                f.session.teams[1].players.push(new);
            }),
            1,
            "joins orange",
        ),
        Case(
            "echo.player-left",
            one(|f| drop(f.session.teams[1].players.pop())),
            1,
            "leaves orange",
        ),
        Case(
            "echo.player-moved",
            one(|f| {
                let player = f.session.teams[0].players.remove(1);
                f.session.teams[1].players.push(player);
            }),
            1,
            "from blue to orange",
        ),
        Case(
            "echo.duplicate-userid",
            one(|f| f.session.teams[1].players[2].userid = player(f).userid),
            1,
            "one user id",
        ),
        Case(
            "echo.duplicate-playerid",
            one(|f| f.session.teams[1].players[2].playerid = 0),
            1,
            "playerid 0",
        ),
        Case(
            "echo.duplicate-name",
            one(|f| f.session.teams[1].players[2].name = "player-00".into()),
            1,
            "one name",
        ),
        Case(
            "echo.name-changed",
            one(|f| player(f).name = "other".into()),
            1,
            "another name",
        ),
        Case(
            "echo.holding-absent",
            one(|f| player(f).holding_right = Some(Holding::Number(9))),
            1,
            "not there",
        ),
        Case(
            "echo.two-possess",
            one(|f| everybody(f).for_each(|player| player.possession = true)),
            1,
            "6 players possess",
        ),
        Case(
            "echo.team-stats",
            second(|f| player(f).stats = done(4)),
            1,
            "the stuns of blue are 0, those of its players add up to 4",
        ),
        Case(
            "echo.stats-fell",
            {
                let mut frames = second(|f| player(f).stats = done(3));
                player(&mut frames[0]).stats = done(4);
                for frame in &mut frames {
                    frame.session.teams[0].stats = done(4);
                }
                frames
            },
            1,
            "the stuns of a player fall from 4 to 3",
        ),
    ]
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
            assert_eq!(finding.frame, Some(frame), "{code}");
            assert_eq!(finding.offset, Some(100 * frame), "{code}");
            assert_eq!(finding.time, Some(frames[frame as usize].time), "{code}");
        }
        // Whatever else is wrong, it is no more than what follows from the change.
        let others: Vec<&str> = found
            .iter()
            .map(Finding::code)
            .filter(|other| *other != code)
            .collect();
        let expected: &[&str] = match code {
            // The lobby has no arena's clock; two ids of one player are a leaver, too.
            "echo.time-backwards" => &["echo.clock-up"],
            "echo.duplicate-userid" => &[
                "echo.name-changed",
                "echo.player-left",
                "echo.player-joined",
            ],
            "echo.duplicate-name" => &["echo.name-changed"],
            _ => &[],
        };
        for other in others {
            assert!(expected.contains(&other), "{code} raises {other} as well");
        }
        raised.insert(code);
    }
    let all: BTreeSet<&str> = Rule::CODES
        .iter()
        .map(|(code, _)| *code)
        .filter(|code| code.starts_with("echo."))
        .collect();
    assert_eq!(raised, all);
}

#[test]
fn what_happens_in_matches_is_no_warning() {
    // A goal whose score is told half a second late, another where it is told early, a self goal
    // in the name of who made it.
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

    // A restart that both want, a pause in which the clock stands still.
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
    assert_eq!(audit(&frames), []);
    for frame in &mut frames {
        everybody(frame).for_each(|player| player.userid = 0);
    }
    assert_eq!(audit(&frames), []);
}

#[test]
fn a_match_that_is_cut_is_told_from_one_that_is_not() {
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
        let mut frames: Vec<Frame> = Match::new(options).collect();
        for finding in audit(&frames) {
            assert_eq!(finding.severity(), Severity::Info, "{game:?}: {finding}");
        }
        // Eight seconds are cut out while the match is being played, and times made to fit.
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
                    && finding.frame == Some(cut as u64)),
            "{game:?}: {found:?}"
        );
    }
}

#[test]
fn real_recordings_raise_no_warning() {
    for (name, frames) in arena::tapes() {
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
