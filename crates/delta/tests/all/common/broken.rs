//! Handmade packets that break one rule each, for the tests of the rules and for the conformance
//! cases.

use gametape_delta::bits::BitWriter;
use gametape_delta::{Kind, Snapshot};

use super::{Parts, published};

/// A packet that must be refused.
pub struct Broken {
    pub name: &'static str,
    pub why: &'static str,
    pub code: &'static str,
    pub offset: usize,
    /// Whether it is a delta, applied to the published baseline; full snapshots are applied to
    /// nothing.
    pub delta: bool,
    pub packet: Vec<u8>,
    /// Whether lenient decoders accept it, like the oracle.
    pub lenient: bool,
    /// The expected `Error::is_truncated`.
    pub truncated: bool,
}

const CREATE: u8 = 1;
const DESTROY: u8 = 2;
const UPDATE: u8 = 3;

pub fn full() -> Parts {
    Parts::new(published::schema().hash(), Kind::Full, 3)
}

pub fn delta(tick: u32) -> Parts {
    let kind = Kind::Delta { baseline: 1 };
    Parts::new(published::schema().hash(), kind, tick)
}

fn patched(parts: &Parts, at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut packet = parts.build();
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    packet
}

/// Returns a packet with any bytes as its payload.
fn raw(parts: &Parts, payload: &[u8]) -> Vec<u8> {
    let mut packet = parts.header.clone();
    packet[24..28].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    packet.extend(payload);
    packet
}

/// Writes the head of an entity with these components of the published schema.
fn head(bits: &mut BitWriter, id: u32, mask: u64) {
    bits.u32(id);
    bits.write(mask, 2);
}

/// Component 1 with all its fields, 17 bits.
fn first_component(bits: &mut BitWriter) {
    bits.write(0b111, 3);
    bits.write(1, 1);
    bits.write(513, 10);
    bits.write(3, 5);
}

/// Returns all broken packets, except those that need larger packets, other limits or a caller's
/// mistake.
#[rustfmt::skip] // A case a line.
pub fn broken() -> Vec<Broken> {
    let mut all = Vec::new();
    let mut add = |name, code, offset, delta, packet, why| {
        all.push(Broken { name, why, code, offset, delta, packet, lenient: false, truncated: false, });
    };
    let hash = published::schema().hash();
    let one = || {
        full().section(CREATE, 1, |bits| {
            head(bits, 1, 0b10);
            first_component(bits);
        })
    };
    let destroy = |ids: &[u32]| {
        delta(3).section(DESTROY, ids.len() as u32, |bits| {
            for id in ids {
                bits.u32(*id);
            }
        })
    };

    // An update of a varuint, given as its bytes on the wire.
    let varuint = |value, width| {
        delta(3)
            .section(UPDATE, 1, |bits| {
                head(bits, 2, 0b01);
                bits.write(0b100, 3);
                bits.align();
                bits.write(value, width);
            })
            .build()
    };

    add("header-short", "delta.header", 27, false, full().build()[..27].to_vec(), "a header has 28 bytes");
    add("header-none", "delta.header", 0, false, vec![], "an empty packet is not a packet");
    add("magic", "delta.magic", 0, false, patched(&full(), 0, b"SDEC"), "the magic number is little-endian: CEDS");
    add("version-1", "delta.version", 4, false, patched(&full(), 4, &[1, 0]), "only version 0 is defined");
    add("flags-none", "delta.flags", 6, false, patched(&full(), 6, &[0, 0]), "neither FULL nor DELTA");
    add("flags-both", "delta.flags", 6, true, patched(&delta(3), 6, &[3, 0]), "FULL and DELTA at once");
    add("flags-reserved", "delta.flags", 6, false, patched(&full(), 6, &[1, 0x80]), "reserved bits are zero");
    add("schema-hash", "delta.schema-hash", 8, false, Parts::new(hash ^ 1, Kind::Full, 3).build(), "another schema");
    add("full-with-baseline", "delta.baseline-tick", 20, false, patched(&full(), 20, &[1, 0, 0, 0]), "a full snapshot has baseline tick 0");
    add("delta-without-baseline", "delta.baseline-tick", 20, true, patched(&delta(3), 20, &[0, 0, 0, 0]), "a delta has a baseline tick other than 0");
    add("tick-same", "delta.tick-order", 16, true, delta(1).build(), "a delta is after its baseline; the origin takes it all the same");
    add("tick-before", "delta.tick-order", 16, true, delta(0).build(), "a delta is after its baseline; the origin takes it all the same");
    add("payload-claims-more", "delta.payload-length", 24, false, patched(&full(), 24, &[1, 0, 0, 0]), "a byte of the payload is missing");
    add("payload-claims-less", "delta.payload-length", 24, false, patched(&one(), 24, &[9, 0, 0, 0]), "bytes follow the payload");
    add("payload-claims-4-gib", "delta.payload-length", 24, false, patched(&one(), 24, &[0xff; 4]), "the largest claim there is");
    add("create-limit", "delta.limit", 32, false, full().section(CREATE, 1025, |_| {}).build(), "1,025 creates; the default limit is 1,024");
    add("update-limit", "delta.limit", 32, true, delta(3).section(UPDATE, 2049, |_| {}).build(), "2,049 updates; the default limit is 2,048");
    add("destroy-limit", "delta.limit", 35, true, delta(3).section(DESTROY, u32::MAX, |_| {}).build(), "four billion destroys in a packet of 35 bytes");
    add("section-limit", "delta.limit", 29, true, raw(&delta(3), &[UPDATE, 0x81, 0x80, 0x02]), "a section of 32,769 bytes; the default limit is 32,768");
    add("section-claims-4-gib", "delta.limit", 29, true, raw(&delta(3), &[UPDATE, 0xff, 0xff, 0xff, 0xff, 0x0f]), "the largest claim there is");
    add("tag-0", "delta.unknown-section", 28, true, raw(&delta(3), &[0, 0]), "tags are 1 to 3");
    add("tag-4", "delta.unknown-section", 28, false, raw(&full(), &[4, 0]), "version 0 has no tag 4");
    add("full-with-update", "delta.unexpected-section", 28, false, full().section(UPDATE, 0, |_| {}).build(), "a full snapshot has one CREATE section at most");
    add("full-with-destroy", "delta.unexpected-section", 31, false, full().section(CREATE, 0, |_| {}).section(DESTROY, 0, |_| {}).build(), "a full snapshot has one CREATE section at most");
    add("two-sections", "delta.duplicate-section", 35, true, destroy(&[9]).section(DESTROY, 0, |_| {}).build(), "each section is there once");
    add("full-two-creates", "delta.duplicate-section", 31, false, full().section(CREATE, 0, |_| {}).section(CREATE, 0, |_| {}).build(), "each section is there once");
    add("section-length", "delta.section-length", 29, true, raw(&delta(3), &[DESTROY, 6, 1, 9, 0, 0, 0]), "the section claims 6 bytes, 5 are left");
    add("count", "delta.count", 31, true, raw(&delta(3), &[DESTROY, 5, 2, 9, 0, 0, 0]), "two entities in four bytes");
    add("tag-only", "delta.truncated", 29, true, raw(&delta(3), &[DESTROY]), "a section without its length");
    add("section-empty", "delta.truncated", 30, true, raw(&delta(3), &[DESTROY, 0]), "a section without its count");
    add("mask-cut", "delta.truncated", 35, false, full().section(CREATE, 1, |bits| bits.u32(1)).build(), "an entity without its component mask");
    add("value-cut", "delta.truncated", 35, false, full().section(CREATE, 1, |bits| { head(bits, 1, 0b10); bits.write(0b1111, 4); }).build(), "the section ends within a value of 10 bits");
    add("varuint-cut", "delta.truncated", 37, true, varuint(0x80, 8), "the section ends within a varuint");
    add("length-33-bits", "delta.varuint-too-long", 29, true, raw(&delta(3), &[DESTROY, 0x85, 0x80, 0x80, 0x80, 0x10, 1, 9, 0, 0, 0]), "a length with a bit above the 32nd, which the origin drops");
    add("count-6-bytes", "delta.varuint-too-long", 30, true, raw(&delta(3), &[DESTROY, 10, 0x81, 0x80, 0x80, 0x80, 0x80, 0, 9, 0, 0, 0]), "a count of 6 bytes");
    add("value-33-bits", "delta.varuint-too-long", 36, true, varuint(0xff_ffff_ff1f, 40), "a varuint with a bit above the 32nd, which the origin drops");
    add("length-not-minimal", "delta.varuint-not-minimal", 29, true, raw(&delta(3), &[DESTROY, 0x85, 0, 1, 9, 0, 0, 0]), "5 in two bytes; the origin takes it");
    add("count-not-minimal", "delta.varuint-not-minimal", 30, true, raw(&delta(3), &[DESTROY, 6, 0x81, 0, 9, 0, 0, 0]), "1 in two bytes; the origin takes it");
    add("value-not-minimal", "delta.varuint-not-minimal", 36, true, varuint(0x8000, 16), "0 in two bytes; the origin takes it");
    add("padding-end", "delta.padding", 37, false, { let mut packet = one().build(); *packet.last_mut().unwrap() |= 1; packet }, "padding at the end of a section is zero; the origin does not look");
    add("padding-varuint", "delta.padding", 35, true, delta(3).section(UPDATE, 1, |bits| { head(bits, 2, 0b01); bits.write(0b100_001, 6); bits.varuint(7); }).build(), "padding before a varuint is zero; the origin does not look");
    add("trailing-data", "delta.trailing-data", 35, true, delta(3).section(DESTROY, 1, |bits| { bits.u32(9); bits.write(0, 8); }).build(), "a byte after the last entity");
    add("order", "delta.entity-order", 35, true, destroy(&[9, 1]).build(), "ids ascend");
    add("destroy-twice", "delta.entity-order", 35, true, destroy(&[1, 1]).build(), "an id is there once");
    add("create-twice", "delta.entity-order", 38, false, full().section(CREATE, 2, |bits| { for _ in 0..2 { head(bits, 7, 0b10); first_component(bits); } }).build(), "an id is there once");
    add("empty-field-mask", "delta.empty-field-mask", 35, true, delta(3).section(UPDATE, 1, |bits| { head(bits, 1, 0b10); bits.write(0, 3); }).build(), "an update names a component but none of its fields");
    add("missing-field", "delta.missing-field", 35, false, full().section(CREATE, 1, |bits| { head(bits, 1, 0b10); bits.write(0b101, 3); bits.write(1, 1); bits.write(3, 5); }).build(), "a new component without its second field");
    add("fixed-point-above", "delta.value", 35, true, delta(3).section(UPDATE, 1, |bits| { head(bits, 2, 0b01); bits.write(0b001, 3); bits.write(2001, 11); }).build(), "2,001 above -1,000 is more than 1,000");
    add("baseline-mismatch", "delta.baseline-mismatch", 20, true, patched(&delta(3), 20, &[2, 0, 0, 0]), "the delta is based on tick 2, the state held is of tick 1");
    add("destroy-unknown", "delta.entity-not-found", 35, true, destroy(&[7]).build(), "there is no entity 7");
    add("update-unknown", "delta.entity-not-found", 35, true, delta(3).section(UPDATE, 1, |bits| { head(bits, 7, 0); }).build(), "there is no entity 7");
    add("update-destroyed", "delta.entity-not-found", 42, true, destroy(&[9]).section(UPDATE, 1, |bits| { head(bits, 9, 0); }).build(), "entity 9 is destroyed by the same packet");
    add("create-existing", "delta.entity-exists", 35, true, delta(3).section(CREATE, 1, |bits| { head(bits, 2, 0); }).build(), "entity 2 is there and not destroyed by this packet");
    add("component-unknown", "delta.component-not-found", 35, true, delta(3).section(UPDATE, 1, |bits| { head(bits, 1, 0b01); bits.write(0b100, 3); bits.varuint(7); }).build(), "entity 1 has no component 2");
    add("delta-as-full", "delta.kind", 6, false, delta(3).build(), "a delta where no state is held");
    add("full-as-delta", "delta.kind", 6, true, full().build(), "a full snapshot to be applied as a delta");

    for case in &mut all {
        case.lenient = matches!(case.code, "delta.padding" | "delta.varuint-not-minimal" | "delta.tick-order");
        let claims_more = case.name == "payload-claims-more" || case.name == "payload-claims-4-gib";
        case.truncated = claims_more
            || matches!(case.code, "delta.header" | "delta.section-length" | "delta.count" | "delta.truncated");
    }
    all
}

/// Returns the baseline of the deltas.
pub fn baseline() -> Snapshot {
    published::first()
}
