//! The ids of entities that ended a short while ago.

use alloc::vec::Vec;

use super::options::REACH;
use crate::snapshot::Snapshot;

/// The ids, ascending, and the last tick of each. Packets that named them may still be under way.
#[derive(Clone, Default, Debug)]
pub(super) struct Ended(Vec<(u32, u32)>);

impl Ended {
    pub fn has(&self, id: u32) -> bool {
        self.0.binary_search_by_key(&id, |(id, _)| *id).is_ok()
    }

    pub fn add(&mut self, id: u32, tick: u32) {
        match self.0.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) => {
                if let Some(found) = self.0.get_mut(at) {
                    found.1 = tick;
                }
            }
            Err(at) => self.0.insert(at, (id, tick)),
        }
    }

    /// Adds the entities of the state before that are not in the present one.
    pub fn note(&mut self, before: &Snapshot, now: &[u32]) {
        let mut now = now;
        for id in before.ids() {
            let later = now.iter().position(|other| other >= id);
            now = now.get(later.unwrap_or(now.len())..).unwrap_or_default();
            if now.first() != Some(id) {
                self.add(*id, before.tick());
            }
        }
    }

    /// Forgets those of which no packet can be under way at a tick.
    pub fn forget(&mut self, tick: u32) {
        self.0.retain(|(_, last)| tick - last <= REACH);
    }
}
