//! Writes entities of CREATE and UPDATE sections.

use crate::bits::{BitBurst, BitWriter};
use crate::schema::{Fields, Form, Layout, Plan, full_mask, ones, zigzag};
use crate::snapshot::Row;

/// The index of a component in the schema, and the mask of its changed fields as on the wire: the
/// last field is the lowest bit.
pub(crate) type Changed = (usize, u64);

#[inline(always)]
pub(crate) fn write_mask(bits: &mut BitBurst<'_>, mask: u64, count: usize) {
    if count > 0 {
        bits.write(mask.reverse_bits() >> (64 - count), count as u32);
    }
}

#[inline(always)]
pub(crate) fn write_code(bits: &mut BitBurst<'_>, plan: &Plan, code: u64) {
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

/// Writes an entity of an UPDATE section, which may have no changed fields. `changed` returns the mask
/// of the changed fields, as on the wire, of a component whose values are the entity's first and those
/// after it.
#[inline(always)]
fn write_fields_of(
    layout: &Layout,
    new: Row<'_>,
    changed: impl Fn(usize, usize, usize) -> u64,
    bits: &mut BitWriter,
) {
    bits.entity(|bits| {
        bits.u32(new.id);
        // The components with changed fields are known after these are found.
        bits.write(0, layout.components() as u32);
        let mut mask = 0;
        let mut codes = new.codes;
        for component in ones(new.mask) {
            let first = new.codes.len() - codes.len();
            let (fields, own) = next_component(layout, component, &mut codes)?;
            let changed = changed(component, first, own.len());
            if changed != 0 {
                mask |= 1 << 63 >> component;
                write_fields(bits, fields, own, changed);
            }
        }
        Some(mask)
    });
}

/// Writes an entity of an UPDATE section, which may have no changed fields.
pub(crate) fn write_update(
    layout: &Layout,
    new: Row<'_>,
    changed: &[Changed],
    bits: &mut BitWriter,
) {
    let of = |component| changed.iter().find(|(at, _)| *at == component);
    let changed = |component, _, _| of(component).map_or(0, |(_, mask)| *mask);
    write_fields_of(layout, new, changed, bits);
}

/// Writes an entity of an UPDATE section with the values of a mask, of which the last one is the lowest
/// bit.
#[inline(never)]
pub(crate) fn write_values(layout: &Layout, new: Row<'_>, values: u64, bits: &mut BitWriter) {
    let count = new.codes.len();
    let changed =
        |_, first, own| values.unbounded_shr((count - first - own) as u32) & full_mask(own);
    write_fields_of(layout, new, changed, bits);
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
fn write_fields(bits: &mut BitBurst<'_>, fields: &Fields, codes: &[u64], mask: u64) {
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
fn write_all_fields(bits: &mut BitBurst<'_>, fields: &Fields, codes: &[u64]) {
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
fn write_words(bits: &mut BitBurst<'_>, [(word, width), (after, after_width)]: [(u64, u32); 2]) {
    bits.write(word, width);
    if after_width > 0 {
        bits.write(after, after_width);
    }
}

/// Writes the codes of a component, one after the other.
// `bits` comes and goes by value, because a reference would keep it out of registers everywhere.
#[inline(never)]
fn write_each<'a>(
    mut bits: BitBurst<'a>,
    fields: &Fields,
    codes: &[u64],
    mask: u64,
) -> BitBurst<'a> {
    for (at, (plan, code)) in fields.plans.iter().zip(codes).rev().enumerate().rev() {
        if mask >> at & 1 == 1 {
            write_code(&mut bits, plan, *code);
        }
    }
    bits
}
