//! Builds frames of any parts from a script: frames that the model can express and that the game
//! never sends.

use gametape_echo::{
    Bones, Disc, Frame, Game, Holding, LastScore, LastThrow, Loadout, Map, Pause, Payload, Player,
    PlayerBones, Pose, Stats, Team, Time, Vec3,
};
use gametape_samples::echo::{Match, MatchOptions};

use crate::Script;

/// The most frames of a script.
const MOST: usize = 24;

/// Frames of an invented match of a kind that the script selects, with any changes.
pub fn any(script: &mut Script<'_>) -> Vec<Frame> {
    let kind = script.byte();
    let options = MatchOptions {
        seed: script.byte().into(),
        game: if kind & 1 == 0 {
            Game::Arena
        } else {
            Game::Combat
        },
        rate_hz: [30, 60, 10, 1][usize::from(kind >> 1 & 3)],
        players_per_team: 1 + (kind >> 3 & 3),
        spectators: kind >> 5 & 1,
        bones: kind & 0x40 != 0,
        private: kind & 0x80 != 0,
        pauses: true,
        frames: Some(1 + script.below(MOST) as u64),
        ..MatchOptions::default()
    };
    let mut frames: Vec<Frame> = Match::new(options).collect();
    if script.below(8) == 7
        && let Some(first) = frames.first_mut()
    {
        first.session.map_name = Map::from(text(script).as_str());
    }
    for frame in &mut frames {
        // After its end, a script changes nothing.
        while !script.is_empty() && script.below(4) != 0 {
            change(script, frame);
        }
    }
    frames
}

/// Changes much in a frame, among it what a .butter does not store.
pub fn change_much(script: &mut Script<'_>, frame: &mut Frame) {
    let session = &mut frame.session;
    session.match_type = text(script).into();
    session.game_clock_display = text(script).into();
    session.tournament_match = script.word();
    session.orange_team_restart_request = script.word();
    session.inputs.right_shoulder = number(script);
    session.inputs.left_shoulder2 = number(script);
    session.possession = maybe(script, |script| [whole(script), whole(script)]);
    session.err_code = maybe(script, whole);
    session.err_description = maybe(script, |script| text(script).into());
    for _ in 0..40 {
        change(script, frame);
    }
}

/// Any number; special ones are frequent.
fn number(script: &mut Script<'_>) -> f32 {
    const ODD: [f32; 16] = [
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-40,
        65_504.0,
        -65_536.0,
        1e10,
        0.333_333_34,
        4096.0,
        -4095.9998,
        5.96e-8,
        2.0,
    ];
    match script.below(4) {
        0 => ODD[script.below(ODD.len())],
        1 => f32::from_bits(script.word()),
        2 => f32::from(script.word::<i8>()) / 32.0,
        _ => f32::from(script.word::<i16>()) / 7.0,
    }
}

fn whole(script: &mut Script<'_>) -> i32 {
    match script.below(4) {
        0 => script.word(),
        1 => i32::from(script.word::<i16>()),
        _ => i32::from(script.byte()),
    }
}

fn text(script: &mut Script<'_>) -> String {
    const TEXTS: [&str; 15] = [
        "",
        "Anna",
        "Анна",
        "two\0words",
        "👍🏽",
        "?",
        "[INVALID]",
        "orange",
        "playing",
        "mpl_combat_dyson",
        "SLAM DUNK",
        "paused",
        "10.0.0.7",
        "0123456789ABCDEF0123456789abcdef",
        "a name that is longer than what a small text holds without the heap, and by far",
    ];
    match script.below(TEXTS.len() + 1) {
        at if at < TEXTS.len() => TEXTS[at].to_owned(),
        _ => char::from(script.byte()).to_string(),
    }
}

fn vector(script: &mut Script<'_>) -> Vec3 {
    [number(script), number(script), number(script)]
}

fn pose(script: &mut Script<'_>) -> Pose {
    Pose {
        position: vector(script),
        forward: vector(script),
        left: vector(script),
        up: vector(script),
    }
}

fn stats(script: &mut Script<'_>) -> Stats {
    Stats {
        possession_time: number(script),
        points: whole(script),
        saves: whole(script),
        goals: whole(script),
        stuns: whole(script),
        passes: whole(script),
        catches: whole(script),
        steals: whole(script),
        blocks: whole(script),
        interceptions: whole(script),
        assists: whole(script),
        shots_taken: whole(script),
    }
}

fn holding(script: &mut Script<'_>) -> Option<Holding> {
    Some(match script.below(5) {
        0 => return None,
        1 => Holding::Disc,
        2 => Holding::Number(script.word::<u64>() >> (script.byte() & 63)),
        _ => Holding::from(text(script).as_str()),
    })
}

fn maybe<T>(script: &mut Script<'_>, make: impl FnOnce(&mut Script<'_>) -> T) -> Option<T> {
    (script.below(4) != 0).then(|| make(script))
}

fn player(script: &mut Script<'_>) -> Player {
    Player {
        name: text(script).into(),
        playerid: whole(script),
        // A few ids only, so that they repeat, change teams and occur twice.
        userid: match script.below(8) {
            7 => script.word(),
            id => id as u64,
        },
        number: whole(script),
        level: whole(script),
        ..Player::default()
    }
}

/// Adds or removes a player, or changes a value of one.
fn change_player(script: &mut Script<'_>, players: &mut Vec<Player>) {
    let at = script.below(players.len());
    let Some(one) = players.get_mut(at) else {
        players.push(player(script));
        return;
    };
    match script.below(16) {
        0 => drop(players.remove(at)),
        1 => players.insert(at, player(script)),
        2 => {
            let twin = one.clone();
            players.push(twin);
        }
        3 => one.stats = maybe(script, stats),
        4 => {
            one.holding_left = holding(script);
            one.holding_right = holding(script);
        }
        5 => one.velocity = vector(script),
        6 => one.head = pose(script),
        7 => one.body.position = vector(script),
        8 => one.lhand = pose(script),
        9 => one.rhand.up = vector(script),
        10 => one.ping = whole(script),
        11 => one.packetlossratio = number(script),
        12 => {
            one.loadout = maybe(script, |script| Loadout {
                weapon: text(script).as_str().into(),
                ordnance: "arc".into(),
                tac_mod: "shield".into(),
                arm: "Right".into(),
            });
        }
        13 => {
            let bits = script.byte();
            one.possession = bits & 1 != 0;
            one.blocking = bits & 2 != 0;
            one.stunned = bits & 4 != 0;
            one.invulnerable = bits & 8 != 0;
            one.is_emote_playing = bits & 16 != 0;
        }
        14 => one.userid = script.below(8) as u64,
        _ => one.name = text(script).into(),
    }
}

fn change_bones(script: &mut Script<'_>, bones: &mut Option<Bones>) {
    let all = &mut bones.get_or_insert_with(Bones::default).user_bones;
    match script.below(6) {
        0 => *bones = None,
        1 => all.resize(script.below(132), PlayerBones::default()),
        2 => all.push(PlayerBones::default()),
        _ => {
            let at = script.below(all.len());
            let Some(one) = all.get_mut(at) else { return };
            let bone = script.below(one.positions.len());
            one.positions[bone] = vector(script);
            one.rotations[bone] = [
                number(script),
                number(script),
                number(script),
                number(script),
            ];
        }
    }
}

/// Changes something in a frame.
fn change(script: &mut Script<'_>, frame: &mut Frame) {
    let session = &mut frame.session;
    match script.below(24) {
        0 => frame.time = Time(script.word()),
        1 => {
            let far = i64::from(script.word::<i32>() >> (script.byte() & 31));
            frame.time = Time(frame.time.0.saturating_add(far));
        }
        2 => {
            session.sessionid = text(script).into();
            session.sessionip = text(script).into();
            session.client_name = text(script).into();
        }
        3 => session.game_status = text(script).as_str().into(),
        4 => session.game_clock = number(script),
        5 => {
            session.blue_points = number(script);
            session.orange_points = number(script);
        }
        6 => {
            session.blue_round_score = whole(script);
            session.orange_round_score = whole(script);
            session.total_round_count = whole(script);
        }
        7 => {
            session.inputs.left_shoulder = number(script);
            session.inputs.right_shoulder2 = number(script);
        }
        8 => {
            session.blue_team_restart_request = script.word();
            session.pause = maybe(script, |script| Pause {
                paused_state: text(script).as_str().into(),
                unpaused_team: text(script).as_str().into(),
                paused_requested_team: text(script).as_str().into(),
                unpaused_timer: number(script),
                paused_timer: number(script),
            });
        }
        9 => {
            session.last_score = maybe(script, |script| LastScore {
                disc_speed: number(script),
                team: text(script).as_str().into(),
                goal_type: text(script).as_str().into(),
                point_amount: whole(script),
                distance_thrown: number(script),
                person_scored: text(script).into(),
                assist_scored: text(script).into(),
            });
        }
        10 => {
            session.last_throw = maybe(script, |script| {
                LastThrow::from_array([(); 13].map(|()| number(script)))
            });
        }
        11 => session.player = maybe(script, pose),
        12 => {
            session.disc = maybe(script, |script| Disc {
                pose: pose(script),
                velocity: vector(script),
                bounce_count: whole(script),
            });
        }
        13 => {
            session.payload = maybe(script, |script| Payload {
                contested: script.word(),
                payload_multiplier: number(script),
                payload_checkpoint: whole(script),
                payload_distance: number(script),
                payload_defenders: whole(script),
                payload_speed: number(script),
            });
        }
        14 => {
            session.rules_changed_by = maybe(script, |script| text(script).into());
            let at: i64 = script.word();
            session.rules_changed_at = maybe(script, |_| at);
        }
        15 => session.private_match = script.word(),
        16 => session.teams.truncate(script.below(4)),
        17 => session.teams.push(Team::default()),
        18 => {
            let at = script.below(session.teams.len());
            if let Some(team) = session.teams.get_mut(at) {
                team.possession = script.word();
                team.stats = maybe(script, stats);
            }
        }
        19 => change_bones(script, &mut frame.bones),
        20 => session.map_name = text(script).as_str().into(),
        _ => {
            let at = script.below(session.teams.len());
            if let Some(team) = session.teams.get_mut(at) {
                change_player(script, &mut team.players);
            }
        }
    }
}
