//! The reference's way of writing, implemented again as plainly as possible: from the text of lines to the
//! bytes of a file, without any code of the crate. Both implementations have to agree.

// Written as the format's document has it, names included.
#![allow(
    clippy::many_single_char_names,
    clippy::approx_constant,
    clippy::unused_self,
    clippy::option_option,
    clippy::needless_for_each
)]

use serde_json::Value;

const ARENA: &str = "mpl_arena_a";

/// A line that the reference reads.
struct Frame {
    /// 100 ns since 1970.
    ticks: i64,
    dots: bool,
    s: Value,
    bones: Option<Value>,
}

fn get<'v>(v: &'v Value, name: &str) -> &'v Value {
    v.get(name).unwrap_or(&Value::Null)
}

fn list<'v>(v: &'v Value, name: &str) -> &'v [Value] {
    get(v, name).as_array().map_or(&[], Vec::as_slice)
}

fn num(v: &Value, name: &str) -> f32 {
    get(v, name).as_f64().unwrap_or(0.0) as f32
}

fn int(v: &Value, name: &str) -> i64 {
    get(v, name).as_i64().unwrap_or(0)
}

fn text<'v>(v: &'v Value, name: &str) -> Option<&'v str> {
    get(v, name).as_str()
}

fn flag(v: &Value, name: &str) -> u8 {
    let v = get(v, name);
    u8::from(v.as_bool().unwrap_or(v.as_f64().unwrap_or(0.0) != 0.0))
}

fn vector(v: &Value, name: &str) -> Option<[f32; 3]> {
    let items = get(v, name).as_array()?;
    let [x, y, z] = items.as_slice() else {
        return None;
    };
    Some([x, y, z].map(|v| v.as_f64().unwrap() as f32))
}

// Lines.

fn is_combat(map: &str) -> bool {
    ["fission", "combustion", "dyson", "gauss"]
        .iter()
        .any(|name| map == format!("mpl_combat_{name}"))
}

/// Whether a member, if present, has its type.
fn all(v: &Value, names: &str, right: impl Fn(&Value) -> bool) -> bool {
    names
        .split_whitespace()
        .all(|name| v.get(name).is_none_or(&right))
}

fn is_i32(v: &Value) -> bool {
    v.as_i64().is_some_and(|n| i32::try_from(n).is_ok())
}

fn is_flag(v: &Value) -> bool {
    v.is_boolean() || v.is_number()
}

fn are_numbers(v: &Value) -> bool {
    v.is_null()
        || v.as_array()
            .is_some_and(|all| all.iter().all(Value::is_number))
}

fn stats_right(v: &Value) -> bool {
    v.is_null()
        || all(v, "possession_time", Value::is_number)
            && all(
                v,
                "points saves goals stuns passes catches steals blocks interceptions assists shots_taken",
                is_i32,
            )
}

fn session_right(s: &Value) -> bool {
    let player = |p: &Value| {
        all(p, "userid", |v| v.as_i64().is_some())
            && all(p, "playerid number level ping", is_i32)
            && all(p, "packetlossratio", Value::is_number)
            && all(
                p,
                "stunned invulnerable possession blocking is_emote_playing",
                is_flag,
            )
            && are_numbers(get(p, "velocity"))
            && stats_right(get(p, "stats"))
            && ["head", "body", "lhand", "rhand"].into_iter().all(|limb| {
                ["pos", "position", "forward", "left", "up"]
                    .into_iter()
                    .all(|name| are_numbers(get(get(p, limb), name)))
            })
    };
    s.is_object()
        && all(
            s,
            "game_clock blue_points orange_points payload_multiplier payload_distance payload_speed",
            Value::is_number,
        )
        && all(
            s,
            "blue_round_score orange_round_score total_round_count payload_checkpoint payload_defenders err_code",
            is_i32,
        )
        && all(s, "rules_changed_at", |v| v.as_i64().is_some())
        && all(
            s,
            "private_match tournament_match contested blue_team_restart_request orange_team_restart_request \
             left_shoulder_pressed right_shoulder_pressed left_shoulder_pressed2 right_shoulder_pressed2",
            is_flag,
        )
        && list(s, "possession").iter().all(is_i32)
        && all(
            get(s, "pause"),
            "paused_timer unpaused_timer",
            Value::is_number,
        )
        && all(
            get(s, "last_score"),
            "disc_speed distance_thrown",
            Value::is_number,
        )
        && all(get(s, "last_score"), "point_amount", is_i32)
        && all(
            get(s, "last_throw"),
            "arm_speed total_speed",
            Value::is_number,
        )
        && all(get(s, "disc"), "bounce_count", is_i32)
        && all(
            get(s, "disc"),
            "position forward left up velocity",
            are_numbers,
        )
        && all(
            get(s, "player"),
            "vr_position vr_forward vr_left vr_up",
            are_numbers,
        )
        && list(s, "teams").iter().all(|team| {
            all(team, "possession", is_flag)
                && stats_right(get(team, "stats"))
                && list(team, "players").iter().all(player)
        })
}

/// 2022/01/02 03:00:00 and the fraction of a second.
fn ticks(time: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| time[range].parse::<i64>().unwrap();
    assert!(time.starts_with("2022/01/02 "));
    let seconds = 1_641_081_600 + part(11..13) * 3600 + part(14..16) * 60 + part(17..19);
    let fraction = format!("{:0<7}", &time[20..]);
    seconds * 10_000_000 + fraction.parse::<i64>().unwrap()
}

fn frames(text: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        if !(2..=3).contains(&columns.len()) || columns[1].encode_utf16().count() <= 300 {
            continue;
        }
        let Ok(s) = serde_json::from_str::<Value>(columns[1]) else {
            continue;
        };
        let bones = match columns.get(2) {
            None | Some(&"") => None,
            Some(text) => match serde_json::from_str(text) {
                Ok(bones) => Some(bones),
                Err(_) => continue,
            },
        };
        if session_right(&s) {
            let dots = columns[0].as_bytes()[13] == b'.';
            frames.push(Frame {
                ticks: ticks(columns[0]),
                dots,
                s,
                bones,
            });
        }
    }
    frames
}

// Primitive codings.

fn half(x: f32) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let a = f64::from(x.abs());
    let magnitude = if a >= 65_536.0 {
        0x7C00
    } else if a < 2.0_f64.powi(-14) {
        (a * 2.0_f64.powi(24)) as u16
    } else {
        let mut e = -14;
        while 2.0_f64.powi(e + 1) <= a {
            e += 1;
        }
        ((e + 15) as u16) << 10 | ((a / 2.0_f64.powi(e) - 1.0) * 1024.0) as u16
    };
    sign | magnitude
}

fn put_half(out: &mut Vec<u8>, x: f32) {
    out.extend(half(x).to_le_bytes());
}

fn ascii(text: &str) -> Vec<u8> {
    let units = text.encode_utf16();
    units
        .map(|unit| if unit < 128 { unit as u8 } else { b'?' })
        .collect()
}

fn norm(v: [f32; 3]) -> [f32; 3] {
    let l = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    [v[0] / l, v[1] / l, v[2] / l]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn quaternion(forward: [f32; 3], up: [f32; 3]) -> [f32; 4] {
    let f = norm(norm(forward));
    let x = norm(cross(up, f));
    let y = cross(f, x);
    let m = [x, y, f];
    let trace = m[0][0] + m[1][1] + m[2][2];
    if trace > 0.0 {
        let s = (trace + 1.0).sqrt();
        let k = 0.5 / s;
        return [
            (m[1][2] - m[2][1]) * k,
            (m[2][0] - m[0][2]) * k,
            (m[0][1] - m[1][0]) * k,
            s * 0.5,
        ];
    }
    let largest = if m[0][0] >= m[1][1] && m[0][0] >= m[2][2] {
        0
    } else if m[1][1] > m[2][2] {
        1
    } else {
        2
    };
    let (i, j, l) = (largest, (largest + 1) % 3, (largest + 2) % 3);
    // The sums are taken from left to right, in the order x, y, z of the subtrahends.
    let (a, b) = if j < l { (j, l) } else { (l, j) };
    let s = (1.0 + m[i][i] - m[a][a] - m[b][b]).sqrt();
    let k = 0.5 / s;
    let mut q = [0.0; 4];
    q[i] = 0.5 * s;
    q[j] = (m[i][j] + m[j][i]) * k;
    q[l] = (m[i][l] + m[l][i]) * k;
    q[3] = (m[j][l] - m[l][j]) * k;
    q
}

fn smallest3(q: [f32; 4]) -> [u8; 4] {
    let mut dropped = 0;
    let mut largest = 0.0;
    for (at, c) in q.iter().enumerate() {
        if c.abs() > largest {
            largest = c.abs();
            dropped = at;
        }
    }
    let sign = if q[dropped] < 0.0 { -1.0_f32 } else { 1.0 };
    let mut bits = dropped as u32;
    let mut shift = 2;
    for (at, c) in q.iter().enumerate() {
        if at != dropped {
            let v = (f64::from(c * sign) + 0.707_106_78) / 1.414_213_56 * 1023.0;
            let v = if v.is_nan() { 0 } else { v as i32 as u16 };
            bits |= u32::from(v) << shift;
            shift += 10;
        }
    }
    bits.to_le_bytes()
}

fn stands_for(text: &str, names: &[&str]) -> Option<u8> {
    let text = text.replace(' ', "_");
    if let Ok(number) = text.parse::<i64>() {
        return u8::try_from(number).ok();
    }
    let mut all = 0;
    for part in text.split(',') {
        all |= names.iter().position(|name| *name == part)? as u8;
    }
    Some(all)
}

fn hand(text: Option<&str>) -> Option<u8> {
    match text {
        None => Some(252),
        Some("none") => Some(255),
        Some("geo") => Some(254),
        Some("disc") => Some(253),
        Some(text) => text
            .trim_ascii()
            .parse::<i64>()
            .ok()
            .and_then(|n| u8::try_from(n).ok()),
    }
}

// A file.

struct File<'f> {
    names: Vec<Option<String>>,
    frames: &'f [Frame],
}

/// What the reference writes, or the frame for which it throws.
pub fn write(recording: &str, interval: usize) -> Result<Vec<u8>, usize> {
    let frames = frames(recording);
    let mut out = Vec::new();
    if frames.is_empty() {
        return Ok(out);
    }
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    let mut known: Vec<i64> = Vec::new();
    let mut file = File {
        names: Vec::new(),
        frames: &frames,
    };
    let mut players = [Vec::new(), Vec::new(), Vec::new()];
    let (mut name_bytes, mut id_bytes) = (Vec::new(), Vec::new());
    for start in (0..frames.len()).step_by(interval) {
        let end = (start + interval).min(frames.len());
        // The players of the next keyframe are met before the chunk is closed.
        for frame in &frames[start..(end + 1).min(frames.len())] {
            for player in list(&frame.s, "teams")
                .iter()
                .take(3)
                .flat_map(|t| list(t, "players"))
            {
                let id = int(player, "userid");
                if !known.contains(&id) {
                    known.push(id);
                    let name = text(player, "name").map(str::to_owned);
                    name_bytes.extend(ascii(name.as_deref().unwrap_or_default()));
                    name_bytes.push(0);
                    file.names.push(name);
                    id_bytes.extend(id.to_le_bytes());
                    players[1].push(int(player, "number") as u8);
                    players[2].push(int(player, "level") as u8);
                }
            }
        }
        let mut chunk = Vec::new();
        for at in start..end {
            file.frame(start, at, &mut chunk).ok_or(at)?;
        }
        chunks.push(chunk);
    }
    let s = &frames[0].s;
    out.extend([3, interval as u8, (interval >> 8) as u8, 0]);
    out.extend(ascii(text(s, "client_name").ok_or(0_usize)?));
    out.push(0);
    let digits: String = text(s, "sessionid")
        .unwrap()
        .chars()
        .filter(|c| *c != '-')
        .collect();
    for at in (0..digits.len()).step_by(2) {
        out.push(u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
    }
    out.extend(
        text(s, "sessionip")
            .unwrap()
            .split('.')
            .map(|part| part.parse::<u8>().unwrap()),
    );
    out.push(known.len() as u8);
    out.extend(name_bytes);
    out.extend(id_bytes);
    out.extend(&players[1]);
    out.extend(&players[2]);
    out.push(int(s, "total_round_count") as u8);
    out.push((int(s, "blue_round_score") + (int(s, "orange_round_score") << 4)) as u8);
    let maps = [
        "uncoded",
        "mpl_lobby_b2",
        ARENA,
        "mpl_combat_fission",
        "mpl_combat_combustion",
        "mpl_combat_dyson",
        "mpl_combat_gauss",
        "mpl_tutorial_arena",
    ];
    let map = maps
        .iter()
        .position(|map| Some(*map) == text(s, "map_name"))
        .ok_or(0_usize)?;
    out.push(flag(s, "private_match") | (map as u8) << 1);
    out.extend((chunks.len() as u32).to_le_bytes());
    for chunk in &chunks {
        out.extend((chunk.len() as u32).to_le_bytes());
    }
    out.extend(chunks.concat());
    Ok(out)
}

impl File<'_> {
    fn index(&self, name: Option<&str>) -> u8 {
        let at = self
            .names
            .iter()
            .position(|known| name.is_some() && known.as_deref() == name);
        at.map_or(0, |at| at as u8 + 1)
    }

    fn map(&self, at: usize) -> &str {
        text(&self.frames[at].s, "map_name").unwrap_or_default()
    }

    /// The frame before, if it is in the chunk.
    fn before(&self, start: usize, at: usize) -> Option<usize> {
        at.checked_sub(1).filter(|before| *before >= start)
    }

    /// The first player with a user id, in any team; nothing at all if the reference throws because it
    /// comes to a team whose players are `null` first.
    fn player(&self, at: usize, id: i64) -> Option<Option<&Value>> {
        for team in list(&self.frames[at].s, "teams") {
            if team.get("players") == Some(&Value::Null) {
                return None;
            }
            let mut players = list(team, "players").iter();
            let found = players.find(|player| int(player, "userid") == id);
            if found.is_some() {
                return Some(found);
            }
        }
        Some(None)
    }

    fn frame(&self, start: usize, at: usize, out: &mut Vec<u8>) -> Option<()> {
        let frame = &self.frames[at];
        let s = &frame.s;
        let teams = list(s, "teams");
        if frame.dots || teams.len() < 3 || teams.iter().any(Value::is_null) {
            return None;
        }
        let before = self.before(start, at);
        match before {
            None => {
                out.extend([0xFC, 0xFE]);
                out.extend(((frame.ticks as f64 / 10_000.0) as i64).to_le_bytes());
            }
            Some(before) => {
                out.extend([0xFE, 0xFE]);
                let passed = (frame.ticks - self.frames[before].ticks) as f64 / 10_000.0;
                out.extend((passed as i32 as u16).to_le_bytes());
            }
        }
        let clock = before.map_or(0.0, |before| num(&self.frames[before].s, "game_clock"));
        out.extend((num(s, "game_clock") - clock).to_le_bytes());
        let mut bits = 0;
        let mut parts = Vec::new();
        if before.is_none_or(|before| self.status_differs(before, at)) {
            bits |= 1;
            parts.extend(self.status(at));
        }
        for bit in 1..8 {
            let now = self.part(bit, start, at)?;
            let last = before
                .map(|before| self.part(bit, start, before))
                .and_then(|last| last);
            if let Some(now) = now
                && last.flatten().as_ref() != Some(&now)
            {
                bits |= 1 << bit;
                parts.extend(now);
            }
        }
        out.push(bits);
        out.extend(parts);
        self.teams(start, at, out)?;
        self.bones(at, out)
    }

    fn status_differs(&self, before: usize, at: usize) -> bool {
        let [a, b] = [before, at].map(|at| &self.frames[at].s);
        let apart = |name: &str| (num(a, name) - num(b, name)).abs() > 0.01;
        text(a, "game_status") != text(b, "game_status")
            || apart("blue_points")
            || apart("orange_points")
            || inputs(a) != inputs(b)
    }

    fn status(&self, at: usize) -> Vec<u8> {
        let s = &self.frames[at].s;
        let statuses = [
            "",
            "pre_match",
            "round_start",
            "playing",
            "score",
            "round_over",
            "post_match",
            "pre_sudden_death",
            "sudden_death",
            "post_sudden_death",
        ];
        let status = statuses
            .iter()
            .position(|known| Some(*known) == text(s, "game_status"));
        let mut out = vec![status.map_or(0, |at| at as u8 + 1)];
        for points in ["blue_points", "orange_points"].map(|name| num(s, name)) {
            if self.map(at) == ARENA {
                out.push(points as i32 as u8);
            } else if is_combat(self.map(at)) {
                put_half(&mut out, points);
            }
        }
        out.push(inputs(s));
        out
    }

    /// The bytes of a part by its bit, if the map has the part; nothing at all if the reference throws.
    fn part(&self, bit: u8, start: usize, at: usize) -> Option<Option<Vec<u8>>> {
        let s = &self.frames[at].s;
        let last = self.before(start, at).map(|before| &self.frames[before].s);
        let arena = self.map(at) == ARENA;
        let mut out = Vec::new();
        match bit {
            1 => {
                let pause = s.get("pause").filter(|pause| !pause.is_null())?;
                let teams = ["blue", "orange", "spectator", "none"];
                let team = |name: &str| teams.iter().position(|t| Some(*t) == text(pause, name));
                let flags = flag(s, "blue_team_restart_request")
                    | flag(s, "orange_team_restart_request") << 1
                    | (team("paused_requested_team")? as u8) << 2
                    | (team("unpaused_team")? as u8) << 4;
                let states = ["unpaused", "paused", "unpausing", "pausing", "none"];
                let state = states
                    .iter()
                    .position(|t| Some(*t) == text(pause, "paused_state"));
                out.extend([flags, state.unwrap_or(5) as u8]);
                for timer in ["paused_timer", "unpaused_timer"] {
                    let moved = last.map_or(0.0, |last| {
                        num(pause, timer) - num(get(last, "pause"), timer)
                    });
                    put_half(&mut out, moved);
                }
            }
            2 if arena => {
                let score = s.get("last_score").filter(|score| !score.is_null())?;
                let teams = ["blue", "orange", "spectator", "none"];
                let team = teams.iter().position(|t| Some(*t) == text(score, "team"))?;
                let goals = [
                    "unknown",
                    "BOUNCE_SHOT",
                    "INSIDE_SHOT",
                    "LONG_BOUNCE_SHOT",
                    "LONG_SHOT",
                    "SELF_GOAL",
                    "SLAM_DUNK",
                    "BUMPER_SHOT",
                    "HEADBUTT",
                ];
                let goal = stands_for(text(score, "goal_type")?, &goals).unwrap_or(0);
                out.push(team as u8 | u8::from(int(score, "point_amount") != 2) << 2 | goal << 3);
                out.push(self.index(text(score, "person_scored")));
                out.push(self.index(text(score, "assist_scored")));
                put_half(&mut out, num(score, "disc_speed"));
                put_half(&mut out, num(score, "distance_thrown"));
            }
            3 => {
                let throw = get(s, "last_throw");
                put_half(&mut out, num(throw, "arm_speed"));
                put_half(&mut out, num(throw, "total_speed"));
                out.extend([0; 22]);
            }
            4 => {
                let pose = |s: &Value| vr(get(s, "player"));
                let last = last.map(|last| pose(last).map(|pose| pose.0));
                let now = pose(s)?;
                out.extend(pose10(now, last.and_then(|last| last)));
            }
            5 if arena => {
                let disc = get(s, "disc");
                let pose = |disc: &Value| {
                    let facing = (vector(disc, "forward")?, vector(disc, "up")?);
                    Some((vector(disc, "position")?, facing))
                };
                let last = last.map(|last| get(last, "disc"));
                out.extend(pose10(pose(disc)?, last.and_then(pose).map(|last| last.0)));
                let velocity = vector(disc, "velocity")?;
                let from = last
                    .and_then(|last| vector(last, "velocity"))
                    .unwrap_or_default();
                for (v, from) in velocity.into_iter().zip(from) {
                    put_half(&mut out, v - from);
                }
            }
            6 if is_combat(self.map(at)) => {
                out.push(flag(s, "contested"));
                out.push(int(s, "payload_checkpoint") as u8);
                out.push(int(s, "payload_defenders") as u8);
                put_half(&mut out, num(s, "payload_distance"));
                put_half(&mut out, num(s, "payload_speed"));
            }
            7 if arena && flag(s, "private_match") == 1 => {
                out.extend(int(s, "rules_changed_at").to_le_bytes());
                out.extend(ascii(text(s, "rules_changed_by").unwrap_or_default()));
                out.push(0);
            }
            _ => return Some(None),
        }
        Some(Some(out))
    }

    fn teams(&self, start: usize, at: usize, out: &mut Vec<u8>) -> Option<()> {
        let teams = list(&self.frames[at].s, "teams");
        let before = self.before(start, at);
        let mut bits = flag(&teams[0], "possession") | flag(&teams[1], "possession") << 1;
        let mut bytes = Vec::new();
        for (nth, team) in teams[..3].iter().enumerate() {
            let last = before.map(|before| &list(&self.frames[before].s, "teams")[nth]);
            // Stats that are gone are not written; stats that come back are absolute.
            if has_stats(team)
                && let Some(stats) = changed_stats(team, last)?
            {
                bits |= 4 << nth;
                bytes.extend(stats);
            }
            let players = list(team, "players");
            bytes.push(players.len() as u8);
            for player in players {
                self.one(start, at, player, &mut bytes)?;
            }
        }
        out.push(bits);
        out.extend(bytes);
        Some(())
    }

    fn one(&self, start: usize, at: usize, player: &Value, out: &mut Vec<u8>) -> Option<()> {
        let id = int(player, "userid");
        let before = self.before(start, at);
        let find = |at: Option<usize>| at.map_or(Some(None), |at| self.player(at, id));
        let last = find(before)?;
        let older = find(before.and_then(|before| self.before(start, before)))?;
        out.push(self.index(text(player, "name")));
        out.push(int(player, "playerid") as u8);
        let mut bits = flag(player, "possession")
            | flag(player, "blocking") << 1
            | flag(player, "stunned") << 2
            | flag(player, "invulnerable") << 3
            | flag(player, "is_emote_playing") << 4;
        let mut bytes = Vec::new();
        if !has_stats(player) && last.is_some_and(has_stats) {
            // The bit is set and nothing written: no reader can read that.
            return None;
        }
        if let Some(stats) = changed_stats(player, last)? {
            bits |= 1 << 5;
            bytes.extend(stats);
        }
        let holds = |player: &Value| {
            ["holding_left", "holding_right"].map(|hand| text_of(get(player, hand)))
        };
        let same = last.is_some_and(|last| {
            int(last, "ping") == int(player, "ping")
                && num(last, "packetlossratio") == num(player, "packetlossratio")
                && holds(last) == holds(player)
        });
        if !same {
            bits |= 1 << 6;
            let ping = last.map_or(0, |last| int(last, "ping"));
            bytes.extend(((int(player, "ping") - ping) as i16).to_le_bytes());
            let loss = last.map_or(0.0, |last| num(last, "packetlossratio"));
            put_half(&mut bytes, num(player, "packetlossratio") - loss);
            if self.map(at) == ARENA {
                for text in holds(player) {
                    bytes.push(hand(text.as_deref())?);
                }
            }
        }
        let v = vector(player, "velocity")?;
        let from = last
            .and_then(|last| vector(last, "velocity"))
            .unwrap_or_default();
        let [x, y, z] = [v[0] - from[0], v[1] - from[1], v[2] - from[2]];
        if x * x + y * y + z * z > 0.0001 {
            bits |= 1 << 7;
            [x, y, z].iter().for_each(|d| put_half(&mut bytes, *d));
        }
        let mut pose_bits = 0;
        let mut poses: Vec<u8> = Vec::new();
        for (nth, name) in ["head", "body", "lhand", "rhand"].into_iter().enumerate() {
            let place = |player: &Value| limb(get(player, name)).map(|limb| limb.0);
            let now = pose10(limb(get(player, name))?, last.and_then(place));
            let compared = match (last, older) {
                (Some(last), older) => Some(pose10(limb(get(last, name))?, older.and_then(place))),
                (None, Some(older)) => Some(pose10(limb(get(older, name))?, None)),
                (None, None) => None,
            };
            if compared != Some(now) {
                pose_bits |= 1 << (nth * 2);
                poses.extend(&now[..6]);
            }
            if compared.is_none_or(|compared| compared[6..] != now[6..]) {
                pose_bits |= 2 << (nth * 2);
                poses.extend(&now[6..]);
            }
        }
        out.push(bits);
        out.extend(bytes);
        out.push(pose_bits);
        out.extend(poses);
        if is_combat(self.map(at)) {
            let value = |name: &str, names: &[&str]| stands_for(text(player, name)?, names);
            let weapon = value("Weapon", &["rocket", "blaster", "scout", "assault"])?;
            let ordnance = value("Ordnance", &["stun", "det", "burst", "arc"])?;
            let tac = value("TacMod", &["sensor", "wraith", "heal", "shield"])?;
            let arm = value("Arm", &["Left", "Right"])?;
            let shifted = |value: u8, by: u32| (u32::from(value) << by) as u8;
            out.push(weapon | shifted(ordnance, 2) | shifted(tac, 4) | shifted(arm, 6));
        }
        Some(())
    }

    fn bones(&self, at: usize, out: &mut Vec<u8>) -> Option<()> {
        let all = |at: usize| {
            self.frames[at]
                .bones
                .as_ref()
                .map(|bones| get(bones, "user_bones").as_array())
        };
        let Some(Some(players)) = all(at) else {
            out.push(0);
            return Some(());
        };
        // The frame before, even in another chunk.
        let before = at.checked_sub(1).and_then(all);
        if !players.is_empty() && before == Some(None) {
            return None;
        }
        let before = before
            .flatten()
            .filter(|before| before.len() == players.len());
        out.push(1 | (players.len() as u8) << 1);
        for (nth, player) in players.iter().enumerate() {
            let last = before.map(|before| &before[nth]);
            let numbers = |player: &Value, name: &str| -> Vec<f32> {
                list(player, name)
                    .iter()
                    .map(|v| v.as_f64().unwrap() as f32)
                    .collect()
            };
            let (places, turns) = (numbers(player, "bone_t"), numbers(player, "bone_o"));
            let places_before = last.map_or_else(|| vec![0.0; 69], |last| numbers(last, "bone_t"));
            let turns_before = last.map_or_else(
                || [0.0, 0.0, 0.0, 1.0].repeat(23),
                |last| numbers(last, "bone_o"),
            );
            let (mut masks, mut bytes, mut rotations) = ([0_u32; 2], Vec::new(), Vec::new());
            for bone in 0..23 {
                let d: Vec<f32> = (0..3)
                    .map(|n| places[bone * 3 + n] - places_before[bone * 3 + n])
                    .collect();
                if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt() > 0.001 {
                    masks[0] |= 1 << bone;
                    d.iter().for_each(|d| bone_number(*d, &mut bytes));
                }
                let turn = |from: &[f32]| {
                    [
                        from[bone * 4],
                        from[bone * 4 + 1],
                        from[bone * 4 + 2],
                        from[bone * 4 + 3],
                    ]
                };
                let (now, from) = (turn(&turns), turn(&turns_before));
                let dot: f32 = now.iter().zip(from).map(|(a, b)| a * b).sum();
                if dot.abs().min(1.0).acos() * 2.0 > 1.0_f32.to_radians() {
                    masks[1] |= 1 << bone;
                    rotations.extend(smallest3(times(now, inverse(from))));
                }
            }
            masks
                .iter()
                .for_each(|mask| out.extend(&mask.to_le_bytes()[..3]));
            out.extend(bytes);
            out.extend(rotations);
        }
        Some(())
    }
}

fn inverse(q: [f32; 4]) -> [f32; 4] {
    let n = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    [-q[0] * n, -q[1] * n, -q[2] * n, q[3] * n]
}

fn times(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let c = cross([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    [
        a[0] * b[3] + b[0] * a[3] + c[0],
        a[1] * b[3] + b[1] * a[3] + c[1],
        a[2] * b[3] + b[2] * a[3] + c[2],
        a[3] * b[3] - dot,
    ]
}

fn bone_number(v: f32, out: &mut Vec<u8>) {
    let n = (f64::from(v + 2.0) / 4.0 * 16_384.0 - 8192.0).clamp(-8192.0, 8191.0) as i32;
    let z = if n < 0 { -2 * n - 1 } else { 2 * n };
    if z <= 240 {
        out.push(z as u8);
    } else if z <= 2287 {
        out.extend([(241 + ((z - 240) >> 8)) as u8, (z - 240) as u8]);
    } else {
        out.extend([249, ((z - 2288) >> 8) as u8, (z - 2288) as u8]);
    }
}

fn inputs(s: &Value) -> u8 {
    flag(s, "left_shoulder_pressed")
        | flag(s, "right_shoulder_pressed") << 1
        | flag(s, "left_shoulder_pressed2") << 2
        | flag(s, "right_shoulder_pressed2") << 3
}

/// The content of a hand; a number is its text.
fn text_of(v: &Value) -> Option<String> {
    match v {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

type Placed = ([f32; 3], ([f32; 3], [f32; 3]));

fn limb(v: &Value) -> Option<Placed> {
    let position = if get(v, "pos").is_null() {
        "position"
    } else {
        "pos"
    };
    Some((
        vector(v, position)?,
        (vector(v, "forward")?, vector(v, "up")?),
    ))
}

fn vr(v: &Value) -> Option<Placed> {
    Some((
        vector(v, "vr_position")?,
        (vector(v, "vr_forward")?, vector(v, "vr_up")?),
    ))
}

/// Six bytes of a position, as a difference, and four of a rotation.
fn pose10((position, (forward, up)): Placed, from: Option<[f32; 3]>) -> [u8; 10] {
    let mut out = Vec::new();
    for (p, from) in position.into_iter().zip(from.unwrap_or_default()) {
        put_half(&mut out, p - from);
    }
    out.extend(smallest3(quaternion(forward, up)));
    out.try_into().unwrap()
}

fn has_stats(of: &Value) -> bool {
    !get(of, "stats").is_null()
}

/// Fourteen bytes, if there are stats and they have to be written; nothing at all if the reference throws.
fn changed_stats(of: &Value, last: Option<&Value>) -> Option<Option<Vec<u8>>> {
    if !has_stats(of) {
        return Some(None);
    }
    let now = get(of, "stats");
    if int(now, "stuns") > 65_535 {
        return None;
    }
    let nothing = &Value::Null;
    let before = last.map_or(nothing, |last| get(last, "stats"));
    let same = !before.is_null() && stats14(now, nothing) == stats14(before, nothing);
    Some((!same).then(|| stats14(now, before)))
}

fn stats14(now: &Value, before: &Value) -> Vec<u8> {
    let names = "assists blocks catches goals interceptions passes points saves steals shots_taken";
    let mut out: Vec<u8> = names
        .split_whitespace()
        .map(|name| (int(now, name) - int(before, name)) as u8)
        .collect();
    put_half(
        &mut out,
        num(now, "possession_time") - num(before, "possession_time"),
    );
    let stuns = (int(now, "stuns") - int(before, "stuns")).max(0);
    out.extend((stuns as u16).to_le_bytes());
    out
}
