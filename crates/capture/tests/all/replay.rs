//! Applying packets one after the other, within limits.

use crate::common::{schema, world};
use gametape_capture::{DeltaFile, MAX_STATE_BYTES, Packets};
use gametape_delta::wire::Header;
use gametape_delta::{Codec, Component, Encoder, Field, Kind, Schema, Snapshot};

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
