//! Both directions with the origin implementation, sdec-codec 0.5.0.

use crate::common::{
    Oracle, Parts, Random, Scene, UNLIMITED, decode, demo, form, make_state, scenes, sdec_schema,
    spoil, step,
};
use gametape_delta::bits::BitReader;
use gametape_delta::{Decoder, Encoder, ReadOptions, Schema, Snapshot, settle};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Returns a full snapshot of the state.
fn full(schema: &Schema, state: &Snapshot) -> Vec<u8> {
    let mut packet = Vec::new();
    let mut encoder = Encoder::new(schema).limits(UNLIMITED);
    encoder.full(state, &mut packet).unwrap();
    packet
}

fn delta(schema: &Schema, from: &Snapshot, to: &Snapshot) -> Vec<u8> {
    let mut packet = Vec::new();
    let mut encoder = Encoder::new(schema).limits(UNLIMITED);
    encoder.delta(from, to, &mut packet).unwrap();
    packet
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn schemas_have_one_hash_and_one_json(Scene { schema, .. } in scenes(false)) {
        let theirs = form::schema(&schema);
        prop_assert_eq!(schema.hash(), sdec_schema::schema_hash(&theirs));
        let ours_as_json = serde_json::to_string(&schema).unwrap();
        let theirs_as_json = serde_json::to_string(&theirs).unwrap();
        prop_assert_eq!(&ours_as_json, &theirs_as_json);
        prop_assert_eq!(serde_json::from_str::<Schema>(&theirs_as_json).unwrap(), schema);
        prop_assert_eq!(serde_json::from_str::<sdec_schema::Schema>(&ours_as_json).unwrap(), theirs);
    }

    #[test]
    fn full_snapshots_are_the_same_bytes(Scene { schema, from: state, .. } in scenes(false)) {
        let oracle = Oracle::unlimited(&schema);
        let packet = full(&schema, &state);
        prop_assert_eq!(&packet, &oracle.encode_full(&state));
        prop_assert_eq!(oracle.decode(None, &packet).unwrap(), form::state(&state));
        let mut read = Snapshot::new(&schema, 0);
        Decoder::with_options(&schema, ReadOptions::strict().limits(UNLIMITED)).full(&packet, &mut read).unwrap();
        prop_assert_eq!(read, state);
    }

    #[test]
    fn deltas_are_the_same_bytes(Scene { schema, from, to } in scenes(false)) {
        let oracle = Oracle::unlimited(&schema);
        let packet = delta(&schema, &from, &to);
        prop_assert_eq!(&packet, &oracle.encode_delta(&from, &to).unwrap());
        let mut read = Snapshot::new(&schema, 0);
        Decoder::with_options(&schema, ReadOptions::strict().limits(UNLIMITED)).delta(&from, &packet, &mut read).unwrap();
        // Changes within a threshold are dropped on both sides.
        let mut settled = to.clone();
        settle(&from, &mut settled);
        prop_assert_eq!(&read, &settled);
        prop_assert_eq!(oracle.decode(Some(&form::state(&from)), &packet).unwrap(), form::state(&settled));
        // For a settled state, the packet is the same.
        prop_assert_eq!(delta(&schema, &from, &settled), packet);
    }

    /// The oracle cannot write these packets, but it can read ours.
    #[test]
    fn changes_of_components_reach_the_oracle(Scene { schema, from, to } in scenes(true)) {
        let oracle = Oracle::unlimited(&schema);
        let packet = delta(&schema, &from, &to);
        let read = oracle.decode(Some(&form::state(&from)), &packet).unwrap();
        let mut settled = to.clone();
        settle(&from, &mut settled);
        prop_assert_eq!(form::back(&schema, &read), settled);
        let moved = from.iter().any(|old| to.entity(old.id()).is_some_and(|new| {
            !old.components().map(|part| part.id()).eq(new.components().map(|part| part.id()))
        }));
        match oracle.encode_delta(&from, &to) {
            Ok(theirs) => { prop_assert!(!moved); prop_assert_eq!(theirs, packet); }
            Err(_) => prop_assert!(moved),
        }
    }

    /// Both decoders accept the same corrupted packets, with the same result.
    #[test]
    fn a_lenient_decoder_takes_what_the_oracle_takes(Scene { schema, from, to } in scenes(false), seed: u64) {
        let oracle = Oracle::with_default_limits(&schema);
        let strict = Decoder::new(&schema);
        let lenient = Decoder::with_options(&schema, ReadOptions::lenient());
        let full = full(&schema, &from);
        let delta = delta(&schema, &from, &to);
        let theirs_from = form::state(&from);
        let mut rng = Random(seed);
        let mut state = Snapshot::new(&schema, 0);
        let mut strict_state = Snapshot::new(&schema, 0);
        for round in 0..60 {
            let packet = spoil(if round % 4 == 0 { &full } else { &delta }, &mut rng);
            let (baseline, theirs_baseline) = if round % 4 == 0 { (None, None) } else { (Some(&from), Some(&theirs_from)) };
            let ours = decode(&lenient, baseline, &packet, &mut state);
            match (&ours, oracle.decode(theirs_baseline, &packet)) {
                (Ok(()), Ok(theirs)) => prop_assert_eq!(form::state(&state), theirs),
                (Err(_), Err(_)) => {}
                // The only intended difference: the oracle drops bits above the 32nd.
                (Err(error), Ok(_)) if drops_bits(error, &packet) => {}
                (ours, theirs) => prop_assert!(false, "ours {ours:?}, theirs {theirs:?}: {}", crate::common::hex(&packet)),
            }
            match decode(&strict, baseline, &packet, &mut strict_state) {
                Ok(()) => {
                    prop_assert!(ours.is_ok());
                    prop_assert_eq!(&strict_state, &state);
                }
                Err(error) => prop_assert!(
                    ours.is_err() || ["delta.padding", "delta.varuint-not-minimal", "delta.tick-order"].contains(&error.code()),
                    "{error}"
                ),
            }
        }
    }
}

/// Returns whether the error is a varuint whose fifth byte is its last but has bits above the 32nd.
/// In a section the error is at the end of the varuint, in the framing at its start.
fn drops_bits(error: &gametape_delta::Error, packet: &[u8]) -> bool {
    let at = error.offset();
    let too_much = |from: usize| {
        packet.get(from..from + 5).is_some_and(|bytes| {
            bytes[..4].iter().all(|byte| byte & 0x80 != 0) && (0x10..0x80).contains(&bytes[4])
        })
    };
    error.code() == "delta.varuint-too-long" && (too_much(at) || at >= 5 && too_much(at - 5))
}

/// Our arithmetic works beyond the range of the oracle's.
#[test]
fn bounds_as_wide_as_an_i64_keep_their_values() {
    use gametape_delta::{Codec, Component, Field};
    let codec = Codec::FixedPoint {
        min_q: i64::MIN,
        max_q: i64::MAX,
        scale: 1,
    };
    let fields = [
        Field::new(1, codec).threshold(u32::MAX),
        Field::new(2, Codec::SInt { bits: 64 }).threshold(7),
        Field::new(3, Codec::SInt { bits: 63 }).threshold(7),
    ];
    let schema = Schema::new([Component::new(1, fields)]).unwrap();
    let mut from = make_state(&schema, 1, 1, 0);
    let mut to = from.clone();
    to.set_tick(2);
    let ends = [i64::MIN, -1, 0, 1, i64::MAX];
    for (at, (old, new)) in ends.iter().flat_map(|a| ends.map(|b| (*a, b))).enumerate() {
        use gametape_delta::Value::{FixedPoint, SInt};
        let id = at as u32;
        from.entry(id)
            .set(1, &[FixedPoint(old), SInt(old), SInt(old >> 1)])
            .unwrap();
        to.entry(id)
            .set(1, &[FixedPoint(new), SInt(new), SInt(new >> 1)])
            .unwrap();
    }
    let packet = delta(&schema, &from, &to);
    let mut read = Snapshot::new(&schema, 0);
    Decoder::new(&schema)
        .delta(&from, &packet, &mut read)
        .unwrap();
    for (old, (new, read)) in from.iter().zip(to.iter().zip(read.iter())) {
        for field in [1, 2, 3] {
            let of = |entity: gametape_delta::Entity<'_>| entity.value(1, field).unwrap().as_i128();
            let threshold = if field == 1 { u32::MAX.into() } else { 7 };
            let sent = (of(new) - of(old)).abs() > threshold;
            assert_eq!(of(read), if sent { of(new) } else { of(old) });
        }
    }
}

/// A chain of thousands of ticks, in which each side reads the packets of the other.
#[test]
fn a_long_chain_stays_equal() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..8 {
        let schema = crate::common::schemas()
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let oracle = Oracle::unlimited(&schema);
        let decoder = Decoder::with_options(&schema, ReadOptions::strict().limits(UNLIMITED));
        let mut truth = make_state(&schema, 1, 7, 12);
        let mut held = truth.clone();
        let mut theirs = form::state(&truth);
        let mut read = Snapshot::new(&schema, 0);
        for tick in 2..100 {
            step(&mut truth, tick, false);
            truth.set_tick(tick as u32);
            let packet = oracle.encode_delta(&held, &truth).unwrap();
            assert_eq!(delta(&schema, &held, &truth), packet);
            decoder.delta(&held, &packet, &mut read).unwrap();
            theirs = oracle.decode(Some(&theirs), &packet).unwrap();
            std::mem::swap(&mut held, &mut read);
            assert_eq!(form::state(&held), theirs);
        }
    }
}

#[test]
fn the_demo_of_the_origin_is_read_and_written_byte_for_byte() {
    let Some((json, packets, last)) = demo() else {
        return;
    };
    let schema: Schema = serde_json::from_str(&json).unwrap();
    // Compare parsed JSON, because the origin's file is indented differently.
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_value(&schema).unwrap(), parsed);
    let theirs: sdec_schema::Schema = serde_json::from_str(&json).unwrap();
    assert_eq!(form::schema(&schema), theirs);
    assert_eq!(packets.len(), 60);

    let decoder = Decoder::new(&schema);
    let mut encoder = Encoder::new(&schema);
    let (mut held, mut state) = (Snapshot::new(&schema, 0), Snapshot::new(&schema, 0));
    let mut again = Vec::new();
    for (at, packet) in packets.iter().enumerate() {
        let read = decoder.packet(packet).unwrap();
        encoder.packet(&read, &mut again).unwrap();
        assert_eq!(&again, packet);
        if at == 0 {
            decoder.full(packet, &mut state).unwrap();
            encoder.full(&state, &mut again).unwrap();
        } else {
            decoder.delta(&held, packet, &mut state).unwrap();
            encoder.delta(&held, &state, &mut again).unwrap();
        }
        assert_eq!(&again, packet, "packet {at}");
        std::mem::swap(&mut held, &mut state);
    }
    let mut lines = vec![format!(
        "tick {} entities {} packets 60",
        held.tick(),
        held.len()
    )];
    for entity in held.iter() {
        for part in entity.components() {
            let values: Vec<_> = part.values().collect();
            lines.push(format!("{} {} {values:?}", entity.id(), part.id()));
        }
    }
    assert_eq!(lines, last.lines().collect::<Vec<_>>());
}

/// Other tests rely on `Parts` and the bit reader to corrupt packets.
#[test]
fn packets_taken_apart_go_together_again() {
    let Some((_, packets, _)) = demo() else {
        return;
    };
    for packet in packets {
        assert_eq!(Parts::of(&packet).build(), packet);
        let body = &Parts::of(&packet).sections[0].1;
        assert!(BitReader::new(body).varuint().unwrap() > 0);
    }
}
