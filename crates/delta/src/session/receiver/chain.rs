//! The view of a receiver that follows the wire.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use super::events::{Becomes, Names, Seen, ViewEvent, note};
use crate::schema::Schema;
use crate::session::lane::{Lane, soonest};
use crate::snapshot::{Baselines, Snapshot};

/// So many packets the sender has for naming an entity again after it went back to a state that
/// lacks it.
const PATIENCE: u8 = 8;

/// The newest values that have arrived of each entity.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub view: Snapshot,
    /// The ticks of the values in the view, one for each entity, and for how many packets it has
    /// been missing from the state.
    seen: Vec<(Seen, u8)>,
    /// For each state that is kept, the ticks of its entities' values.
    ticks: VecDeque<(u32, Vec<u32>)>,
    // Kept to reuse their memory.
    spare_ticks: Vec<Vec<u32>>,
    next_view: Snapshot,
    next_seen: Vec<(Seen, u8)>,
}

impl Chain {
    pub fn new(schema: &Schema) -> Self {
        Self {
            view: Snapshot::new(schema, 0),
            seen: Vec::new(),
            ticks: VecDeque::new(),
            spare_ticks: Vec::new(),
            next_view: Snapshot::new(schema, 0),
            next_seen: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.view.clear();
        self.view.set_tick(0);
        self.seen.clear();
        self.spare_ticks
            .extend(self.ticks.drain(..).map(|(_, ticks)| ticks));
    }

    /// Returns the ticks of the entity at `at` of the view.
    pub fn seen(&self, at: usize) -> Option<Seen> {
        self.seen.get(at).map(|(seen, _)| *seen)
    }

    /// Updates the view. For each entity of the state, it takes the newest values: those of the
    /// packet, else those of the previous view, else those of the baseline. An entity that the
    /// state lacks stays for some packets if the sender went back after a loss, to a baseline that
    /// is older than what is shown: it will name the entity again.
    pub fn see(
        &mut self,
        state: &Snapshot,
        baseline: Option<&Snapshot>,
        names: &mut Names,
        events: &mut Vec<ViewEvent>,
    ) {
        let tick = state.tick();
        self.next_view.clear();
        self.next_view.set_tick(tick);
        self.next_seen.clear();
        let mut ticks = self.spare_ticks.pop().unwrap_or_default();
        ticks.clear();
        let held = baseline.and_then(|baseline| {
            let of = |(tick, _): &&(u32, _)| *tick == baseline.tick();
            Some(baseline.rows.iter().zip(&self.ticks.iter().find(of)?.1))
        });
        let mut held = Lane::new(held.into_iter().flatten());
        let Names {
            named,
            destroyed,
            gaps,
            ..
        } = names;
        let (mut named, mut destroyed) = (Lane::new(&*named), Lane::new(&*destroyed));
        let mut now = Lane::new(state.rows.iter());
        let mut seen = Lane::new(self.view.rows.iter().zip(&self.seen));
        while let Some(id) = soonest([now.next_id(), seen.next_id()]) {
            let (now, seen, held) = (now.at(id), seen.at(id), held.at(id));
            let (is_named, ends) = (named.at(id).is_some(), destroyed.at(id).is_some());
            let old = seen.map(|(row, _)| row);
            let Some(row) = now else {
                let back = |as_of| baseline.is_some_and(|baseline| baseline.tick() < as_of);
                if let Some((row, (seen, missing))) = seen
                    && held.is_none()
                    && *missing < PATIENCE
                    && (*missing > 0 || back(seen.at))
                {
                    self.next_view.rows.push(row);
                    self.next_seen.push((*seen, missing + 1));
                } else {
                    note(events, state.schema(), old, None, false);
                }
                continue;
            };
            // An entity that the packet does not name has the values of the baseline.
            let held_as_of = held.filter(|_| !is_named);
            let as_of = held_as_of.map_or(tick, |(_, as_of)| *as_of);
            ticks.push(as_of);
            if let Some((row, (seen, _))) = seen.filter(|_| !is_named) {
                self.next_view.rows.push(row);
                self.next_seen.push((*seen, 0));
                continue;
            }
            let before = seen.map(|(_, (seen, _))| *seen);
            let from = baseline.map_or(tick, Snapshot::tick);
            let in_baseline = held.map(|(row, _)| row);
            let other = before.is_some_and(|seen| ends && seen.ends(in_baseline, from, row));
            let becomes = note(events, state.schema(), old, Some(row), other);
            let moves = |seen: &Seen| becomes == Becomes::Changed && seen.at == seen.changed_at;
            if let Some(before) = before.filter(moves) {
                gaps.push(as_of - before.at);
            }
            let born = in_baseline.filter(|_| !ends).map_or(as_of, |_| from);
            self.next_view.rows.push(row);
            self.next_seen
                .push((Seen::after(before, as_of, becomes, born), 0));
        }
        drop((held, seen));
        self.ticks.push_back((tick, ticks));
        mem::swap(&mut self.view, &mut self.next_view);
        mem::swap(&mut self.seen, &mut self.next_seen);
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
