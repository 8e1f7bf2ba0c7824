//! What the tests of .butter share: real files, a walk over two frames, and the bounds of rounding.

#![allow(dead_code)]

pub mod hostile;
pub mod old;

use std::collections::HashMap;
use std::path::Path;

use gametape_echo::butter::{self, Compression, Mode, Options, ReadOptions, to_half};
use gametape_echo::generate::{Match, MatchOptions};
use gametape_echo::{
    Arm, Findings, Frame, Game, LastScore, Loadout, Ordnance, Pause, PausedState, Player, PlayerBones,
    Pose, Session, Stats, TacMod, TeamId, Vec3, Weapon, echoreplay,
};

/// A file of the reference; `None`, and loudly so, where the recordings are not beside the project.
pub fn tape(name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/butter");
    let bytes = std::fs::read(folder.join(name)).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED: no {name} beside the project; this test has checked nothing");
    }
    bytes
}

/// The frames of an .echoreplay.
pub fn lines(bytes: &[u8]) -> Vec<Frame> {
    echoreplay::read(bytes)
        .into_iter()
        .map(|line| {
            let mut frame = Frame::default();
            line.unwrap().read_into(&mut frame).unwrap();
            frame
        })
        .collect()
}

/// A generated match.
pub fn frames_of(options: MatchOptions) -> Vec<Frame> {
    Match::new(options).collect()
}

/// Matches of all kinds: arena, private arena and combat, with and without bones, joins, pauses.
pub fn match_options(seed: u64, frames: u64) -> MatchOptions {
    MatchOptions {
        seed,
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        rate_hz: [30, 15, 60, 10, 1][(seed % 5) as usize],
        frames: Some(frames),
        players_per_team: [5, 1, 4][(seed % 3) as usize],
        spectators: (seed % 3) as u8,
        bones: seed % 2 == 1,
        private: seed % 4 >= 2,
        pauses: seed % 3 != 1,
        joins: true,
        ..MatchOptions::default()
    }
}

pub fn options(mode: Mode, keyframe_interval: u16, compression: Compression) -> Options {
    Options {
        mode,
        keyframe_interval,
        compression,
    }
}

/// What a reader gave: frames, whether each was a keyframe, and why it stopped, if it did not reach
/// the end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    pub frames: Vec<Frame>,
    pub keyframes: Vec<bool>,
    pub error: Option<String>,
    pub truncated: bool,
    pub findings: Findings,
}

/// All frames of a slice.
pub fn read_all(bytes: &[u8], options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let file = match options.read(bytes) {
        Ok(file) => file,
        Err(error) => {
            outcome.truncated = error.is_truncated();
            outcome.error = Some(error.to_string());
            return outcome;
        }
    };
    let mut frames = file.frames();
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => outcome.frames.push(frame.clone()),
            Ok(None) => break,
            Err(error) => {
                outcome.truncated = error.is_truncated();
                outcome.error = Some(error.to_string());
                break;
            }
        }
        outcome.keyframes.push(frames.is_keyframe());
    }
    outcome.findings = frames.findings().clone();
    outcome
}

/// All frames of a file that is whole.
pub fn read_strictly(bytes: &[u8]) -> Outcome {
    let outcome = read_all(bytes, ReadOptions::default());
    assert_eq!(outcome.error, None);
    outcome
}

pub fn write(frames: &[Frame], options: Options) -> Vec<u8> {
    butter::write(frames, options).unwrap()
}

/// The step of a half at a number: what truncation takes away, at most.
pub fn quantum(number: f64) -> f64 {
    let number = number.abs();
    if number < 2.0_f64.powi(-14) {
        return 2.0_f64.powi(-24);
    }
    2.0_f64.powi(number.log2().floor() as i32 - 10)
}

/// One field of two frames.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pair {
    /// Stored as a half, as a difference from the frame before, if there is one.
    Difference { a: f32, b: f32, from: f32 },
    /// Stored as a half, as it is.
    Half(f32, f32),
    /// Stored as a float.
    Float(f32, f32),
    /// Stored in fixed point, as a difference from the frame before, if there is one.
    Fixed { a: f32, b: f32, from: f32 },
    /// Rotations: forward and up.
    Turn([Vec3; 2], [Vec3; 2]),
    /// Quaternions.
    Quaternion([f32; 4], [f32; 4]),
    /// Anything else: whether it is equal.
    Same(bool),
}

/// Of whom: a user id or place, and which of some.
pub type Key = (u64, &'static str, u8);

/// Calls `each` for every field that a .butter stores, of a frame and the same frame read back.
/// `before` is what differences are taken from.
pub fn walk(a: &Frame, b: &Frame, before: Option<&Frame>, each: &mut impl FnMut(Key, Pair)) {
    let mut walk = Walk { each };
    walk.session(a, b, before);
}

struct Walk<'a, F> {
    each: &'a mut F,
}

impl<F: FnMut(Key, Pair)> Walk<'_, F> {
    fn same(&mut self, name: &'static str, same: bool) {
        (self.each)((0, name, 0), Pair::Same(same));
    }

    fn half(&mut self, name: &'static str, at: u8, a: f32, b: f32) {
        (self.each)((0, name, at), Pair::Half(a, b));
    }

    fn vector(&mut self, who: u64, name: &'static str, a: Vec3, b: Vec3, from: Vec3) {
        for at in 0..3 {
            let pair = Pair::Difference {
                a: a[at],
                b: b[at],
                from: from[at],
            };
            (self.each)((who, name, at as u8), pair);
        }
    }

    fn difference(&mut self, who: u64, name: &'static str, at: u8, a: f32, b: f32, from: f32) {
        (self.each)((who, name, at), Pair::Difference { a, b, from });
    }

    fn pose(
        &mut self,
        who: u64,
        names: [&'static str; 2],
        a: &Pose,
        b: &Pose,
        from: Option<&Pose>,
    ) {
        let [position, rotation] = names;
        let known = from.map_or([0.0; 3], |from| from.position);
        self.vector(who, position, a.position, b.position, known);
        let turn = |pose: &Pose| [pose.forward, pose.up];
        (self.each)((who, rotation, 0), Pair::Turn(turn(a), turn(b)));
    }

    fn session(&mut self, frame: &Frame, read: &Frame, before: Option<&Frame>) {
        let (a, b) = (&frame.session, &read.session);
        let from = before.map(|frame| &frame.session);
        let map = b.map_name.game();
        self.same("time", frame.time == read.time);
        self.same("sessionid", a.sessionid == b.sessionid);
        self.same("sessionip", a.sessionip == b.sessionip);
        self.same("client_name", a.client_name == b.client_name);
        self.same("map_name", a.map_name == b.map_name);
        self.same("private_match", a.private_match == b.private_match);
        self.same("game_status", a.game_status == b.game_status);
        (self.each)((0, "game_clock", 0), Pair::Float(a.game_clock, b.game_clock));
        let points = |s: &Session| [s.blue_points, s.orange_points];
        for (at, (a, b)) in points(a).into_iter().zip(points(b)).enumerate() {
            match map {
                Game::Arena => self.same("points", a.to_bits() == b.to_bits()),
                Game::Combat => self.half("points", at as u8, a, b),
                Game::Other => {}
            }
        }
        let pressed = |s: &Session| {
            let i = &s.inputs;
            [
                i.left_shoulder,
                i.right_shoulder,
                i.left_shoulder2,
                i.right_shoulder2,
            ]
            .map(|value| value != 0.0)
        };
        self.same("inputs", pressed(a) == pressed(b));
        let restarts =
            |s: &Session| (s.blue_team_restart_request, s.orange_team_restart_request);
        self.same("restart_request", restarts(a) == restarts(b));
        self.pause(a, b, from);
        self.same("last_score", a.last_score.is_some() == b.last_score.is_some() || map != Game::Arena);
        if let (Some(a), Some(b), Game::Arena) = (&a.last_score, &b.last_score, map) {
            self.same("last_score.team", a.team == b.team);
            // Those that are not listed are all the same.
            let goal = |score: &LastScore| score.goal_type.code().unwrap_or(0);
            self.same("last_score.goal_type", goal(a) == goal(b));
            // A bit: what is not 2 is 3.
            let two = |score: &LastScore| score.point_amount == 2;
            self.same("last_score.point_amount", two(a) == two(b));
            self.same("last_score.person_scored", a.person_scored == b.person_scored);
            self.same("last_score.assist_scored", a.assist_scored == b.assist_scored);
            self.half("last_score.disc_speed", 0, a.disc_speed, b.disc_speed);
            self.half("last_score.distance_thrown", 0, a.distance_thrown, b.distance_thrown);
        }
        let throw = |s: &Session| s.last_throw.unwrap_or_default().to_array();
        for (at, (a, b)) in throw(a).into_iter().zip(throw(b)).enumerate() {
            self.half("last_throw", at as u8, a, b);
        }
        self.pose(
            0,
            ["vr_position", "vr_rotation"],
            &a.player.unwrap_or_default(),
            &b.player.unwrap_or_default(),
            from.and_then(|s| s.player.as_ref()),
        );
        if map == Game::Arena {
            self.same("disc", a.disc.is_some() == b.disc.is_some());
        }
        if let (Some(a), Some(b)) = (&a.disc, &b.disc) {
            let from = from.and_then(|s| s.disc.as_ref());
            self.pose(
                0,
                ["disc.position", "disc.rotation"],
                &a.pose,
                &b.pose,
                from.map(|d| &d.pose),
            );
            let known = from.map_or([0.0; 3], |d| d.velocity);
            self.vector(0, "disc.velocity", a.velocity, b.velocity, known);
        }
        if let (Some(a), Some(b), Game::Combat) = (&a.payload, &b.payload, map) {
            self.same("payload.contested", a.contested == b.contested);
            self.same(
                "payload.counts",
                (a.payload_checkpoint, a.payload_defenders)
                    == (b.payload_checkpoint, b.payload_defenders),
            );
            self.half("payload.distance", 0, a.payload_distance, b.payload_distance);
            self.half("payload.speed", 0, a.payload_speed, b.payload_speed);
        }
        if map == Game::Arena && b.private_match {
            self.same(
                "rules",
                (a.rules_changed_at.unwrap_or(0), &a.rules_changed_by)
                    == (b.rules_changed_at.unwrap_or(0), &b.rules_changed_by),
            );
        }
        self.teams(a, b, from, map);
        self.bones(frame, read, before);
    }

    fn pause(&mut self, a: &Session, b: &Session, from: Option<&Session>) {
        let default = Pause {
            paused_state: PausedState::Unpaused,
            unpaused_team: TeamId::None,
            paused_requested_team: TeamId::None,
            unpaused_timer: 0.0,
            paused_timer: 0.0,
        };
        let (a, b) = (
            a.pause.as_ref().unwrap_or(&default),
            b.pause.as_ref().unwrap_or(&default),
        );
        let from = from.and_then(|s| s.pause.as_ref()).unwrap_or(&default);
        self.same("paused_state", a.paused_state == b.paused_state);
        self.same("unpaused_team", a.unpaused_team == b.unpaused_team);
        self.same(
            "paused_requested_team",
            a.paused_requested_team == b.paused_requested_team,
        );
        self.difference(0, "paused_timer", 0, a.paused_timer, b.paused_timer, from.paused_timer);
        self.difference(
            0,
            "unpaused_timer",
            0,
            a.unpaused_timer,
            b.unpaused_timer,
            from.unpaused_timer,
        );
    }

    fn stats(
        &mut self,
        who: u64,
        names: [&'static str; 2],
        a: Option<&Stats>,
        b: Option<&Stats>,
        from: Option<&Stats>,
    ) {
        let [counts, possession_time] = names;
        self.same(counts, a.is_some() == b.is_some());
        let (Some(a), Some(b)) = (a, b) else { return };
        let whole = |s: &Stats| Stats {
            possession_time: 0.0,
            ..*s
        };
        self.same(counts, whole(a) == whole(b));
        let known = from.map_or(0.0, |s| s.possession_time);
        self.difference(who, possession_time, 0, a.possession_time, b.possession_time, known);
    }

    fn teams(&mut self, a: &Session, b: &Session, from: Option<&Session>, game: Game) {
        self.same("teams", a.teams.len() == b.teams.len());
        for (at, (a, b)) in a.teams.iter().zip(&b.teams).enumerate() {
            self.same("team.possession", a.possession == b.possession);
            let known = from
                .and_then(|s| s.teams.get(at))
                .and_then(|t| t.stats.as_ref());
            self.stats(
                at as u64,
                ["team.stats", "team.possession_time"],
                a.stats.as_ref(),
                b.stats.as_ref(),
                known,
            );
            self.same("team.players", a.players.len() == b.players.len());
            for (a, b) in a.players.iter().zip(&b.players) {
                let from = from.and_then(|s| s.player_by_userid(a.userid));
                self.player(a, b, from, game);
            }
        }
    }

    fn player(&mut self, a: &Player, b: &Player, from: Option<&Player>, game: Game) {
        let who = a.userid;
        self.same("player.name", a.name == b.name);
        self.same("player.userid", a.userid == b.userid);
        self.same("player.playerid", a.playerid == b.playerid);
        self.same("player.ping", a.ping == b.ping);
        let flags = |p: &Player| {
            [
                p.possession,
                p.blocking,
                p.stunned,
                p.invulnerable,
                p.is_emote_playing,
            ]
        };
        self.same("player.flags", flags(a) == flags(b));
        if game == Game::Arena {
            let held = |p: &Player| (p.holding_left.clone(), p.holding_right.clone());
            self.same("player.holding", held(a) == held(b));
        }
        if game == Game::Combat {
            // Always there: a spectator's is the first of each.
            let first = || Loadout {
                weapon: Weapon::Rocket,
                ordnance: Ordnance::Stun,
                tac_mod: TacMod::Sensor,
                arm: Arm::Left,
            };
            let loadout = |p: &Player| p.loadout.clone().unwrap_or_else(first);
            self.same("player.loadout", loadout(a) == loadout(b));
        }
        let known = from.map_or(0.0, |p| p.packetlossratio);
        self.difference(who, "player.packetlossratio", 0, a.packetlossratio, b.packetlossratio, known);
        let known = from.map_or([0.0; 3], |p| p.velocity);
        self.vector(who, "player.velocity", a.velocity, b.velocity, known);
        self.stats(
            who,
            ["player.stats", "player.possession_time"],
            a.stats.as_ref(),
            b.stats.as_ref(),
            from.and_then(|p| p.stats.as_ref()),
        );
        type Part = fn(&Player) -> &Pose;
        let parts: [([&'static str; 2], Part); 4] = [
            (["head.position", "head.rotation"], |p| &p.head),
            (["body.position", "body.rotation"], |p| &p.body),
            (["lhand.position", "lhand.rotation"], |p| &p.lhand),
            (["rhand.position", "rhand.rotation"], |p| &p.rhand),
        ];
        for (names, part) in parts {
            self.pose(who, names, part(a), part(b), from.map(part));
        }
    }

    fn bones(&mut self, a: &Frame, b: &Frame, before: Option<&Frame>) {
        self.same("bones", a.bones.is_some() == b.bones.is_some());
        let (Some(a), Some(b)) = (&a.bones, &b.bones) else {
            return;
        };
        self.same("bones.players", a.user_bones.len() == b.user_bones.len());
        let start = PlayerBones::default();
        let known = before
            .and_then(|f| f.bones.as_ref())
            .map(|bones| bones.user_bones.as_slice())
            .filter(|known| known.len() == a.user_bones.len())
            .unwrap_or_default();
        for (player, (a, b)) in a.user_bones.iter().zip(&b.user_bones).enumerate() {
            let known = known.get(player).unwrap_or(&start);
            for (bone, (a, b)) in a.positions.iter().zip(&b.positions).enumerate() {
                for at in 0..3 {
                    let pair = Pair::Fixed {
                        a: a[at],
                        b: b[at],
                        from: known.positions[bone][at],
                    };
                    let key = (player as u64, "bone.position", (bone * 3 + at) as u8);
                    (self.each)(key, pair);
                }
            }
            for (bone, (a, b)) in a.rotations.iter().zip(&b.rotations).enumerate() {
                let key = (player as u64, "bone.rotation", bone as u8);
                (self.each)(key, Pair::Quaternion(*a, *b));
            }
        }
    }
}

/// Length of the difference of two vectors.
fn apart(a: Vec3, b: Vec3) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// How far apart two rotations are; as good as radians where it is little.
pub fn turned([forward, up]: [Vec3; 2], [forward2, up2]: [Vec3; 2]) -> f64 {
    apart(forward, forward2).max(apart(up, up2))
}

/// The angle between two quaternions in radians.
pub fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(b)).sum();
    let norm = |q: [f32; 4]| q.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
    2.0 * (dot / norm(a) / norm(b)).abs().min(1.0).acos()
}

/// A step of a component of the smallest three.
const STEP: f64 = std::f64::consts::SQRT_2 / 1023.0;

/// The furthest that components which are off by `step` turn a rotation: each of three, and the
/// fourth by up to three times that, and twice that is the angle.
pub fn turn_bound(step: f64) -> f64 {
    2.0 * 12.0_f64.sqrt() * step
}

/// The API rounds its vectors: they are no rotation to the last digit.
const ROUNDED_BASIS: f64 = 0.004;

/// Positions and velocities, which are kept in steps of 1/1024.
fn is_on_grid(name: &str) -> bool {
    name.ends_with("position") || name.ends_with("velocity")
}

/// What may be off in a frame of a file, by mode.
#[derive(Default)]
pub struct Bounds {
    /// In compat, what truncation has added up to since the keyframe.
    drift: HashMap<Key, f64>,
    pub worst: HashMap<&'static str, f64>,
}

impl Bounds {
    /// Checks a frame that was written in correct mode: every field within one step of what was
    /// stored last. `before` is the frame before as read, `None` for a keyframe.
    pub fn check_correct(&mut self, a: &Frame, b: &Frame, before: Option<&Frame>, what: &str) {
        let worst = &mut self.worst;
        walk(a, b, before, &mut |key, pair| {
            let (error, bound) = match pair {
                Pair::Same(same) => (f64::from(u8::from(!same)), 0.5),
                Pair::Float(a, b) => {
                    // A sum of floats.
                    (f64::from(a - b).abs(), f64::from(a.abs().max(1.0)) * 1e-6)
                }
                Pair::Half(a, b) => (f64::from(a - b).abs(), quantum(a.into())),
                Pair::Difference { a, b, from } => {
                    // The reader adds in f32, and where its sum is rounded, so is the difference.
                    let float = f64::from(a.abs().max(from.abs())) * 2.0_f64.powi(-22);
                    let off = (f64::from(a) - f64::from(b)).abs();
                    let difference = f64::from(a) - f64::from(from);
                    let bound = if is_on_grid(key.1) {
                        // Half a step of the grid; from 2 on, a half has steps that are larger.
                        let cut = if difference.abs() < 2.0 { 0.0 } else { quantum(difference) };
                        0.5 / 1024.0 + cut + float
                    } else {
                        quantum(difference) + float
                    };
                    (off, bound)
                }
                Pair::Fixed { a, b, from } => {
                    // 2 m at most at a time.
                    let far = (f64::from(a - from).abs() - 2.0).max(0.0);
                    (f64::from(a - b).abs(), 4.0 / 16384.0 * 1.01 + far)
                }
                Pair::Turn(a, b) => (turned(a, b), turn_bound(STEP / 2.0) + ROUNDED_BASIS),
                Pair::Quaternion(a, b) => (angle(a, b), turn_bound(STEP / 2.0) + 0.001),
            };
            let ratio = error / bound;
            let known = worst.entry(key.1).or_insert(0.0);
            *known = known.max(ratio);
            assert!(ratio <= 1.0, "{what}: {key:?} {pair:?}, off by {error:e}, allowed {bound:e}");
        });
    }

    /// Checks a frame that was written in compat mode: truncation adds up from keyframe to keyframe,
    /// by at most a step of each difference. `before` is the frame before as it was written, `None`
    /// for a keyframe.
    pub fn check_compat(
        &mut self,
        a: &Frame,
        b: &Frame,
        before: Option<&Frame>,
        what: &str,
        excused: &[&str],
    ) {
        if before.is_none() {
            self.drift.retain(|key, _| key.1 == "bone.position");
        }
        let (drift, worst) = (&mut self.drift, &mut self.worst);
        walk(a, b, before, &mut |key, pair| {
            let mut add = |step: f64| {
                let sum = drift.entry(key).or_insert(0.0);
                *sum += step;
                *sum
            };
            let (error, bound) = match pair {
                Pair::Same(same) => (f64::from(u8::from(!same)), 0.5),
                Pair::Float(a, b) => {
                    (f64::from(a - b).abs(), f64::from(a.abs().max(1.0)) * 1e-4)
                }
                Pair::Half(a, b) => (f64::from(a - b).abs(), quantum(a.into())),
                Pair::Difference { a, b, from } => {
                    let mut step = quantum(f64::from(a) - f64::from(from));
                    // Velocities that change by less are left out.
                    if key.1 == "player.velocity" {
                        step = step.max(0.01);
                    }
                    // Stats are left out where their bytes are, and with them what time went by.
                    if key.1.ends_with("possession_time") && to_half(a) == to_half(from) {
                        step += f64::from(a - from).abs();
                    }
                    let float = f64::from(a.abs().max(from.abs())) * 2.0_f64.powi(-23);
                    ((f64::from(a) - f64::from(b)).abs(), add(step + float))
                }
                Pair::Fixed { a, b, from } => {
                    // What moves less than a millimetre is left out; what moves is cut off.
                    let far = (f64::from(a - from).abs() - 2.0).max(0.0);
                    (f64::from(a - b).abs(), add(0.001 + far))
                }
                Pair::Turn(a, b) => (turned(a, b), turn_bound(STEP) + ROUNDED_BASIS),
                // Adds up over the whole file, a degree a frame.
                Pair::Quaternion(a, b) => (angle(a, b), f64::INFINITY),
            };
            let ratio = error / bound;
            let known = worst.entry(key.1).or_insert(0.0);
            *known = known.max(ratio);
            if !excused.contains(&key.1) {
                assert!(ratio <= 1.0, "{what}: {key:?} {pair:?}, off by {error:e}, allowed {bound:e}");
            }
        });
    }
}

/// So many cases, and no file for those that fail: the seed is printed.
pub fn cases(cases: u32) -> proptest::prelude::ProptestConfig {
    proptest::prelude::ProptestConfig {
        // For a longer search: PROPTEST_CASES.
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        ..Default::default()
    }
}
