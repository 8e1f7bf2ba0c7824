//! Frames that no game returns: content that the model can hold and a match never has.

use fastrand::Rng;
use gametape_echo::{
    Bones, Disc, Frame, GameStatus, GoalType, Holding, LastScore, LastThrow, Loadout, Map, Missing,
    Pause, PausedState, Payload, Player, PlayerBones, Pose, Stats, Team, TeamId, Time,
};

use super::{frames_of, match_options};

/// Any number, extreme ones often.
pub fn number(rng: &mut Rng) -> f32 {
    const ODD: [f32; 16] = [
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-40,
        65_504.0,
        -65_536.0,
        1e10,
        -3.4e38,
        0.333_333_34,
        4096.0,
        -4095.9998,
    ];
    match rng.u8(..4) {
        0 => ODD[rng.usize(..ODD.len())],
        1 => f32::from_bits(rng.u32(..)),
        2 => rng.f32() * 20.0 - 10.0,
        _ => (rng.f32() - 0.5) * 20_000.0,
    }
}

/// Mostly from -1 to 1.
fn small(rng: &mut Rng) -> f32 {
    if rng.u8(..10) == 0 {
        number(rng)
    } else {
        rng.f32() * 2.0 - 1.0
    }
}

/// Any whole number, extreme ones often.
pub fn whole(rng: &mut Rng) -> i32 {
    match rng.u8(..4) {
        0 => [i32::MIN, i32::MAX, -1, 0, 255, 256, 65_535, 65_536][rng.usize(..8)],
        1 => rng.i32(..),
        _ => rng.i32(0..300),
    }
}

fn text(rng: &mut Rng) -> &'static str {
    const TEXTS: [&str; 9] = [
        "",
        "Anna",
        "Анна",
        "two\0words",
        "👍🏽",
        "?",
        "[INVALID]",
        "a name that is far longer than any that the game would let through, so that it is on the heap",
        "tab\tand\r\nline",
    ];
    TEXTS[rng.usize(..TEXTS.len())]
}

fn vector(rng: &mut Rng) -> [f32; 3] {
    [number(rng), number(rng), number(rng)]
}

fn pose(rng: &mut Rng) -> Pose {
    Pose {
        position: vector(rng),
        forward: vector(rng),
        left: vector(rng),
        up: vector(rng),
    }
}

fn stats(rng: &mut Rng) -> Stats {
    Stats {
        possession_time: number(rng),
        points: whole(rng),
        saves: whole(rng),
        goals: whole(rng),
        stuns: whole(rng),
        passes: whole(rng),
        catches: whole(rng),
        steals: whole(rng),
        blocks: whole(rng),
        interceptions: whole(rng),
        assists: whole(rng),
        shots_taken: whole(rng),
    }
}

fn holding(rng: &mut Rng) -> Option<Holding> {
    Some(match rng.u8(..6) {
        0 => return None,
        1 => Holding::None,
        2 => Holding::Geo,
        3 => Holding::Disc,
        4 => Holding::Number(rng.u64(..) >> rng.u8(..64)),
        _ => Holding::Other(text(rng).into()),
    })
}

fn maybe<T>(rng: &mut Rng, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.bool().then(|| make(rng))
}

fn player(rng: &mut Rng) -> Player {
    Player {
        name: text(rng).into(),
        playerid: whole(rng),
        // Few ids, so that they return, move and occur twice.
        userid: if rng.u8(..20) == 0 {
            rng.u64(..)
        } else {
            rng.u64(..6)
        },
        number: whole(rng),
        level: whole(rng),
        ping: whole(rng),
        packetlossratio: number(rng),
        possession: rng.bool(),
        blocking: rng.bool(),
        stunned: rng.bool(),
        invulnerable: rng.bool(),
        is_emote_playing: rng.bool(),
        holding_left: holding(rng),
        holding_right: holding(rng),
        velocity: vector(rng),
        head: pose(rng),
        body: pose(rng),
        lhand: pose(rng),
        rhand: pose(rng),
        stats: maybe(rng, stats),
        loadout: maybe(rng, |rng| Loadout {
            weapon: text(rng).into(),
            ordnance: "arc".into(),
            tac_mod: "shield".into(),
            arm: "Right".into(),
        }),
        missing: Missing::default(),
    }
}

fn bones(rng: &mut Rng) -> Bones {
    let players = match rng.u8(..20) {
        0 => 130,
        1 => 0,
        _ => rng.usize(..4),
    };
    let user_bones = (0..players)
        .map(|_| {
            let mut bones = PlayerBones::default();
            for position in &mut bones.positions {
                if rng.bool() {
                    *position = [(); 3].map(|()| small(rng));
                }
            }
            for rotation in &mut bones.rotations {
                if rng.bool() {
                    *rotation = [(); 4].map(|()| small(rng));
                }
            }
            bones
        })
        .collect();
    Bones {
        user_bones,
        unknown: Vec::new(),
    }
}

fn wild(rng: &mut Rng, frame: &mut Frame) {
    frame.time = match rng.u8(..8) {
        0 => Time(rng.i64(..)),
        1 => Time(frame.time.0.saturating_add(rng.i64(-100_000..100_000))),
        2 => Time([i64::MIN, i64::MAX, 0][rng.usize(..3)]),
        _ => frame.time,
    };
    let session = &mut frame.session;
    if rng.bool() {
        session.sessionid = text(rng).into();
        session.sessionip = text(rng).into();
        session.client_name = text(rng).into();
    }
    session.private_match = rng.bool();
    session.game_status = match rng.u8(..4) {
        0 => GameStatus::Other("warm_up".into()),
        1 => GameStatus::Empty,
        _ => GameStatus::Playing,
    };
    session.game_clock = number(rng);
    session.blue_points = number(rng);
    session.orange_points = number(rng);
    session.blue_round_score = whole(rng);
    session.orange_round_score = whole(rng);
    session.total_round_count = whole(rng);
    session.inputs.left_shoulder = number(rng);
    session.inputs.right_shoulder2 = number(rng);
    session.blue_team_restart_request = rng.bool();
    session.orange_team_restart_request = rng.bool();
    session.pause = maybe(rng, |rng| Pause {
        paused_state: [
            PausedState::Paused,
            PausedState::PausedRequested,
            PausedState::Other("asleep".into()),
        ][rng.usize(..3)]
        .clone(),
        unpaused_team: TeamId::Other("green".into()),
        paused_requested_team: TeamId::Orange,
        unpaused_timer: number(rng),
        paused_timer: number(rng),
    });
    session.last_score = maybe(rng, |rng| LastScore {
        disc_speed: number(rng),
        team: text(rng).into(),
        goal_type: [GoalType::NoGoal, GoalType::Headbutt][rng.usize(..2)].clone(),
        point_amount: whole(rng),
        distance_thrown: number(rng),
        person_scored: text(rng).into(),
        assist_scored: text(rng).into(),
    });
    session.last_throw = maybe(rng, |rng| {
        LastThrow::from_array([(); 13].map(|()| number(rng)))
    });
    session.player = maybe(rng, pose);
    session.disc = maybe(rng, |rng| Disc {
        pose: pose(rng),
        velocity: vector(rng),
        bounce_count: whole(rng),
    });
    session.payload = maybe(rng, |rng| Payload {
        contested: rng.bool(),
        payload_multiplier: number(rng),
        payload_checkpoint: whole(rng),
        payload_distance: number(rng),
        payload_defenders: whole(rng),
        payload_speed: number(rng),
    });
    session.rules_changed_by = maybe(rng, |rng| text(rng).into());
    // Not in the last byte: a letter there is the sign of early version 3.
    session.rules_changed_at = maybe(rng, |rng| rng.i64(..) >> 8);
    session.teams = (0..rng.usize(..6))
        .map(|_| Team {
            name: text(rng).into(),
            possession: rng.bool(),
            stats: maybe(rng, stats),
            players: (0..rng.usize(..5)).map(|_| player(rng)).collect(),
        })
        .collect();
    frame.bones = maybe(rng, bones);
}

/// Frames of a match, of which `wildness` in 255 are replaced at random.
pub fn frames(seed: u64, count: u64, wildness: u8) -> Vec<Frame> {
    let mut rng = Rng::with_seed(seed);
    let mut frames = frames_of(match_options(seed, count));
    if rng.u8(..6) == 0
        && let Some(first) = frames.first_mut()
    {
        first.session.map_name = [
            Map::Other("mpl_moon".into()),
            Map::Lobby,
            Map::TutorialArena,
            Map::Gauss,
        ][rng.usize(..4)]
        .clone();
    }
    for frame in &mut frames {
        if rng.u8(..) < wildness {
            wild(&mut rng, frame);
        }
    }
    frames
}
