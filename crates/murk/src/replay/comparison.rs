//! Comparison of replayed states with the recorded hashes.

use std::collections::VecDeque;

use crate::divergence::{Cause, Divergence};
use crate::layout::Frame;
use crate::simulation::Simulation;
use crate::simulation::hash::{LANES, SnapshotHasher, State, snapshot_hashes};
use crate::simulation::past::{History, PastFrame};

/// The largest state that is copied, so that several can be hashed at once. Larger states are
/// hashed in place.
const MAX_COPIED_BYTES: usize = 2 << 20;
/// The number of hashes that are kept to recognise shifted frames.
const HASHES: usize = 64;

/// Compares the states of a simulation with the recorded hashes. The simulation is passed to each
/// call.
#[derive(Debug)]
pub struct HashComparison {
    field_count: u32,
    /// The states that wait to be hashed. All have the same shape.
    waiting: Vec<State>,
    pending: Vec<Pending>,
    history: History,
    /// The ticks and hashes of the last frames that matched.
    hashes: VecDeque<(u64, u64)>,
    /// The number of frames that were compared and matched, and the tick of the last one.
    verified: (u64, Option<u64>),
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    frame: u64,
    tick: u64,
    offset: u64,
    recorded: u64,
    /// The tick that the simulation made of it.
    made: Option<u64>,
}

impl HashComparison {
    /// Creates the checks for a simulation with this many fields.
    pub fn new(field_count: u32) -> Self {
        Self {
            field_count,
            waiting: vec![State::default(); LANES],
            pending: Vec::with_capacity(LANES),
            history: History::default(),
            hashes: VecDeque::new(),
            verified: (0, None),
        }
    }

    /// Returns the number of frames that were compared and matched, and the tick of the last one.
    pub const fn verified(&self) -> (u64, Option<u64>) {
        self.verified
    }

    /// Adds a frame whose tick the simulation has made. The comparison may be delayed until a few
    /// more frames have been added.
    ///
    /// # Errors
    /// The divergence of this frame, or of one of the last frames before it.
    pub fn stepped<S: Simulation>(
        &mut self,
        simulation: &S,
        frame: &Frame<'_>,
    ) -> Result<(), Box<Divergence>> {
        let made = simulation.made();
        self.history.push(PastFrame {
            index: frame.index,
            tick: frame.tick,
            made,
            commands: frame.commands(),
        });
        let pending = Pending {
            frame: frame.index,
            tick: frame.tick,
            offset: frame.offset,
            recorded: frame.snapshot_hash,
            made,
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

    /// Returns whether the simulation's state has the same shape as the waiting ones.
    fn fits<S: Simulation>(&self, simulation: &S) -> bool {
        match (self.pending.len(), self.waiting.first()) {
            (0, _) | (_, None) => true,
            (_, Some(first)) => (0..self.field_count)
                .map(|field| simulation.field(field).unwrap_or_default().len())
                .eq(first.lengths().iter().copied()),
        }
    }

    /// Compares the waiting states now.
    ///
    /// # Errors
    /// The first divergence.
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
            right(&mut self.hashes, &mut self.verified, *pending, hash);
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
        right(&mut self.hashes, &mut self.verified, pending, hash);
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
        // A state that does not change is the same at many ticks, which proves nothing.
        let mut others = self.hashes.iter().rev().copied().chain(ahead);
        let other_tick = others
            .find(|&(_, hash)| hash == pending.recorded && hash != replayed_hash)
            .map(|(tick, _)| tick);
        let hashes = (replayed_hash, pending.recorded);
        let cause = Cause::find(simulation, state, hashes, other_tick);
        let written_by = cause.value().and_then(|value| {
            let past = self.history.of(pending.frame, pending.made, value.replayed);
            simulation.written_by(value.field, value.element, &past)
        });
        Box::new(Divergence {
            frame: pending.frame,
            tick: pending.tick,
            offset: pending.offset,
            recorded_hash: pending.recorded,
            replayed_hash,
            cause,
            evidence: None,
            other_tick,
            written_by,
        })
    }
}

/// Keeps the hash of a frame that matched.
fn right(
    hashes: &mut VecDeque<(u64, u64)>,
    verified: &mut (u64, Option<u64>),
    pending: Pending,
    hash: u64,
) {
    if hashes.len() == HASHES {
        hashes.pop_front();
    }
    hashes.push_back((pending.tick, hash));
    verified.0 += 1;
    verified.1 = Some(pending.tick);
}

/// Returns the hash of a simulation's state, without a copy.
pub(crate) fn hash_of<S: Simulation + ?Sized>(simulation: &S, field_count: u32) -> u64 {
    let mut hasher = SnapshotHasher::new();
    for field in 0..field_count {
        hasher.field();
        hasher.values(simulation.field(field).unwrap_or_default());
    }
    hasher.finish()
}
