//! Encodes states as packets.

pub(crate) mod entity;
mod stencil;

use alloc::vec::Vec;

use gametape_core::text::Hash;

use self::entity::{Changed, write_create, write_update, write_values};
use self::stencil::{Shape, Stencils};
use crate::bits::{BitWriter, varuint_len};
use crate::decode::body::check_schema;
use crate::error::EncodeError;
use crate::limits::{Limit, Limits};
use crate::rule::Rule;
use crate::schema::{Layout, Schema, full_mask, ones};
use crate::snapshot::{Row, Run, Snapshot};
use crate::wire::{HEADER_BYTES, Header, Kind, Tag, push_section};

/// Writes packets of one schema. It reuses its buffers: once warm, it does not allocate.
///
/// A delta must be coded against the state that the receiver **holds**. If fields have thresholds,
/// that is not the sender's earlier state: use [`settle`], or a [`Sender`](crate::Sender), which
/// does this for you.
#[derive(Clone, Debug)]
pub struct Encoder {
    schema: Schema,
    limits: Limits,
    sections: Sections,
}

impl Encoder {
    /// Creates an encoder with default limits.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self {
            schema: schema.clone(),
            limits: Limits::DEFAULT,
            sections: Sections::default(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the schema, which every state must have and whose hash the headers contain.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Writes a full snapshot to `packet`, replacing the content.
    pub fn full(&mut self, state: &Snapshot, packet: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.check(state)?;
        self.sections.clear();
        let layout = self.schema.layout();
        for row in state.rows.iter() {
            self.sections.creates.create(layout, row);
        }
        self.sections.finish(
            self.schema.hash(),
            state.tick(),
            Kind::Full,
            &self.limits,
            packet,
        )
    }

    /// Writes the delta from `baseline` to `state` to `packet`, replacing the content.
    ///
    /// Changes within a field's threshold are left out. The receiver then holds the result of
    /// [`settle`], which is the baseline for the next delta.
    pub fn delta(
        &mut self,
        baseline: &Snapshot,
        state: &Snapshot,
        packet: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.check(state)?;
        self.check(baseline)?;
        if baseline.tick() == 0 {
            return Err(EncodeError::BaselineZero);
        }
        if state.tick() <= baseline.tick() {
            return Err(EncodeError::TickOrder {
                tick: state.tick(),
                baseline: baseline.tick(),
            });
        }
        self.sections.clear();
        let layout = self.schema.layout();
        let sections = &mut self.sections;
        let (mut i, mut j) = (0, 0);
        loop {
            // Most entities are in both states, so handle them in runs.
            let run = state.rows.same(j, &baseline.rows, i);
            sections.updates.update(layout, &run);
            (i, j) = (i + run.len(), j + run.len());
            if run.len() > 0 {
                continue;
            }
            // An entity that is in one state only, or has different components.
            let (old, new) = match (baseline.rows.get(i), state.rows.get(j)) {
                (None, None) => break,
                (Some(old), Some(new)) => (
                    (old.id <= new.id).then_some(old),
                    (new.id <= old.id).then_some(new),
                ),
                either => either,
            };
            if let Some(old) = old {
                sections.destroys.push(|bits| bits.u32(old.id));
                i += 1;
            }
            if let Some(new) = new {
                sections.creates.create(layout, new);
                j += 1;
            }
        }
        let kind = Kind::Delta {
            baseline: baseline.tick(),
        };
        sections.finish(self.schema.hash(), state.tick(), kind, &self.limits, packet)
    }

    pub(crate) const fn limits_of(&self) -> Limits {
        self.limits
    }

    /// Starts a packet, and returns a writer for its sections in any order.
    pub(crate) fn begin_packet(&mut self, packet: &mut Vec<u8>) -> &mut SectionWriter {
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        &mut self.sections.updates
    }

    fn check(&self, state: &Snapshot) -> Result<(), EncodeError> {
        if state.schema().hash() != self.schema.hash() {
            return Err(EncodeError::Schema {
                expected: Hash(self.schema.hash()),
                found: Hash(state.schema().hash()),
            });
        }
        if let Err(Rule::Limit { limit, max, found }) =
            check_schema(self.schema.layout(), &self.limits)
        {
            return Err(EncodeError::Limit { limit, max, found });
        }
        let (max, found) = (self.limits.max_entities, state.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(EncodeError::Limit { limit, max, found });
        }
        Ok(())
    }
}

/// Turns `state` into the state that a receiver of the delta from `baseline` will hold: values that
/// differ by no more than their threshold keep the value of the baseline.
///
/// Code the next delta against this result and not against the true state. Errors then do not add
/// up, and the receiver's value is never off by more than the threshold.
pub fn settle(baseline: &Snapshot, state: &mut Snapshot) {
    if !state.schema().layout().has_thresholds || baseline.schema().hash() != state.schema().hash()
    {
        return;
    }
    let schema = state.schema().clone();
    let layout = schema.layout();
    let mut old = 0;
    for at in 0..state.len() {
        let Some(new) = state.rows.get(at) else {
            return;
        };
        let (id, mask) = (new.id, new.mask);
        let ids = baseline.ids().get(old..).unwrap_or_default();
        old += ids.partition_point(|other| *other < id);
        if let Some(row) = baseline.rows.get(old)
            && (row.id, row.mask) == (id, mask)
        {
            settle_row(layout, row, state.rows.codes_mut(at));
        }
    }
}

/// Like [`settle`], for one entity. Both rows must have the same components.
pub(crate) fn settle_row(layout: &Layout, old: Row<'_>, codes: &mut [u64]) {
    let plans = ones(old.mask).flat_map(|component| layout.fields(component));
    for ((plan, old), code) in plans.zip(old.codes).zip(codes) {
        if code.abs_diff(*old) <= plan.threshold {
            *code = *old;
        }
    }
}

/// Returns true if any of the codes differ; both slices must have the same length. For short slices
/// this is faster than `memcmp`.
#[inline(always)]
fn differ(old: &[u64], new: &[u64]) -> bool {
    old.iter()
        .zip(new)
        .fold(0, |bits, (old, new)| bits | (old ^ new))
        != 0
}

/// Returns a bit for each pair of codes, the lowest for the last: 1 if they differ. Both slices must
/// have the same length.
#[inline(always)]
fn differing(old: &[u64], new: &[u64]) -> u64 {
    let bit = |old: u64, new: u64| u64::from(old != new);
    let (old_fours, old_rest) = old.as_chunks::<4>();
    let (new_fours, new_rest) = new.as_chunks::<4>();
    // Four at a time, which do not wait for each other.
    let fours = old_fours.iter().zip(new_fours);
    let mask = fours.fold(0, |mask, ([a, b, c, d], [e, f, g, h])| {
        mask << 4 | (bit(*a, *e) << 3 | bit(*b, *f) << 2) | (bit(*c, *g) << 1 | bit(*d, *h))
    });
    let rest = old_rest.iter().zip(new_rest);
    rest.fold(mask, |mask, (old, new)| mask << 1 | bit(*old, *new))
}

/// Returns a bit for each value that must be sent, the lowest for the last one, of at most 64 values.
fn beyond_thresholds(layout: &Layout, mask: u64, old: &[u64], new: &[u64]) -> u64 {
    let plans = ones(mask).flat_map(|component| layout.fields(component));
    plans
        .zip(old.iter().zip(new))
        .fold(0, |mask, (plan, (old, new))| {
            mask << 1 | u64::from(old.abs_diff(*new) > plan.threshold)
        })
}

/// Writes the entities of one section.
#[derive(Clone, Default, Debug)]
pub(crate) struct SectionWriter {
    bits: BitWriter,
    count: u32,
    stencils: Stencils,
    /// Kept to reuse its memory.
    changed: Vec<Changed>,
}

impl SectionWriter {
    pub fn clear(&mut self) {
        self.bits.clear();
        self.count = 0;
    }

    #[inline]
    pub fn push<T>(&mut self, write: impl FnOnce(&mut BitWriter) -> T) -> T {
        self.count += 1;
        write(&mut self.bits)
    }

    fn create(&mut self, layout: &Layout, row: Row<'_>) {
        self.count += 1;
        let Row { id, mask, codes } = row;
        let shape = Shape {
            components: mask,
            values: full_mask(codes.len().min(64)),
        };
        let (stencils, bits) = (&mut self.stencils, &mut self.bits);
        if codes.len() > 64 || !stencils.write(layout, true, shape, (id, codes), bits) {
            write_create(layout, row, bits);
        }
    }

    /// Writes the entities that have changes.
    #[inline(never)]
    fn update(&mut self, layout: &Layout, run: &Run<'_>) {
        let mut moved = false;
        for (new, old) in run.iter() {
            // Entities of the same kind move or rest together. For one that moves, finding the
            // fields is enough; for one that rests, seeing that nothing changed is faster.
            moved = moved || differ(old, new.codes);
            if !moved {
                continue;
            }
            if layout.has_thresholds || new.codes.len() > 64 {
                moved = self.update_other(layout, new, old);
                continue;
            }
            let values = differing(old, new.codes);
            moved = values != 0;
            if moved {
                self.write(layout, new, values);
            }
        }
    }

    /// Writes some values of an entity that has no more than 64.
    #[inline(always)]
    fn write(&mut self, layout: &Layout, row: Row<'_>, values: u64) {
        self.count += 1;
        let shape = Shape {
            components: row.mask,
            values,
        };
        let (stencils, bits) = (&mut self.stencils, &mut self.bits);
        if !stencils.write(layout, false, shape, (row.id, row.codes), bits) {
            write_values(layout, row, values, bits);
        }
    }

    /// Writes an entity that has thresholds, or more than 64 values, if it has changes.
    #[inline(never)]
    fn update_other(&mut self, layout: &Layout, new: Row<'_>, old: &[u64]) -> bool {
        if new.codes.len() <= 64 {
            let values = beyond_thresholds(layout, new.mask, old, new.codes);
            if values != 0 {
                self.write(layout, new, values);
            }
            return values != 0;
        }
        self.changed.clear();
        let mut first = 0;
        for component in ones(new.mask) {
            let range = first..first + layout.fields(component).len();
            first = range.end;
            let [old, new] =
                [old, new.codes].map(|codes| codes.get(range.clone()).unwrap_or_default());
            let mask = beyond_thresholds(layout, 1 << component, old, new);
            self.changed
                .extend((mask != 0).then_some((component, mask)));
        }
        if self.changed.is_empty() {
            return false;
        }
        self.count += 1;
        write_update(layout, new, &self.changed, &mut self.bits);
        true
    }

    /// Returns the number of entities, and their bytes.
    pub fn finish(&mut self) -> (u32, &[u8]) {
        (self.count, self.bits.aligned())
    }
}

/// The three sections of a packet under construction.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sections {
    pub destroys: SectionWriter,
    pub creates: SectionWriter,
    pub updates: SectionWriter,
}

impl Sections {
    pub fn clear(&mut self) {
        self.destroys.clear();
        self.creates.clear();
        self.updates.clear();
    }

    /// Assembles the packet and checks the limits.
    pub fn finish(
        &mut self,
        schema_hash: u64,
        tick: u32,
        kind: Kind,
        limits: &Limits,
        packet: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        let too_much = |limit, max, found| EncodeError::Limit { limit, max, found };
        let mut sections = 0;
        for (writer, tag, limit, max) in [
            (
                &mut self.destroys,
                Tag::Destroy,
                Limit::Destroys,
                limits.max_entities_destroy,
            ),
            (
                &mut self.creates,
                Tag::Create,
                Limit::Creates,
                limits.max_entities_create,
            ),
            (
                &mut self.updates,
                Tag::Update,
                Limit::Updates,
                limits.max_entities_update,
            ),
        ] {
            let (count, body) = writer.finish();
            if count == 0 {
                continue;
            }
            if count as usize > max {
                return Err(too_much(limit, max, count as usize));
            }
            sections += 1;
            let bytes = varuint_len(count) + body.len();
            if bytes > limits.max_section_bytes {
                let max = limits.max_section_bytes;
                return Err(too_much(Limit::SectionBytes, max, bytes));
            }
            push_section(packet, tag, count, body);
        }
        if sections > limits.max_sections {
            return Err(too_much(Limit::Sections, limits.max_sections, sections));
        }
        if packet.len() > limits.max_packet_bytes {
            let max = limits.max_packet_bytes;
            return Err(too_much(Limit::PacketBytes, max, packet.len()));
        }
        Header {
            kind,
            schema_hash,
            tick,
        }
        .write(packet);
        Ok(())
    }
}
