//! A player: how it moves, looks and holds things in any game.

use fastrand::Rng;
use gametape_echo::{Holding, Loadout, Player, Pose, Stats, Vec3};

use super::crowd::Person;
use super::math::{
    Basis, Wave, add, between, ease, length, mix, once_in, rounded, scale, sub, unit_or, within,
};
use super::skeleton::{LEFT_HAND, RIGHT_HAND, Skeleton};

/// The number of frames after joining for which the game does not know the player's number and
/// level.
const FRESH_FRAMES: u8 = 2;
/// In m/s².
const THRUST: f32 = 8.0;
/// In seconds.
const STUN: f32 = 3.0;
const INVULNERABLE: f32 = 3.0;

/// The activity of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Act {
    /// Keeps its velocity; nothing slows it down.
    Coast,
    /// Accelerates towards its target.
    Thrust,
    /// Holds on to the arena.
    Grab,
    /// Does not move at all: the headset lies on a table.
    Statue,
}

/// The content of a hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    Nothing,
    Geo,
    Disc,
    /// The player with this `playerid`.
    Mate(i32),
}

/// A hand, relative to the body.
#[derive(Clone, Debug)]
struct Hand {
    rest: Vec3,
    at: Vec3,
    goal: Vec3,
    /// The number of seconds until it moves elsewhere.
    left: f32,
    basis: Basis,
    /// The direction in which it points, relative to the body.
    aim: Vec3,
}

impl Hand {
    fn new(rest: Vec3) -> Self {
        Self {
            rest,
            at: rest,
            goal: rest,
            left: 0.0,
            basis: Basis::AHEAD,
            aim: [0.0, 0.0, 1.0],
        }
    }

    fn step(&mut self, rng: &mut Rng, body: &Basis, dt: f32, held: Hold) {
        self.left -= dt;
        if self.left <= 0.0 {
            self.left = between(rng, 0.3, 2.5);
            self.goal = add(self.rest, within(rng, [0.22, 0.25, 0.18]));
            let ahead = add([0.0, 0.0, 0.9], within(rng, [0.7, 0.9, 0.6]));
            self.aim = unit_or(ahead, [0.0, 0.0, 1.0]);
        }
        if held == Hold::Geo {
            // The hand holds on to something that does not move.
            return;
        }
        self.at = mix(self.at, self.goal, ease(5.0, dt));
        self.basis
            .turn(body.place(self.aim), body.up, ease(6.0, dt));
    }
}

#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub person: Person,
    pub playerid: i32,
    /// 0 blue, 1 orange, 2 spectators.
    pub team: usize,
    fresh: u8,
    pub position: Vec3,
    pub velocity: Vec3,
    pub target: Vec3,
    pub act: Act,
    /// The number of seconds until the player does something else.
    pub act_left: f32,
    head: Basis,
    body: Basis,
    hands: [Hand; 2],
    pub holds: [Hold; 2],
    pub stunned: f32,
    pub invulnerable: f32,
    pub blocking: f32,
    pub emote: f32,
    /// The number of seconds for which the player does not try to catch.
    pub catch_wait: f32,
    pub possession: bool,
    ping: i32,
    ping_base: i32,
    ping_left: f32,
    loss: f32,
    sway: Wave,
    nod: Wave,
    pub skeleton: Skeleton,
    pub stats: Stats,
    pub loadout: Option<Loadout>,
}

impl Actor {
    pub(super) fn new(rng: &mut Rng, person: Person, playerid: i32, team: usize) -> Self {
        let ping_base = rng.i32(20..110);
        Self {
            person,
            playerid,
            team,
            fresh: FRESH_FRAMES,
            position: [0.0; 3],
            velocity: [0.0; 3],
            target: [0.0; 3],
            act: Act::Coast,
            act_left: 0.0,
            head: Basis::AHEAD,
            body: Basis::AHEAD,
            hands: [Hand::new(LEFT_HAND), Hand::new(RIGHT_HAND)],
            holds: [Hold::Nothing; 2],
            stunned: 0.0,
            invulnerable: 0.0,
            blocking: 0.0,
            emote: 0.0,
            catch_wait: 0.0,
            possession: false,
            ping: ping_base,
            ping_base,
            ping_left: 0.0,
            loss: 0.0,
            sway: Wave::new(rng, 1.1),
            nod: Wave::new(rng, 3.7),
            skeleton: Skeleton::new(rng),
            stats: Stats::default(),
            loadout: None,
        }
    }

    /// Makes the player one that the game knew before the recording.
    pub(super) fn settled(mut self) -> Self {
        self.fresh = 0;
        self
    }

    /// Moves the player to another place, at rest and with empty hands.
    pub(super) fn spawn(&mut self, position: Vec3, ahead: Vec3) {
        self.position = position;
        self.velocity = [0.0; 3];
        self.holds = [Hold::Nothing; 2];
        self.stunned = 0.0;
        self.invulnerable = 0.0;
        self.blocking = 0.0;
        self.act = Act::Coast;
        self.act_left = 0.0;
        self.target = add(position, scale(ahead, 10.0));
        let left = [ahead[2], 0.0, -ahead[0]];
        let basis = Basis {
            forward: ahead,
            left,
            up: [0.0, 1.0, 0.0],
        };
        (self.head, self.body) = (basis, basis);
    }

    pub(super) fn stun(&mut self) {
        self.stunned = STUN;
        self.blocking = 0.0;
        self.holds = [Hold::Nothing; 2];
        self.act = Act::Coast;
        self.act_left = STUN;
    }

    /// Whether the player can hold, catch or punch.
    pub(super) fn able(&self) -> bool {
        self.stunned <= 0.0 && self.act != Act::Statue
    }

    pub(super) fn still(&self) -> bool {
        self.act == Act::Statue
    }

    /// The position and orientation of a hand (0 left, 1 right).
    pub(super) fn hand(&self, right: bool) -> (Vec3, Basis) {
        let [left_hand, right_hand] = &self.hands;
        let hand = if right { right_hand } else { left_hand };
        (add(self.position, self.body.place(hand.at)), hand.basis)
    }

    /// Advances timers and the connection, which continue even when nothing moves.
    pub(super) fn pass_time(&mut self, rng: &mut Rng, dt: f32) {
        self.fresh = self.fresh.saturating_sub(1);
        self.ping_left -= dt;
        if self.ping_left <= 0.0 {
            // The game measures the ping about once a second.
            self.ping_left = between(rng, 0.8, 1.3);
            self.ping_base = (self.ping_base + rng.i32(-2..=2)).clamp(20, 110);
            self.ping = (self.ping_base + rng.i32(-4..=10)).clamp(20, 120);
            self.loss = if rng.u32(..60) == 0 {
                between(rng, 0.005, 0.06)
            } else {
                0.0
            };
        }
    }

    /// Advances the timers of play.
    pub(super) fn cool_down(&mut self, rng: &mut Rng, dt: f32) {
        if self.stunned > 0.0 {
            self.stunned -= dt;
            if self.stunned <= 0.0 {
                self.invulnerable = INVULNERABLE;
            }
        } else {
            self.invulnerable = (self.invulnerable - dt).max(0.0);
        }
        self.blocking = (self.blocking - dt).max(0.0);
        self.catch_wait = (self.catch_wait - dt).max(0.0);
        self.emote = (self.emote - dt).max(0.0);
        if self.emote <= 0.0 && once_in(rng, 240.0, dt) {
            self.emote = between(rng, 1.5, 3.0);
        }
    }

    /// Advances head, body and hands by `dt`, looking at `at`.
    pub(super) fn pose(&mut self, rng: &mut Rng, dt: f32, at: Vec3, bones: bool) {
        if self.still() {
            return;
        }
        self.sway.step(dt);
        self.nod.step(dt);
        let ahead = unit_or(sub(at, self.position), self.head.forward);
        let look = unit_or(
            add(
                ahead,
                [
                    self.sway.x * 0.12,
                    self.nod.y * 0.05,
                    self.sway.y * self.nod.x * 0.1,
                ],
            ),
            ahead,
        );
        let top = unit_or(
            [self.sway.y * 0.15, 1.0, self.nod.x * 0.08],
            [0.0, 1.0, 0.0],
        );
        if self.stunned > 0.0 {
            // The player tumbles.
            self.head
                .turn(self.head.left, self.head.forward, ease(0.8, dt));
        } else {
            self.head.turn(look, top, ease(4.0, dt));
        }
        let [x, _, z] = self.head.forward;
        let level = unit_or([x, 0.0, z], self.body.forward);
        self.body.turn(level, [0.0, 1.0, 0.0], ease(2.5, dt));
        for (hand, held) in self.hands.iter_mut().zip(self.holds) {
            hand.step(rng, &self.body, dt, held);
        }
        if bones {
            let [left, right] = &self.hands;
            self.skeleton.step(dt, left.at, right.at);
        }
    }

    /// Moves by `dt`, no faster than `top` m/s.
    pub(super) fn fly(&mut self, dt: f32, top: f32) {
        match self.act {
            Act::Statue => return,
            Act::Coast => {}
            Act::Thrust => {
                // Towards the desired velocity, but no harder than thrusters push.
                let way = unit_or(sub(self.target, self.position), [0.0; 3]);
                let wanted = sub(scale(way, top), self.velocity);
                let push = (THRUST * dt / length(wanted).max(1e-3)).min(1.0);
                self.velocity = add(self.velocity, scale(wanted, push));
            }
            Act::Grab => {
                self.velocity = scale(self.velocity, 1.0 / (1.0 + 8.0 * dt));
                if length(self.velocity) < 0.05 {
                    self.velocity = [0.0; 3];
                }
            }
        }
        self.position = add(self.position, scale(self.velocity, dt));
    }

    /// Releases the arena and team mates.
    pub(super) fn let_go(&mut self) {
        for hold in &mut self.holds {
            if matches!(hold, Hold::Geo | Hold::Mate(_)) {
                *hold = Hold::Nothing;
            }
        }
    }

    /// Grabs something with a free hand, preferably the left one.
    pub(super) fn take(&mut self, what: Hold) {
        if let Some(hold) = self.holds.iter_mut().find(|hold| **hold == Hold::Nothing) {
            *hold = what;
        }
    }

    /// Writes the player in the form of the API's answer. If `frozen`, the match is paused and
    /// nothing has a velocity.
    pub(super) fn write(&self, player: &mut Player, frozen: bool, arena: bool) {
        let person = &self.person;
        if player.name != person.name {
            player.name.clone_from(&person.name);
        }
        player.playerid = self.playerid;
        player.userid = person.userid;
        (player.number, player.level) = if self.fresh > 0 {
            (0, 0)
        } else {
            (person.number, person.level)
        };
        player.ping = self.ping;
        player.packetlossratio = self.loss;
        player.possession = self.possession;
        player.blocking = self.blocking > 0.0;
        player.stunned = self.stunned > 0.0;
        player.invulnerable = self.invulnerable > 0.0;
        player.is_emote_playing = self.emote > 0.0;
        let [left_hold, right_hold] = self.holds.map(|hold| {
            arena.then_some(match hold {
                Hold::Nothing => Holding::None,
                Hold::Geo => Holding::Geo,
                Hold::Disc => Holding::Disc,
                Hold::Mate(playerid) => Holding::Number(u64::from(playerid.unsigned_abs())),
            })
        });
        (player.holding_left, player.holding_right) = (left_hold, right_hold);
        player.velocity = if frozen || self.still() || self.team == 2 {
            [0.0; 3]
        } else {
            rounded(self.velocity)
        };
        player.head = pose(self.position, &self.head);
        // In every real frame the body is at the position of the head.
        player.body = pose(self.position, &self.body);
        let (at, basis) = self.hand(false);
        player.lhand = pose(at, &basis);
        let (at, basis) = self.hand(true);
        player.rhand = pose(at, &basis);
        player.stats = Some(self.stats);
        if player.loadout != self.loadout {
            player.loadout.clone_from(&self.loadout);
        }
    }
}

pub(super) fn pose(position: Vec3, basis: &Basis) -> Pose {
    Pose {
        position: rounded(position),
        forward: rounded(basis.forward),
        left: rounded(basis.left),
        up: rounded(basis.up),
    }
}

/// The playspace of the client: a person standing in a room.
#[derive(Clone, Debug)]
pub(super) struct Room {
    step: Wave,
    turn: Wave,
    basis: Basis,
    left: f32,
    at: Vec3,
    goal: Vec3,
}

impl Room {
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self {
            step: Wave::new(rng, 1.3),
            turn: Wave::new(rng, 0.4),
            basis: Basis::AHEAD,
            left: 0.0,
            at: [0.0; 3],
            goal: [0.0; 3],
        }
    }

    pub(super) fn step(&mut self, rng: &mut Rng, dt: f32) {
        self.step.step(dt);
        self.turn.step(dt);
        self.left -= dt;
        if self.left <= 0.0 {
            self.left = between(rng, 2.0, 8.0);
            self.goal = within(rng, [0.4, 0.05, 0.4]);
        }
        self.at = mix(self.at, self.goal, ease(0.8, dt));
        let aim = unit_or(
            [self.turn.x, 0.2 * self.step.y, self.turn.y],
            [0.0, 0.0, 1.0],
        );
        self.basis.turn(aim, [0.0, 1.0, 0.0], ease(3.0, dt));
    }

    pub(super) fn pose(&self) -> Pose {
        let [x, y, z] = self.at;
        pose([x, y + self.step.x * 0.02, z], &self.basis)
    }
}
