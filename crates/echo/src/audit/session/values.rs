//! Values that no match has, each frame by itself.

use super::report::{Report, is_played};
use crate::model::{Bones, Frame, Player, Pose, Session, Vec3, clock_display};
use crate::rule::Rule;

/// No map is larger, in metres from its middle.
const MAX_POSITION: f32 = 10_000.0;
/// Nothing is faster, in m/s.
const MAX_SPEED: f32 = 1_000.0;
/// What rounding to a thousandth, and a .butter's rotations, leave of unit length and right angles
/// (squared lengths and scalar products).
const ROUNDING: f32 = 0.05;
/// The clock as shown may be off by this much, in seconds: it is rounded, or of another frame.
const SHOWN: f64 = 0.25;
/// By more than this it is another time.
const FORGED: f64 = 1.0;
/// Milliseconds that someone can play with.
const MAX_PING: i32 = 10_000;

pub(super) fn check(frame: &Frame, report: &mut Report<'_>) {
    let session = &frame.session;
    whole(session, report);
    if let Some(disc) = &session.disc {
        pose("the disc", &disc.pose, report);
        velocity("the disc", &disc.velocity, report);
    }
    if let Some(playspace) = &session.player {
        pose("the playspace", playspace, report);
    }
    for (_, each) in session.players() {
        player(each, report);
    }
    if let Some(all) = &frame.bones {
        bones(all, report);
    }
}

fn whole(session: &Session, report: &mut Report<'_>) {
    let inputs = session.inputs;
    for value in [
        inputs.left_shoulder,
        inputs.right_shoulder,
        inputs.left_shoulder2,
        inputs.right_shoulder2,
    ] {
        if !(0.0..=1.0).contains(&value) {
            report.raise(Rule::Inputs { value });
        }
    }
    let numbers = [
        ("the clock", session.game_clock),
        ("blue_points", session.blue_points),
        ("orange_points", session.orange_points),
    ];
    let score = session.last_score.iter().flat_map(|score| {
        [
            ("disc_speed", score.disc_speed),
            ("distance_thrown", score.distance_thrown),
        ]
    });
    let payload = session.payload.iter().flat_map(|payload| {
        [
            ("payload_distance", payload.payload_distance),
            ("payload_speed", payload.payload_speed),
        ]
    });
    let pause = session.pause.iter().flat_map(|pause| {
        [
            ("paused_timer", pause.paused_timer),
            ("unpaused_timer", pause.unpaused_timer),
        ]
    });
    let throw = session
        .last_throw
        .iter()
        .flat_map(|throw| throw.to_array().map(|value| ("last_throw", value)));
    for (what, value) in numbers
        .into_iter()
        .chain(score)
        .chain(payload)
        .chain(pause)
        .chain(throw)
    {
        if !value.is_finite() {
            report.raise(Rule::NotFinite { what });
        }
    }
    let (blue, orange) = (session.blue_round_score, session.orange_round_score);
    let total = session.total_round_count;
    if blue.saturating_add(orange) > total || blue < 0 || orange < 0 {
        report.raise(Rule::RoundScore {
            blue,
            orange,
            total,
        });
    }
    if session.err_code.is_some_and(|code| code != 0) {
        let code = session.err_code.unwrap_or(0);
        report.raise(Rule::ApiError { code });
    }
    if session.teams.len() != 3 && session.err_code.unwrap_or(0) == 0 {
        let found = session.teams.len() as u64;
        report.raise(Rule::Teams { found });
    }
    let (shown, clock) = (&session.game_clock_display, session.game_clock);
    // Mostly the very text; what is rounded otherwise, by a hundredth or a frame, is no oddity.
    if !shown.is_empty() && clock.is_finite() && *shown != clock_display(clock) {
        let off = seconds(shown).map_or(f64::INFINITY, |shown| {
            (shown - f64::from(clock.max(0.0))).abs()
        });
        let shown = shown.chars().take(16).collect();
        if off > FORGED && is_played(session) {
            report.raise(Rule::ClockForged { shown, clock });
        } else if off > SHOWN {
            report.raise(Rule::ClockDisplay { shown, clock });
        }
    }
}

/// Of a text `mm:ss.cc`.
fn seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.split_once(':')?;
    let minutes: u32 = minutes.parse().ok()?;
    let seconds: f64 = seconds.parse().ok()?;
    Some(f64::from(minutes) * 60.0 + seconds)
}

fn player(player: &Player, report: &mut Report<'_>) {
    pose("a head", &player.head, report);
    pose("a body", &player.body, report);
    pose("a hand", &player.lhand, report);
    pose("a hand", &player.rhand, report);
    velocity("a player", &player.velocity, report);
    if !(0..=MAX_PING).contains(&player.ping) {
        report.raise(Rule::Ping { ms: player.ping });
    }
    // Differences of half floats may end a little below 0.
    let ratio = player.packetlossratio;
    if !(-0.01..=1.01).contains(&ratio) {
        report.raise(Rule::PacketLoss { ratio });
    }
    // −1 stands for what a .butter knows nothing of.
    for (what, found) in [
        ("playerid", player.playerid),
        ("number", player.number),
        ("level", player.level),
    ] {
        if !(-1..=255).contains(&found) {
            report.raise(Rule::Range {
                what,
                found: found.into(),
                low: 0,
                high: 255,
            });
        }
    }
    if let Some(stats) = &player.stats
        && !stats.possession_time.is_finite()
    {
        report.raise(Rule::NotFinite {
            what: "possession_time",
        });
    }
}

fn velocity(what: &'static str, velocity: &Vec3, report: &mut Report<'_>) {
    let speed = squared(velocity).sqrt();
    if !speed.is_finite() {
        report.raise(Rule::NotFinite { what });
    } else if speed > MAX_SPEED {
        report.raise(Rule::Speed { what, speed });
    }
}

fn pose(what: &'static str, pose: &Pose, report: &mut Report<'_>) {
    let metres = squared(&pose.position).sqrt();
    if !metres.is_finite() {
        report.raise(Rule::NotFinite { what });
    } else if metres > MAX_POSITION {
        report.raise(Rule::Position { what, metres });
    }
    let (forward, left, up) = (&pose.forward, &pose.left, &pose.up);
    let lengths = [squared(forward), squared(left), squared(up)];
    // All zero is what the API answers where there is nothing to show, in lobbies.
    if lengths.iter().all(|length| *length == 0.0) {
        return;
    }
    let [forward_left, forward_up, left_up] = [dot(forward, left), dot(forward, up), dot(left, up)];
    let [f, l, u] = lengths.map(|length| length - 1.0);
    let off = [f, l, u, forward_left, forward_up, left_up].map(f32::abs);
    // A sum is NaN if a part is; the maximum would lose it.
    if !off.iter().sum::<f32>().is_finite() {
        report.raise(Rule::NotFinite { what });
        return;
    }
    let off = off.into_iter().fold(0.0, f32::max);
    if off > ROUNDING {
        report.raise(Rule::Basis { what, off });
    }
}

fn bones(bones: &Bones, report: &mut Report<'_>) {
    for player in &bones.user_bones {
        for position in &player.positions {
            let metres = squared(position).sqrt();
            if !metres.is_finite() {
                report.raise(Rule::NotFinite { what: "a bone" });
            } else if metres > MAX_POSITION {
                let what = "a bone";
                report.raise(Rule::Position { what, metres });
            }
        }
        for rotation in &player.rotations {
            let length: f32 = rotation.iter().map(|part| part * part).sum();
            if !length.is_finite() {
                report.raise(Rule::NotFinite { what: "a bone" });
            } else if length != 0.0 && (length - 1.0).abs() > 2.0 * ROUNDING {
                let length = length.sqrt();
                report.raise(Rule::BoneRotation { length });
            }
        }
    }
}

fn squared(vector: &Vec3) -> f32 {
    dot(vector, vector)
}

fn dot(a: &Vec3, b: &Vec3) -> f32 {
    let ([ax, ay, az], [bx, by, bz]) = (*a, *b);
    ax * bx + ay * by + az * bz
}
