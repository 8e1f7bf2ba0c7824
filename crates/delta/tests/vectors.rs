//! The published vectors of the specification's notes.
use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Snapshot, Value::*};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn schema() -> Schema {
    Schema::new([
        Component::new(
            1,
            [
                Field::new(1, Codec::Bool),
                Field::new(2, Codec::UInt { bits: 10 }),
                Field::new(3, Codec::SInt { bits: 5 }),
            ],
        ),
        Component::new(
            2,
            [
                Field::new(1, Codec::VarUInt),
                Field::new(2, Codec::VarSInt),
                Field::new(
                    3,
                    Codec::FixedPoint {
                        min_q: -1000,
                        max_q: 1000,
                        scale: 100,
                    },
                )
                .threshold(5),
            ],
        ),
    ])
    .unwrap()
}

#[test]
fn vectors() {
    let schema = schema();
    assert_eq!(schema.hash(), 0x6ceb_7ed0_c1d5_257d);
    assert_eq!(
        Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])])
            .unwrap()
            .hash(),
        0x32f5_a224_657b_ee15
    );
    let mut first = Snapshot::new(&schema, 1);
    first
        .insert(1)
        .unwrap()
        .set(1, &[Bool(true), UInt(513), SInt(-3)])
        .unwrap();
    first
        .insert(9)
        .unwrap()
        .set(1, &[Bool(false), UInt(0), SInt(0)])
        .unwrap();
    first
        .insert(2)
        .unwrap()
        .set(2, &[VarUInt(300), VarSInt(-2), FixedPoint(-1000)])
        .unwrap()
        .set(1, &[Bool(false), UInt(7), SInt(4)])
        .unwrap();
    let mut packet = Vec::new();
    let mut encoder = Encoder::new(&schema);
    encoder.full(&first, &mut packet).unwrap();
    let expected = hex(
        "43454453000001007d25d5c1d07eeb6c01000000000000001d000000011b0301000000be01e802000000f80727ac0203000009000000b80000",
    );
    assert_eq!(packet, expected);
    let decoder = Decoder::new(&schema);
    let mut state = Snapshot::new(&schema, 0);
    decoder.full(&packet, &mut state).unwrap();
    assert_eq!(state, first);

    let mut third = first.clone();
    third.set_tick(3);
    third.remove(9);
    third
        .insert(5)
        .unwrap()
        .set(1, &[Bool(true), UInt(1), SInt(-16)])
        .unwrap()
        .set(2, &[VarUInt(0), VarSInt(0), FixedPoint(1000)])
        .unwrap();
    third
        .entity_mut(1)
        .unwrap()
        .set_value(1, 2, UInt(514))
        .unwrap();
    third
        .entity_mut(2)
        .unwrap()
        .set_value(2, 1, VarUInt(301))
        .unwrap()
        .set_value(2, 3, FixedPoint(-995))
        .unwrap();
    encoder.delta(&first, &third, &mut packet).unwrap();
    assert_eq!(
        packet,
        hex(
            "43454453000002007d25d5c1d07eeb6c03000000010000002500000002050109000000010c0105000000fc01870000fa00030e020100000094040200000060ad02"
        )
    );
    decoder.delta(&first, &packet, &mut state).unwrap();
    gametape_delta::settle(&first, &mut third);
    assert_eq!(state, third);
    let read = decoder.packet(&packet).unwrap();
    let mut again = Vec::new();
    encoder.packet(&read, &mut again).unwrap();
    assert_eq!(again, packet);
}
