//! The states a receiver keeps because later packets may build on them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::schema::Schema;
use crate::snapshot::Snapshot;

/// Why a state can't be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("tick {tick} is not after tick {latest}, the latest that is kept")]
pub struct NotNewer {
    /// The tick of the state that was refused.
    pub tick: u32,
    /// The latest tick that is kept.
    pub latest: u32,
}

/// The last states, by tick: a ring that drops the oldest. Their memory is used again.
#[derive(Clone, Debug)]
pub struct Baselines {
    schema: Schema,
    capacity: usize,
    /// Ticks strictly ascending.
    states: VecDeque<Snapshot>,
    /// States whose memory waits to be used again.
    spare: Vec<Snapshot>,
}

impl Baselines {
    /// A ring of `capacity` states (at least one).
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

    /// How many states it holds at most.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many states it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// True if it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// An empty state with memory of an earlier one, to be filled and pushed.
    pub fn take_spare(&mut self) -> Snapshot {
        let mut state = self
            .spare
            .pop()
            .unwrap_or_else(|| Snapshot::new(&self.schema, 0));
        state.clear();
        state
    }

    /// Gives back a state that is not to be kept after all.
    pub fn give_back(&mut self, state: Snapshot) {
        // Who brings states of their own never takes any: no more are kept than can be of use.
        if self.spare.len() < self.capacity {
            self.spare.push(state);
        }
    }

    /// Keeps a state, whose tick must be after all that are kept; drops the oldest if there are
    /// too many.
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

    /// The state of exactly this tick.
    #[must_use]
    pub fn get(&self, tick: u32) -> Option<&Snapshot> {
        let at = self
            .states
            .binary_search_by_key(&tick, Snapshot::tick)
            .ok()?;
        self.states.get(at)
    }

    /// The latest state.
    #[must_use]
    pub fn latest(&self) -> Option<&Snapshot> {
        self.states.back()
    }

    /// The latest state that is not after this tick.
    #[must_use]
    pub fn at_or_before(&self, tick: u32) -> Option<&Snapshot> {
        let after = self.states.partition_point(|state| state.tick() <= tick);
        self.states.get(after.checked_sub(1)?)
    }

    /// From the oldest on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Snapshot> + ExactSizeIterator {
        self.states.iter()
    }

    /// Drops the oldest state but `pinned`, and those before it.
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

    /// Drops all.
    pub fn clear(&mut self) {
        self.spare.extend(self.states.drain(..));
    }
}
