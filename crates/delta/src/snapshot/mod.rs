//! The state at a tick: which entities there are, which components each has, and their values.

mod entity;
mod rows;

use core::fmt;

use crate::error::ValueError;
use crate::replicate::{Replicate, ValueReader, ValueWriter};
use crate::schema::{MAX_MASK_BITS, Schema};

pub use entity::{Entity, EntityMut};
pub(crate) use rows::{Row, Rows};

/// The state at a tick.
///
/// Entities stand in ascending order of their ids. Adding them in that order is fast; in between, it
/// moves what follows.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Schema, Snapshot, Value};
///
/// let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
/// let mut state = Snapshot::new(&schema, 1);
/// state.insert(7)?.set(1, &[Value::UInt(100)])?;
/// assert_eq!(state.entity(7).and_then(|ship| ship.value(1, 1)), Some(Value::UInt(100)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Snapshot {
    schema: Schema,
    tick: u32,
    pub(crate) rows: Rows,
}

impl Snapshot {
    /// A state without entities.
    #[must_use]
    pub fn new(schema: &Schema, tick: u32) -> Self {
        Self {
            schema: schema.clone(),
            tick,
            rows: Rows::new(),
        }
    }

    /// The schema that says which components its entities may have.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The simulation tick of which this is the state.
    #[must_use]
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// Sets the tick.
    pub const fn set_tick(&mut self, tick: u32) {
        self.tick = tick;
    }

    /// How many entities there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all entities; memory is kept.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// True if both hold the same entities with the same values, whatever their ticks.
    #[must_use]
    pub fn same_entities(&self, other: &Self) -> bool {
        self.schema.hash() == other.schema.hash() && self.rows == other.rows
    }

    /// All entities, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity<'_>> + Clone {
        (0..self.len()).map(|at| self.entity_at(at))
    }

    fn entity_at(&self, at: usize) -> Entity<'_> {
        Entity {
            schema: &self.schema,
            row: self.rows.get(at).unwrap_or_default(),
        }
    }

    /// The ids of all entities, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        self.rows.ids()
    }

    /// The entity of this id.
    #[must_use]
    pub fn entity(&self, id: u32) -> Option<Entity<'_>> {
        Some(self.entity_at(self.rows.find(id).ok()?))
    }

    /// The entity of this id, to change it.
    pub fn entity_mut(&mut self, id: u32) -> Option<EntityMut<'_>> {
        let at = self.rows.find(id).ok()?;
        Some(self.entity_at_mut(at))
    }

    fn entity_at_mut(&mut self, at: usize) -> EntityMut<'_> {
        EntityMut {
            schema: &self.schema,
            rows: &mut self.rows,
            at,
        }
    }

    /// Adds an entity without components.
    pub fn insert(&mut self, id: u32) -> Result<EntityMut<'_>, ValueError> {
        match self.rows.find(id) {
            Ok(_) => Err(ValueError::EntityExists { entity: id }),
            Err(at) => {
                self.rows.insert(at, id);
                Ok(self.entity_at_mut(at))
            }
        }
    }

    /// The entity of this id, added if it is not there.
    pub fn entry(&mut self, id: u32) -> EntityMut<'_> {
        let at = self.rows.find(id).unwrap_or_else(|at| {
            self.rows.insert(at, id);
            at
        });
        self.entity_at_mut(at)
    }

    /// Removes an entity; false if it is not there.
    pub fn remove(&mut self, id: u32) -> bool {
        let found = self.rows.find(id);
        if let Ok(at) = found {
            self.rows.remove(at);
        }
        found.is_ok()
    }

    /// Keeps the entities for which `keep` says so: what a receiver may see, for example.
    pub fn retain(&mut self, keep: impl FnMut(u32) -> bool) {
        self.rows.retain(keep);
    }

    /// Reads a component as the struct it was written from.
    ///
    /// The schema has to say of that component what the struct says; [`ValueError`] tells where
    /// it does not.
    pub fn get<T: Replicate>(&self, id: u32) -> Result<T, ValueError> {
        let entity = self.entity(id).ok_or(ValueError::NoEntity { entity: id })?;
        let part = entity
            .component(T::COMPONENT)
            .ok_or(ValueError::NoComponent {
                entity: id,
                component: T::COMPONENT,
            })?;
        ValueReader::all(part, T::read)
    }

    /// Writes a struct as a component of an entity; both are added if they are not there.
    ///
    /// On an error the state is as it was before.
    pub fn put<T: Replicate>(&mut self, id: u32, value: &T) -> Result<(), ValueError> {
        let schema = self.schema.clone();
        let mut codes = [0; MAX_MASK_BITS];
        let (index, codes) =
            ValueWriter::codes(&schema, T::COMPONENT, &mut codes, |to| value.write(to))?;
        self.entry(id).set_codes(index, codes);
        Ok(())
    }
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            tick: self.tick,
            rows: self.rows.clone(),
        }
    }

    /// Allocates only where `self` has less room than `from` needs.
    fn clone_from(&mut self, from: &Self) {
        self.schema = from.schema.clone();
        self.tick = from.tick;
        self.rows.clone_from(&from.rows);
    }
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.tick == other.tick && self.same_entities(other)
    }
}

impl Eq for Snapshot {}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("tick", &self.tick)
            .field(
                "entities",
                &fmt::from_fn(|f| f.debug_list().entries(self.iter()).finish()),
            )
            .finish_non_exhaustive()
    }
}
