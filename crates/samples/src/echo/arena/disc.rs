//! The disc and its flight.

use fastrand::Rng;
use gametape_echo::Vec3;

use super::ROOM;
use crate::echo::math::{Basis, Wave, add, ease, length, scale, within};

#[derive(Clone, Debug)]
pub(super) enum Flight {
    Free,
    Held {
        by: i32,
        right: bool,
        /// The number of seconds until it is thrown.
        left: f32,
    },
}

/// The last throw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throw {
    pub(super) by: i32,
    pub(super) team: usize,
    pub(super) from: Vec3,
    /// The number of seconds in the air.
    pub(super) air: f32,
    /// Whether it was aimed at the goal.
    pub(super) shot: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Disc {
    pub(super) position: Vec3,
    pub(super) velocity: Vec3,
    pub(super) basis: Basis,
    pub(super) bounces: i32,
    spin: Wave,
    pub(super) flight: Flight,
    pub(super) throw: Option<Throw>,
    /// The team out of whose hand it was knocked.
    pub(super) loose: Option<usize>,
    /// The player who passed it to the one who has it, and how many seconds ago.
    pub(super) passer: Option<(i32, f32)>,
}

impl Disc {
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self {
            position: [0.0; 3],
            velocity: [0.0; 3],
            basis: Basis::AHEAD,
            bounces: 0,
            spin: Wave::new(rng, 5.0),
            flight: Flight::Free,
            throw: None,
            loose: None,
            passer: None,
        }
    }

    pub(super) const fn carrier(&self) -> Option<i32> {
        match &self.flight {
            Flight::Held { by, .. } => Some(*by),
            Flight::Free => None,
        }
    }

    /// Returns the disc to the middle, at rest.
    pub(super) fn centre(&mut self, rng: &mut Rng) {
        *self = Self {
            spin: self.spin,
            ..Self::new(rng)
        };
    }

    /// Takes the disc out of any hand.
    pub(super) fn let_loose(&mut self) {
        self.flight = Flight::Free;
        self.throw = None;
        self.passer = None;
        self.loose = None;
    }

    pub(super) fn knock_loose(&mut self, rng: &mut Rng, team: usize) {
        self.let_loose();
        self.loose = Some(team);
        self.bounces = 0;
        self.velocity = add(self.velocity, within(rng, [2.0; 3]));
    }

    /// Removes a player who left.
    pub(super) fn forget(&mut self, playerid: i32) {
        if self.throw.is_some_and(|throw| throw.by == playerid) {
            self.throw = None;
        }
        if self.passer.is_some_and(|(id, _)| id == playerid) {
            self.passer = None;
        }
    }

    /// The disc drifts while nobody plays.
    pub(super) fn drift(&mut self, rng: &mut Rng, dt: f32) {
        self.velocity = scale(self.velocity, 1.0 / (1.0 + 1.5 * dt));
        if length(self.velocity) < 0.05 {
            self.velocity = [0.0; 3];
        }
        self.fly(rng, dt);
    }

    pub(super) fn fly(&mut self, rng: &mut Rng, dt: f32) {
        self.position = add(self.position, scale(self.velocity, dt));
        let mut bounced = false;
        for ((at, speed), wall) in self.position.iter_mut().zip(&mut self.velocity).zip(ROOM) {
            if at.abs() > wall {
                // The disc bounces: it is as far inside as it would have been outside.
                *at = (2.0 * wall).copysign(*at) - *at;
                *at = at.clamp(-wall, wall);
                *speed *= -0.8;
                bounced = true;
            }
        }
        if bounced {
            self.bounces += 1;
            self.velocity = add(self.velocity, within(rng, [0.4; 3]));
        }
        if length(self.velocity) > 0.0 {
            self.spin.step(dt);
            let aim = [self.spin.x, 0.0, self.spin.y];
            self.basis.turn(aim, [0.1, 0.99, 0.1], ease(8.0, dt));
        }
    }
}
