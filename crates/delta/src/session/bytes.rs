//! The encoded entities of a tick, which senders copy.

use alloc::vec::Vec;

use super::change::Span;
use crate::bits::BitWriter;
use crate::encode::entity::{Changed, write_create, write_update};
use crate::schema::{Layout, ones};
use crate::snapshot::Row;

/// The bytes of entities, each encoded when the first receiver needs it.
#[derive(Clone, Default, Debug)]
pub(super) struct Bytes {
    bits: BitWriter,
    /// For each place, the index of the first of its encodings, plus 1; 0 if there is none.
    first: Vec<u32>,
    all: Vec<Encoded>,
    fields: Vec<Changed>,
    /// The values of an entity that an audience sees.
    codes: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Encoded {
    /// The oldest change that it contains: [`CREATE`], [`NOTHING`] or a tick. Changes and their
    /// bytes are the same for all receivers between two changes.
    key: u32,
    from: u32,
    to: u32,
    /// The index of the next one, plus 1.
    next: u32,
}

const CREATE: u32 = 0;
const NOTHING: u32 = u32::MAX;

impl Bytes {
    pub fn clear(&mut self, places: usize) {
        self.bits.clear();
        self.all.clear();
        self.first.clear();
        self.first.resize(places, 0);
    }

    /// Encodes the components of an entity that `visible` contains, as a new entity. All that is
    /// encoded at a place is of the same entity, with the same components visible.
    pub fn create(&mut self, place: usize, layout: &Layout, row: Row<'_>, visible: u64) -> Span {
        self.get(place, CREATE, |bits, _, codes| {
            if row.mask & !visible == 0 {
                write_create(layout, row, bits);
            } else {
                write_create(layout, part_of(layout, row, visible, codes), bits);
            }
        })
    }

    /// Encodes the changes since a tick, of the components that `visible` contains. `ticks` says
    /// when each value of the entity last changed.
    pub fn changes(
        &mut self,
        place: usize,
        layout: &Layout,
        (row, ticks): (Row<'_>, &[u32]),
        visible: u64,
        since: u32,
    ) -> Span {
        let newer = |ticks: &[u32]| {
            let newer = ticks.iter().copied().filter(|tick| *tick > since);
            newer.min().unwrap_or(NOTHING)
        };
        let key = if row.mask & !visible == 0 {
            newer(ticks)
        } else {
            let parts = parts(layout, row.mask, ticks);
            let seen = parts.filter(|(component, _)| visible >> component & 1 == 1);
            seen.map(|(_, ticks)| newer(ticks)).min().unwrap_or(NOTHING)
        };
        self.get(place, key, |bits, fields, _| {
            changed_fields(layout, (row.mask, visible), ticks, since, fields);
            write_update(layout, row, fields, bits);
        })
    }

    pub fn bytes(&mut self, (from, to): Span) -> &[u8] {
        let bytes = self.bits.aligned().get(from as usize..to as usize);
        bytes.unwrap_or_default()
    }

    /// Returns the encoding with this key, which `write` makes if it does not exist.
    fn get(
        &mut self,
        place: usize,
        key: u32,
        write: impl FnOnce(&mut BitWriter, &mut Vec<Changed>, &mut Vec<u64>),
    ) -> Span {
        let first = self.first.get(place).copied().unwrap_or(0);
        let mut next = first;
        while let Some(found) = next
            .checked_sub(1)
            .and_then(|place| self.all.get(place as usize))
        {
            if found.key == key {
                return (found.from, found.to);
            }
            next = found.next;
        }
        let from = self.bits.aligned().len() as u32;
        write(&mut self.bits, &mut self.fields, &mut self.codes);
        let to = self.bits.aligned().len() as u32;
        self.all.push(Encoded {
            key,
            from,
            to,
            next: first,
        });
        if let Some(first) = self.first.get_mut(place) {
            *first = self.all.len() as u32;
        }
        (from, to)
    }
}

/// Splits what belongs to the values of an entity by its components.
pub(super) fn parts<'a, T>(
    layout: &'a Layout,
    mask: u64,
    mut all: &'a [T],
) -> impl Iterator<Item = (usize, &'a [T])> {
    ones(mask).map(move |component| {
        let (own, rest) = all.split_at(layout.fields(component).len().min(all.len()));
        all = rest;
        (component, own)
    })
}

/// Returns an entity with only the components that `visible` contains. `codes` gets the values.
fn part_of<'a>(layout: &Layout, row: Row<'_>, visible: u64, codes: &'a mut Vec<u64>) -> Row<'a> {
    codes.clear();
    for (component, own) in parts(layout, row.mask, row.codes) {
        if visible >> component & 1 == 1 {
            codes.extend_from_slice(own);
        }
    }
    Row {
        id: row.id,
        mask: row.mask & visible,
        codes,
    }
}

/// Collects the visible fields that changed after a tick.
fn changed_fields(
    layout: &Layout,
    (mask, visible): (u64, u64),
    ticks: &[u32],
    since: u32,
    fields: &mut Vec<Changed>,
) {
    fields.clear();
    for (component, ticks) in parts(layout, mask, ticks) {
        let newer = ticks.iter().map(|tick| u64::from(*tick > since));
        let mask = newer.fold(0, |mask, newer| mask << 1 | newer);
        if mask != 0 && visible >> component & 1 == 1 {
            fields.push((component, mask));
        }
    }
}
