//! A combat match: two rounds in which one team pushes a payload and the other one stops it.

use compact_str::CompactString;
use fastrand::Rng;
use gametape_echo::{
    Arm, GameStatus, Inputs, Loadout, Map, Ordnance, Pause, PausedState, Payload, Session, TacMod,
    TeamId, Vec3, Weapon, clock_display,
};

use super::actor::{Act, Actor, Hold, Room};
use super::crowd::{Crowd, SPECTATORS};
use super::game::MatchOptions;
use super::math::{add, between, ease, length, once_in, scale, sub, unit_or, within};

/// The length of the payload's track in metres.
const TRACK: f32 = 120.0;
/// The distance between checkpoints in metres.
const CHECKPOINT: f32 = 40.0;
/// The distance in metres within which a player counts as being at the payload.
const NEAR: f32 = 5.0;
/// The height of a head above the floor in metres.
const HEAD: f32 = 1.6;
/// The length of a round in seconds.
const ROUND: f32 = 300.0;
const ROUNDS: i32 = 2;
/// Half the size of the map, in metres.
const ROOM: Vec3 = [18.0, 6.0, 75.0];

#[derive(Clone, Debug)]
pub(super) struct CombatMatch {
    crowd: Crowd,
    map: Map,
    status: GameStatus,
    status_left: f32,
    clock: f32,
    /// For each team, the percentage of the track along which it has pushed the payload.
    points: [f32; 2],
    rounds_won: [i32; 2],
    rounds_played: i32,
    payload: Payload,
    /// The number of seconds since an attacker was at the payload.
    alone: f32,
    room: Room,
    bones: bool,
}

impl CombatMatch {
    pub(super) fn new(rng: &mut Rng, options: &MatchOptions) -> Self {
        let mut crowd = Crowd::new(rng, options);
        let map = match rng.u32(..4) {
            0 => Map::Fission,
            1 => Map::Combustion,
            2 => Map::Dyson,
            _ => Map::Gauss,
        };
        for actor in &mut crowd.actors {
            respawn(rng, actor);
        }
        Self {
            crowd,
            map,
            status: GameStatus::Empty,
            status_left: between(rng, 3.0, 6.0),
            clock: ROUND,
            points: [0.0; 2],
            rounds_won: [0; 2],
            rounds_played: 0,
            payload: start(),
            alone: 0.0,
            room: Room::new(rng),
            bones: options.bones,
        }
    }

    pub(super) fn crowd(&self) -> &Crowd {
        &self.crowd
    }

    /// The team that pushes.
    fn attackers(&self) -> usize {
        usize::from(self.rounds_played % 2 == 1)
    }

    fn payload_place(&self) -> Vec3 {
        [0.0, HEAD, self.payload.payload_distance - TRACK * 0.5]
    }

    /// Advances the match by `dt`; returns `false` when it is over.
    pub(super) fn step(&mut self, rng: &mut Rng, dt: f32) -> bool {
        self.crowd.pass_time(rng, dt);
        self.room.step(rng, dt);
        self.crowd.come_and_go(rng, dt, None, respawn);
        let place = self.payload_place();
        if self.status != GameStatus::Empty {
            self.walk(rng, dt, place);
        }
        if self.status == GameStatus::Playing {
            self.fight(rng, dt);
            self.push(dt, place);
        }
        self.crowd.watch(rng, dt, ROOM);
        self.crowd.pose(rng, dt, place, self.bones);
        self.advance(rng, dt)
    }

    fn walk(&mut self, rng: &mut Rng, dt: f32, place: Vec3) {
        for actor in self.crowd.players_mut() {
            actor.act_left -= dt;
            if actor.act_left <= 0.0 {
                actor.target = add(place, within(rng, [7.0, 0.0, 7.0]));
                let (act, least, most) = match rng.u32(..20) {
                    0 => (Act::Statue, 1.0, 1.0),
                    1..5 => (Act::Grab, 0.4, 2.0),
                    _ => (Act::Thrust, 0.5, 2.5),
                };
                actor.act = act;
                actor.act_left = between(rng, least, most);
            }
            actor.cool_down(rng, dt);
            if actor.still() {
                continue;
            }
            let [_, height, _] = actor.position;
            let [_, rising, _] = &mut actor.velocity;
            if height > HEAD {
                *rising -= 9.0 * dt;
            } else if once_in(rng, 8.0, dt) {
                // A jump with the help of the thrusters.
                *rising = between(rng, 3.0, 6.0);
            }
            actor.fly(dt, 6.0);
            let [_, height, _] = &mut actor.position;
            let [_, rising, _] = &mut actor.velocity;
            if *height < HEAD {
                (*height, *rising) = (HEAD, 0.0);
            }
            for (at, wall) in actor.position.iter_mut().zip(ROOM) {
                *at = at.clamp(-wall, wall);
            }
        }
    }

    /// One player hits another, who comes back from the base with a new loadout.
    fn fight(&mut self, rng: &mut Rng, dt: f32) {
        if !once_in(rng, 3.0, dt) {
            return;
        }
        let mut pick = |team: usize| {
            let able = |actor: &&Actor| actor.team == team && actor.able();
            let count = self.crowd.players().filter(able).count() as u32;
            let chosen = rng.u32(..count.max(1)) as usize;
            let actor = self.crowd.players().filter(able).nth(chosen)?;
            Some((actor.playerid, actor.position, actor.invulnerable > 0.0))
        };
        let (Some(blue), Some(orange)) = (pick(0), pick(1)) else {
            return;
        };
        let (by, victim) = if rng.bool() {
            (blue, orange)
        } else {
            (orange, blue)
        };
        if length(sub(by.1, victim.1)) > 25.0 || victim.2 {
            return;
        }
        if let Some(actor) = self.crowd.get_mut(by.0) {
            actor.stats.stuns += 1;
            actor.stats.points += 1;
        }
        if let Some(actor) = self.crowd.get_mut(victim.0) {
            respawn(rng, actor);
            actor.invulnerable = 3.0;
        }
    }

    fn push(&mut self, dt: f32, place: Vec3) {
        let attackers = self.attackers();
        let at = |team: usize| {
            self.crowd
                .players()
                .filter(|actor| actor.team == team)
                .filter(|actor| length(sub(actor.position, place)) < NEAR)
                .count()
        };
        let (pushing, defending) = (at(attackers), at(1 - attackers));
        self.alone = if pushing > 0 { 0.0 } else { self.alone + dt };
        let payload = &mut self.payload;
        payload.contested = pushing > 0 && defending > 0;
        payload.payload_defenders = defending as i32;
        payload.payload_multiplier = 1.0 + 0.25 * pushing.saturating_sub(1).min(4) as f32;
        let wanted = match (pushing, defending) {
            (0, _) if self.alone > 10.0 => -0.5,
            (0, _) => 0.0,
            // A contested payload still moves slowly if more players push than defend.
            _ if defending >= pushing => 0.0,
            _ => payload.payload_multiplier / (1.0 + defending as f32),
        };
        payload.payload_speed += (wanted - payload.payload_speed) * ease(3.0, dt);
        if payload.payload_speed.abs() < 0.01 {
            payload.payload_speed = 0.0;
        }
        // The payload does not roll back past a checkpoint.
        let behind = CHECKPOINT * payload.payload_checkpoint as f32;
        payload.payload_distance =
            (payload.payload_distance + payload.payload_speed * dt).clamp(behind, TRACK);
        payload.payload_checkpoint = (payload.payload_distance / CHECKPOINT) as i32;
        let share = payload.payload_distance / TRACK * 100.0;
        let [blue, orange] = &mut self.points;
        let points = if attackers == 0 { blue } else { orange };
        *points = points.max(share);
    }

    /// Advances clock and status; returns `false` when the match is over.
    fn advance(&mut self, rng: &mut Rng, dt: f32) -> bool {
        if self.status == GameStatus::Playing {
            self.clock = (self.clock - dt).max(0.0);
            let delivered = self.payload.payload_distance >= TRACK;
            if self.clock > 0.0 && !delivered {
                return true;
            }
            let winner = if delivered {
                self.attackers()
            } else {
                1 - self.attackers()
            };
            let [blue, orange] = &mut self.rounds_won;
            *(if winner == 0 { blue } else { orange }) += 1;
            self.rounds_played += 1;
            (self.status, self.status_left) = (GameStatus::RoundOver, 6.0);
            return true;
        }
        self.status_left -= dt;
        if self.status_left > 0.0 {
            return true;
        }
        match self.status {
            GameStatus::Empty => self.status = GameStatus::Playing,
            GameStatus::RoundOver if self.rounds_played >= ROUNDS => {
                (self.status, self.status_left) = (GameStatus::PostMatch, 10.0);
            }
            _ => {
                let over = self.status == GameStatus::PostMatch;
                if over {
                    // Another match in the same session.
                    self.points = [0.0; 2];
                    self.rounds_won = [0; 2];
                    self.rounds_played = 0;
                    self.crowd.forget_stats();
                }
                (self.status, self.status_left) = (GameStatus::Empty, between(rng, 3.0, 6.0));
                self.clock = ROUND;
                self.payload = start();
                self.alone = 0.0;
                for actor in self.crowd.players_mut() {
                    respawn(rng, actor);
                }
                return !over;
            }
        }
        true
    }

    pub(super) fn write(&self, session: &mut Session) {
        session.match_type = CompactString::const_new(if session.private_match {
            "Echo_Combat_Private"
        } else {
            "Echo_Combat"
        });
        session.map_name.clone_from(&self.map);
        session.game_status.clone_from(&self.status);
        session.game_clock = self.clock;
        session.game_clock_display = clock_display(self.clock);
        [session.blue_points, session.orange_points] = self.points;
        [session.blue_round_score, session.orange_round_score] = self.rounds_won;
        session.total_round_count = ROUNDS;
        session.possession = Some([-1, -1]);
        let shoots = self
            .crowd
            .get(self.crowd.client)
            .is_some_and(|actor| actor.act == Act::Thrust && self.status == GameStatus::Playing);
        session.inputs = Inputs {
            right_shoulder: f32::from(u8::from(shoots)),
            ..Inputs::default()
        };
        session.blue_team_restart_request = false;
        session.orange_team_restart_request = false;
        session.pause = Some(Pause {
            paused_state: PausedState::None,
            unpaused_team: TeamId::None,
            paused_requested_team: TeamId::None,
            unpaused_timer: 0.0,
            paused_timer: 0.0,
        });
        session.last_score = None;
        session.last_throw = None;
        session.player = Some(self.room.pose());
        session.disc = None;
        session.payload = Some(self.payload);
        (session.rules_changed_by, session.rules_changed_at) = if session.private_match {
            (Some(CompactString::const_new("[INVALID]")), Some(0))
        } else {
            (None, None)
        };
        self.crowd.write(session, false, false);
    }
}

fn start() -> Payload {
    Payload {
        payload_multiplier: 1.0,
        ..Payload::default()
    }
}

/// Moves a player into the base with a new loadout.
fn respawn(rng: &mut Rng, actor: &mut Actor) {
    let way = if actor.team == 0 { 1.0 } else { -1.0 };
    if actor.team == SPECTATORS {
        actor.spawn([0.0, 5.0, 0.0], [0.0, 0.0, 1.0]);
        // The game reports a loadout for spectators, too, and the reference of .butter needs it.
        actor.loadout = Some(Loadout {
            weapon: Weapon::Rocket,
            ordnance: Ordnance::Stun,
            tac_mod: TacMod::Sensor,
            arm: Arm::Left,
        });
        return;
    }
    let [x, _, z] = within(rng, [6.0, 0.0, 3.0]);
    actor.spawn([x, HEAD, way * -65.0 + z], [0.0, 0.0, way]);
    actor.velocity = scale(unit_or([-x, 0.0, way * 20.0], [0.0, 0.0, way]), 2.0);
    actor.holds = [Hold::Nothing; 2];
    if actor.loadout.is_none() || rng.u32(..3) == 0 {
        actor.loadout = Some(Loadout {
            weapon: match rng.u32(..4) {
                0 => Weapon::Rocket,
                1 => Weapon::Blaster,
                2 => Weapon::Scout,
                _ => Weapon::Assault,
            },
            ordnance: match rng.u32(..4) {
                0 => Ordnance::Stun,
                1 => Ordnance::Det,
                2 => Ordnance::Burst,
                _ => Ordnance::Arc,
            },
            tac_mod: match rng.u32(..4) {
                0 => TacMod::Sensor,
                1 => TacMod::Wraith,
                2 => TacMod::Heal,
                _ => TacMod::Shield,
            },
            arm: if rng.bool() { Arm::Left } else { Arm::Right },
        });
    }
}
