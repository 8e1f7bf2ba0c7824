//! Frames that break each rule.

use gametape_echo::{
    Bones, Frame, GameStatus, Holding, Map, Player, PlayerBones, Stats, Team, TeamId,
};

use crate::common::arena::{arena, score};
use crate::common::everybody;

/// A case: the code, frames that break the rule, the frame named, a part of the sentence.
pub struct Case(pub &'static str, pub Vec<Frame>, pub u64, pub &'static str);

/// Two frames, 33 ms apart; the second one is changed.
pub fn second(change: impl Fn(&mut Frame)) -> Vec<Frame> {
    let mut frames = vec![arena(1_000), arena(1_033)];
    change(&mut frames[1]);
    frames
}

/// A rule that is broken in the second of two frames.
fn one(code: &'static str, sentence: &'static str, change: impl Fn(&mut Frame)) -> Case {
    Case(code, second(change), 1, sentence)
}

/// A rule about goals that is broken in the third of twenty frames, and in those after it.
fn goal(code: &'static str, sentence: &'static str, change: impl Fn(&mut Frame)) -> Case {
    Case(code, since(20, 2, change), 2, sentence)
}

/// Frames 100 ms apart; those from `from` on are changed.
pub fn since(count: i64, from: usize, change: impl Fn(&mut Frame)) -> Vec<Frame> {
    let mut frames: Vec<Frame> = (0..count).map(|at| arena(at * 100)).collect();
    frames.iter_mut().skip(from).for_each(change);
    frames
}

/// Frames 100 ms apart, three seconds without any, and more frames, which are changed.
fn hole(change: impl Fn(&mut Frame)) -> Vec<Frame> {
    let times = (0..20).map(|at| at * 100 + if at < 10 { 0 } else { 3_000 });
    let mut frames: Vec<Frame> = times.map(arena).collect();
    frames.iter_mut().skip(10).for_each(change);
    frames
}

pub fn player(frame: &mut Frame) -> &mut Player {
    &mut frame.session.teams[0].players[0]
}

pub fn time_and_session() -> Vec<Case> {
    let at = |ms: [i64; 2]| ms.map(arena).to_vec();
    vec![
        Case("echo.no-frames", vec![], 0, "no frames"),
        Case(
            "echo.time-backwards",
            at([5_000, 4_200]),
            1,
            "800 ms before",
        ),
        Case(
            "echo.wall-clock",
            {
                let mut frames = since(9, 9, |_| {});
                for frame in &mut frames[4..] {
                    frame.time.0 -= 3_600_000;
                }
                frames
            },
            4,
            "goes back by 3,600 s while the game runs on",
        ),
        Case("echo.same-time", at([1_000, 1_000]), 1, "same millisecond"),
        Case("echo.time-gap", at([0, 61_500]), 1, "61 s after"),
        Case("echo.hole", hole(|_| {}), 10, "for 3,100 ms"),
        Case(
            "echo.hole-points",
            hole(|f| {
                f.session.blue_points = 2.0;
                f.session.last_score = Some(score(TeamId::Blue, 2, "player-00"));
            }),
            10,
            "blue rise from 0 to 2 while nothing is recorded for 3,100 ms",
        ),
        one("echo.api-error", "error -6", |f| {
            f.session.err_code = Some(-6);
        }),
        one("echo.session-changed", "another match", |f| {
            f.session.sessionid = "another".into();
        }),
        one("echo.server-changed", "another server", |f| {
            f.session.sessionip = "203.0.113.8".into();
        }),
        one("echo.client-changed", "another client", |f| {
            f.session.client_name = "player-01".into();
        }),
        one(
            "echo.map-changed",
            "\"mpl_lobby_b2\" instead of \"mpl_arena_a\"",
            |f| f.session.map_name = Map::Lobby,
        ),
        one("echo.teams", "4 teams", |f| {
            f.session.teams.push(Team::default());
        }),
        one(
            "echo.round-score",
            "blue has won 0 rounds and orange 4, of 3",
            |f| f.session.orange_round_score = 4,
        ),
    ]
}

pub fn values() -> Vec<Case> {
    vec![
        one("echo.not-finite", "a hand is no finite number", |f| {
            player(f).lhand.up[1] = f32::NAN;
        }),
        one("echo.position", "the disc is 12000 m", |f| {
            f.session.disc.as_mut().unwrap().pose.position[2] = -12_000.0;
        }),
        one("echo.speed", "1500 m/s", |f| {
            player(f).velocity = [0.0, 1_500.0, 0.0];
        }),
        one(
            "echo.basis",
            "a head are off unit length or right angles by 0.300",
            |f| player(f).head.up = [0.0, 0.9, 0.3],
        ),
        one("echo.bone-rotation", "length 2.000", |f| {
            let mut bones = PlayerBones::default();
            bones.rotations[7] = [0.0, 0.0, 0.0, 2.0];
            f.bones = Some(Bones {
                user_bones: vec![bones],
                unknown: vec![],
            });
        }),
        one("echo.ping", "-2 ms", |f| player(f).ping = -2),
        one("echo.packet-loss", "loss of 1.5", |f| {
            player(f).packetlossratio = 1.5;
        }),
        one("echo.inputs", "input of 2", |f| {
            f.session.inputs.left_shoulder2 = 2.0;
        }),
        one("echo.range", "level 4000; 0 to 255", |f| {
            player(f).level = 4_000;
        }),
        one(
            "echo.clock-display",
            "shows \"09:59.47\" and stands at 598.97 s",
            |f| f.session.game_clock_display = "09:59.47".into(),
        ),
        one(
            "echo.clock-forged",
            "shows \"01:00.00\" and stands at 598.97 s",
            |f| f.session.game_clock_display = "01:00.00".into(),
        ),
    ]
}

pub fn the_match() -> Vec<Case> {
    let clock = |f: &mut Frame, seconds: f32| {
        f.session.game_clock = seconds;
        f.session.game_clock_display = gametape_echo::clock_display(seconds);
    };
    vec![
        one("echo.clock-up", "from 599.00 to 600.00 s", |f| {
            clock(f, 600.0);
        }),
        Case(
            "echo.clock-set",
            {
                let mut frames = [10_000, 10_033].map(arena).to_vec();
                clock(&mut frames[1], 600.0);
                frames
            },
            1,
            "from 590.00 to 600.00 s",
        ),
        Case(
            "echo.clock-rate",
            {
                let mut frames = since(310, 0, |_| {});
                for (at, frame) in frames.iter_mut().enumerate() {
                    clock(frame, 600.0 - at as f32 * 0.11);
                }
                frames
            },
            300,
            "loses 33.0 s in 30.0 s",
        ),
        one(
            "echo.clock-jump",
            "from 599.00 to 550.00 s while 33 ms pass",
            |f| clock(f, 550.0),
        ),
        Case(
            "echo.clock-stopped",
            since(60, 0, |f| clock(f, 300.0)),
            50,
            "stood at 300.00 s for 5 s",
        ),
        one(
            "echo.all-jump",
            "4 of 6 players are elsewhere at once, 33 ms after",
            |f| {
                for player in everybody(f).skip(2) {
                    player.head.position[2] += 15.0;
                }
            },
        ),
        one(
            "echo.player-jump",
            "20 m away from where it was 33 ms before",
            |f| player(f).head.position[2] += 20.0,
        ),
        one("echo.disc-jump", "18 m away", |f| {
            f.session.disc.as_mut().unwrap().pose.position[0] = 18.0;
        }),
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
        goal(
            "echo.goal-points",
            "orange rise by 3, its last score is worth 2",
            |f| {
                f.session.orange_points = 3.0;
                f.session.last_score = Some(score(TeamId::Orange, 2, "player-10"));
            },
        ),
        goal("echo.goal-untold", "orange rise by 3, and no score", |f| {
            f.session.orange_points = 3.0;
        }),
        goal(
            "echo.goal-uncounted",
            "another goal of blue, worth 2, and no points rise",
            |f| {
                f.session.last_score = Some(score(TeamId::Blue, 2, "player-00"));
            },
        ),
        goal(
            "echo.goal-scorer",
            "of orange, but its scorer plays for the other team",
            |f| {
                f.session.orange_points = 2.0;
                f.session.last_score = Some(score(TeamId::Orange, 2, "player-00"));
            },
        ),
        goal(
            "echo.goal-stats",
            "of orange's players rise by 2, those of orange by 3",
            |f| {
                f.session.orange_points = 3.0;
                f.session.last_score = Some(score(TeamId::Orange, 3, "player-10"));
                let team = &mut f.session.teams[1];
                for stats in [&mut team.stats, &mut team.players[0].stats] {
                    stats.as_mut().unwrap().points = 2;
                }
            },
        ),
        goal("echo.goal-cut", "orange rise in the very frame", |f| {
            f.session.game_status = GameStatus::RoundStart;
            f.session.orange_points = 2.0;
            f.session.last_score = Some(score(TeamId::Orange, 2, "player-10"));
        }),
    ]
}

pub fn people() -> Vec<Case> {
    let done = |stuns: i32| {
        Some(Stats {
            stuns,
            ..Stats::default()
        })
    };
    vec![
        one("echo.player-joined", "joins orange", |f| {
            let mut new = player(f).clone();
            (new.userid, new.playerid, new.name) = (77, 77, "new".into());
            f.session.teams[1].players.push(new);
        }),
        one("echo.player-left", "leaves orange", |f| {
            drop(f.session.teams[1].players.pop());
        }),
        one("echo.player-moved", "from blue to orange", |f| {
            let player = f.session.teams[0].players.remove(1);
            f.session.teams[1].players.push(player);
        }),
        one(
            "echo.roster-changed",
            "4 of 6 players are replaced at once",
            |f| {
                for player in everybody(f).skip(2) {
                    player.userid += 100;
                    player.name.push('x');
                }
            },
        ),
        Case(
            "echo.no-players",
            {
                let mut frames = since(9, 9, |_| {});
                for frame in &mut frames[3..5] {
                    frame
                        .session
                        .teams
                        .iter_mut()
                        .for_each(|team| team.players.clear());
                }
                frames
            },
            3,
            "none of the 6 players is in 2 frames",
        ),
        one("echo.duplicate-userid", "one user id", |f| {
            f.session.teams[1].players[2].userid = player(f).userid;
        }),
        one("echo.duplicate-playerid", "playerid 0", |f| {
            f.session.teams[1].players[2].playerid = 0;
        }),
        one("echo.duplicate-name", "one name", |f| {
            f.session.teams[1].players[2].name = "player-00".into();
        }),
        one("echo.name-changed", "another name", |f| {
            player(f).name = "other".into();
        }),
        one("echo.holding-absent", "a player who is absent", |f| {
            player(f).holding_right = Some(Holding::Number(9));
        }),
        one("echo.two-possess", "6 players possess", |f| {
            everybody(f).for_each(|player| player.possession = true);
        }),
        one(
            "echo.team-stats",
            "the stuns of blue are 0, those of its players add up to 4",
            |f| player(f).stats = done(4),
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
