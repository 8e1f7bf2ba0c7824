//! When the values of an entity were so.

use alloc::vec::Vec;

use crate::snapshot::Entity;

/// The ticks of an entity in the view.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Seen {
    /// The newest packet that named it.
    pub at: u32,
    /// The packet with which its values last changed.
    pub changed_at: u32,
}

impl Seen {
    /// Returns the ticks after a packet of tick `at` that named the entity.
    pub fn after(before: Option<Self>, at: u32, changed: bool) -> Self {
        let before = before.filter(|_| !changed);
        Self {
            at,
            changed_at: before.map_or(at, |before| before.changed_at),
        }
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
