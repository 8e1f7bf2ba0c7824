//! The entities that ended a short while ago.

use alloc::vec::Vec;

use super::change::Head;
use super::options::REACH;
use crate::snapshot::Snapshot;

/// An entity that ended. Packets that name it may still be under way.
#[derive(Clone, Copy, Debug)]
struct Past {
    id: u32,
    /// Its last tick.
    last: u32,
    /// See [`Head::born`].
    born: u32,
}

/// These entities, by id.
#[derive(Clone, Default, Debug)]
pub(super) struct Ended(Vec<Past>);

impl Ended {
    fn find(&self, id: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&id, |past| past.id)
    }

    /// Returns since when the entity that had this id existed; 0 if there was none.
    pub fn born(&self, id: u32) -> u32 {
        let found = self.find(id).ok().and_then(|at| self.0.get(at));
        found.map_or(0, |past| past.born)
    }

    pub fn add(&mut self, id: u32, last: u32, born: u32) {
        let past = Past { id, last, born };
        match self.find(id) {
            Ok(at) => {
                if let Some(found) = self.0.get_mut(at) {
                    *found = past;
                }
            }
            Err(at) => self.0.insert(at, past),
        }
    }

    /// Adds the entities of the state before that are not in the present one.
    pub fn note(&mut self, before: &Snapshot, heads: &[Head], now: &[u32]) {
        let mut now = now;
        for (id, head) in before.ids().iter().zip(heads) {
            let later = now.iter().position(|other| other >= id);
            now = now.get(later.unwrap_or(now.len())..).unwrap_or_default();
            if now.first() != Some(id) {
                self.add(*id, before.tick(), head.born);
            }
        }
    }

    /// Forgets those of which no packet can be under way at a tick.
    pub fn forget(&mut self, tick: u32) {
        self.0.retain(|past| tick - past.last <= REACH);
    }
}
