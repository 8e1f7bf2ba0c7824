//! The usual solution without a replication library: a list of changes as plain structs, encoded by
//! a general serializer.

use std::mem;

use super::Contender;
use super::sim::{Body, World};

/// The changes of a body. The options take the place of the mask.
#[derive(
    Clone, Copy, Debug, bincode::Encode, bincode::Decode, bitcode::Encode, bitcode::Decode,
)]
pub struct Change {
    id: u32,
    position: [Option<i32>; 3],
    velocity: [Option<i32>; 3],
    yaw: Option<u16>,
    flags: [Option<bool>; 3],
}

impl Change {
    fn between(old: &Body, new: &Body) -> Self {
        Self {
            id: new.id,
            position: changed(old.position, new.position),
            velocity: changed(old.velocity, new.velocity),
            yaw: (old.yaw != new.yaw).then_some(new.yaw),
            flags: changed(old.flags, new.flags),
        }
    }

    fn apply(&self, body: &mut Body) {
        update(&mut body.position, self.position);
        update(&mut body.velocity, self.velocity);
        body.yaw = self.yaw.unwrap_or(body.yaw);
        update(&mut body.flags, self.flags);
    }
}

fn changed<T: Copy + PartialEq>(old: [T; 3], new: [T; 3]) -> [Option<T>; 3] {
    core::array::from_fn(|at| (old[at] != new[at]).then_some(new[at]))
}

fn update<T: Copy>(values: &mut [T; 3], changes: [Option<T>; 3]) {
    for (value, change) in values.iter_mut().zip(changes) {
        *value = change.unwrap_or(*value);
    }
}

#[derive(Default, bincode::Encode, bincode::Decode, bitcode::Encode, bitcode::Decode)]
pub struct Delta {
    tick: u32,
    baseline: u32,
    destroyed: Vec<u32>,
    created: Vec<Body>,
    changed: Vec<Change>,
}

#[derive(Clone, Default, bincode::Encode, bincode::Decode, bitcode::Encode, bitcode::Decode)]
pub struct State {
    tick: u32,
    bodies: Vec<Body>,
}

impl Delta {
    fn fill(&mut self, old: &State, new: &State) {
        (self.tick, self.baseline) = (new.tick, old.tick);
        self.destroyed.clear();
        self.created.clear();
        self.changed.clear();
        let mut olds = old.bodies.iter().peekable();
        for new in &new.bodies {
            while let Some(gone) = olds.next_if(|old| old.id < new.id) {
                self.destroyed.push(gone.id);
            }
            match olds.next_if(|old| old.id == new.id) {
                None => self.created.push(*new),
                Some(old) if old != new => self.changed.push(Change::between(old, new)),
                Some(_) => {}
            }
        }
        self.destroyed.extend(olds.map(|gone| gone.id));
    }

    fn apply(&self, baseline: &State, state: &mut State) {
        assert_eq!(self.baseline, baseline.tick);
        state.tick = self.tick;
        state.bodies.clone_from(&baseline.bodies);
        if !self.destroyed.is_empty() {
            let gone = |body: &Body| self.destroyed.binary_search(&body.id).is_ok();
            state.bodies.retain(|body| !gone(body));
        }
        if !self.created.is_empty() {
            state.bodies.extend(&self.created);
            state.bodies.sort_by_key(|body| body.id);
        }
        let mut at = 0;
        for change in &self.changed {
            // The next body is usually a neighbour.
            if state.bodies[at].id != change.id {
                at += state.bodies[at..].partition_point(|body| body.id < change.id);
                assert_eq!(state.bodies[at].id, change.id);
            }
            change.apply(&mut state.bodies[at]);
            at = (at + 1).min(state.bodies.len() - 1);
        }
    }
}

/// A serializer with its own buffers, which keep its output.
pub trait Format {
    const NAME: &'static str;
    fn write_delta(&mut self, delta: &Delta) -> &[u8];
    fn write_state(&mut self, state: &State) -> &[u8];
    fn read_delta(&mut self, bytes: &[u8]) -> Delta;
    fn read_state(&mut self, bytes: &[u8]) -> State;
}

/// Integers as varints; it writes to a slice, which is faster than to a `Vec`.
pub struct Bincode(pub Vec<u8>);

impl Bincode {
    fn write(&mut self, value: impl bincode::Encode, room: usize) -> &[u8] {
        if self.0.len() < room {
            self.0.resize(room, 0);
        }
        let config = bincode::config::standard();
        let len = bincode::encode_into_slice(value, &mut self.0, config).expect("room");
        &self.0[..len]
    }
}

impl Format for Bincode {
    const NAME: &'static str = "structs, bincode";

    fn write_delta(&mut self, delta: &Delta) -> &[u8] {
        let entities = delta.destroyed.len() + delta.created.len() + delta.changed.len();
        self.write(delta, 64 + 64 * entities)
    }

    fn write_state(&mut self, state: &State) -> &[u8] {
        self.write(state, 64 + 64 * state.bodies.len())
    }

    fn read_delta(&mut self, bytes: &[u8]) -> Delta {
        let config = bincode::config::standard();
        bincode::decode_from_slice(bytes, config).expect("sound").0
    }

    fn read_state(&mut self, bytes: &[u8]) -> State {
        let config = bincode::config::standard();
        bincode::decode_from_slice(bytes, config).expect("sound").0
    }
}

#[derive(Default)]
pub struct Bitcode(pub bitcode::Buffer);

impl Format for Bitcode {
    const NAME: &'static str = "structs, bitcode";

    fn write_delta(&mut self, delta: &Delta) -> &[u8] {
        self.0.encode(delta)
    }

    fn write_state(&mut self, state: &State) -> &[u8] {
        self.0.encode(state)
    }

    fn read_delta(&mut self, bytes: &[u8]) -> Delta {
        self.0.decode(bytes).expect("sound")
    }

    fn read_state(&mut self, bytes: &[u8]) -> State {
        self.0.decode(bytes).expect("sound")
    }
}

pub struct Plain<F> {
    writer: F,
    reader: F,
    delta: Delta,
    baseline: State,
    state: State,
    held: State,
    applied: State,
}

impl<F: Format> Plain<F> {
    /// Uses a format for each end, so that each keeps its buffers.
    pub fn new(writer: F, reader: F) -> Self {
        Self {
            writer,
            reader,
            delta: Delta::default(),
            baseline: State::default(),
            state: State::default(),
            held: State::default(),
            applied: State::default(),
        }
    }
}

impl<F: Format> Contender for Plain<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn load(&mut self, world: &World) {
        mem::swap(&mut self.baseline, &mut self.state);
        self.state.tick = world.tick;
        self.state.bodies.clone_from(&world.bodies);
    }

    fn encode(&mut self) -> usize {
        self.delta.fill(&self.baseline, &self.state);
        self.writer.write_delta(&self.delta).len()
    }

    fn encode_full(&mut self) -> usize {
        self.writer.write_state(&self.state).len()
    }

    fn packet(&mut self, full: bool) -> Vec<u8> {
        if full {
            return self.writer.write_state(&self.state).to_vec();
        }
        self.delta.fill(&self.baseline, &self.state);
        self.writer.write_delta(&self.delta).to_vec()
    }

    fn apply(&mut self, packet: &[u8]) {
        let delta = self.reader.read_delta(packet);
        delta.apply(&self.held, &mut self.applied);
    }

    fn decode_full(&mut self, packet: &[u8]) {
        self.applied = self.reader.read_state(packet);
    }

    fn advance(&mut self) {
        mem::swap(&mut self.held, &mut self.applied);
    }

    fn holds(&self, world: &World) -> bool {
        self.held.tick == world.tick && self.held.bodies == world.bodies
    }
}
