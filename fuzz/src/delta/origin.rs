//! Compares the codec with that of the origin.

use gametape_delta::{Change, Codec, Decoder, Encoder, Kind, ReadOptions, Rule, Schema, Snapshot};
use gametape_testkit::delta::{Oracle, form, sdec_schema};

use super::structured::{Script, edit, mutate, schema, state};

/// Compares states of any schema with the origin's codec, sdec-codec 0.5.0.
///
/// The schema has the same hash. If the origin can encode a state, the bytes are the same; it
/// decodes our packets to the same state. It accepts packets with a few changed bytes if our
/// lenient reader does, with the same resulting state, except for varuints of more than 32 bits:
/// the origin drops the excess bits.
pub fn delta_origin(data: &[u8]) {
    let mut script = Script::new(data);
    let schema = within_its_reach(&schema(&mut script));
    let mut origin = Oracle::with_default_limits(&schema);
    origin.limits.max_section_bytes = origin.wire.max_section_len;
    assert_eq!(sdec_schema::schema_hash(&origin.schema), schema.hash());

    let mut baseline = state(&mut script, &schema, 1, 10);
    baseline.set_tick(script.word::<u32>().clamp(1, u32::MAX - 1));
    let mut target = baseline.clone();
    target.set_tick(baseline.tick() + 1);
    edit(&mut script, &mut target);

    let mut encoder = Encoder::new(&schema);
    let (mut full, mut delta) = (Vec::new(), Vec::new());
    if encoder.full(&target, &mut full).is_err() {
        // The schema has thousands of fields.
        return;
    }
    assert_eq!(origin.encode_full(&target).ok().as_ref(), Some(&full));
    if encoder.delta(&baseline, &target, &mut delta).is_err() {
        return;
    }
    let kept = |state: &Snapshot, other: &Snapshot| {
        state.iter().all(|entity| {
            let Some(other) = other.entity(entity.id()) else {
                return true;
            };
            let ids = |entity: gametape_delta::Entity<'_>| {
                entity
                    .components()
                    .map(|part| part.id())
                    .collect::<Vec<_>>()
            };
            ids(entity) == ids(other)
        })
    };
    match origin.encode_delta(&baseline, &target) {
        Ok(packet) => assert_eq!(packet, delta),
        // A component of a live entity is added or removed, which the origin cannot express.
        Err(_) => assert!(!kept(&baseline, &target), "the origin refuses it"),
    }
    for packet in [&full, &delta] {
        assert!(
            same_verdict(&origin, &schema, &baseline, packet),
            "it is sound"
        );
    }
    let mut changes = 0;
    while !script.is_empty() && changes < 8 {
        changes += 1;
        let mut packet = match script.byte() & 3 {
            0 => full.clone(),
            _ => delta.clone(),
        };
        for _ in 0..=script.byte() & 1 {
            mutate(&mut script, &mut packet);
        }
        same_verdict(&origin, &schema, &baseline, &packet);
    }
}

/// The schema without the fields on which the origin's arithmetic overflows: where overflow is
/// checked, as here, it panics. These fields become 64 plain bits.
fn within_its_reach(schema: &Schema) -> Schema {
    let mut components = schema.components().to_vec();
    for field in components.iter_mut().flat_map(|c| &mut c.fields) {
        if !is_within_its_reach(field.codec, field.change) {
            field.codec = Codec::UInt { bits: 64 };
        }
    }
    Schema::new(components).expect("as sound as before")
}

fn is_within_its_reach(codec: Codec, change: Change) -> bool {
    let threshold = matches!(change, Change::Threshold { .. });
    match codec {
        // The origin computes the difference of two values, and subtracts from a negative value of
        // 63 bits.
        Codec::SInt { bits } => bits < 63 || (bits == 64 && !threshold),
        // The range, and the smallest value plus the largest number with as many bits as the range.
        Codec::FixedPoint { min_q, max_q, .. } => max_q.checked_sub(min_q).is_some_and(|range| {
            let bits = 64 - range.leading_zeros();
            let most = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            min_q.checked_add(most as i64).is_some()
        }),
        _ => true,
    }
}

/// Asserts the same verdict of both; returns true if both accept the packet.
fn same_verdict(origin: &Oracle, schema: &Schema, baseline: &Snapshot, packet: &[u8]) -> bool {
    let decoder = Decoder::with_options(schema, ReadOptions::lenient());
    let header = gametape_delta::Header::read(packet);
    let is_full = header.is_ok_and(|(header, _)| header.kind == Kind::Full);
    let mut ours = Snapshot::new(schema, 0);
    let (result, theirs) = if is_full {
        (decoder.full(packet, &mut ours), origin.decode(None, packet))
    } else {
        let theirs = origin.decode(Some(&form::state(baseline)), packet);
        (decoder.delta(baseline, packet, &mut ours), theirs)
    };
    match (result, theirs) {
        (Ok(()), Ok(theirs)) => {
            assert_eq!(form::state(&ours), theirs);
            true
        }
        (Err(_), Err(_)) => false,
        (Err(error), Ok(_)) if error.rule == Rule::VaruintTooLong => false,
        (Err(error), Ok(theirs)) => panic!("we say {error}, the origin reads {theirs:?}"),
        (Ok(()), Err(error)) => panic!("we read {ours:?}, the origin says {error}"),
    }
}
