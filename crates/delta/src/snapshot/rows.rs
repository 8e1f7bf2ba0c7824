//! The entities of a state, as they are stored.

use alloc::vec::Vec;
use core::ops::Range;

/// Entities in ascending order of their ids, their values one behind the other as codes (see
/// `Plan`): comparing, copying and encoding walk straight through memory.
#[derive(PartialEq, Eq)]
pub(crate) struct Rows {
    ids: Vec<u32>,
    /// The components of each entity: bit i for the i-th of the schema.
    masks: Vec<u64>,
    /// Where the values of each entity end.
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

    /// Forgets all; memory is kept.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.masks.clear();
        self.ends.clear();
        self.codes.clear();
    }

    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The components of the entity at `at`; none behind the last.
    pub fn mask(&self, at: usize) -> u64 {
        self.masks.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub fn codes_mut(&mut self, at: usize) -> &mut [u64] {
        let values = self.values_of(at);
        self.codes.get_mut(values).unwrap_or_default()
    }

    /// Where an entity is, or belongs.
    pub fn find(&self, id: u32) -> Result<usize, usize> {
        // Entities come in ascending order more often than not.
        if self.ids.last().is_none_or(|last| *last < id) {
            return Err(self.ids.len());
        }
        self.ids.binary_search(&id)
    }

    /// Adds an entity without components where [`Rows::find`] says that it belongs.
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

    /// Gives an entity a component, whose values are `offset` behind its first; sets them where it
    /// has the component.
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

    /// Takes a component away from an entity that has it.
    pub fn remove_component(&mut self, at: usize, index: usize, offset: usize, count: usize) {
        let from = self.values_of(at).start + offset;
        self.resize(at, from..from + count, 0);
        if let Some(mask) = self.masks.get_mut(at) {
            *mask &= !(1 << index);
        }
    }

    /// Keeps the entities for which `keep` says so.
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

    /// Where the values of the entity at `at` are; empty behind the last.
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

    /// The entities of these places.
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

    /// How many entities from `at` on have the ids and components of those of `other` from
    /// `other_at` on.
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

    /// Appends an entity whose id is above all others.
    #[inline]
    pub fn push(&mut self, row: Row<'_>) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < row.id));
        self.ids.push(row.id);
        self.masks.push(row.mask);
        self.codes.extend_from_slice(row.codes);
        self.ends.push(self.codes.len());
    }

    /// Appends an entity whose id is above all others, with `count` codes that are still to be set.
    #[inline]
    pub fn push_zeros(&mut self, id: u32, mask: u64, count: usize) -> &mut [u64] {
        let start = self.codes.len();
        self.codes.resize(start + count, 0);
        self.ids.push(id);
        self.masks.push(mask);
        self.ends.push(start + count);
        self.codes.get_mut(start..).unwrap_or_default()
    }

    /// Appends entities of another state whose ids are above all here.
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

impl Clone for Rows {
    fn clone(&self) -> Self {
        Self {
            ids: self.ids.clone(),
            masks: self.masks.clone(),
            ends: self.ends.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Allocates only where `self` has less room than `from` needs.
    fn clone_from(&mut self, from: &Self) {
        self.ids.clone_from(&from.ids);
        self.masks.clone_from(&from.masks);
        self.ends.clone_from(&from.ends);
        self.codes.clone_from(&from.codes);
    }
}
