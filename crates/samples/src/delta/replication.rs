//! Replication of an arena.

use gametape_delta::network::{Conditions, Link};
use gametape_delta::{
    Feedback, ReceiveError, Receiver, SendError, Sender, Snapshot, ValueError, World,
};

use super::arena::Arena;

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
