//! The storage of a state's entities.

use alloc::vec::Vec;
use core::ops::Range;

/// Entities in ascending order of their ids, with their values as codes (see `Plan`).
///
/// The values of an entity are stored one after the other, and those of the entities usually are,
/// too, so comparing, copying and encoding read memory sequentially. An entity that grows moves to
/// the end and leaves a hole; holes are closed when they are half of the memory. A state can thus be
/// filled one component after the other, without moving all later values each time.
pub(crate) struct Rows {
    ids: Vec<u32>,
    /// The components of each entity: bit i is for the i-th component of the schema.
    masks: Vec<u64>,
    places: Vec<Place>,
    codes: Vec<u64>,
    /// The number of codes that belong to no entity.
    holes: usize,
    /// False if the values of all entities are in order, without holes.
    scattered: bool,
}

/// The place of an entity's values: the index of the first one in the upper 48 bits, which no memory
/// exceeds, and their number, at most 64 for each of 64 components, in the lower 16.
#[derive(Clone, Copy, Default)]
struct Place(u64);

impl Place {
    #[inline(always)]
    const fn new(start: usize, len: usize) -> Self {
        Self((start as u64) << 16 | len as u64)
    }

    #[inline(always)]
    const fn start(self) -> usize {
        (self.0 >> 16) as usize
    }

    #[inline(always)]
    const fn len(self) -> usize {
        self.0 as u16 as usize
    }

    #[inline(always)]
    const fn end(self) -> usize {
        self.start() + self.len()
    }

    #[inline(always)]
    const fn range(self) -> Range<usize> {
        self.start()..self.end()
    }
}

/// One entity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Row<'a> {
    pub id: u32,
    pub mask: u64,
    pub codes: &'a [u64],
}

/// Consecutive entities that are in two states, and have the same components in both.
pub(crate) struct Run<'a> {
    ids: &'a [u32],
    masks: &'a [u64],
    places: &'a [Place],
    codes: &'a [u64],
    /// The values in the other state.
    other: &'a [u64],
}

impl<'a> Run<'a> {
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns each entity, and its values in the other state.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (Row<'a>, &'a [u64])> {
        let (mut codes, mut other) = (self.codes, self.other);
        let heads = self.ids.iter().zip(self.masks).zip(self.places);
        heads.map_while(move |((id, mask), place)| {
            let (own, own_left) = codes.split_at_checked(place.len())?;
            let (others, other_left) = other.split_at_checked(place.len())?;
            (codes, other) = (own_left, other_left);
            let row = Row {
                id: *id,
                mask: *mask,
                codes: own,
            };
            Some((row, others))
        })
    }
}

impl Rows {
    pub const fn new() -> Self {
        Self {
            ids: Vec::new(),
            masks: Vec::new(),
            places: Vec::new(),
            codes: Vec::new(),
            holes: 0,
            scattered: false,
        }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the number of entities, and the room that their values take.
    pub fn size(&self) -> (usize, usize) {
        (self.len(), self.codes.len())
    }

    /// Makes room for so many more entities and values.
    pub fn reserve(&mut self, entities: usize, values: usize) {
        self.ids.reserve(entities);
        self.masks.reserve(entities);
        self.places.reserve(entities);
        self.codes.reserve(values);
    }

    /// Removes all entities and keeps the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.masks.clear();
        self.places.clear();
        self.codes.clear();
        self.holes = 0;
        self.scattered = false;
    }

    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the components of the entity at `at`; none after the last entity.
    #[inline]
    pub fn mask(&self, at: usize) -> u64 {
        self.masks.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub fn codes_mut(&mut self, at: usize) -> &mut [u64] {
        let place = self.place(at);
        self.codes.get_mut(place.range()).unwrap_or_default()
    }

    /// Returns the index of an entity, or the index where it should be inserted.
    pub fn find(&self, id: u32) -> Result<usize, usize> {
        // Entities usually come in ascending order.
        if self.ids.last().is_none_or(|last| *last < id) {
            return Err(self.ids.len());
        }
        self.ids.binary_search(&id)
    }

    /// Inserts an entity without components at the index returned by [`Rows::find`].
    pub fn insert(&mut self, at: usize, id: u32) {
        let next = self.places.get(at);
        let start = next.map_or(self.codes.len(), |next| next.start());
        self.ids.insert(at, id);
        self.masks.insert(at, 0);
        self.places.insert(at, Place::new(start, 0));
    }

    /// Returns the index of an entity, which is added without components if it does not exist.
    pub fn find_or_insert(&mut self, id: u32) -> usize {
        self.find(id).unwrap_or_else(|at| {
            self.insert(at, id);
            at
        })
    }

    /// Whether no more than half of the memory is holes, and their number is right.
    #[cfg(test)]
    pub fn is_compact(&self) -> bool {
        let live: usize = self.places.iter().map(|place| place.len()).sum();
        live + self.holes == self.codes.len() && self.holes <= self.codes.len() / 2
    }

    pub fn remove(&mut self, at: usize) {
        if at >= self.len() {
            return;
        }
        let place = self.place(at);
        self.ids.remove(at);
        self.masks.remove(at);
        self.places.remove(at);
        self.free(at == self.len(), place.range());
        self.pack_if_due();
    }

    /// Sets the values of a component, starting `offset` after the entity's first value. The
    /// component is added if the entity lacks it.
    pub fn set_component(&mut self, at: usize, index: usize, offset: usize, codes: &[u64]) {
        if self.mask(at) >> index & 1 == 1 {
            let slots = self.codes_mut(at).get_mut(offset..);
            for (slot, code) in slots.unwrap_or_default().iter_mut().zip(codes) {
                *slot = *code;
            }
            return;
        }
        let last = at + 1 == self.len();
        let place = self.place(at);
        let mut start = place.start();
        if place.end() != self.codes.len() {
            start = self.codes.len();
            self.codes.extend_from_within(place.range());
            self.holes += place.len();
        }
        self.scattered |= !last;
        // The entity's values are the last ones now.
        self.codes.extend_from_slice(codes);
        let own = self.codes.get_mut(start + offset..).unwrap_or_default();
        own.rotate_right(codes.len());
        if let (Some(mask), Some(place)) = (self.masks.get_mut(at), self.places.get_mut(at)) {
            *mask |= 1 << index;
            *place = Place::new(start, place.len() + codes.len());
        }
        self.pack_if_due();
    }

    /// Removes a component from an entity that has it.
    pub fn remove_component(&mut self, at: usize, index: usize, offset: usize, count: usize) {
        let place = self.place(at);
        let own = self.codes_mut(at).get_mut(offset..);
        own.unwrap_or_default().rotate_left(count);
        let left = place.len() - count;
        if let (Some(mask), Some(slot)) = (self.masks.get_mut(at), self.places.get_mut(at)) {
            *mask &= !(1 << index);
            *slot = Place::new(place.start(), left);
        }
        let last = at + 1 == self.len();
        self.free(last, place.start() + left..place.end());
        self.pack_if_due();
    }

    /// Gives up values of an entity; `last` if no entity comes after it.
    fn free(&mut self, last: bool, values: Range<usize>) {
        // In order, no place lies after that of the last entity, not even one without values.
        if last && !self.scattered {
            self.codes.truncate(values.start);
        } else if !values.is_empty() {
            self.holes += values.len();
            self.scattered = true;
        }
    }

    fn pack_if_due(&mut self) {
        if self.holes > self.codes.len() / 2 {
            self.pack();
        }
    }

    /// Closes all holes. The values are copied in order to the end, and then moved as a whole, so
    /// that no second memory is needed.
    fn pack(&mut self) {
        let old = self.codes.len();
        for place in &mut self.places {
            let start = self.codes.len() - old;
            self.codes.extend_from_within(place.range());
            *place = Place::new(start, place.len());
        }
        self.codes.drain(..old);
        self.holes = 0;
        self.scattered = false;
    }

    /// Keeps only the entities for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            let (Some(&id), mask, place) = (self.ids.get(at), self.mask(at), self.place(at)) else {
                return;
            };
            if !keep(id) {
                self.holes += place.len();
                continue;
            }
            if let (Some(i), Some(m), Some(p)) = (
                self.ids.get_mut(kept),
                self.masks.get_mut(kept),
                self.places.get_mut(kept),
            ) {
                (*i, *m, *p) = (id, mask, place);
            }
            kept += 1;
        }
        self.ids.truncate(kept);
        self.masks.truncate(kept);
        self.places.truncate(kept);
        if self.holes > 0 {
            self.pack();
        }
    }

    /// Returns the place of the values of the entity at `at`; empty after the last entity.
    #[inline]
    fn place(&self, at: usize) -> Place {
        self.places.get(at).copied().unwrap_or_default()
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<Row<'_>> {
        Some(Row {
            id: *self.ids.get(at)?,
            mask: *self.masks.get(at)?,
            codes: self.codes.get(self.places.get(at)?.range())?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let heads = self.ids.iter().zip(&self.masks).zip(&self.places);
        heads.map_while(|((id, mask), place)| {
            Some(Row {
                id: *id,
                mask: *mask,
                codes: self.codes.get(place.range())?,
            })
        })
    }

    /// Returns consecutive entities, from `at` here and from `other_at` in `other`, as long as they
    /// have the same ids and components; no more than one if values are scattered.
    pub fn same<'a>(&'a self, at: usize, other: &'a Self, other_at: usize) -> Run<'a> {
        fn rest<T>(all: &[T], at: usize) -> &[T] {
            all.get(at..).unwrap_or_default()
        }
        let most = if self.scattered || other.scattered {
            1
        } else {
            usize::MAX
        };
        let (ids, masks) = (rest(&self.ids, at), rest(&self.masks, at));
        let others = rest(&other.ids, other_at)
            .iter()
            .zip(rest(&other.masks, other_at));
        let heads = ids.iter().zip(masks).zip(others).take(most);
        let len = heads.take_while(|(own, other)| own == other).count();
        let codes = |rows: &'a Self, at: usize| {
            let end = rows.place((at + len).saturating_sub(1)).end();
            let codes = rows.codes.get(rows.place(at).start()..end);
            codes.unwrap_or_default()
        };
        Run {
            ids: ids.get(..len).unwrap_or_default(),
            masks,
            places: rest(&self.places, at),
            codes: codes(self, at),
            other: codes(other, other_at),
        }
    }

    /// Appends an entity, whose id must be the largest.
    #[inline]
    pub fn push(&mut self, row: Row<'_>) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < row.id));
        self.ids.push(row.id);
        self.masks.push(row.mask);
        self.places
            .push(Place::new(self.codes.len(), row.codes.len()));
        self.codes.extend_from_slice(row.codes);
    }

    /// Appends an entity, whose id must be the largest, and returns its `count` codes to be set.
    #[inline]
    pub fn push_zeros(&mut self, id: u32, mask: u64, count: usize) -> &mut [u64] {
        let start = self.codes.len();
        self.codes.resize(start + count, 0);
        self.ids.push(id);
        self.masks.push(mask);
        self.places.push(Place::new(start, count));
        self.codes.get_mut(start..).unwrap_or_default()
    }

    /// Appends entities of another state, whose ids must be larger than all here.
    pub fn push_range(&mut self, from: &Self, rows: Range<usize>) {
        if from.scattered {
            rows.filter_map(|at| from.get(at))
                .for_each(|row| self.push(row));
            return;
        }
        let ids = from.ids.get(rows.clone()).unwrap_or_default();
        let masks = from.masks.get(rows.clone()).unwrap_or_default();
        let places = from.places.get(rows).unwrap_or_default();
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return;
        };
        let (start, to) = (first.start(), self.codes.len());
        let values = from.codes.get(start..last.end());
        let moved = |place: &Place| Place::new(place.start() - start + to, place.len());
        self.ids.extend_from_slice(ids);
        self.masks.extend_from_slice(masks);
        self.places.extend(places.iter().map(moved));
        self.codes.extend_from_slice(values.unwrap_or_default());
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        if self.ids != other.ids || self.masks != other.masks {
            return false;
        }
        if self.scattered || other.scattered {
            return self.iter().eq(other.iter());
        }
        self.codes == other.codes
    }
}

impl Clone for Rows {
    fn clone(&self) -> Self {
        let mut rows = Self::new();
        rows.clone_from(self);
        rows
    }

    /// Allocates only if `self` has less capacity than needed.
    fn clone_from(&mut self, from: &Self) {
        if from.scattered {
            self.clear();
            self.push_range(from, 0..from.len());
            return;
        }
        self.ids.clone_from(&from.ids);
        self.masks.clone_from(&from.masks);
        self.places.clone_from(&from.places);
        self.codes.clone_from(&from.codes);
        (self.holes, self.scattered) = (0, false);
    }
}
