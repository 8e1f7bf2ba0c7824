//! Encodes states as packets.

use alloc::vec::Vec;

use gametape_core::text::Hash;

use crate::bits::{BitWriter, Burst, varuint_len};
use crate::body::check_schema;
use crate::error::EncodeError;
use crate::limits::{Limit, Limits};
use crate::rule::Rule;
use crate::schema::{Fields, Form, Layout, Plan, Schema, full_mask, ones, zigzag};
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
        let thresholds = layout.has_thresholds;
        let mut moved = false;
        let (mut i, mut j) = (0, 0);
        loop {
            // Most entities are in both states, so handle them in runs.
            let mut run = 0;
            for (old, new) in baseline.rows.same_heads(i, &state.rows, j) {
                run += 1;
                // Entities of the same kind move or rest together. For one that moves, finding the
                // fields is enough; for one that rests, seeing that nothing changed is faster.
                moved = (moved || differ(old.codes, new.codes))
                    && sections
                        .updates
                        .push_if(|bits| write_changes(layout, thresholds, old, new, bits));
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

/// Returns the mask of the fields of a component that must be sent, as on the wire.
#[inline(always)]
fn changed_fields(plans: &[Plan], thresholds: bool, old: &[u64], new: &[u64]) -> u64 {
    if !thresholds {
        return differing(old, new);
    }
    let codes = old.iter().zip(new).zip(plans);
    codes.fold(0, |mask, ((old, new), plan)| {
        mask << 1 | u64::from(old.abs_diff(*new) > plan.threshold)
    })
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
    bits.entity(|bits| {
        bits.u32(row.id);
        write_mask(bits, row.mask, layout.components());
        let mut codes = row.codes;
        for component in ones(row.mask) {
            let (fields, own) = next_component(layout, component, &mut codes)?;
            write_all_fields(bits, fields, own);
        }
        Some(0)
    });
}

/// Writes an entity of an UPDATE section, which may have no changed fields.
#[inline]
pub(crate) fn write_update(
    layout: &Layout,
    new: Row<'_>,
    changed: &[Changed],
    bits: &mut BitWriter,
) {
    bits.entity(|bits| {
        bits.u32(new.id);
        bits.write(0, layout.components() as u32);
        let mut mask = 0;
        let (mut codes, mut changed) = (new.codes, changed);
        for component in ones(new.mask) {
            let [(at, fields_mask), rest @ ..] = changed else {
                break;
            };
            let (fields, own) = next_component(layout, component, &mut codes)?;
            if *at == component {
                mask |= 1 << 63 >> component;
                write_fields(bits, fields, own, *fields_mask);
                changed = rest;
            }
        }
        Some(mask)
    });
}

/// Writes an entity of an UPDATE section, unless nothing must be sent: then returns false. Both rows
/// must have the same components.
#[inline(always)]
fn write_changes(
    layout: &Layout,
    thresholds: bool,
    old: Row<'_>,
    new: Row<'_>,
    bits: &mut BitWriter,
) -> bool {
    bits.entity(|bits| {
        bits.u32(new.id);
        // Which components have changed fields is known after these are found.
        bits.write(0, layout.components() as u32);
        let mut mask = 0;
        let (mut old_codes, mut new_codes) = (old.codes, new.codes);
        for component in ones(new.mask) {
            let (fields, own) = next_component(layout, component, &mut new_codes)?;
            let (old, old_rest) = old_codes.split_at_checked(own.len())?;
            old_codes = old_rest;
            let changed = changed_fields(&fields.plans, thresholds, old, own);
            if changed != 0 {
                mask |= 1 << 63 >> component;
                write_fields(bits, fields, own, changed);
            }
        }
        (mask != 0).then_some(mask)
    })
}

/// Takes the codes of a component from the front.
#[inline(always)]
fn next_component<'a>(
    layout: &'a Layout,
    component: usize,
    codes: &mut &'a [u64],
) -> Option<(&'a Fields, &'a [u64])> {
    let fields = layout.component(component)?;
    let (own, rest) = codes.split_at_checked(fields.widths.len())?;
    *codes = rest;
    Some((fields, own))
}

/// Writes the mask of a component's fields, as it is on the wire, and their codes.
#[inline(always)]
fn write_fields(bits: &mut Burst<'_>, fields: &Fields, codes: &[u64], mask: u64) {
    let widths = fields.widths.as_slice();
    let count = codes.len();
    bits.write(mask, count as u32);
    let from_last = ones(mask).map_while(|place| {
        let at = count.wrapping_sub(place + 1);
        Some((widths.get(at)?, codes.get(at)?))
    });
    match two_words(from_last) {
        Some(words) if fields.fixed => write_words(bits, words),
        _ => *bits = write_each(bits.take(), fields, codes, mask),
    }
}

/// Like [`write_fields`], with all fields.
#[inline(always)]
fn write_all_fields(bits: &mut Burst<'_>, fields: &Fields, codes: &[u64]) {
    let mask = full_mask(codes.len());
    bits.write(mask, codes.len() as u32);
    match two_words(fields.widths.iter().zip(codes).rev()) {
        Some(words) if fields.fixed => write_words(bits, words),
        _ => *bits = write_each(bits.take(), fields, codes, mask),
    }
}

/// Puts codes together, from the last one, which is the lowest bits. Returns two words and their
/// widths; `None` if more are needed.
#[inline(always)]
fn two_words<'a>(
    codes: impl Iterator<Item = (&'a (u32, u64), &'a u64)>,
) -> Option<[(u64, u32); 2]> {
    let (mut word, mut width) = (0_u64, 0);
    let (mut after, mut after_width) = (0, 0);
    for ((bits, flip), code) in codes {
        if width + bits > 64 {
            if after_width > 0 {
                return None;
            }
            (after, after_width) = (word, width);
            (word, width) = (0, 0);
        }
        // A field of no bits may come after 64.
        word |= (code ^ flip).wrapping_shl(width);
        width += bits;
    }
    Some([(word, width), (after, after_width)])
}

#[inline(always)]
fn write_words(bits: &mut Burst<'_>, [(word, width), (after, after_width)]: [(u64, u32); 2]) {
    bits.write(word, width);
    if after_width > 0 {
        bits.write(after, after_width);
    }
}

/// Writes the codes of a component, one after the other.
// `bits` comes and goes by value, because a reference would keep it out of registers everywhere.
#[inline(never)]
fn write_each<'a>(mut bits: Burst<'a>, fields: &Fields, codes: &[u64], mask: u64) -> Burst<'a> {
    for (at, (plan, code)) in fields.plans.iter().zip(codes).rev().enumerate().rev() {
        if mask >> at & 1 == 1 {
            write_code(&mut bits, plan, *code);
        }
    }
    bits
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

    /// Like [`push`](Self::push), where `write` may find that there is nothing to write.
    #[inline(always)]
    fn push_if(&mut self, write: impl FnOnce(&mut BitWriter) -> bool) -> bool {
        let written = write(&mut self.bits);
        self.count += u32::from(written);
        written
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
