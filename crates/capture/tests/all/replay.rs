//! Applying packets one after the other, within limits, and migrating them to another schema.

use crate::common::{next_schema, schema, small, stream, world};
use gametape_capture::{DeltaFile, MAX_STATE_BYTES, Migrated, Packets, Role, Writer, migrate};
use gametape_delta::wire::Header;
use gametape_delta::{Codec, Component, Encoder, Entity, Field, Kind, Schema, Snapshot};

#[test]
fn states_that_all_stay_needed_are_let_go_at_a_limit() {
    // At the end, one more packet builds on every state.
    let mut encoder = Encoder::new(&schema());
    let states: Vec<Snapshot> = (1..=200).map(|tick| world(tick, 20)).collect();
    let mut bytes = Vec::new();
    let mut packet = Vec::new();
    for (at, state) in states.iter().enumerate() {
        if at == 0 {
            encoder.full(state, &mut packet).unwrap();
        } else {
            encoder.delta(&states[at - 1], state, &mut packet).unwrap();
        }
        bytes.extend_from_slice(&packet);
    }
    for (at, tick) in (201..).take(199).enumerate() {
        encoder
            .delta(&states[at], &world(tick, 20), &mut packet)
            .unwrap();
        bytes.extend_from_slice(&packet);
    }
    let packets = Packets::Delta(DeltaFile::new(&bytes, schema()));
    let run = |limit| {
        let mut replay = packets.replay().unwrap().max_state_bytes(limit);
        let mut cursor = packets.cursor();
        let (mut applied, mut too_many) = (0, 0);
        while let Some(packet) = cursor.next_packet().unwrap() {
            match replay.apply(&packet) {
                Ok(_) => applied += 1,
                Err(error) if error.code() == "capture.limit" => too_many += 1,
                Err(other) => panic!("{other}"),
            }
        }
        (applied, too_many)
    };
    assert_eq!(run(MAX_STATE_BYTES), (399, 0));
    let (applied, too_many) = run(30_000);
    assert_eq!(applied + too_many, 399);
    assert!(too_many > 100);
}

/// A few bytes of a packet may stand for a large state; the limit is checked before anything is
/// allocated.
#[test]
fn a_state_far_larger_than_its_packet_is_refused() {
    let nothing = Codec::FixedPoint {
        min_q: 1,
        max_q: 1,
        scale: 1,
    };
    let component = |id: u16| {
        let fields: Vec<_> = (1..=64).map(|id| Field::new(id, nothing)).collect();
        Component::new(id, fields)
    };
    let components: Vec<_> = (1..=64).map(component).collect();
    let schema = Schema::new(components).unwrap();
    // A section of 40,000 entities that contains only their number.
    let section = [1, 6 * 4, 0xc0, 0xb8, 0x02];
    let header = Header {
        kind: Kind::Full,
        schema_hash: schema.hash(),
        tick: 1,
    };
    let mut packet = header.to_bytes(26).to_vec();
    packet.extend(section);
    packet.resize(28 + 26, 0);
    let packets = Packets::Delta(DeltaFile::new(&packet, schema));
    let mut replay = packets.replay().unwrap();
    let mut cursor = packets.cursor();
    let packet = cursor.next_packet().unwrap().unwrap();
    assert_eq!(replay.apply(&packet).unwrap_err().code(), "delta.limit");
}

fn full(packets: &Packets<'_>) -> usize {
    let mut cursor = packets.cursor();
    let roles = std::iter::from_fn(|| cursor.next_packet().unwrap().map(|packet| packet.role));
    roles.filter(|role| *role == Role::Keyframe).count()
}

#[test]
fn a_recording_is_migrated_state_by_state() {
    let (packets, states) = stream(40, 8, 15, 4);
    let file = packets.concat();
    let packets = Packets::Delta(DeltaFile::new(&file, schema()));
    let mut writer = Writer::new(Vec::new(), &next_schema(), small()).unwrap();
    let mut bare = Vec::new();
    let done = migrate(&packets, &next_schema(), |packet| {
        assert_eq!(packet.times, None);
        bare.extend_from_slice(packet.bytes);
        writer.push(packet.bytes).map(|_| ())
    });
    let expected = Migrated {
        packets: 40,
        losses: vec!["component 2".to_owned()],
    };
    assert_eq!(done.unwrap(), expected);
    let capture = writer.finish().unwrap();
    for migrated in [
        Packets::Capture(Box::new(gametape_capture::read(&capture).unwrap())),
        Packets::Delta(DeltaFile::new(&bare, next_schema())),
    ] {
        for state in &states {
            let found = migrated.state_at(state.tick()).unwrap();
            assert_eq!(found.ids(), state.ids());
            for (a, b) in state.iter().zip(found.iter()) {
                let number = |entity: &Entity<'_>, field| entity.value(1, field).unwrap().as_i128();
                // The result is exact in spite of the threshold.
                assert_eq!(number(&b, 1), number(&a, 1) * 10);
                assert_eq!(number(&b, 2), number(&a, 2));
                assert_eq!(number(&b, 3), number(&a, 3));
                assert_eq!(number(&b, 7), 0);
            }
        }
        assert_eq!(full(&migrated), full(&packets));
    }
}
