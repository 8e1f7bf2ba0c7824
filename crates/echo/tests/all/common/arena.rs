//! A small match made by hand, and real recordings, which lie beside the project and not in it.
use gametape_echo::stats::{MatchStats, StatsBuilder};
use gametape_echo::{
    Disc, Frame, GameStatus, GoalType, Holding, LastScore, Map, Pause, PausedState, Player, Pose,
    Session, Stats, Team, TeamId, Time, clock_display,
};

use super::{lines, recording, tape};

/// When the match began.
pub const START: i64 = 1_641_092_400_000;

/// Frames of an [`arena`] 100 ms apart, each changed by its index.
pub fn frames(count: i64, change: impl Fn(i64, &mut Frame)) -> Vec<Frame> {
    let frame = |at| {
        let mut frame = arena(at * 100);
        change(at, &mut frame);
        frame
    };
    (0..count).map(frame).collect()
}

pub fn stats<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> MatchStats {
    let mut stats = StatsBuilder::new();
    frames.into_iter().for_each(|frame| stats.push(frame));
    stats.finish()
}

/// Three against three in the arena, so many milliseconds after its start; all stand still.
pub fn arena(ms: i64) -> Frame {
    let clock = 600.0 - ms as f32 / 1000.0;
    let player = |team: i32, nth: i32| Player {
        name: format!("player-{team}{nth}").into(),
        playerid: team * 3 + nth,
        userid: 1000 + (team * 3 + nth) as u64,
        number: 10 + nth,
        level: 50,
        ping: 40 + nth,
        holding_left: Some(Holding::None),
        holding_right: Some(Holding::None),
        head: pose([nth as f32, team as f32, 10.0]),
        body: pose([nth as f32, team as f32, 10.0]),
        lhand: pose([nth as f32, team as f32, 10.5]),
        rhand: pose([nth as f32, team as f32, 9.5]),
        stats: Some(Stats::default()),
        ..Player::default()
    };
    let team = |team: i32, name: &str| Team {
        name: name.into(),
        stats: Some(Stats::default()),
        players: (0..3).map(|nth| player(team, nth)).collect(),
        ..Team::default()
    };
    Frame {
        time: Time(START + ms),
        session: Session {
            sessionid: "01234567-89AB-CDEF-0123-456789ABCDEF".into(),
            sessionip: "203.0.113.7".into(),
            client_name: "player-00".into(),
            match_type: "Echo_Arena_Private".into(),
            map_name: Map::Arena,
            private_match: true,
            game_status: GameStatus::Playing,
            game_clock: clock,
            game_clock_display: clock_display(clock),
            total_round_count: 3,
            pause: Some(Pause {
                paused_state: PausedState::Unpaused,
                unpaused_team: TeamId::None,
                paused_requested_team: TeamId::None,
                unpaused_timer: 0.0,
                paused_timer: 0.0,
            }),
            last_score: Some(score(TeamId::Orange, 0, "[INVALID]")),
            disc: Some(Disc {
                pose: pose([0.0; 3]),
                ..Disc::default()
            }),
            teams: vec![
                team(0, "BLUE TEAM"),
                team(1, "ORANGE TEAM"),
                Team {
                    name: "SPECTATORS".into(),
                    ..Team::default()
                },
            ],
            ..Session::default()
        },
        bones: None,
    }
}

/// An upright pose.
pub fn pose(position: [f32; 3]) -> Pose {
    Pose {
        position,
        forward: [0.0, 0.0, 1.0],
        left: [1.0, 0.0, 0.0],
        up: [0.0, 1.0, 0.0],
    }
}

pub fn score(team: TeamId, points: i32, thrower: &str) -> LastScore {
    LastScore {
        disc_speed: 12.5,
        team,
        goal_type: GoalType::LongShot,
        point_amount: points,
        distance_thrown: 20.0,
        person_scored: thrower.into(),
        assist_scored: "[INVALID]".into(),
    }
}

/// The real recordings, by name; none, with a loud message, if they are not there.
pub fn tapes() -> Vec<(String, Vec<Frame>)> {
    let mut tapes = Vec::new();
    for name in ["a_single", "b_scenario", "c_combat"] {
        if let Some(bytes) = tape(&format!("{name}.echoreplay")) {
            tapes.push((name.to_owned(), lines(&bytes)));
        }
    }
    if let Some(json) = recording("echo/example_frame_2021-11-20.json") {
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let line = format!("2021/11/20 00:00:00.000\t{json}\r\n");
        tapes.push(("example".to_owned(), lines(line.as_bytes())));
    }
    tapes
}
