//! States of a replay, compared with what was recorded of them.

use std::collections::VecDeque;

use crate::command_buf::CommandBuf;
use crate::divergence::{Cause, Divergence, MAX_TOUCHES, Touch};
use crate::hash::{LANES, SnapshotHasher, snapshot_hashes};
use crate::model::Frame;
use crate::payload::Payload;
use crate::simulation::Simulation;
use crate::state::State;

/// Largest state that is copied, so that several can be hashed at once; larger ones are hashed
/// where they are.
const MAX_COPIED_BYTES: usize = 2 << 20;
/// Commands that are remembered, to name those that touched a cell.
const HISTORY_BYTES: usize = 1 << 20;
/// Frames that are remembered.
const HISTORY_FRAMES: usize = 1024;

/// Compares the states of a simulation, which is given each time, with what was recorded.
#[derive(Debug)]
pub struct Checks {
    field_count: u32,
    /// States that wait to be hashed; all of one shape.
    waiting: Vec<State>,
    pending: Vec<Pending>,
    history: History,
    /// Frames whose hashes were compared, all of them right, and the tick of the last.
    verified: (u64, Option<u64>),
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    frame: u64,
    tick: u64,
    offset: u64,
    recorded: u64,
}

impl Checks {
    /// Of a simulation with so many fields.
    pub fn new(field_count: u32) -> Self {
        Self {
            field_count,
            waiting: vec![State::default(); LANES],
            pending: Vec::with_capacity(LANES),
            history: History::default(),
            verified: (0, None),
        }
    }

    /// Frames whose hashes were compared, all of them right, and the tick of the last.
    pub const fn verified(&self) -> (u64, Option<u64>) {
        self.verified
    }

    /// A frame whose tick the simulation has made. Its hash may be compared only when some more have
    /// come.
    ///
    /// # Errors
    /// What differs in this frame, or in one of the last before it.
    pub fn stepped<S: Simulation>(
        &mut self,
        simulation: &S,
        frame: &Frame<'_>,
    ) -> Result<(), Box<Divergence>> {
        self.history.push(frame);
        let pending = Pending {
            frame: frame.index,
            tick: frame.tick,
            offset: frame.offset,
            recorded: frame.snapshot_hash,
        };
        if self.size(simulation) > MAX_COPIED_BYTES {
            self.compare(simulation)?;
            return self.compare_in_place(simulation, pending);
        }
        if !self.fits(simulation) {
            self.compare(simulation)?;
        }
        if let Some(state) = self.waiting.get_mut(self.pending.len()) {
            state.copy(simulation, self.field_count);
        }
        self.pending.push(pending);
        if self.pending.len() == LANES {
            self.compare(simulation)?;
        }
        Ok(())
    }

    fn size<S: Simulation>(&self, simulation: &S) -> usize {
        (0..self.field_count)
            .map(|field| size_of_val(simulation.field(field).unwrap_or_default()))
            .sum()
    }

    /// True if the simulation's state has the shape of those that wait.
    fn fits<S: Simulation>(&self, simulation: &S) -> bool {
        match (self.pending.len(), self.waiting.first()) {
            (0, _) | (_, None) => true,
            (_, Some(first)) => (0..self.field_count)
                .map(|field| simulation.field(field).unwrap_or_default().len())
                .eq(first.lengths().iter().copied()),
        }
    }

    /// Compares what waits, before more frames come.
    ///
    /// # Errors
    /// What differs.
    pub fn compare<S: Simulation>(&mut self, simulation: &S) -> Result<(), Box<Divergence>> {
        let count = self.pending.len();
        let states = self.waiting.get(..count).unwrap_or_default();
        let Some(first) = states.first() else {
            return Ok(());
        };
        let values: Vec<&[f32]> = states.iter().map(State::values).collect();
        let mut hashes = [0; LANES];
        snapshot_hashes(&values, first.lengths(), &mut hashes);
        let hashes = hashes.get(..count).unwrap_or_default();
        for (at, ((pending, &hash), state)) in
            self.pending.iter().zip(hashes).zip(states).enumerate()
        {
            if hash != pending.recorded {
                let ahead = self.pending.iter().zip(hashes).skip(at + 1);
                let ahead: Vec<(u64, u64)> = ahead.map(|(p, &hash)| (p.tick, hash)).collect();
                return Err(self.diverged(simulation, *pending, hash, state, ahead));
            }
            self.history.hashed(pending.tick, hash);
            self.verified.0 += 1;
            self.verified.1 = Some(pending.tick);
        }
        self.pending.clear();
        Ok(())
    }

    fn compare_in_place<S: Simulation>(
        &mut self,
        simulation: &S,
        pending: Pending,
    ) -> Result<(), Box<Divergence>> {
        let hash = hash_of(simulation, self.field_count);
        if hash != pending.recorded {
            let state = State::of(simulation, self.field_count);
            return Err(self.diverged(simulation, pending, hash, &state, Vec::new()));
        }
        self.history.hashed(pending.tick, hash);
        self.verified.0 += 1;
        self.verified.1 = Some(pending.tick);
        Ok(())
    }

    #[cold]
    fn diverged<S: Simulation>(
        &self,
        simulation: &S,
        pending: Pending,
        replayed_hash: u64,
        state: &State,
        ahead: Vec<(u64, u64)>,
    ) -> Box<Divergence> {
        // A state that does not change is the same at many ticks: that says nothing.
        let mut others = self.history.hashes.iter().rev().copied().chain(ahead);
        let other_tick = others
            .find(|&(_, hash)| hash == pending.recorded && hash != replayed_hash)
            .map(|(tick, _)| tick);
        let hashes = (replayed_hash, pending.recorded);
        let cause = Cause::find(simulation, state, hashes, other_tick);
        let touches = match cause.value() {
            Some(value) => {
                self.history
                    .touches(simulation, pending.frame, value.field, value.element)
            }
            None => Vec::new(),
        };
        Box::new(Divergence {
            frame: pending.frame,
            tick: pending.tick,
            offset: pending.offset,
            recorded_hash: pending.recorded,
            replayed_hash,
            cause,
            evidence: None,
            other_tick,
            touches,
        })
    }
}

/// The hash of a simulation's state, nothing copied.
pub(crate) fn hash_of<S: Simulation + ?Sized>(simulation: &S, field_count: u32) -> u64 {
    let mut hasher = SnapshotHasher::new();
    for field in 0..field_count {
        hasher.field();
        hasher.values(simulation.field(field).unwrap_or_default());
    }
    hasher.finish()
}

/// The last frames' commands and hashes.
#[derive(Default, Debug)]
struct History {
    frames: VecDeque<(u64, u64, CommandBuf)>,
    bytes: usize,
    hashes: VecDeque<(u64, u64)>,
}

impl History {
    fn push(&mut self, frame: &Frame<'_>) {
        let commands = frame.commands();
        let size = commands.as_bytes().len();
        if commands.is_empty() || size > HISTORY_BYTES {
            return;
        }
        let mut space = CommandBuf::new();
        while self.bytes + size > HISTORY_BYTES || self.frames.len() >= HISTORY_FRAMES {
            match self.frames.pop_front() {
                Some((_, _, old)) => {
                    self.bytes -= old.as_commands().as_bytes().len();
                    space = old;
                }
                None => break,
            }
        }
        space.assign(commands);
        self.bytes += size;
        self.frames.push_back((frame.index, frame.tick, space));
    }

    fn hashed(&mut self, tick: u64, hash: u64) {
        if self.hashes.len() == 64 {
            self.hashes.pop_front();
        }
        self.hashes.push_back((tick, hash));
    }

    /// The commands that wrote a value, up to a frame, the latest first.
    fn touches<S: Simulation>(
        &self,
        simulation: &S,
        until: u64,
        field: u32,
        element: usize,
    ) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (frame, tick, commands) in self.frames.iter().rev() {
            if *frame > until {
                continue;
            }
            let here: Vec<Touch> = (0..)
                .zip(commands.as_commands())
                .filter(|(_, command)| simulation.target(command) == Some((field, element)))
                .map(|(at, command)| Touch {
                    frame: *frame,
                    tick: *tick,
                    command: at,
                    value: match command.payload() {
                        Ok(Payload::SetField { value, .. }) => Some(value),
                        _ => None,
                    },
                    source_id: command.envelope.source_id,
                })
                .collect();
            touches.extend(here.into_iter().rev());
            if touches.len() >= MAX_TOUCHES {
                touches.truncate(MAX_TOUCHES);
                break;
            }
        }
        touches
    }
}
