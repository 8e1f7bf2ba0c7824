//! The state at a tick: entities, their components, and values.

use core::fmt;

use crate::error::ValueError;
use crate::replicate::{Replicate, ValueReader, ValueWriter};
use crate::schema::{MAX_MASK_BITS, Schema};

mod baselines;
mod entity;
mod rows;

pub use baselines::{Baselines, NotNewer};
pub use entity::{Entity, EntityMut, Part};
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
mod tests {
    use super::*;
    use crate::encode::Encoder;
    use crate::schema::{Codec, Component, Field, Value};
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The values of each component of each entity.
    type ModelWorld = BTreeMap<u32, BTreeMap<u16, Vec<u64>>>;

    /// Components of 0 to 3 fields.
    fn schema() -> Schema {
        let field = |id| Field::new(id, Codec::UInt { bits: 8 });
        let component = |id: u16| Component::new(id, (1..id).map(field).collect::<Vec<_>>());
        Schema::new([1, 2, 3, 4].map(component)).unwrap()
    }

    fn values(values: &[u64]) -> Vec<Value> {
        values.iter().map(|value| Value::UInt(*value)).collect()
    }

    /// Fills a state entity by entity, in the order of ids and components.
    fn in_order(world: &ModelWorld) -> Snapshot {
        let mut state = Snapshot::new(&schema(), 1);
        for (id, components) in world {
            let mut entity = state.insert(*id).unwrap();
            for (component, codes) in components {
                entity.set(*component, &values(codes)).unwrap();
            }
        }
        state
    }

    fn full(state: &Snapshot) -> Vec<u8> {
        let mut packet = Vec::new();
        Encoder::new(state.schema())
            .full(state, &mut packet)
            .unwrap();
        packet
    }

    #[test]
    fn a_state_filled_by_component_is_the_one_filled_by_entity() {
        let mut world = ModelWorld::new();
        let mut state = Snapshot::new(&schema(), 1);
        for round in 0..3_u64 {
            state.clear();
            world.clear();
            for component in [3, 1, 4, 2] {
                // 7 is no divisor of 100, so every entity comes once.
                for at in 0..100_u32 {
                    let id = at * 7 % 100;
                    let codes = vec![u64::from(id) ^ round; usize::from(component) - 1];
                    state.entry(id).set(component, &values(&codes)).unwrap();
                    world.entry(id).or_default().insert(component, codes);
                }
            }
            assert_eq!(state, in_order(&world));
            assert_eq!(full(&state), full(&in_order(&world)));
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Set(u32, u16, u64),
        RemoveComponent(u32, u16),
        Remove(u32),
        Insert(u32),
        Retain(u32),
        Copy,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => (0..24_u32, 1..5_u16, 0..256_u64).prop_map(|(id, c, v)| Step::Set(id, c, v)),
            2 => (0..24_u32, 1..5_u16).prop_map(|(id, c)| Step::RemoveComponent(id, c)),
            2 => (0..24_u32).prop_map(Step::Remove),
            2 => (0..24_u32).prop_map(Step::Insert),
            1 => (2..5_u32).prop_map(Step::Retain),
            1 => Just(Step::Copy),
        ]
    }

    proptest! {
        #[test]
        fn changes_in_any_order_give_the_same_state(steps in proptest::collection::vec(step(), 0..120)) {
            let mut world = ModelWorld::new();
            let mut state = Snapshot::new(&schema(), 1);
            let mut copy = state.clone();
            for step in &steps {
                match *step {
                    Step::Set(id, component, value) => {
                        let codes = vec![value; usize::from(component) - 1];
                        state.entry(id).set(component, &values(&codes)).unwrap();
                        world.entry(id).or_default().insert(component, codes);
                    }
                    Step::RemoveComponent(id, component) => {
                        let removed = state.entity_mut(id).is_some_and(|mut entity| entity.remove(component));
                        let known = world.get_mut(&id).and_then(|entity| entity.remove(&component));
                        prop_assert_eq!(removed, known.is_some());
                    }
                    Step::Remove(id) => prop_assert_eq!(state.remove(id), world.remove(&id).is_some()),
                    Step::Insert(id) => {
                        prop_assert_eq!(state.insert(id).is_ok(), !world.contains_key(&id));
                        world.entry(id).or_default();
                    }
                    Step::Retain(part) => {
                        state.retain(|id| id % part != 0);
                        world.retain(|id, _| id % part != 0);
                    }
                    Step::Copy => {
                        copy.clone_from(&state);
                        core::mem::swap(&mut copy, &mut state);
                    }
                }
                let expected = in_order(&world);
                prop_assert_eq!(&state, &expected);
                prop_assert_eq!(&expected, &state);
                prop_assert!(state.rows.is_compact());
            }
            prop_assert_eq!(full(&state), full(&in_order(&world)));
            // A delta between states of which one or none is in order.
            let mut later = state.clone();
            later.set_tick(2);
            for id in 0..24 {
                later.entry(id).set(2, &values(&[id.into()])).unwrap();
            }
            let (mut packet, mut of_copies) = (Vec::new(), Vec::new());
            let mut encoder = Encoder::new(state.schema());
            encoder.delta(&state, &later, &mut packet).unwrap();
            encoder.delta(&in_order(&world), &later.clone(), &mut of_copies).unwrap();
            prop_assert_eq!(packet, of_copies);
        }
    }
}
