//! Carrying, throwing, catching and scoring with the disc.

use fastrand::Rng;
use gametape_echo::{GameStatus, GoalType, LastScore, LastThrow, Vec3};

use super::ArenaMatch;
use super::disc::{Flight, Throw};
use super::{GOAL, RIM, THREE_POINTS, attacks, of_team, team_id};
use crate::echo::actor::Hold;
use crate::echo::math::{add, between, dot, length, mix, scale, sub, unit_or, within};

/// The distance in metres within which a hand reaches the disc.
const REACH: f32 = 1.2;
/// The share of its speed that the disc loses per second.
const DRAG: f32 = 0.12;
/// The number of seconds for which a thrower still possesses the disc, if nobody else catches it.
const POSSESSION: f32 = 2.0;
/// The number of seconds before a goal within which a pass counts as an assist.
const ASSIST: f32 = 10.0;

impl ArenaMatch {
    /// Advances the disc and the players who handle it by `dt`.
    pub(super) fn contest(&mut self, rng: &mut Rng, dt: f32) {
        if let Some((_, age)) = &mut self.disc.passer {
            *age += dt;
            if *age > ASSIST {
                self.disc.passer = None;
            }
        }
        match &mut self.disc.flight {
            Flight::Held { by, left, .. } => {
                let by = *by;
                *left -= dt;
                let now = *left <= 0.0;
                self.held(rng, by, now);
            }
            Flight::Free => {
                let before = self.disc.position;
                self.disc.velocity = scale(self.disc.velocity, 1.0 / (1.0 + DRAG * dt));
                self.disc.fly(rng, dt);
                if let Some(throw) = &mut self.disc.throw {
                    throw.air += dt;
                }
                if !self.goal(rng, before) {
                    self.catch(rng, before);
                }
            }
        }
    }

    /// Moves the disc together with the hand that holds it.
    pub(super) fn carry(&mut self) {
        let Flight::Held { by, right, .. } = self.disc.flight else {
            return;
        };
        if let Some(actor) = self.crowd.get(by) {
            let (at, basis) = actor.hand(right);
            self.disc.position = add(at, scale(basis.forward, 0.1));
            self.disc.basis = basis;
            self.disc.velocity = actor.velocity;
        }
    }

    /// A player holds the disc: it throws the disc or carries it into the goal.
    fn held(&mut self, rng: &mut Rng, by: i32, now: bool) {
        let Some(actor) = self.crowd.get(by) else {
            self.disc.let_loose();
            return;
        };
        let team = actor.team;
        let way = attacks(team);
        let [x, y, z] = self.disc.position;
        if (z * way - GOAL).abs() < 0.8 && x * x + y * y < RIM * RIM {
            self.throw(rng, by, self.disc.position, true);
            self.disc.bounces = 0;
            self.score(rng, by, team, Some(GoalType::SlamDunk));
            return;
        }
        if !now {
            return;
        }
        let to_goal = GOAL - z * way;
        let shoots = to_goal > 1.0 && (to_goal < 8.0 || (to_goal < 26.0 && rng.u32(..10) < 5));
        let target = if shoots {
            let [x, y, _] = within(rng, [2.1, 2.1, 0.0]);
            [x, y, way * (GOAL + 0.5)]
        } else {
            // To a mate further ahead, if a random choice finds one, otherwise just ahead.
            let mates = self
                .crowd
                .players()
                .filter(|mate| mate.team == team && mate.playerid != by)
                .count() as u32;
            let chosen = rng.u32(..mates.max(1)) as usize;
            let mate = self
                .crowd
                .players()
                .filter(|mate| mate.team == team && mate.playerid != by)
                .nth(chosen);
            match mate {
                Some(mate) => {
                    let away = length(sub(mate.position, self.disc.position));
                    add(mate.position, scale(mate.velocity, away / 13.0))
                }
                None => add(self.disc.position, [x * -0.5, y * -0.5, way * 10.0]),
            }
        };
        self.throw(rng, by, target, shoots);
    }

    fn throw(&mut self, rng: &mut Rng, by: i32, target: Vec3, shot: bool) {
        let from = self.disc.position;
        let Some(actor) = self.crowd.get_mut(by) else {
            return;
        };
        for hold in &mut actor.holds {
            if *hold == Hold::Disc {
                *hold = Hold::Nothing;
            }
        }
        let (team, moving) = (actor.team, actor.velocity);
        if shot {
            actor.stats.shots_taken += 1;
        }
        let aim = unit_or(sub(target, from), [0.0, 0.0, attacks(team)]);
        let along = dot(moving, aim);
        let arm = between(rng, 6.0, 12.0);
        let (from_wrist, off_axis) = (between(rng, -0.2, 2.0), between(rng, 0.0, 0.4));
        let (wrist_loss, move_loss) = (between(rng, 0.0, 0.5), between(rng, 0.0, 0.3));
        let total = arm + from_wrist + along.max(0.0) - off_axis - wrist_loss - move_loss;
        let turns = between(rng, 0.1, 3.5);
        self.disc.velocity = scale(aim, total);
        self.disc.bounces = 0;
        self.disc.flight = Flight::Free;
        self.disc.loose = None;
        self.disc.throw = Some(Throw {
            by,
            team,
            from,
            air: 0.0,
            shot,
        });
        self.possession_left = POSSESSION;
        self.last_throw = LastThrow {
            arm_speed: arm,
            total_speed: total,
            off_axis_spin_deg: between(rng, -40.0, 40.0),
            wrist_throw_penalty: wrist_loss,
            rot_per_sec: turns,
            pot_speed_from_rot: turns * 0.754,
            speed_from_arm: arm,
            speed_from_movement: along.max(0.0),
            speed_from_wrist: from_wrist,
            wrist_align_to_throw_deg: between(rng, 0.0, 120.0),
            throw_align_to_movement_deg: between(rng, 0.0, 90.0),
            off_axis_penalty: off_axis,
            throw_move_penalty: move_loss,
        };
    }

    /// Whether the disc flew into a goal.
    fn goal(&mut self, rng: &mut Rng, before: Vec3) -> bool {
        let Some(throw) = self.disc.throw else {
            return false;
        };
        // In this simulation nobody scores an own goal.
        let way = attacks(throw.team);
        let [_, _, z0] = before;
        let [_, _, z1] = self.disc.position;
        if z0 * way >= GOAL || z1 * way < GOAL {
            return false;
        }
        let at = mix(
            before,
            self.disc.position,
            ((GOAL * way - z0) / (z1 - z0)).clamp(0.0, 1.0),
        );
        let [x, y, _] = at;
        if x * x + y * y > RIM * RIM {
            return false;
        }
        self.disc.position = at;
        self.score(rng, throw.by, throw.team, None);
        true
    }

    fn score(&mut self, rng: &mut Rng, by: i32, team: usize, kind: Option<GoalType>) {
        let Some(throw) = self.disc.throw else {
            return;
        };
        let speed = length(self.disc.velocity);
        let distance = if kind.is_some() {
            between(rng, 0.2, 0.9)
        } else {
            length(sub(self.disc.position, throw.from))
        };
        let three = distance >= THREE_POINTS;
        let goal_type = kind.unwrap_or_else(|| match (three, self.disc.bounces > 0) {
            (true, true) => GoalType::LongBounceShot,
            (true, false) => GoalType::LongShot,
            (false, true) => GoalType::BounceShot,
            (false, false) => match rng.u32(..12) {
                0 => GoalType::Headbutt,
                1 => GoalType::BumperShot,
                _ => GoalType::InsideShot,
            },
        });
        let points = if three { 3 } else { 2 };
        let assist = self.disc.passer.map(|(id, _)| id).filter(|id| *id != by);
        let nobody = "[INVALID]".into();
        let name = |id| self.crowd.name(id).cloned();
        self.last_score = LastScore {
            disc_speed: speed,
            team: team_id(team),
            goal_type,
            point_amount: points,
            distance_thrown: distance,
            person_scored: name(by).unwrap_or_else(|| "[INVALID]".into()),
            assist_scored: assist.and_then(name).unwrap_or(nobody),
        };
        if let Some(actor) = self.crowd.get_mut(by) {
            actor.stats.points += points;
            actor.stats.goals += 1;
            // A goal counts as a shot, whatever the throw was meant to be.
            actor.stats.shots_taken += i32::from(!throw.shot);
        }
        if let Some(actor) = assist.and_then(|id| self.crowd.get_mut(id)) {
            actor.stats.assists += 1;
        }
        *of_team(&mut self.points, team) += points;
        self.disc.let_loose();
        self.drop_possession();
        (self.status, self.status_left) = if self.status == GameStatus::SuddenDeath {
            (GameStatus::PostSuddenDeath, 3.0)
        } else {
            (GameStatus::Score, 3.5)
        };
    }

    /// A nearby player may catch the disc.
    fn catch(&mut self, rng: &mut Rng, before: Vec3) {
        let after = self.disc.position;
        let path = sub(after, before);
        let (thrower, air) = self
            .disc
            .throw
            .map_or((None, 1.0), |throw| (Some(throw.by), throw.air));
        let mut caught = None;
        for actor in self.crowd.players_mut() {
            if !actor.able() || actor.catch_wait > 0.0 {
                continue;
            }
            if thrower == Some(actor.playerid) && air < 0.6 {
                continue;
            }
            // The disc flies more than a metre between two frames, so the nearest point of its path
            // counts.
            let along = dot(sub(actor.position, before), path) / dot(path, path).max(1e-9);
            let nearest = mix(before, after, along.clamp(0.0, 1.0));
            if length(sub(actor.position, nearest)) > REACH {
                continue;
            }
            actor.catch_wait = 0.7;
            if rng.u32(..10) < 6 {
                caught = Some((actor.playerid, actor.team));
                break;
            }
        }
        if let Some((id, team)) = caught {
            self.caught(rng, id, team);
        }
    }

    fn caught(&mut self, rng: &mut Rng, id: i32, team: usize) {
        let throw = self.disc.throw.take();
        let loose = self.disc.loose.take();
        let right = rng.u32(..4) > 0;
        let [_, _, z] = self.disc.position;
        let Some(actor) = self.crowd.get_mut(id) else {
            return;
        };
        let mut passer = None;
        match throw {
            Some(throw) if throw.by == id => passer = self.disc.passer,
            Some(throw) if throw.team == team => {
                actor.stats.catches += 1;
                passer = Some((throw.by, 0.0));
            }
            Some(throw) => {
                if throw.shot && GOAL + z * attacks(team) < 12.0 {
                    actor.stats.saves += 1;
                } else {
                    actor.stats.interceptions += 1;
                }
            }
            None if loose.is_some_and(|loser| loser != team) => actor.stats.steals += 1,
            None => {}
        }
        let [left_hold, right_hold] = &mut actor.holds;
        *(if right { right_hold } else { left_hold }) = Hold::Disc;
        // The player knows at once where to go.
        actor.act_left = actor.act_left.min(0.2);
        actor.blocking = 0.0;
        if let (Some(throw), Some(_)) = (throw, passer)
            && throw.by != id
            && let Some(thrower) = self.crowd.get_mut(throw.by)
        {
            thrower.stats.passes += 1;
        }
        self.disc.passer = passer;
        self.disc.bounces = 0;
        self.disc.flight = Flight::Held {
            by: id,
            right,
            left: between(rng, 0.6, 3.2),
        };
        self.possess(id);
    }
}
