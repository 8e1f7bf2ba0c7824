//! Walks over two frames, field by field.

use std::collections::BTreeSet;

use gametape_echo::{
    Arm, Frame, Game, LastScore, Loadout, Ordnance, Pause, PausedState, Player, PlayerBones, Pose,
    Session, Stats, TacMod, TeamId, Vec3, Weapon,
};

/// One field of two frames.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pair {
    /// Stored as a half: the difference from the frame before, if there is one.
    Difference { a: f32, b: f32, from: f32 },
    /// Stored as a half, absolute.
    Half(f32, f32),
    /// Stored as a float.
    Float(f32, f32),
    /// Stored in fixed point: the difference from the frame before, if there is one.
    Fixed { a: f32, b: f32, from: f32 },
    /// Rotations: forward and up.
    Turn([Vec3; 2], [Vec3; 2]),
    /// Quaternions.
    Quaternion([f32; 4], [f32; 4]),
    /// Any other value: whether it is equal.
    Same(bool),
}

/// The owner (a user id or index), the field, and which of several.
pub type Key = (u64, &'static str, u8);

/// Calls `each` for every field that a .butter stores, of a frame and the same frame read back. Differences
/// are taken from `before`.
pub fn walk(a: &Frame, b: &Frame, before: Option<&Frame>, each: &mut impl FnMut(Key, Pair)) {
    let mut walk = Walk { each };
    walk.session(a, b, before);
}

/// Members that have to be equal.
macro_rules! same {
    ($walk:ident, $a:ident, $b:ident, { $($name:literal: $member:ident,)* }) => {
        $($walk.same($name, $a.$member == $b.$member);)*
    };
}

/// Members that are stored as halves.
macro_rules! half {
    ($walk:ident, $a:ident, $b:ident, { $($name:literal: $member:ident,)* }) => {
        $($walk.half($name, 0, $a.$member, $b.$member);)*
    };
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

    fn difference(&mut self, who: u64, name: &'static str, [a, b, from]: [f32; 3]) {
        (self.each)((who, name, 0), Pair::Difference { a, b, from });
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
        same!(self, a, b, {
            "sessionid": sessionid,
            "sessionip": sessionip,
            "client_name": client_name,
            "map_name": map_name,
            "private_match": private_match,
            "game_status": game_status,
        });
        let clock = Pair::Float(a.game_clock, b.game_clock);
        (self.each)((0, "game_clock", 0), clock);
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
        let restarts = |s: &Session| (s.blue_team_restart_request, s.orange_team_restart_request);
        self.same("restart_request", restarts(a) == restarts(b));
        self.pause(a, b, from);
        let both = a.last_score.is_some() == b.last_score.is_some();
        self.same("last_score", both || map != Game::Arena);
        if let (Some(a), Some(b), Game::Arena) = (&a.last_score, &b.last_score, map) {
            // The types that are not listed are all the same.
            let goal = |score: &LastScore| score.goal_type.code().unwrap_or(0);
            self.same("last_score.goal_type", goal(a) == goal(b));
            // One bit: everything except 2 is 3.
            let two = |score: &LastScore| score.point_amount == 2;
            self.same("last_score.point_amount", two(a) == two(b));
            same!(self, a, b, {
                "last_score.team": team,
                "last_score.person_scored": person_scored,
                "last_score.assist_scored": assist_scored,
            });
            half!(self, a, b, {
                "last_score.disc_speed": disc_speed,
                "last_score.distance_thrown": distance_thrown,
            });
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
            same!(self, a, b, {
                "payload.contested": contested,
                "payload.counts": payload_checkpoint,
                "payload.counts": payload_defenders,
            });
            half!(self, a, b, {
                "payload.distance": payload_distance,
                "payload.speed": payload_speed,
            });
        }
        if map == Game::Arena && b.private_match {
            let at = |s: &Session| s.rules_changed_at.unwrap_or(0);
            self.same("rules", at(a) == at(b));
            same!(self, a, b, { "rules": rules_changed_by, });
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
        same!(self, a, b, {
            "paused_state": paused_state,
            "unpaused_team": unpaused_team,
            "paused_requested_team": paused_requested_team,
        });
        let paused = [a, b, from].map(|pause| pause.paused_timer);
        self.difference(0, "paused_timer", paused);
        let unpaused = [a, b, from].map(|pause| pause.unpaused_timer);
        self.difference(0, "unpaused_timer", unpaused);
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
        let times = [a.possession_time, b.possession_time, known];
        self.difference(who, possession_time, times);
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
        same!(self, a, b, {
            "player.name": name,
            "player.userid": userid,
            "player.playerid": playerid,
            "player.ping": ping,
            "player.flags": possession,
            "player.flags": blocking,
            "player.flags": stunned,
            "player.flags": invulnerable,
            "player.flags": is_emote_playing,
        });
        if game == Game::Arena {
            same!(self, a, b, {
                "player.holding": holding_left,
                "player.holding": holding_right,
            });
        }
        if game == Game::Combat {
            // Always present: a spectator's is the first of each.
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
        let losses = [a.packetlossratio, b.packetlossratio, known];
        self.difference(who, "player.packetlossratio", losses);
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

/// The fields that differ in two frames, to the last bit.
pub fn different(a: &Frame, b: &Frame) -> BTreeSet<&'static str> {
    let mut fields = BTreeSet::new();
    walk(a, b, None, &mut |key, pair| {
        let same = match pair {
            Pair::Same(same) => same,
            Pair::Float(a, b)
            | Pair::Half(a, b)
            | Pair::Difference { a, b, .. }
            | Pair::Fixed { a, b, .. } => a.to_bits() == b.to_bits(),
            Pair::Turn(a, b) => a == b,
            Pair::Quaternion(a, b) => a.map(f32::to_bits) == b.map(f32::to_bits),
        };
        if !same {
            fields.insert(key.1);
        }
    });
    fields
}
