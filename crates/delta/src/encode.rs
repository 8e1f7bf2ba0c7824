//! Encodes states as packets.

use alloc::vec::Vec;

use gametape_core::text::Hash;

use crate::bits::{BitWriter, Burst, varuint_len};
use crate::body::check_schema;
use crate::error::EncodeError;
use crate::limits::{Limit, Limits};
use crate::rule::Rule;
use crate::schema::{Form, Layout, Plan, Schema, full_mask, ones, zigzag};
use crate::snapshot::{Row, Snapshot};
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
            self.sections
                .creates
                .push(|bits| write_create(layout, row, bits));
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
        let changed = &mut sections.changed;
        let thresholds = layout.has_thresholds;
        let (mut i, mut j) = (0, 0);
        loop {
            // Most entities are in both states, so handle them in runs.
            let run = baseline.rows.same_heads(i, &state.rows, j);
            for (old, new) in baseline
                .rows
                .range(i..i + run)
                .zip(state.rows.range(j..j + run))
            {
                if differ(old.codes, new.codes) && changes(layout, thresholds, old, new, changed) {
                    sections
                        .updates
                        .push(|bits| write_update(layout, new, changed, bits));
                }
            }
            (i, j) = (i + run, j + run);
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
                sections
                    .creates
                    .push(|bits| write_create(layout, new, bits));
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

/// The index of a component in the schema, and the mask of its changed fields as on the wire: the
/// last field is the lowest bit.
pub(crate) type Changed = (usize, u64);

/// Returns true if any of the codes differ; both slices must have the same length. For short slices
/// this is faster than `memcmp`.
#[inline(always)]
fn differ(old: &[u64], new: &[u64]) -> bool {
    old.iter()
        .zip(new)
        .fold(0, |bits, (old, new)| bits | (old ^ new))
        != 0
}

/// Collects the fields of an entity that must be sent, because they differ (or differ by more than
/// their threshold). Returns true if there are any. Both rows must have the same components.
#[inline]
pub(crate) fn changes(
    layout: &Layout,
    thresholds: bool,
    old: Row<'_>,
    new: Row<'_>,
    changed: &mut Vec<Changed>,
) -> bool {
    changed.clear();
    let (mut old_codes, mut new_codes) = (old.codes, new.codes);
    for component in ones(new.mask) {
        let plans = layout.fields(component);
        let (Some((old, old_rest)), Some((new, new_rest))) = (
            old_codes.split_at_checked(plans.len()),
            new_codes.split_at_checked(plans.len()),
        ) else {
            break;
        };
        (old_codes, new_codes) = (old_rest, new_rest);
        let codes = old.iter().zip(new);
        let mask = if thresholds {
            codes.zip(plans).fold(0, |mask, ((old, new), plan)| {
                mask << 1 | u64::from(old.abs_diff(*new) > plan.threshold)
            })
        } else {
            codes.fold(0, |mask, (old, new)| mask << 1 | u64::from(old != new))
        };
        if mask != 0 {
            changed.push((component, mask));
        }
    }
    !changed.is_empty()
}

#[inline(always)]
pub(crate) fn write_mask(bits: &mut Burst<'_>, mask: u64, count: usize) {
    if count > 0 {
        bits.write(mask.reverse_bits() >> (64 - count), count as u32);
    }
}

#[inline(always)]
pub(crate) fn write_code(bits: &mut Burst<'_>, plan: &Plan, code: u64) {
    match plan.form {
        Form::Bits { bits: count, flip } => bits.write(code ^ flip, count),
        Form::Varuint => bits.varuint(code as u32),
        Form::Zigzag => bits.varuint(zigzag(code)),
    }
}

/// Writes an entity of a CREATE section.
pub(crate) fn write_create(layout: &Layout, row: Row<'_>, bits: &mut BitWriter) {
    bits.burst(|bits| {
        bits.u32(row.id);
        write_mask(bits, row.mask, layout.components());
        let mut codes = row.codes;
        for component in ones(row.mask) {
            let plans = layout.fields(component);
            write_mask(bits, full_mask(plans.len()), plans.len());
            for (plan, code) in plans.iter().zip(codes) {
                write_code(bits, plan, *code);
            }
            codes = codes.get(plans.len()..).unwrap_or_default();
        }
    });
}

/// Writes an entity of an UPDATE section.
#[inline]
pub(crate) fn write_update(
    layout: &Layout,
    new: Row<'_>,
    changed: &[Changed],
    bits: &mut BitWriter,
) {
    bits.burst(|bits| {
        bits.u32(new.id);
        let components = layout.components();
        let mask = changed.iter().fold(0, |mask, (component, _)| {
            mask | 1 << (components - 1 - component)
        });
        bits.write(mask, components as u32);
        for &(component, fields) in changed {
            let plans = layout.fields(component);
            let offset = layout.offset(new.mask, component);
            let codes = new.codes.get(offset..).unwrap_or_default();
            bits.write(fields, plans.len() as u32);
            let mut left = fields << (64 - plans.len());
            while left != 0 {
                let field = left.leading_zeros();
                left &= !(1 << 63 >> field);
                let field = field as usize;
                if let (Some(plan), Some(code)) = (plans.get(field), codes.get(field)) {
                    write_code(bits, plan, *code);
                }
            }
        }
    });
}

/// Writes the entities of one section.
#[derive(Clone, Default, Debug)]
pub(crate) struct SectionWriter {
    bits: BitWriter,
    count: u32,
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
    pub changed: Vec<Changed>,
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
