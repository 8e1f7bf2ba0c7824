//! The packets that were sent, and their acknowledgements.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::baseline::Baselines;
use crate::schema::Schema;
use crate::snapshot::{Rows, Snapshot};

static NO_ROWS: Rows = Rows::new();

#[derive(Clone, Debug)]
pub(super) struct History {
    /// The state that the receiver holds after each packet.
    states: Baselines,
    /// The entities that each packet named; emptied when the packet is acknowledged.
    named: VecDeque<(u32, Vec<u32>)>,
    spare_names: Vec<Vec<u32>>,
    /// The tick of the acknowledged state that is the baseline.
    acked: Option<u32>,
    last_tick: u32,
}

impl History {
    pub fn new(schema: &Schema, window: usize) -> Self {
        Self {
            states: Baselines::new(schema, window),
            named: VecDeque::new(),
            spare_names: Vec::new(),
            acked: None,
            last_tick: 0,
        }
    }

    /// Returns the tick of the baseline.
    pub const fn acked(&self) -> Option<u32> {
        self.acked
    }

    /// Returns the tick of the last packet; 0 before the first.
    pub const fn last_tick(&self) -> u32 {
        self.last_tick
    }

    /// Returns true if the tick is after the baseline.
    pub fn is_after_baseline(&self, tick: u32) -> bool {
        Some(tick) > self.acked
    }

    /// Returns the entities of the baseline.
    pub fn baseline(&self) -> &Rows {
        let baseline = self.acked.and_then(|tick| self.states.get(tick));
        baseline.map_or(&NO_ROWS, |baseline| &baseline.rows)
    }

    /// Returns the ids of the entities in the state after the last packet.
    pub fn latest(&self) -> &[u32] {
        self.states.latest().map_or(&[], Snapshot::ids)
    }

    /// Returns an empty state and an empty list of names, to be filled and pushed.
    pub fn spare(&mut self) -> (Snapshot, Vec<u32>) {
        let mut names = self.spare_names.pop().unwrap_or_default();
        names.clear();
        (self.states.take_spare(), names)
    }

    /// Adds a packet: the state after it, and the entities that it names.
    pub fn push(&mut self, state: Snapshot, names: Vec<u32>) {
        self.last_tick = state.tick();
        self.named.push_back((state.tick(), names));
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.acked);
        }
        // The tick is newer than all others, which was checked before.
        let _ = self.states.push(state);
        if self.named.len() > self.states.capacity() {
            let oldest = self.named.pop_front();
            self.spare_names.extend(oldest.map(|(_, names)| names));
        }
    }

    /// Removes and returns the entities named by the packet of this tick.
    pub fn take_names(&mut self, tick: u32) -> impl Iterator<Item = u32> {
        let found = self.named.binary_search_by_key(&tick, |(tick, _)| *tick);
        let named = found.ok().and_then(|at| self.named.get_mut(at));
        named.into_iter().flat_map(|(_, names)| names.drain(..))
    }

    /// Handles the acknowledgement of a tick. Returns true if its state becomes the baseline.
    pub fn ack(&mut self, tick: u32) -> bool {
        let newer = self.acked.is_none_or(|acked| acked < tick);
        let held = newer && self.states.get(tick).is_some();
        if held {
            self.acked = Some(tick);
            self.states.drop_before(tick);
        }
        held
    }

    /// Removes everything except the last tick.
    pub fn clear(&mut self) {
        self.acked = None;
        self.states.clear();
        self.spare_names
            .extend(self.named.drain(..).map(|(_, names)| names));
    }
}
