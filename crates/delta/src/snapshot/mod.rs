//! The state at a tick: entities, their components, and values.

mod entity;
mod rows;

use core::fmt;

use crate::error::ValueError;
use crate::replicate::{Replicate, ValueReader, ValueWriter};
use crate::schema::{MAX_MASK_BITS, Schema};

pub use entity::{Entity, EntityMut};
pub(crate) use rows::{Row, Rows, Run};

/// The state at a tick.
///
/// Entities are in ascending order of their ids. Adding them in that order is fast; inserting one
/// in between moves the ids of all later ones. Components can be added in any order: a state may be
/// filled entity by entity, or one component after the other.
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
    /// Creates a state without entities.
    #[must_use]
    pub fn new(schema: &Schema, tick: u32) -> Self {
        Self {
            schema: schema.clone(),
            tick,
            rows: Rows::new(),
        }
    }

    /// Returns the schema, which defines the components.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the simulation tick of this state.
    #[must_use]
    pub const fn tick(&self) -> u32 {
        self.tick
    }

    /// Sets the tick.
    pub const fn set_tick(&mut self, tick: u32) {
        self.tick = tick;
    }

    /// Returns the number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all entities and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Returns true if both states have the same entities with the same values; the ticks may
    /// differ.
    #[must_use]
    pub fn same_entities(&self, other: &Self) -> bool {
        self.schema.hash() == other.schema.hash() && self.rows == other.rows
    }

    /// Returns all entities, ascending by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity<'_>> + Clone {
        (0..self.len()).map(|at| self.entity_at(at))
    }

    fn entity_at(&self, at: usize) -> Entity<'_> {
        Entity {
            schema: &self.schema,
            row: self.rows.get(at).unwrap_or_default(),
        }
    }

    /// Returns the ids of all entities, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        self.rows.ids()
    }

    /// Returns the entity with this id.
    #[must_use]
    pub fn entity(&self, id: u32) -> Option<Entity<'_>> {
        Some(self.entity_at(self.rows.find(id).ok()?))
    }

    /// Returns the entity with this id, for changing it.
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

    /// Returns the entity with this id, which is added if it does not exist.
    pub fn entry(&mut self, id: u32) -> EntityMut<'_> {
        let at = self.rows.find_or_insert(id);
        self.entity_at_mut(at)
    }

    /// Removes an entity; returns false if it does not exist.
    pub fn remove(&mut self, id: u32) -> bool {
        let found = self.rows.find(id);
        if let Ok(at) = found {
            self.rows.remove(at);
        }
        found.is_ok()
    }

    /// Keeps only the entities for which `keep` returns true, such as those that a receiver may
    /// see.
    pub fn retain(&mut self, keep: impl FnMut(u32) -> bool) {
        self.rows.retain(keep);
    }

    /// Reads a component as a struct.
    ///
    /// The struct's definition of the component must agree with the schema; [`ValueError`] says
    /// where it does not.
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

    /// Writes a struct as a component of an entity. Entity and component are added if they do not
    /// exist.
    ///
    /// After an error the state is unchanged.
    pub fn put<T: Replicate>(&mut self, id: u32, value: &T) -> Result<(), ValueError> {
        let mut codes = [0; MAX_MASK_BITS];
        let (index, codes) =
            ValueWriter::codes(&self.schema, T::COMPONENT, &mut codes, |to| value.write(to))?;
        let at = self.rows.find_or_insert(id);
        let mut entity = EntityMut {
            schema: &self.schema,
            rows: &mut self.rows,
            at,
        };
        entity.set_codes(index, codes);
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

    /// Allocates only if `self` has less capacity than needed.
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

#[cfg(test)]
mod tests;
