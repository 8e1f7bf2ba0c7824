//! The states that a receiver keeps as baselines of later packets.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::schema::Schema;
use crate::snapshot::Snapshot;

/// A state is not newer than the kept ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("tick {tick} is not after tick {latest}, the latest that is kept")]
pub struct NotNewer {
    /// The tick of the refused state.
    pub tick: u32,
    /// The newest tick that is kept.
    pub latest: u32,
}

/// The newest states, ordered by tick, in a ring that drops the oldest. Their memory is reused.
#[derive(Clone, Debug)]
pub struct Baselines {
    schema: Schema,
    capacity: usize,
    /// Ticks are strictly ascending.
    states: VecDeque<Snapshot>,
    /// Dropped states, whose memory can be reused.
    spare: Vec<Snapshot>,
}

impl Baselines {
    /// Creates a ring of `capacity` states (at least one).
    #[must_use]
    pub fn new(schema: &Schema, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self {
            schema: schema.clone(),
            capacity,
            states: VecDeque::with_capacity(capacity.min(1024) + 1),
            spare: Vec::new(),
        }
    }

    /// Returns the maximum number of states.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns true if there are no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns an empty state, with the memory of an earlier one, to be filled and pushed.
    pub fn take_spare(&mut self) -> Snapshot {
        let mut state = self
            .spare
            .pop()
            .unwrap_or_else(|| Snapshot::new(&self.schema, 0));
        state.clear();
        state
    }

    /// Returns a state that will not be pushed.
    pub fn give_back(&mut self, state: Snapshot) {
        // A caller that brings its own states never takes any, so keep no more than can be reused.
        if self.spare.len() < self.capacity {
            self.spare.push(state);
        }
    }

    /// Adds a state, which must be newer than all others. Drops the oldest if there are too many.
    pub fn push(&mut self, state: Snapshot) -> Result<(), NotNewer> {
        if let Some(latest) = self.states.back()
            && state.tick() <= latest.tick()
        {
            return Err(NotNewer {
                tick: state.tick(),
                latest: latest.tick(),
            });
        }
        self.states.push_back(state);
        if self.states.len() > self.capacity
            && let Some(oldest) = self.states.pop_front()
        {
            self.give_back(oldest);
        }
        Ok(())
    }

    /// Returns the state of exactly this tick.
    #[must_use]
    pub fn get(&self, tick: u32) -> Option<&Snapshot> {
        let at = self
            .states
            .binary_search_by_key(&tick, Snapshot::tick)
            .ok()?;
        self.states.get(at)
    }

    /// Returns the newest state.
    #[must_use]
    pub fn latest(&self) -> Option<&Snapshot> {
        self.states.back()
    }

    /// Returns the states, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Snapshot> + ExactSizeIterator {
        self.states.iter()
    }

    /// Drops the oldest state; if that one is `pinned`, drops the second oldest instead.
    pub(crate) fn drop_oldest_but(&mut self, pinned: Option<u32>) {
        let oldest = self.states.front().map(Snapshot::tick);
        let at = usize::from(oldest.is_some() && oldest == pinned);
        self.spare.extend(self.states.remove(at));
    }

    /// Drops all states before this tick.
    pub(crate) fn drop_before(&mut self, tick: u32) {
        while self.states.front().is_some_and(|state| state.tick() < tick) {
            self.spare.extend(self.states.pop_front());
        }
    }

    /// Drops all states.
    pub fn clear(&mut self) {
        self.spare.extend(self.states.drain(..));
    }
}
