//! The state at a tick: which entities there are, which components each has, and their values.

mod entity;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::replicate::{Replicate, ValueReader, ValueWriter};
use crate::schema::Schema;
use crate::value::ValueError;

pub use entity::{Entity, EntityMut, Part};

/// The state at a tick.
///
/// Entities stand in ascending order of their ids, values one behind the other as codes (see
/// `Plan`): comparing, copying and encoding walk straight through memory. Adding entities in
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

    /// How many entities from `at` on have the ids and components of those of `other` from
    /// `other_at` on.
    pub(crate) fn same_rows(&self, at: usize, other: &Self, other_at: usize) -> usize {
        let ours = (self.ids.get(at..), self.masks.get(at..));
        let theirs = (other.ids.get(other_at..), other.masks.get(other_at..));
        let ((Some(ids), Some(masks)), (Some(other_ids), Some(other_masks))) = (ours, theirs)
        else {
            return 0;
        };
        let ids = ids.iter().zip(other_ids);
        let masks = masks.iter().zip(other_masks);
        ids.zip(masks)
            .take_while(|(ids, masks)| ids.0 == ids.1 && masks.0 == masks.1)
            .count()
    }

    /// The entities of these places.
    #[inline(always)]
    pub(crate) fn rows(&self, range: Range<usize>) -> impl Iterator<Item = Row<'_>> {
        let mut start = self.values_of(range.start).start;
        let mut codes = self.codes.get(start..).unwrap_or_default();
        let ids = self.ids.get(range.clone()).unwrap_or_default();
        let masks = self.masks.get(range.clone()).unwrap_or_default();
        let ends = self.ends.get(range).unwrap_or_default();
        ids.iter()
            .zip(masks)
            .zip(ends)
            .map_while(move |((id, mask), end)| {
                let (row, rest) = codes.split_at_checked(*end - start)?;
                (codes, start) = (rest, *end);
                Some(Row {
                    id: *id,
                    mask: *mask,
                    codes: row,
                })
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

    /// Appends an entity whose id is above all others, with `count` codes that are still to be set.
    #[inline]
    pub(crate) fn push_zeros(&mut self, id: u32, mask: u64, count: usize) -> &mut [u64] {
        let start = self.codes.len();
        self.codes.resize(start + count, 0);
        self.ids.push(id);
        self.masks.push(mask);
        self.ends.push(start + count);
        self.codes.get_mut(start..).unwrap_or_default()
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
