//! The changes of the view.

use alloc::vec::Vec;

use crate::schema::{Schema, ones};
use crate::snapshot::{Entity, Row};

/// A change of the view: see [`Receiver::events`](crate::Receiver::events).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ViewEvent {
    /// An entity has come into view, with all its components.
    Spawned {
        /// The id of the entity.
        entity: u32,
    },
    /// An entity has left the view. If it is followed by [`Spawned`](Self::Spawned), another entity
    /// has its id now.
    Despawned {
        /// The id of the entity.
        entity: u32,
    },
    /// An entity has a component that it did not have before.
    Gained {
        /// The id of the entity.
        entity: u32,
        /// The id of the component.
        component: u16,
    },
    /// An entity no longer has a component.
    Lost {
        /// The id of the entity.
        entity: u32,
        /// The id of the component.
        component: u16,
    },
    /// Values of a component have changed.
    Changed {
        /// The id of the entity.
        entity: u32,
        /// The id of the component.
        component: u16,
        /// The fields that changed: bit i is for the i-th field of the component in the schema.
        fields: u64,
    },
}

impl ViewEvent {
    /// Returns the id of the entity.
    #[must_use]
    pub const fn entity(&self) -> u32 {
        match *self {
            Self::Spawned { entity }
            | Self::Despawned { entity }
            | Self::Gained { entity, .. }
            | Self::Lost { entity, .. }
            | Self::Changed { entity, .. } => entity,
        }
    }
}

/// The fate of an entity that a packet names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::session) enum Becomes {
    Same,
    Changed,
    /// Another one, or none.
    Other,
}

/// Notes what becomes of an entity that is shown as `old`. `ends` says that another one has its id
/// now.
pub(in crate::session) fn note(
    events: &mut Vec<ViewEvent>,
    schema: &Schema,
    old: Option<Row<'_>>,
    new: Option<Row<'_>>,
    ends: bool,
) -> Becomes {
    let (Some(old), Some(new), false) = (old, new, ends) else {
        let entity = |row: Row<'_>| row.id;
        events.extend(
            old.map(entity)
                .map(|entity| ViewEvent::Despawned { entity }),
        );
        events.extend(new.map(entity).map(|entity| ViewEvent::Spawned { entity }));
        return Becomes::Other;
    };
    let before = events.len();
    compare(events, schema, old, new);
    if events.len() > before {
        Becomes::Changed
    } else {
        Becomes::Same
    }
}

fn compare(events: &mut Vec<ViewEvent>, schema: &Schema, old: Row<'_>, new: Row<'_>) {
    if old == new {
        return;
    }
    let entity = new.id;
    let (mut old_codes, mut new_codes) = (old.codes, new.codes);
    for index in ones(old.mask | new.mask) {
        let count = schema.layout().fields(index).len();
        let component = schema.components().get(index).map_or(0, |found| found.id);
        let olds = split(&mut old_codes, old.mask >> index & 1 == 1, count);
        let news = split(&mut new_codes, new.mask >> index & 1 == 1, count);
        match (olds, news) {
            (None, None) => {}
            (None, Some(_)) => events.push(ViewEvent::Gained { entity, component }),
            (Some(_), None) => events.push(ViewEvent::Lost { entity, component }),
            (Some(old), Some(new)) => {
                let differ = old.iter().zip(new).map(|(old, new)| u64::from(old != new));
                let fields = differ
                    .rev()
                    .fold(0, |fields, differs| fields << 1 | differs);
                if fields != 0 {
                    events.push(ViewEvent::Changed {
                        entity,
                        component,
                        fields,
                    });
                }
            }
        }
    }
}

/// Splits the values of a component off, if the entity has it.
fn split<'a>(codes: &mut &'a [u64], has: bool, count: usize) -> Option<&'a [u64]> {
    let (own, rest) = codes.split_at_checked(count).filter(|_| has)?;
    *codes = rest;
    Some(own)
}

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
