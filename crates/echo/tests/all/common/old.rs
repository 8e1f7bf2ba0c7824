//! A writer of the reference's older versions: 1 and 2, and version 3 of packages 1.3.2 and 1.3.3.
//!
//! There is no public recording of these. This writer follows `formats/butter.md` byte by byte, without any
//! code of the library's own writer. That the library reads its files proves that both understand that text
//! in the same way, and no more.
//!
//! It stores exact values only: multiples of 1/16 in halves, multiples of 1/256 for bones.

use gametape_echo::butter::{from_basis, to_smallest3_nearest};
use gametape_echo::{
    Frame, Holding, LastScore, Loadout, Map, Pause, Player, PlayerBones, Pose, Session, Stats, Vec3,
};

/// The version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Old {
    One,
    Two,
    EarlyThree,
}

/// A number that a half holds exactly.
#[allow(clippy::verbose_bit_mask)] // The mask is what a half has no room for.
pub fn half(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    if value == 0.0 {
        return [0; 2];
    }
    let exponent = (bits >> 23 & 0xFF) as i32 - 127;
    assert!(
        (-14..=15).contains(&exponent) && bits & 0x1FFF == 0,
        "{value} is not exact"
    );
    let half = (bits >> 31) << 15 | ((exponent + 15) as u32) << 10 | bits >> 13 & 0x3FF;
    (half as u16).to_le_bytes()
}

fn rotation(pose: &Pose) -> [u8; 4] {
    to_smallest3_nearest(from_basis(pose.forward, pose.up)).to_le_bytes()
}

fn varint(number: i32, out: &mut Vec<u8>) {
    let z = ((number << 1) ^ (number >> 31)) as u32;
    if z <= 240 {
        out.push(z as u8);
    } else if z <= 2287 {
        out.push((241 + (z - 240) / 256) as u8);
        out.push(((z - 240) % 256) as u8);
    } else {
        out.push(249);
        out.extend_from_slice(&((z - 2288) as u16).to_be_bytes());
    }
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

struct Writer<'a> {
    old: Old,
    users: &'a [u64],
    out: Vec<u8>,
}

impl Writer<'_> {
    fn halves(&mut self, values: &[f32]) {
        for &value in values {
            self.out.extend_from_slice(&half(value));
        }
    }

    fn index(&self, userid: u64) -> u8 {
        self.users
            .iter()
            .position(|&known| known == userid)
            .map_or(0, |at| at as u8 + 1)
    }

    /// 5 bytes: two restarts, two teams, and the state in the last two bits.
    fn pause(&mut self, session: &Session, before: Option<&Session>) {
        let pause = session.pause.as_ref().unwrap();
        let known = before.and_then(|s| s.pause.as_ref());
        let mut bits = u8::from(session.blue_team_restart_request);
        bits |= u8::from(session.orange_team_restart_request) << 1;
        bits |= pause.paused_requested_team.code().unwrap() << 2;
        bits |= pause.unpaused_team.code().unwrap() << 4;
        bits |= pause.paused_state.code().unwrap() << 6;
        self.out.push(bits);
        let zero = |f: fn(&Pause) -> f32| f(pause) - known.map_or(0.0, f);
        let timers = [zero(|p| p.paused_timer), zero(|p| p.unpaused_timer)];
        self.halves(&timers);
    }

    fn score(&mut self, score: &LastScore, names: &[&str]) {
        let index = |name: &str| {
            names
                .iter()
                .position(|known| *known == name)
                .map_or(0, |at| at as u8 + 1)
        };
        self.out.push(
            score.team.code().unwrap()
                | u8::from(score.point_amount == 3) << 2
                | score.goal_type.code().unwrap() << 3,
        );
        self.out.push(index(&score.person_scored));
        self.out.push(index(&score.assist_scored));
        self.halves(&[score.disc_speed, score.distance_thrown]);
    }

    fn pose(&mut self, pose: &Pose, before: Option<&Pose>) {
        let delta = minus(pose.position, before.map_or([0.0; 3], |pose| pose.position));
        self.halves(&delta);
        self.out.extend_from_slice(&rotation(pose));
    }

    fn stats(&mut self, stats: &Stats, before: Option<&Stats>) {
        let known = before.copied().unwrap_or_default();
        for (now, then) in [
            (stats.assists, known.assists),
            (stats.blocks, known.blocks),
            (stats.catches, known.catches),
            (stats.goals, known.goals),
            (stats.interceptions, known.interceptions),
            (stats.passes, known.passes),
            (stats.points, known.points),
            (stats.saves, known.saves),
            (stats.steals, known.steals),
            (stats.shots_taken, known.shots_taken),
        ] {
            self.out.push((now - then) as u8);
        }
        self.halves(&[stats.possession_time - known.possession_time]);
        let stuns = (stats.stuns - known.stuns) as u16;
        self.out.extend_from_slice(&stuns.to_le_bytes());
    }

    fn held(&mut self, held: Option<&Holding>) {
        let byte = match held {
            Some(Holding::None) => 255,
            Some(Holding::Geo) => 254,
            Some(Holding::Disc) => 253,
            // A player, by the index in the header.
            Some(Holding::Number(userid)) => self.index(*userid),
            other => panic!("{other:?}"),
        };
        self.out.push(byte);
    }

    fn player(&mut self, player: &Player, before: Option<&Player>, arena: bool) {
        self.out.push(self.index(player.userid));
        self.out.push(player.playerid as u8);
        let flags = [
            player.possession,
            player.blocking,
            player.stunned,
            player.invulnerable,
            player.is_emote_playing,
        ];
        let mut state = 0;
        for (at, flag) in flags.into_iter().enumerate() {
            state |= u8::from(flag) << at;
        }
        let known = before.and_then(|p| p.stats.as_ref());
        let stats = before.is_none() || known != player.stats.as_ref();
        let ping = before
            .is_none_or(|p| (p.ping, p.packetlossratio) != (player.ping, player.packetlossratio));
        let hands = |p: &Player| (p.holding_left.clone(), p.holding_right.clone());
        let holding = before.is_none_or(|p| hands(p) != hands(player));
        let velocity = before.is_none_or(|p| p.velocity != player.velocity);
        let (ping, holding) = match self.old {
            Old::EarlyThree => (ping || holding && arena, (ping || holding) && arena),
            Old::Two => (ping, holding && arena),
            Old::One => (ping, holding),
        };
        let bits: [(bool, u8); 4] = match self.old {
            Old::EarlyThree => [(stats, 5), (ping, 6), (false, 0), (velocity, 7)],
            _ => [(stats, 4), (ping, 5), (holding, 6), (velocity, 7)],
        };
        for (bit, at) in bits {
            state |= u8::from(bit) << at;
        }
        self.out.push(state);
        if stats {
            self.stats(player.stats.as_ref().unwrap(), known);
        }
        if ping {
            let delta = player.ping - before.map_or(0, |p| p.ping);
            self.out.extend_from_slice(&(delta as i16).to_le_bytes());
            self.halves(&[player.packetlossratio - before.map_or(0.0, |p| p.packetlossratio)]);
        }
        if holding {
            self.held(player.holding_left.as_ref());
            self.held(player.holding_right.as_ref());
        }
        if velocity {
            let delta = minus(player.velocity, before.map_or([0.0; 3], |p| p.velocity));
            self.halves(&delta);
        }
        type Part = fn(&Player) -> &Pose;
        let parts: [Part; 4] = [|p| &p.head, |p| &p.body, |p| &p.lhand, |p| &p.rhand];
        let mut bits = 0;
        for (at, part) in parts.into_iter().enumerate() {
            let moved = before.is_none_or(|p| part(p).position != part(player).position);
            let turned = before.is_none_or(|p| rotation(part(p)) != rotation(part(player)));
            bits |= (u8::from(moved) | u8::from(turned) << 1) << (2 * at);
        }
        self.out.push(bits);
        for (at, part) in parts.into_iter().enumerate() {
            if bits >> (2 * at) & 1 == 1 {
                let delta = minus(
                    part(player).position,
                    before.map_or([0.0; 3], |p| part(p).position),
                );
                self.halves(&delta);
            }
            if bits >> (2 * at) & 2 == 2 {
                self.out.extend_from_slice(&rotation(part(player)));
            }
        }
        if !arena && self.old != Old::One {
            self.loadout(player.loadout.as_ref().unwrap());
        }
    }

    fn loadout(&mut self, loadout: &Loadout) {
        self.out.push(
            loadout.weapon.code().unwrap()
                | loadout.ordnance.code().unwrap() << 2
                | loadout.tac_mod.code().unwrap() << 4
                | loadout.arm.code().unwrap() << 6,
        );
    }

    fn bones(&mut self, frame: &Frame, before: Option<&Frame>) {
        let Some(bones) = &frame.bones else {
            self.out.push(0);
            return;
        };
        self.out.push(1 | (bones.user_bones.len() as u8) << 1);
        let known = before.and_then(|f| f.bones.as_ref());
        let start = PlayerBones::default();
        for (at, now) in bones.user_bones.iter().enumerate() {
            let then = known.and_then(|b| b.user_bones.get(at)).unwrap_or(&start);
            let mask = |differs: &dyn Fn(usize) -> bool| {
                let mask = (0..23)
                    .filter(|bone| differs(*bone))
                    .fold(0_u32, |m, bone| m | 1 << bone);
                mask.to_le_bytes()
            };
            let positions = mask(&|bone| now.positions[bone] != then.positions[bone]);
            // Rotations in keyframes only, so that they are exact.
            let rotations = mask(&|bone| now.rotations[bone] != then.rotations[bone]);
            self.out.extend_from_slice(&positions[..3]);
            self.out.extend_from_slice(&rotations[..3]);
            for bone in 0..23 {
                if now.positions[bone] != then.positions[bone] {
                    for value in minus(now.positions[bone], then.positions[bone]) {
                        varint((value * 4096.0) as i32, &mut self.out);
                    }
                }
            }
            for bone in 0..23 {
                if now.rotations[bone] != then.rotations[bone] {
                    let code = to_smallest3_nearest(now.rotations[bone]);
                    self.out.extend_from_slice(&code.to_le_bytes());
                }
            }
        }
    }

    fn frame(&mut self, frame: &Frame, before: Option<&Frame>, names: &[&str]) {
        let session = &frame.session;
        let known = before.map(|frame| &frame.session);
        match before {
            None => {
                self.out.extend_from_slice(&[0xFC, 0xFE]);
                self.out.extend_from_slice(&frame.time.0.to_le_bytes());
            }
            Some(before) => {
                self.out.extend_from_slice(&[0xFE, 0xFE]);
                let ms = (frame.time.0 - before.time.0) as u16;
                self.out.extend_from_slice(&ms.to_le_bytes());
            }
        }
        let clock = session.game_clock - known.map_or(0.0, |s| s.game_clock);
        self.out.extend_from_slice(&clock.to_le_bytes());
        let arena = session.map_name == Map::Arena;
        let three = self.old == Old::EarlyThree;
        let new = known.is_none();
        let status = new || known.map(|s| &s.game_status) != Some(&session.game_status);
        let points = |s: &Session| (s.blue_points, s.orange_points);
        let scored = new || known.map(points) != Some(points(session));
        let pressed = new || known.map(|s| s.inputs) != Some(session.inputs);
        let restarts = |s: &Session| (s.blue_team_restart_request, s.orange_team_restart_request);
        let pause =
            known.is_none_or(|s| s.pause != session.pause || restarts(s) != restarts(session));
        let score = arena && known.is_none_or(|s| s.last_score != session.last_score);
        let throw = known.is_none_or(|s| s.last_throw != session.last_throw);
        let vr = known.is_none_or(|s| s.player != session.player);
        let disc = arena && known.is_none_or(|s| s.disc != session.disc);
        let payload = three && !arena && known.is_none_or(|s| s.payload != session.payload);
        let rule = |s: &Session| (s.rules_changed_at, s.rules_changed_by.clone());
        let rules = three
            && arena
            && session.private_match
            && known.is_none_or(|s| rule(s) != rule(session));
        let basics = status || scored || pressed;
        let bits: [bool; 8] = if three {
            [basics, pause, score, throw, vr, disc, payload, rules]
        } else {
            [status, scored, pause, pressed, score, throw, vr, disc]
        };
        self.out.push(
            bits.into_iter()
                .enumerate()
                .fold(0, |b, (at, bit)| b | u8::from(bit) << at),
        );
        let inputs = {
            let i = &session.inputs;
            let all = [
                i.left_shoulder,
                i.right_shoulder,
                i.left_shoulder2,
                i.right_shoulder2,
            ];
            all.into_iter()
                .enumerate()
                .fold(0, |b, (at, on)| b | u8::from(on != 0.0) << at)
        };
        if status || three && basics {
            self.out.push(session.game_status.code().unwrap());
        }
        if scored || three && basics {
            if three && !arena {
                self.halves(&[session.blue_points, session.orange_points]);
            } else {
                self.out
                    .extend_from_slice(&[session.blue_points as u8, session.orange_points as u8]);
            }
        }
        if three && basics {
            self.out.push(inputs);
        }
        if pause {
            self.pause(session, known);
        }
        if !three && pressed {
            self.out.push(inputs);
        }
        if score {
            self.score(session.last_score.as_ref().unwrap(), names);
        }
        if throw {
            self.halves(&session.last_throw.unwrap().to_array());
        }
        if vr {
            self.pose(
                &session.player.unwrap(),
                known.and_then(|s| s.player.as_ref()),
            );
        }
        if disc {
            let (now, then) = (session.disc.unwrap(), known.and_then(|s| s.disc));
            self.pose(&now.pose, then.as_ref().map(|disc| &disc.pose));
            self.halves(&minus(
                now.velocity,
                then.map_or([0.0; 3], |disc| disc.velocity),
            ));
        }
        if payload {
            let payload = session.payload.unwrap();
            self.out.extend_from_slice(&[
                u8::from(payload.contested),
                payload.payload_checkpoint as u8,
                payload.payload_defenders as u8,
            ]);
            self.halves(&[payload.payload_distance, payload.payload_speed]);
        }
        if rules {
            self.out
                .extend_from_slice(&session.rules_changed_at.unwrap().to_le_bytes());
            self.out
                .extend_from_slice(session.rules_changed_by.as_ref().unwrap().as_bytes());
            self.out.push(0);
        }
        let stats: Vec<bool> = (0..3)
            .map(|team| {
                let now = session.teams[team].stats;
                now.is_some() && known.is_none_or(|s| s.teams[team].stats != now)
            })
            .collect();
        let mut bits =
            u8::from(session.teams[0].possession) | u8::from(session.teams[1].possession) << 1;
        for (at, bit) in stats.iter().enumerate() {
            bits |= u8::from(*bit) << (2 + at);
        }
        self.out.push(bits);
        for (at, team) in session.teams.iter().enumerate() {
            if stats[at] {
                let then = known.and_then(|s| s.teams[at].stats.as_ref());
                self.stats(team.stats.as_ref().unwrap(), then);
            }
            self.out.push(team.players.len() as u8);
            for player in &team.players {
                let then = known.and_then(|s| s.player_by_userid(player.userid));
                self.player(player, then, arena);
            }
        }
        self.bones(frame, before);
    }
}

/// A header, the table of chunks, and the chunks.
pub fn chunked(header: Vec<u8>, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = header;
    file.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    for chunk in chunks {
        file.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
    }
    file.extend(chunks.concat());
    file
}

/// The file of frames with exact values, a chunk every `interval`.
pub fn write(old: Old, frames: &[Frame], interval: usize) -> Vec<u8> {
    let first = &frames[0].session;
    let mut players: Vec<&Player> = Vec::new();
    for (_, player) in frames.iter().flat_map(|frame| frame.session.players()) {
        if players.iter().all(|known| known.userid != player.userid) {
            players.push(player);
        }
    }
    let users: Vec<u64> = players.iter().map(|player| player.userid).collect();
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    let mut file = vec![match old {
        Old::One => 1,
        Old::Two => 2,
        Old::EarlyThree => 3,
    }];
    file.extend_from_slice(&(interval as u16).to_le_bytes());
    file.push(0);
    file.extend_from_slice(first.client_name.as_bytes());
    file.push(0);
    let digits: Vec<u8> = first
        .sessionid
        .bytes()
        .filter(u8::is_ascii_hexdigit)
        .collect();
    for pair in digits.chunks(2) {
        file.push(u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap());
    }
    file.extend(
        first
            .sessionip
            .split('.')
            .map(|byte| byte.parse::<u8>().unwrap()),
    );
    file.push(players.len() as u8);
    for player in &players {
        file.extend_from_slice(player.name.as_bytes());
        file.push(0);
    }
    for player in &players {
        file.extend_from_slice(&player.userid.to_le_bytes());
    }
    file.extend(players.iter().map(|player| player.number as u8));
    file.extend(players.iter().map(|player| player.level as u8));
    file.push(first.total_round_count as u8);
    file.push(first.blue_round_score as u8 | (first.orange_round_score as u8) << 4);
    file.push(u8::from(first.private_match) | first.map_name.code().unwrap() << 1);
    let chunks: Vec<Vec<u8>> = frames
        .chunks(interval)
        .map(|frames| {
            let mut writer = Writer {
                old,
                users: &users,
                out: Vec::new(),
            };
            for (at, frame) in frames.iter().enumerate() {
                writer.frame(frame, at.checked_sub(1).map(|at| &frames[at]), &names);
            }
            writer.out
        })
        .collect();
    chunked(file, &chunks)
}
