//! What was sent, and what of it arrived.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::baseline::Baselines;
use crate::schema::Schema;
use crate::snapshot::{Rows, Snapshot};

static NO_ROWS: Rows = Rows::new();

#[derive(Clone, Debug)]
pub(super) struct History {
    /// What the receiver holds if it applied the packet of that tick.
    states: Baselines,
    /// Which entities each packet named. Those of one that arrived are taken out.
    named: VecDeque<(u32, Vec<u32>)>,
    spare_names: Vec<Vec<u32>>,
    /// The acknowledged state that packets build on.
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

    /// The tick of the acknowledged state that packets build on.
    pub const fn acked(&self) -> Option<u32> {
        self.acked
    }

    /// The tick of the last packet; 0 before the first.
    pub const fn last_tick(&self) -> u32 {
        self.last_tick
    }

    /// True for what happened behind the baseline.
    pub fn is_after_baseline(&self, tick: u32) -> bool {
        Some(tick) > self.acked
    }

    /// The entities of the state that packets build on.
    pub fn baseline(&self) -> &Rows {
        let baseline = self.acked.and_then(|tick| self.states.get(tick));
        baseline.map_or(&NO_ROWS, |baseline| &baseline.rows)
    }

    /// The entities of the state that the last packet leads to.
    pub fn latest(&self) -> &[u32] {
        self.states.latest().map_or(&[], Snapshot::ids)
    }

    /// An empty state and an empty list of names, to be filled and pushed.
    pub fn spare(&mut self) -> (Snapshot, Vec<u32>) {
        let mut names = self.spare_names.pop().unwrap_or_default();
        names.clear();
        (self.states.take_spare(), names)
    }

    /// A packet leads to this state, and names these.
    pub fn push(&mut self, state: Snapshot, names: Vec<u32>) {
        self.last_tick = state.tick();
        self.named.push_back((state.tick(), names));
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.acked);
        }
        // The tick is newer than all: looked at before.
        let _ = self.states.push(state);
        if self.named.len() > self.states.capacity() {
            let oldest = self.named.pop_front();
            self.spare_names.extend(oldest.map(|(_, names)| names));
        }
    }

    /// What the packet of this tick named, taken out.
    pub fn take_names(&mut self, tick: u32) -> impl Iterator<Item = u32> {
        let found = self.named.binary_search_by_key(&tick, |(tick, _)| *tick);
        let named = found.ok().and_then(|at| self.named.get_mut(at));
        named.into_iter().flat_map(|(_, names)| names.drain(..))
    }

    /// The packet of this tick arrived. True if packets build on its state from now on.
    pub fn ack(&mut self, tick: u32) -> bool {
        let newer = self.acked.is_none_or(|acked| acked < tick);
        let held = newer && self.states.get(tick).is_some();
        if held {
            self.acked = Some(tick);
            self.states.drop_before(tick);
        }
        held
    }

    /// Forgets all but the last tick.
    pub fn clear(&mut self) {
        self.acked = None;
        self.states.clear();
        self.spare_names
            .extend(self.named.drain(..).map(|(_, names)| names));
    }
}
