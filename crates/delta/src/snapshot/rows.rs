//! The storage of a state's entities.

use alloc::vec::Vec;
use core::ops::Range;

/// Entities in ascending order of their ids. Their values are stored one after the other as codes
/// (see `Plan`), so comparing, copying and encoding read memory sequentially.
#[derive(PartialEq, Eq)]
pub(crate) struct Rows {
    ids: Vec<u32>,
    /// The components of each entity: bit i is for the i-th component of the schema.
    masks: Vec<u64>,
    /// The end index of each entity's values.
    ends: Vec<usize>,
    codes: Vec<u64>,
}

/// One entity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Row<'a> {
    pub id: u32,
    pub mask: u64,
    pub codes: &'a [u64],
}

impl Rows {
    pub const fn new() -> Self {
        Self {
            ids: Vec::new(),
            masks: Vec::new(),
            ends: Vec::new(),
            codes: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Removes all entities and keeps the memory.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.masks.clear();
        self.ends.clear();
        self.codes.clear();
    }

    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the components of the entity at `at`; none after the last entity.
    pub fn mask(&self, at: usize) -> u64 {
        self.masks.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub fn codes_mut(&mut self, at: usize) -> &mut [u64] {
        let values = self.values_of(at);
        self.codes.get_mut(values).unwrap_or_default()
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
        let start = self.values_of(at).start;
        self.ids.insert(at, id);
        self.masks.insert(at, 0);
        self.ends.insert(at, start);
    }

    pub fn remove(&mut self, at: usize) {
        if at >= self.len() {
            return;
        }
        self.resize(at, self.values_of(at), 0);
        self.ids.remove(at);
        self.masks.remove(at);
        self.ends.remove(at);
    }

    /// Sets the values of a component, starting `offset` after the entity's first value. The
    /// component is added if the entity lacks it.
    pub fn set_component(&mut self, at: usize, index: usize, offset: usize, codes: &[u64]) {
        if self.mask(at) >> index & 1 == 0 {
            let from = self.values_of(at).start + offset;
            self.resize(at, from..from, codes.len());
            if let Some(mask) = self.masks.get_mut(at) {
                *mask |= 1 << index;
            }
        }
        let slots = self.codes_mut(at).get_mut(offset..);
        for (slot, code) in slots.unwrap_or_default().iter_mut().zip(codes) {
            *slot = *code;
        }
    }

    /// Removes a component from an entity that has it.
    pub fn remove_component(&mut self, at: usize, index: usize, offset: usize, count: usize) {
        let from = self.values_of(at).start + offset;
        self.resize(at, from..from + count, 0);
        if let Some(mask) = self.masks.get_mut(at) {
            *mask &= !(1 << index);
        }
    }

    /// Keeps only the entities for which `keep` returns true.
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
            // Rows only move down, and the start of the next row is only overwritten with the same
            // number.
            self.codes.copy_within(values, to);
            self.set_head(kept, id, mask, end);
            kept += 1;
        }
        self.ids.truncate(kept);
        self.masks.truncate(kept);
        self.ends.truncate(kept);
        self.codes.truncate(end);
    }

    fn set_head(&mut self, at: usize, id: u32, mask: u64, end: usize) {
        if let (Some(i), Some(m), Some(e)) = (
            self.ids.get_mut(at),
            self.masks.get_mut(at),
            self.ends.get_mut(at),
        ) {
            (*i, *m, *e) = (id, mask, end);
        }
    }

    /// Returns the range of the values of the entity at `at`; empty after the last entity.
    #[inline]
    fn values_of(&self, at: usize) -> Range<usize> {
        let start = match at {
            0 => 0,
            _ => self.ends.get(at - 1).copied().unwrap_or(self.codes.len()),
        };
        start..self.ends.get(at).copied().unwrap_or(start)
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<Row<'_>> {
        Some(Row {
            id: *self.ids.get(at)?,
            mask: *self.masks.get(at)?,
            codes: self.codes.get(self.values_of(at))?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.range(0..self.len())
    }

    /// Returns the entities in a range of indices.
    #[inline(always)]
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = Row<'_>> {
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

    /// Returns the number of consecutive entities, from `at` here and from `other_at` in `other`,
    /// that have the same ids and components.
    pub fn same_heads(&self, at: usize, other: &Self, other_at: usize) -> usize {
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

    /// Appends an entity, whose id must be the largest.
    #[inline]
    pub fn push(&mut self, row: Row<'_>) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < row.id));
        self.ids.push(row.id);
        self.masks.push(row.mask);
        self.codes.extend_from_slice(row.codes);
        self.ends.push(self.codes.len());
    }

    /// Appends an entity, whose id must be the largest, and returns its `count` codes to be set.
    #[inline]
    pub fn push_zeros(&mut self, id: u32, mask: u64, count: usize) -> &mut [u64] {
        let start = self.codes.len();
        self.codes.resize(start + count, 0);
        self.ids.push(id);
        self.masks.push(mask);
        self.ends.push(start + count);
        self.codes.get_mut(start..).unwrap_or_default()
    }

    /// Appends entities of another state, whose ids must be larger than all here.
    pub fn push_range(&mut self, from: &Self, rows: Range<usize>) {
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

    /// Changes the number of values in the range `values` of the entity at `at`.
    fn resize(&mut self, at: usize, values: Range<usize>, count: usize) {
        let (old, start) = (values.len(), values.start);
        self.codes.splice(values, core::iter::repeat_n(0, count));
        debug_assert!(start <= self.codes.len());
        for end in self.ends.get_mut(at..).unwrap_or_default() {
            *end = *end - old + count;
        }
    }
}

impl Clone for Rows {
    fn clone(&self) -> Self {
        Self {
            ids: self.ids.clone(),
            masks: self.masks.clone(),
            ends: self.ends.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Allocates only if `self` has less capacity than needed.
    fn clone_from(&mut self, from: &Self) {
        self.ids.clone_from(&from.ids);
        self.masks.clone_from(&from.masks);
        self.ends.clone_from(&from.ends);
        self.codes.clone_from(&from.codes);
    }
}
