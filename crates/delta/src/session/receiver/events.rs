//! The changes of the view.

use alloc::vec::Vec;

use crate::schema::{Schema, ones};
use crate::snapshot::Row;

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
