//! Merged states: all that has arrived.

use alloc::vec::Vec;
use core::mem;

use crate::limits::{Limit, Limits};
use crate::rule::{Error, Rule};
use crate::schema::Schema;
use crate::session::lane::{Lane, soonest};
use crate::snapshot::Snapshot;

/// The data that belongs to the newest merged state, which is the view.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// The tick of each entity's values.
    pub ticks: Vec<u32>,
    next_ticks: Vec<u32>,
    /// The result of a packet, applied to its baseline; empty between packets.
    pub decoded: Snapshot,
}

impl Merged {
    pub fn new(schema: &Schema) -> Self {
        Self {
            ticks: Vec::new(),
            next_ticks: Vec::new(),
            decoded: Snapshot::new(schema, 0),
        }
    }

    pub fn clear(&mut self) {
        self.ticks.clear();
        self.decoded.clear();
    }

    /// Shows a full snapshot.
    pub fn begin(&mut self, state: &Snapshot) {
        self.ticks.clear();
        self.ticks.resize(state.len(), state.tick());
    }

    /// Merges what the packet names and destroys into the newest state. After an error nothing has
    /// changed.
    pub fn merge(
        &mut self,
        baseline: &Snapshot,
        newest: &Snapshot,
        named: &[u32],
        limits: Limits,
        next: &mut Snapshot,
    ) -> Result<(), Error> {
        let tick = self.decoded.tick();
        next.set_tick(tick);
        self.next_ticks.clear();
        let mut baseline = Lane::new(baseline.ids());
        let mut decoded = Lane::new(self.decoded.rows.iter());
        let mut named = Lane::new(named);
        let mut newest = Lane::new(newest.rows.iter().zip(&self.ticks));
        while let Some(id) = soonest([newest.next_id(), named.next_id()]) {
            let (row, seen) = (decoded.at(id), newest.at(id));
            let shown = if named.at(id).is_some() {
                row.map(|row| (row, tick))
            } else {
                // The packet destroys what its baseline has and its result lacks.
                let is_destroyed = row.is_none() && baseline.at(id).is_some();
                let seen = seen.filter(|_| !is_destroyed);
                seen.map(|(row, tick)| (row, *tick))
            };
            if let Some((row, tick)) = shown {
                next.rows.push(row);
                self.next_ticks.push(tick);
            }
        }
        drop((decoded, newest));
        self.decoded.clear();
        let (max, found) = (limits.max_entities, next.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(Error::new(Rule::Limit { limit, max, found }, 0));
        }
        mem::swap(&mut self.ticks, &mut self.next_ticks);
        Ok(())
    }
}
