//! The origin implementation, sdec-codec 0.5.0: its JSON, its demo, and what is beyond it. That both write
//! the same bytes and read the same packets is the promise of the fuzz check `delta_origin`.

use crate::common::{Parts, demo, form, sdec_schema};
use gametape_delta::{Change, Codec, Component, Decoder, Encoder, Field, Schema, Snapshot};

/// A schema as JSON is that of the origin, for every codec.
#[test]
fn schemas_have_one_json() {
    let fixed = Codec::FixedPoint {
        min_q: -5,
        max_q: 900,
        scale: 100,
    };
    let codecs = [
        Codec::Bool,
        Codec::UInt { bits: 64 },
        Codec::SInt { bits: 7 },
        Codec::VarUInt,
        Codec::VarSInt,
        fixed,
    ];
    let fields: Vec<Field> = (1..)
        .zip(codecs)
        .map(|(id, codec)| Field::new(id, codec))
        .collect();
    let within: Vec<Field> = fields
        .iter()
        .map(|field| field.clone().threshold(40))
        .collect();
    assert_eq!(within[0].change, Change::Threshold { threshold_q: 40 });
    let schema = Schema::new([Component::new(9, fields), Component::new(300, within)]).unwrap();
    let theirs = form::schema(&schema);
    let (ours_json, theirs_json) = (
        serde_json::to_string(&schema).unwrap(),
        serde_json::to_string(&theirs).unwrap(),
    );
    assert_eq!(ours_json, theirs_json);
    assert_eq!(
        serde_json::from_str::<Schema>(&theirs_json).unwrap(),
        schema
    );
    let read: sdec_schema::Schema = serde_json::from_str(&ours_json).unwrap();
    assert_eq!(read, theirs);
}

/// Our arithmetic works beyond the range of the oracle's.
#[test]
fn bounds_as_wide_as_an_i64_keep_their_values() {
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
    let mut from = Snapshot::new(&schema, 1);
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
    let mut packet = Vec::new();
    Encoder::new(&schema)
        .delta(&from, &to, &mut packet)
        .unwrap();
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
        assert_eq!(&Parts::of(packet).build(), packet);
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
