//! What the sender knows of the entities its receiver may see.

use alloc::vec::Vec;

use crate::schema::Schema;
use crate::session::lane::{Keyed, Lane};
use crate::snapshot::Snapshot;

/// An entity the receiver may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub id: u32,
    /// The first packet that carried the values in [`Memory::shown`], and all since that named it.
    pub since: u32,
    /// True once a packet from `since` on that names it is acknowledged.
    pub confirmed: bool,
    /// Grows by its weight while it waits.
    pub priority: u64,
}

impl Known {
    /// One that is seen for the first time.
    pub const fn new(id: u32) -> Self {
        Self {
            id,
            since: 0,
            confirmed: false,
            priority: 0,
        }
    }
}

/// An entity that the receiver's baseline has and that is to go.
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

/// All lists ascend by id.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub known: Vec<Known>,
    /// The values each entity was last sent with.
    pub shown: Snapshot,
    pub gone: Vec<Gone>,
    /// Entities that a state had and the next one lacked, after the baseline: when.
    pub absent: Vec<(u32, u32)>,
    /// The largest weight of the last packet.
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

    /// The packet of this tick arrived, which named these entities.
    pub fn confirm(&mut self, tick: u32, names: impl Iterator<Item = u32>) {
        let mut known = Lane::new(&mut self.known);
        for known in names.filter_map(|id| known.at(id)) {
            known.confirmed |= known.since <= tick;
        }
    }
}
