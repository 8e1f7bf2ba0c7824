//! The sender's knowledge about the entities that its receiver may see.

use alloc::vec::Vec;

use crate::schema::Schema;
use crate::session::lane::{Keyed, Lane};
use crate::snapshot::Snapshot;

/// An entity that the receiver may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub id: u32,
    /// The tick of the first packet with the values in [`Memory::shown`]; all packets since that
    /// name the entity have them too.
    pub since: u32,
    /// Whether a packet from `since` on that names the entity was acknowledged.
    pub confirmed: bool,
    /// Grows by the entity's weight while it waits.
    pub priority: u64,
}

impl Known {
    /// Creates the entry of an entity that is seen for the first time.
    pub const fn new(id: u32) -> Self {
        Self {
            id,
            since: 0,
            confirmed: false,
            priority: 0,
        }
    }
}

/// An entity of the receiver's baseline that must be destroyed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    pub id: u32,
    /// Grows while it waits.
    pub priority: u64,
}

impl Keyed for Known {
    fn id(&self) -> u32 {
        self.id
    }
}

impl Keyed for Gone {
    fn id(&self) -> u32 {
        self.id
    }
}

/// The sender's memory. All lists are sorted by id.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub known: Vec<Known>,
    /// The values with which each entity was last sent.
    pub shown: Snapshot,
    pub gone: Vec<Gone>,
    /// Entities that became absent after the baseline, with the tick at which a state first lacked
    /// them.
    pub absent: Vec<(u32, u32)>,
    /// The largest weight in the last packet.
    pub heaviest: u32,
}

impl Memory {
    pub fn new(schema: &Schema) -> Self {
        Self {
            known: Vec::new(),
            shown: Snapshot::new(schema, 0),
            gone: Vec::new(),
            absent: Vec::new(),
            heaviest: 1,
        }
    }

    /// Forgets all entities.
    pub fn clear(&mut self) {
        self.known.clear();
        self.shown.clear();
        self.gone.clear();
        self.absent.clear();
    }

    /// Handles the acknowledgement of the packet of this tick, which named these entities.
    pub fn confirm(&mut self, tick: u32, names: impl Iterator<Item = u32>) {
        let mut known = Lane::new(&mut self.known);
        for known in names.filter_map(|id| known.at(id)) {
            known.confirmed |= known.since <= tick;
        }
    }
}
