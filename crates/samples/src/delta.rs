//! Ships in an arena, for replication, and the view of a receiver over a network that loses
//! packets.
//!
//! ```
//! use gametape_samples::delta::{Network, Replication};
//!
//! let network = Network { loss: 20, ..Network::default() };
//! let mut replication = Replication::new(30, 90, 1, network); // 30 ships, 90 ticks, seed 1
//! let mut last = 0;
//! while let Some(seen) = replication.next_seen()? {
//!     last = seen.tick(); // into a capture, say
//! }
//! let outcome = replication.outcome();
//! assert!(last > 90 && outcome.lost > 0 && outcome.converged);
//! # Ok::<(), gametape_samples::delta::ReplicationError>(())
//! ```

use gametape_delta::network::{Conditions, Link};
use gametape_delta::{
    Codec, Component, Feedback, Field, ReceiveError, Receiver, Schema, SendError, Sender, Snapshot,
    Value, ValueError, World,
};

/// Half the width of the arena, in hundredths of a unit.
const WALL: i64 = 50_000;
/// The largest speed, in hundredths of a unit per tick.
const SPEED: i64 = 900;
/// The number of ticks from a hit until the ship is back, with another id.
const AWAY: u32 = 45;

#[derive(Clone, Debug)]
struct Ship {
    id: u32,
    position: [i64; 3],
    velocity: [i64; 3],
    yaw: u64,
    hull: i64,
    /// The number of ticks for which the shield lasts; without a shield the ship lacks the
    /// component.
    shield: u32,
    /// The number of ticks until the ship is back.
    away: u32,
}

/// Ships in an arena. The same seed gives the same ships on every machine.
///
/// Ships move all the time. Shields, which are a component of their own, come and go. A ship that
/// is hit is destroyed and comes back as a new entity.
///
/// ```
/// use gametape_delta::Snapshot;
/// use gametape_samples::delta::Arena;
///
/// let mut arena = Arena::new(300, 1);
/// let mut state = Snapshot::new(&Arena::schema(), 0);
/// for _ in 0..30 {
///     arena.step();
///     arena.state(&mut state)?;
/// }
/// assert_eq!(state.tick(), 30);
/// # Ok::<(), gametape_delta::ValueError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Arena {
    ships: Vec<Ship>,
    tick: u32,
    next_id: u32,
    random: u64,
}

impl Arena {
    /// The schema: a component of position, velocity, yaw and hull, and one for shields.
    #[must_use]
    pub fn schema() -> Schema {
        let position = Codec::FixedPoint {
            min_q: -WALL,
            max_q: WALL,
            scale: 100,
        };
        let velocity = Codec::FixedPoint {
            min_q: -SPEED,
            max_q: SPEED,
            scale: 100,
        };
        let ship = Component::new(
            1,
            [
                Field::new(1, position).named("x"),
                Field::new(2, position).named("y"),
                Field::new(3, position).named("z"),
                Field::new(4, velocity).named("vx"),
                Field::new(5, velocity).named("vy"),
                Field::new(6, velocity).named("vz"),
                Field::new(7, Codec::UInt { bits: 12 }).named("yaw"),
                Field::new(8, Codec::UInt { bits: 7 }).named("hull"),
            ],
        );
        let shield = Component::new(2, [Field::new(1, Codec::VarUInt).named("ticks_left")]);
        let components = [ship.named("ship"), shield.named("shield")];
        // These components form a valid schema; a test checks this.
        Schema::new(components).unwrap_or_else(|_| Schema::empty())
    }

    /// An arena of this many ships.
    #[must_use]
    pub fn new(ships: u32, seed: u64) -> Self {
        let mut arena = Self {
            ships: Vec::new(),
            tick: 0,
            next_id: 1,
            random: seed,
        };
        for _ in 0..ships {
            let ship = arena.launch();
            arena.ships.push(ship);
        }
        arena
    }

    /// The tick of the arena: 0 before the first step.
    #[must_use]
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// The splitmix64 generator.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ bits >> 31) % bound
    }

    fn within(&mut self, bound: i64) -> i64 {
        self.below(2 * bound as u64 + 1) as i64 - bound
    }

    fn launch(&mut self) -> Ship {
        let id = self.next_id;
        self.next_id += 1;
        Ship {
            id,
            position: [(); 3].map(|()| self.within(WALL)),
            velocity: [(); 3].map(|()| self.within(SPEED)),
            yaw: self.below(4096),
            hull: 100,
            shield: 0,
            away: 0,
        }
    }

    /// Advances the arena by one tick.
    pub fn step(&mut self) {
        self.tick += 1;
        let mut ships = std::mem::take(&mut self.ships);
        for ship in &mut ships {
            if ship.away > 0 {
                ship.away -= 1;
                if ship.away == 0 {
                    *ship = self.launch();
                }
                continue;
            }
            for (position, velocity) in ship.position.iter_mut().zip(&mut ship.velocity) {
                let push = self.within(20);
                *velocity = (*velocity + push).clamp(-SPEED, SPEED);
                *position += *velocity;
                if position.abs() > WALL {
                    *position = (*position).clamp(-WALL, WALL);
                    *velocity = -*velocity;
                }
            }
            ship.yaw = (ship.yaw + 4096 + self.below(41) - 20) % 4096;
            ship.shield = ship.shield.saturating_sub(1);
            match self.below(200) {
                0 => ship.shield = 60,
                1..5 if ship.shield == 0 => ship.hull -= 25,
                _ => {}
            }
            if ship.hull <= 0 {
                ship.away = AWAY;
            }
        }
        self.ships = ships;
    }

    /// Writes the state of this tick to `state`, replacing its content; `state` must have the
    /// schema [`schema`](Self::schema).
    pub fn state(&self, state: &mut Snapshot) -> Result<(), ValueError> {
        state.clear();
        state.set_tick(self.tick);
        for ship in self.ships.iter().filter(|ship| ship.away == 0) {
            let ([x, y, z], [vx, vy, vz]) = (ship.position, ship.velocity);
            let fixed = [x, y, z, vx, vy, vz].map(Value::FixedPoint);
            let mut values = [Value::UInt(ship.yaw); 8];
            for (to, from) in values.iter_mut().zip(fixed) {
                *to = from;
            }
            if let Some(hull) = values.last_mut() {
                *hull = Value::UInt(ship.hull.max(0) as u64);
            }
            let mut entity = state.entry(ship.id);
            entity.set(1, &values)?;
            if ship.shield > 0 {
                entity.set(2, &[Value::VarUInt(ship.shield)])?;
            }
        }
        Ok(())
    }
}

/// The network between the sender and the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    /// The percentage of packets that are lost in each direction.
    pub loss: u32,
    /// The travel time of a packet in ticks.
    pub delay: u32,
    /// The number of ticks for which the ships stand still at the end, so that everything can
    /// arrive.
    pub rest: u32,
}

impl Default for Network {
    /// A loss of 10 %, a travel time of two ticks, and 60 ticks of rest.
    fn default() -> Self {
        Self {
            loss: 10,
            delay: 2,
            rest: 60,
        }
    }
}

/// The result of a replication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The number of packets that were sent.
    pub sent: u64,
    /// The size of these packets in bytes.
    pub bytes: u64,
    /// The number of packets that were lost.
    pub lost: u64,
    /// The number of packets that are on their way to the receiver. At the end of a run they are those of the
    /// last ticks, which would arrive after it.
    pub in_transit: u64,
    /// How often the receiver requested a full snapshot.
    pub resyncs: u64,
    /// Whether the receiver's view equals the sender's state.
    pub converged: bool,
}

/// Why a replication stopped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplicationError {
    /// The state of the arena does not have its schema.
    #[error(transparent)]
    State(#[from] ValueError),
    /// The sender cannot encode the state.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The receiver refuses a packet, and a full snapshot would not help.
    #[error(transparent)]
    Receive(#[from] ReceiveError),
}

/// An [`Arena`], a sender, a network and a receiver. The same seed gives the same run.
#[derive(Debug)]
pub struct Replication {
    network: Network,
    /// The number of ticks until the ships stand still.
    ticks: u32,
    tick: u32,
    arena: Arena,
    state: Snapshot,
    world: World,
    sender: Sender,
    receiver: Receiver,
    down: Link<Vec<u8>>,
    up: Link<Feedback>,
    packet: Vec<u8>,
    outcome: Outcome,
}

impl Replication {
    /// A replication of `ships` ships that fly for `ticks` ticks.
    #[must_use]
    pub fn new(ships: u32, ticks: u32, seed: u64, network: Network) -> Self {
        let schema = Arena::schema();
        let conditions = Conditions {
            loss: network.loss.saturating_mul(10),
            delay: network.delay,
            ..Conditions::PERFECT
        };
        Self {
            network,
            ticks,
            tick: 0,
            arena: Arena::new(ships, seed),
            state: Snapshot::new(&schema, 0),
            world: World::new(&schema),
            sender: Sender::new(&schema),
            receiver: Receiver::new(&schema),
            down: Link::new(conditions, seed),
            up: Link::new(conditions, !seed),
            packet: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Runs until the receiver's view changes, and returns the view; `None` at the end of the run.
    ///
    /// # Errors
    /// [`ReplicationError`]. A test checks that no run of an arena causes one.
    pub fn next_seen(&mut self) -> Result<Option<&Snapshot>, ReplicationError> {
        while self.tick < self.ticks.saturating_add(self.network.rest) {
            self.tick += 1;
            self.send()?;
            if self.receive()? {
                return Ok(Some(self.receiver.view()));
            }
        }
        Ok(None)
    }

    /// The result so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome {
            sent: self.down.tally().sent,
            lost: self.down.tally().lost,
            in_transit: self.down.flying() as u64,
            converged: self.receiver.view().same_entities(&self.state),
            ..self.outcome
        }
    }

    /// The sender's half of a tick.
    fn send(&mut self) -> Result<(), ReplicationError> {
        if self.tick <= self.ticks {
            self.arena.step();
            self.arena.state(&mut self.state)?;
        }
        self.state.set_tick(self.tick);
        let tick = self.tick;
        while let Some(feedback) = self.up.arrive(tick) {
            self.sender.feedback(&feedback);
        }
        self.world.update(&self.state)?;
        let sent = self.sender.encode(&mut self.world, &mut self.packet)?;
        self.outcome.bytes += sent.bytes as u64;
        self.down.send(tick, sent.bytes, self.packet.clone());
        Ok(())
    }

    /// The receiver's half of a tick. Returns whether its view has changed.
    fn receive(&mut self) -> Result<bool, ReplicationError> {
        let (tick, mut fresh) = (self.tick, false);
        while let Some(packet) = self.down.arrive(tick) {
            let feedback = match self.receiver.apply(&packet) {
                Ok(received) => {
                    fresh |= received.fresh;
                    received.ack
                }
                Err(error) => {
                    self.outcome.resyncs += 1;
                    error.feedback().ok_or(error)?
                }
            };
            self.up.send(tick, Feedback::BYTES, feedback);
        }
        Ok(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ships_come_and_go() {
        let mut arena = Arena::new(50, 1);
        let mut state = Snapshot::new(&Arena::schema(), 0);
        let (mut gone, mut shields) = (0, 0);
        for _ in 0..1000 {
            arena.step();
            arena.state(&mut state).unwrap();
            gone += 50 - state.len();
            shields += state
                .iter()
                .filter(|ship| ship.component(2).is_some())
                .count();
        }
        assert_eq!(state.schema().components().len(), 2);
        assert!(
            gone > 100 && shields > 100,
            "{gone} away, {shields} shields"
        );
    }

    #[test]
    fn any_run_is_seen_to_its_end() {
        for (seed, loss) in [0, 1, 10, 50].into_iter().enumerate() {
            let network = Network {
                loss,
                rest: 200,
                ..Network::default()
            };
            let mut replication = Replication::new(40, 120, seed as u64, network);
            let (mut seen, mut last) = (0, 0);
            while let Some(state) = replication.next_seen().unwrap() {
                assert!(state.tick() > last, "{} after {last}", state.tick());
                (seen, last) = (seen + 1, state.tick());
            }
            let outcome = replication.outcome();
            assert_eq!(outcome.sent, 320);
            // Nothing vanishes: with an even delay, at most one packet arrives in a tick.
            let arrived = outcome.sent - outcome.lost - outcome.in_transit;
            assert_eq!(seen + outcome.resyncs, arrived, "{loss} %: {outcome:?}");
            assert!(outcome.in_transit <= u64::from(network.delay));
            assert_eq!(outcome.lost == 0, loss == 0);
            assert!(outcome.converged, "{loss} %: {outcome:?}");
        }
    }
}
