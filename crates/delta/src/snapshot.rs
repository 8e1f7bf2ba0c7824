//! The state at a tick: which entities there are, which components each has, and their values.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::replicate::{Replicate, ValueReader, ValueWriter};
use crate::schema::{Component, Plan, Schema, ones};
use crate::value::{Value, ValueError};

/// The state at a tick.
///
/// Entities stand in ascending order of their ids, values one behind the other as codes (see
/// [`Plan`]): comparing, copying and encoding walk straight through memory. Adding entities in
/// ascending order is fast; in between, it moves what follows.
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
    ids: Vec<u32>,
    /// The components of each entity: bit i for the i-th of the schema.
    masks: Vec<u64>,
    /// Where the values of each entity end.
    ends: Vec<usize>,
    codes: Vec<u64>,
}

impl Snapshot {
    /// A state without entities.
    #[must_use]
    pub fn new(schema: &Schema, tick: u32) -> Self {
        Self {
            schema: schema.clone(),
            tick,
            ids: Vec::new(),
            masks: Vec::new(),
            ends: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// Its schema.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Its tick.
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
        self.ids.len()
    }

    /// True without entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Forgets all entities; memory is kept.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.masks.clear();
        self.ends.clear();
        self.codes.clear();
    }

    /// True if both hold the same entities with the same values, whatever their ticks.
    #[must_use]
    pub fn same_entities(&self, other: &Self) -> bool {
        self.schema.hash() == other.schema.hash()
            && self.ids == other.ids
            && self.masks == other.masks
            && self.codes == other.codes
    }

    /// All entities, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity<'_>> + Clone {
        (0..self.len()).map(|at| Entity { state: self, at })
    }

    /// The ids of all entities, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The entity of this id.
    #[must_use]
    pub fn entity(&self, id: u32) -> Option<Entity<'_>> {
        let at = self.find(id).ok()?;
        Some(Entity { state: self, at })
    }

    /// The entity of this id, to change it.
    pub fn entity_mut(&mut self, id: u32) -> Option<EntityMut<'_>> {
        let at = self.find(id).ok()?;
        Some(EntityMut { state: self, at })
    }

    /// Adds an entity without components.
    pub fn insert(&mut self, id: u32) -> Result<EntityMut<'_>, ValueError> {
        match self.find(id) {
            Ok(_) => Err(ValueError::EntityExists { entity: id }),
            Err(at) => {
                let start = self.values_of(at).start;
                self.ids.insert(at, id);
                self.masks.insert(at, 0);
                self.ends.insert(at, start);
                Ok(EntityMut { state: self, at })
            }
        }
    }

    /// The entity of this id, added if it is not there.
    pub fn entry(&mut self, id: u32) -> EntityMut<'_> {
        let at = match self.find(id) {
            Ok(at) => at,
            Err(at) => {
                let start = self.values_of(at).start;
                self.ids.insert(at, id);
                self.masks.insert(at, 0);
                self.ends.insert(at, start);
                at
            }
        };
        EntityMut { state: self, at }
    }

    /// Removes an entity; false if it is not there.
    pub fn remove(&mut self, id: u32) -> bool {
        let Ok(at) = self.find(id) else {
            return false;
        };
        self.resize(at, self.values_of(at), 0);
        self.ids.remove(at);
        self.masks.remove(at);
        self.ends.remove(at);
        true
    }

    /// Keeps the entities for which `keep` says so: what a receiver may see, for example.
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let mut kept = 0;
        let mut end = 0;
        for at in 0..self.len() {
            let values = self.values_of(at);
            let (Some(&id), Some(&mask)) = (self.ids.get(at), self.masks.get(at)) else {
                return;
            };
            if !keep(id) {
                continue;
            }
            let to = end;
            end += values.len();
            // Rows move down only, and never onto the end of the one before the next.
            self.codes.copy_within(values, to);
            self.set_row(kept, id, mask, end);
            kept += 1;
        }
        self.ids.truncate(kept);
        self.masks.truncate(kept);
        self.ends.truncate(kept);
        self.codes.truncate(end);
    }

    fn set_row(&mut self, at: usize, id: u32, mask: u64, end: usize) {
        if let (Some(i), Some(m), Some(e)) = (
            self.ids.get_mut(at),
            self.masks.get_mut(at),
            self.ends.get_mut(at),
        ) {
            (*i, *m, *e) = (id, mask, end);
        }
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
        let mut values = ValueReader::new(part);
        let value = T::read(&mut values)?;
        values.finish()?;
        Ok(value)
    }

    /// Writes a struct as a component of an entity; both are added if they are not there.
    ///
    /// On an error the state is as it was before.
    pub fn put<T: Replicate>(&mut self, id: u32, value: &T) -> Result<(), ValueError> {
        let schema = self.schema.clone();
        let (at, component) =
            schema
                .component(T::COMPONENT)
                .ok_or(ValueError::UnknownComponent {
                    component: T::COMPONENT,
                })?;
        let mut codes = [0; crate::MAX_MASK_BITS];
        let mut writer = ValueWriter::new(component, schema.layout().fields(at), &mut codes);
        value.write(&mut writer)?;
        let codes = writer.finish()?;
        self.entry(id).set_codes(at, codes);
        Ok(())
    }

    pub(crate) fn find(&self, id: u32) -> Result<usize, usize> {
        // Entities come in ascending order more often than not.
        if self.ids.last().is_none_or(|last| *last < id) {
            return Err(self.ids.len());
        }
        self.ids.binary_search(&id)
    }

    /// Where the values of the entity at `at` are; empty behind the last.
    #[inline]
    fn values_of(&self, at: usize) -> Range<usize> {
        let start = match at {
            0 => 0,
            _ => self.ends.get(at - 1).copied().unwrap_or(self.codes.len()),
        };
        start..self.ends.get(at).copied().unwrap_or(start)
    }

    /// Id, components and codes of the entity at `at`.
    #[inline]
    pub(crate) fn row(&self, at: usize) -> Option<Row<'_>> {
        Some(Row {
            id: *self.ids.get(at)?,
            mask: *self.masks.get(at)?,
            codes: self.codes.get(self.values_of(at))?,
        })
    }

    pub(crate) fn mask(&self, at: usize) -> u64 {
        self.masks.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn codes_mut(&mut self, at: usize) -> &mut [u64] {
        let values = self.values_of(at);
        self.codes.get_mut(values).unwrap_or_default()
    }

    /// Appends an entity whose id is above all others.
    #[inline]
    pub(crate) fn push_row(&mut self, row: Row<'_>) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < row.id));
        self.ids.push(row.id);
        self.masks.push(row.mask);
        self.codes.extend_from_slice(row.codes);
        self.ends.push(self.codes.len());
    }

    /// Appends an entity whose id is above all others, its codes still to come.
    #[inline]
    pub(crate) fn push_open(&mut self, id: u32, mask: u64) {
        self.ids.push(id);
        self.masks.push(mask);
        self.ends.push(self.codes.len());
    }

    /// Appends a code to the last entity.
    #[inline]
    pub(crate) fn push_code(&mut self, code: u64) {
        self.codes.push(code);
    }

    /// The codes of the last entity are complete.
    #[inline]
    pub(crate) fn close(&mut self) {
        let end = self.codes.len();
        if let Some(last) = self.ends.last_mut() {
            *last = end;
        }
    }

    /// Appends entities of another state whose ids are above all here.
    pub(crate) fn push_rows(&mut self, from: &Self, rows: Range<usize>) {
        let values = from.values_of(rows.start).start..match rows.end {
            0 => 0,
            end => from.values_of(end - 1).end,
        };
        if rows.is_empty() {
            return;
        }
        let (start, moved) = (values.start, self.codes.len());
        let ends = from.ends.get(rows.clone()).unwrap_or_default();
        self.ends.extend(ends.iter().map(|end| end - start + moved));
        self.ids
            .extend_from_slice(from.ids.get(rows.clone()).unwrap_or_default());
        self.masks
            .extend_from_slice(from.masks.get(rows).unwrap_or_default());
        self.codes
            .extend_from_slice(from.codes.get(values).unwrap_or_default());
    }

    /// Gives the values `values` of the entity at `at` another count.
    fn resize(&mut self, at: usize, values: Range<usize>, count: usize) {
        let (old, start) = (values.len(), values.start);
        self.codes.splice(values, core::iter::repeat_n(0, count));
        debug_assert!(start <= self.codes.len());
        for end in self.ends.get_mut(at..).unwrap_or_default() {
            *end = *end - old + count;
        }
    }
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            tick: self.tick,
            ids: self.ids.clone(),
            masks: self.masks.clone(),
            ends: self.ends.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Allocates only where `self` has less room than `from` needs.
    fn clone_from(&mut self, from: &Self) {
        self.schema = from.schema.clone();
        self.tick = from.tick;
        self.ids.clone_from(&from.ids);
        self.masks.clone_from(&from.masks);
        self.ends.clone_from(&from.ends);
        self.codes.clone_from(&from.codes);
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

/// An entity as it is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub id: u32,
    pub mask: u64,
    pub codes: &'a [u64],
}

/// One entity of a [`Snapshot`].
#[derive(Clone, Copy)]
pub struct Entity<'a> {
    state: &'a Snapshot,
    at: usize,
}

impl<'a> Entity<'a> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.state.ids.get(self.at).copied().unwrap_or_default()
    }

    /// Its components, in the order of the schema.
    pub fn components(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let (state, at) = (self.state, self.at);
        ones(state.mask(at)).filter_map(move |index| Part::new(state, at, index))
    }

    /// The component of this id, if the entity has it.
    #[must_use]
    pub fn component(&self, id: u16) -> Option<Part<'a>> {
        let (index, _) = self.state.schema.component(id)?;
        Part::new(self.state, self.at, index)
    }

    /// A value, by component and field id.
    #[must_use]
    pub fn value(&self, component: u16, field: u16) -> Option<Value> {
        self.component(component)?.value(field)
    }

    /// True if `other` has the same components with the same values.
    #[must_use]
    pub fn same_values(&self, other: &Entity<'_>) -> bool {
        match (self.state.row(self.at), other.state.row(other.at)) {
            (Some(a), Some(b)) => a.mask == b.mask && a.codes == b.codes,
            _ => false,
        }
    }
}

impl fmt::Debug for Entity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.id())?;
        f.debug_map()
            .entries(self.components().map(|part| {
                let values = fmt::from_fn(move |f| f.debug_list().entries(part.values()).finish());
                (part.id(), values)
            }))
            .finish()
    }
}

/// One component of an entity.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    component: &'a Component,
    plans: &'a [Plan],
    codes: &'a [u64],
}

impl<'a> Part<'a> {
    fn new(state: &'a Snapshot, at: usize, index: usize) -> Option<Self> {
        let row = state.row(at)?;
        if row.mask >> index & 1 == 0 {
            return None;
        }
        let layout = state.schema.layout();
        let plans = layout.fields(index);
        let from = layout.offset(row.mask, index);
        Some(Self {
            component: state.schema.components().get(index)?,
            plans,
            codes: row.codes.get(from..from + plans.len())?,
        })
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> u16 {
        self.component.id
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn definition(&self) -> &'a Component {
        self.component
    }

    /// Its values, in the order of the schema.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value> + use<'a> {
        self.plans
            .iter()
            .zip(self.codes)
            .map(|(plan, code)| plan.value(*code))
    }

    /// The value of a field.
    #[must_use]
    pub fn value(&self, field: u16) -> Option<Value> {
        let at = self.component.fields.iter().position(|f| f.id == field)?;
        self.values().nth(at)
    }
}

/// One entity of a [`Snapshot`], to change it.
pub struct EntityMut<'a> {
    state: &'a mut Snapshot,
    at: usize,
}

impl EntityMut<'_> {
    /// Sets all values of a component, in the order of the schema; it is added if it is not there.
    ///
    /// On an error the entity is as it was before.
    pub fn set(&mut self, component: u16, values: &[Value]) -> Result<&mut Self, ValueError> {
        let schema = self.state.schema.clone();
        let (index, definition) = schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let mut codes = [0; crate::MAX_MASK_BITS];
        let mut writer = ValueWriter::new(definition, schema.layout().fields(index), &mut codes);
        for value in values {
            writer.value(*value)?;
        }
        let codes = writer.finish()?;
        self.set_codes(index, codes);
        Ok(self)
    }

    /// Sets one value of a component that is there.
    pub fn set_value(
        &mut self,
        component: u16,
        field: u16,
        value: Value,
    ) -> Result<&mut Self, ValueError> {
        let schema = self.state.schema.clone();
        let (index, definition) = schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let unknown = ValueError::UnknownField { component, field };
        let at = definition
            .fields
            .iter()
            .position(|f| f.id == field)
            .ok_or(unknown)?;
        let mask = self.state.mask(self.at);
        if mask >> index & 1 == 0 {
            let entity = self.state.ids.get(self.at).copied().unwrap_or_default();
            return Err(ValueError::NoComponent { entity, component });
        }
        let layout = schema.layout();
        if let Some(plan) = layout.fields(index).get(at) {
            let code = plan.code(definition, at, value)?;
            let slot = layout.offset(mask, index) + at;
            if let Some(slot) = self.state.codes_mut(self.at).get_mut(slot) {
                *slot = code;
            }
        }
        Ok(self)
    }

    /// Takes a component away; false if it is not there.
    pub fn remove(&mut self, component: u16) -> bool {
        let mask = self.state.mask(self.at);
        let Some((index, definition)) = self.state.schema.component(component) else {
            return false;
        };
        if mask >> index & 1 == 0 {
            return false;
        }
        let count = definition.fields.len();
        let from =
            self.state.values_of(self.at).start + self.state.schema.layout().offset(mask, index);
        self.state.resize(self.at, from..from + count, 0);
        if let Some(mask) = self.state.masks.get_mut(self.at) {
            *mask &= !(1 << index);
        }
        true
    }

    fn set_codes(&mut self, index: usize, codes: &[u64]) {
        let mask = self.state.mask(self.at);
        let offset = self.state.schema.layout().offset(mask, index);
        if mask >> index & 1 == 0 {
            let from = self.state.values_of(self.at).start + offset;
            self.state.resize(self.at, from..from, codes.len());
            if let Some(mask) = self.state.masks.get_mut(self.at) {
                *mask |= 1 << index;
            }
        }
        let slots = self.state.codes_mut(self.at).get_mut(offset..);
        for (slot, code) in slots.unwrap_or_default().iter_mut().zip(codes) {
            *slot = *code;
        }
    }
}
