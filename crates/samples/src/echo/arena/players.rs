//! The behaviour of arena players who do not handle the disc.

use fastrand::Rng;
use gametape_echo::Vec3;

use super::ArenaMatch;
use super::{GOAL, ROOM, attacks, of_team};
use crate::echo::actor::{Act, Actor, Hold};
use crate::echo::math::{add, between, length, mix, once_in, scale, sub, unit_or, within};

/// In m/s.
const TOP_SPEED: f32 = 7.5;
/// The distance in metres within which a punch lands.
const PUNCH: f32 = 1.7;

impl ArenaMatch {
    /// The players wait for the start.
    pub(super) fn wait(&mut self, rng: &mut Rng, dt: f32) {
        for actor in self.crowd.players_mut() {
            actor.act_left -= dt;
            if actor.act_left <= 0.0 {
                actor.act = Act::Coast;
            }
            actor.cool_down(rng, dt);
        }
    }

    /// The round starts: all players leave the tubes.
    pub(super) fn launch_all(&mut self, rng: &mut Rng) {
        for actor in self.crowd.players_mut() {
            let way = [
                between(rng, -0.2, 0.2),
                between(rng, 0.0, 0.25),
                attacks(actor.team),
            ];
            actor.velocity = scale(way, between(rng, 5.0, 7.0));
            actor.act = Act::Coast;
            actor.act_left = between(rng, 0.6, 1.6);
        }
    }

    /// The players fly around.
    pub(super) fn roam(&mut self, rng: &mut Rng, dt: f32) {
        let disc = self.disc.position;
        let carrier = self
            .disc
            .carrier()
            .and_then(|id| self.crowd.get(id))
            .map(|actor| (actor.playerid, actor.team));
        // A player whom one can hold on to.
        let players = self.crowd.players().count() as u32;
        let other = self
            .crowd
            .players()
            .nth(rng.u32(..players.max(1)) as usize)
            .map(|actor| (actor.playerid, actor.position));
        let chasers = self.chasers();
        let meet = add(disc, scale(self.disc.velocity, 0.3));
        for actor in self.crowd.players_mut() {
            actor.act_left -= dt;
            if chasers.contains(&Some(actor.playerid)) {
                actor.let_go();
                actor.act = Act::Thrust;
                actor.target = inside(meet);
            } else if actor.act_left <= 0.0 {
                choose(rng, actor, disc, carrier, other);
            }
            actor.cool_down(rng, dt);
            actor.fly(dt, TOP_SPEED);
            if !actor.still() {
                stay_inside(actor);
            }
        }
    }

    /// For each team, the player who is closest to the disc, except in the team that has it.
    fn chasers(&self) -> [Option<i32>; 2] {
        let mut chasers = [None; 2];
        if !self.contested() {
            return chasers;
        }
        let carrier = self.disc.carrier().and_then(|id| self.crowd.get(id));
        let ours = carrier.map(|carrier| carrier.team);
        let mut closest = [f32::INFINITY; 2];
        for actor in self.crowd.players() {
            if !actor.able() || ours == Some(actor.team) {
                continue;
            }
            let away = length(sub(actor.position, self.disc.position));
            let closest = of_team(&mut closest, actor.team);
            if away < *closest {
                *closest = away;
                *of_team(&mut chasers, actor.team) = Some(actor.playerid);
            }
        }
        chasers
    }

    /// Punches that land, and blocks that stop them.
    pub(super) fn stuns(&mut self, rng: &mut Rng, dt: f32) {
        if let Some((victim, attacker, close)) = self.meeting(rng, dt) {
            self.attack(rng, victim, attacker, close);
        }
    }

    /// The last two players of different teams who fight (first the victim, then the attacker), and
    /// whether they are close enough.
    fn meeting(&self, rng: &mut Rng, dt: f32) -> Option<(i32, i32, bool)> {
        let carrier = self.disc.carrier();
        let mut stunned = None;
        for (n, victim) in self.crowd.players().enumerate() {
            for attacker in self.crowd.players().skip(n + 1) {
                if victim.team == attacker.team {
                    continue;
                }
                let apart = length(sub(victim.position, attacker.position));
                if apart > PUNCH * 2.0 {
                    continue;
                }
                // Either may be faster.
                let (victim, attacker) = if rng.bool() {
                    (victim, attacker)
                } else {
                    (attacker, victim)
                };
                let sought = carrier == Some(victim.playerid);
                let patience = if sought { 1.0 } else { 2.5 };
                if once_in(rng, patience, dt) {
                    stunned = Some((victim.playerid, attacker.playerid, apart < PUNCH));
                }
            }
        }
        stunned
    }

    fn attack(&mut self, rng: &mut Rng, victim: i32, attacker: i32, close: bool) {
        let carrier = self.disc.carrier();
        let able = self
            .crowd
            .get(attacker)
            .is_some_and(|actor| actor.able() && !actor.holds.contains(&Hold::Disc));
        let Some(actor) = self.crowd.get_mut(victim) else {
            return;
        };
        if !able || actor.stunned > 0.0 || actor.invulnerable > 0.0 || actor.still() {
            return;
        }
        if !close {
            // The victim sees the attack coming.
            if carrier != Some(victim) && actor.blocking <= 0.0 {
                actor.blocking = between(rng, 0.3, 1.0);
            }
            return;
        }
        if carrier != Some(victim) && rng.u32(..3) == 0 {
            // The block is just in time.
            actor.blocking = actor.blocking.max(0.4);
        }
        if actor.blocking > 0.0 {
            actor.stats.blocks += 1;
            return;
        }
        let team = actor.team;
        actor.stun();
        if let Some(actor) = self.crowd.get_mut(attacker) {
            actor.stats.stuns += 1;
        }
        if carrier == Some(victim) {
            self.disc.knock_loose(rng, team);
            self.drop_possession();
        }
    }
}

/// Chooses what a player does next.
fn choose(
    rng: &mut Rng,
    actor: &mut Actor,
    disc: Vec3,
    carrier: Option<(i32, usize)>,
    other: Option<(i32, Vec3)>,
) {
    let launches = actor.act == Act::Grab;
    actor.let_go();
    let way = attacks(actor.team);
    let carries = carrier.is_some_and(|(id, _)| id == actor.playerid);
    let ours = carrier.is_some_and(|(_, team)| team == actor.team);
    actor.target = if carries {
        add([0.0, 0.0, GOAL * way], within(rng, [2.0, 2.0, 1.0]))
    } else if ours {
        // Ahead of the team mate who has the disc, ready for a pass.
        let ahead = add(disc, [0.0, 0.0, way * between(rng, 3.0, 14.0)]);
        add(ahead, within(rng, [9.0, 6.0, 3.0]))
    } else if rng.u32(..5) < 3 {
        add(disc, within(rng, [1.0; 3]))
    } else {
        // Between the disc and the player's own goal.
        let goal = [0.0, 0.0, -GOAL * way];
        add(mix(disc, goal, rng.f32()), within(rng, [5.0, 4.0, 3.0]))
    };
    actor.target = inside(actor.target);
    if launches {
        let aim = unit_or(sub(actor.target, actor.position), [0.0, 0.0, way]);
        actor.velocity = scale(aim, between(rng, 4.0, TOP_SPEED));
        actor.act = Act::Coast;
        actor.act_left = between(rng, 0.5, 1.5);
        return;
    }
    let (act, least, most) = match rng.u32(..100) {
        _ if carries => (Act::Thrust, 0.5, 1.5),
        0..3 => (Act::Statue, 1.0, 1.0),
        3..28 => (Act::Grab, 0.4, 1.5),
        28..50 => (Act::Coast, 0.4, 1.2),
        _ => (Act::Thrust, 0.4, 1.8),
    };
    actor.act = act;
    actor.act_left = between(rng, least, most);
    match (act, other) {
        (Act::Grab, _) => actor.take(Hold::Geo),
        (Act::Coast, Some((id, at)))
            if id != actor.playerid && length(sub(at, actor.position)) < 2.5 =>
        {
            actor.take(Hold::Mate(id));
        }
        _ => {}
    }
}

fn inside([x, y, z]: Vec3) -> Vec3 {
    let [wide, high, long] = ROOM.map(|wall| wall - 1.0);
    [
        x.clamp(-wide, wide),
        y.clamp(-high, high),
        z.clamp(-long, long),
    ]
}

/// Keeps a player inside the walls.
fn stay_inside(actor: &mut Actor) {
    for ((at, speed), room) in actor.position.iter_mut().zip(&mut actor.velocity).zip(ROOM) {
        let wall = room - 0.5;
        if at.abs() > wall {
            *at = wall.copysign(*at);
            *speed *= -0.4;
        }
    }
}
