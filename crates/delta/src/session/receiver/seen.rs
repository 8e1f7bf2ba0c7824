//! When the values of an entity were so.

use alloc::vec::Vec;

use super::events::Becomes;
use crate::snapshot::{Entity, Row};

/// The ticks of an entity in the view.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Seen {
    /// The newest packet that named it.
    pub at: u32,
    /// The packet with which its values last changed.
    pub changed_at: u32,
    /// The packet that created it, or a later one with which it came into view; if that one only
    /// updates it, the baseline of that.
    pub born: u32,
}

impl Seen {
    /// Returns the ticks after a packet of tick `at` that named the entity. `born` is for another one.
    pub fn after(before: Option<Self>, at: u32, becomes: Becomes, born: u32) -> Self {
        let kept = before.filter(|_| becomes == Becomes::Same);
        let same = before.filter(|_| becomes != Becomes::Other);
        Self {
            at,
            changed_at: kept.map_or(at, |before| before.changed_at),
            born: same.map_or(born, |before| before.born),
        }
    }

    /// Returns true if a packet that destroys and creates an entity means another one. It means the
    /// entity of its baseline. If that has other components, it is the components that change; if what
    /// is shown came later, an earlier packet did the same.
    pub fn ends(&self, held: Option<Row<'_>>, baseline: u32, new: Row<'_>) -> bool {
        self.born <= baseline && held.is_some_and(|held| held.mask == new.mask)
    }
}

/// The newest confirmed state of an entity: see [`Receiver::confirmed`](crate::Receiver::confirmed).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Confirmed<'a> {
    /// The entity, with its values.
    pub entity: Entity<'a>,
    /// The tick at which it had all these values: that of the newest packet that named it. It may
    /// have changed since then; what changed has not arrived.
    pub at: u32,
    /// The first tick at which it was seen with these values. They may be older.
    pub changed_at: u32,
}

/// The entities of one packet. All lists ascend.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    /// The entities that the packet creates or updates.
    pub named: Vec<u32>,
    /// Whether it creates any.
    pub creates: bool,
    pub destroyed: Vec<u32>,
    /// The ticks since the update before, for each entity that moved with both.
    pub gaps: Vec<u32>,
}

impl Names {
    pub fn clear(&mut self) {
        self.named.clear();
        self.creates = false;
        self.destroyed.clear();
        self.gaps.clear();
    }
}
