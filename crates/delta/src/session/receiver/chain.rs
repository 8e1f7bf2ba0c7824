//! The view of a receiver that follows the wire.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use crate::baseline::Baselines;
use crate::schema::Schema;
use crate::session::lane::{Lane, soonest};
use crate::snapshot::Snapshot;

/// So many packets the sender has for naming an entity again after it went back to a state that
/// lacks it.
const PATIENCE: u8 = 8;

/// The newest values that have arrived of each entity.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub view: Snapshot,
    /// The ticks of the values in the view, one for each entity.
    pub view_ticks: Vec<u32>,
    /// For how many packets each of them has been missing from the state.
    missing: Vec<u8>,
    /// For each state that is kept, the ticks of its entities' values.
    ticks: VecDeque<(u32, Vec<u32>)>,
    // Kept to reuse their memory.
    spare_ticks: Vec<Vec<u32>>,
    next_view: Snapshot,
    next_view_ticks: Vec<u32>,
    next_missing: Vec<u8>,
}

impl Chain {
    pub fn new(schema: &Schema) -> Self {
        Self {
            view: Snapshot::new(schema, 0),
            view_ticks: Vec::new(),
            missing: Vec::new(),
            ticks: VecDeque::new(),
            spare_ticks: Vec::new(),
            next_view: Snapshot::new(schema, 0),
            next_view_ticks: Vec::new(),
            next_missing: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.view.clear();
        self.view_ticks.clear();
        self.missing.clear();
        self.spare_ticks
            .extend(self.ticks.drain(..).map(|(_, ticks)| ticks));
    }

    /// Updates the view. For each entity of the state, it takes the newest values: those of the
    /// packet, else those of the previous view, else those of the baseline. An entity that the
    /// state lacks stays for some packets if the sender went back after a loss, to a baseline that
    /// is older than what is shown: it will name the entity again.
    pub fn see(&mut self, state: &Snapshot, baseline: Option<&Snapshot>, named: &[u32]) {
        let tick = state.tick();
        self.next_view.clear();
        self.next_view.set_tick(tick);
        self.next_view_ticks.clear();
        self.next_missing.clear();
        let mut ticks = self.spare_ticks.pop().unwrap_or_default();
        ticks.clear();
        let held = baseline.and_then(|baseline| {
            let of = |(tick, _): &&(u32, _)| *tick == baseline.tick();
            Some((baseline.ids(), self.ticks.iter().find(of)?.1.as_slice()))
        });
        let (held_ids, held_as_of) = held.unwrap_or_default();
        let mut held = Lane::new(held_ids.iter().zip(held_as_of));
        let mut named = Lane::new(named);
        let mut now = Lane::new(state.rows.iter());
        let seen = self.view_ticks.iter().zip(&self.missing);
        let mut seen = Lane::new(self.view.rows.iter().zip(seen));
        while let Some(id) = soonest([now.next_id(), seen.next_id()]) {
            let (now, seen, held) = (now.at(id), seen.at(id), held.at(id));
            let Some(row) = now else {
                let back = |as_of| baseline.is_some_and(|baseline| baseline.tick() < as_of);
                if let Some((row, (as_of, missing))) = seen
                    && held.is_none()
                    && *missing < PATIENCE
                    && (*missing > 0 || back(*as_of))
                {
                    self.next_view.rows.push(row);
                    self.next_view_ticks.push(*as_of);
                    self.next_missing.push(missing + 1);
                }
                continue;
            };
            let is_named = named.at(id).is_some();
            // An entity that the packet does not name has the values of the baseline.
            let held_as_of = held.filter(|_| !is_named);
            let as_of = held_as_of.map_or(tick, |(_, as_of)| *as_of);
            ticks.push(as_of);
            let seen = seen.filter(|_| !is_named);
            let seen = seen.map(|(row, (as_of, _))| (row, *as_of));
            let (row, as_of) = seen.unwrap_or((row, as_of));
            self.next_view.rows.push(row);
            self.next_view_ticks.push(as_of);
            self.next_missing.push(0);
        }
        drop(seen);
        self.ticks.push_back((tick, ticks));
        mem::swap(&mut self.view, &mut self.next_view);
        mem::swap(&mut self.view_ticks, &mut self.next_view_ticks);
        mem::swap(&mut self.missing, &mut self.next_missing);
    }

    /// Drops the ticks of states that are no longer kept.
    pub fn keep_those_of(&mut self, states: &Baselines) {
        let spare = &mut self.spare_ticks;
        self.ticks.retain_mut(|(tick, ticks)| {
            let held = states.get(*tick).is_some();
            if !held {
                spare.push(mem::take(ticks));
            }
            held
        });
    }
}
