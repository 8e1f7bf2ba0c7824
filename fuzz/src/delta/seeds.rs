//! Small inputs that reach deep into the code.

use std::sync::OnceLock;

use gametape_delta::{
    Codec, Component, Decoder, Encoder, Field, Header, Kind, Limits, Packet, Schema, Snapshot, Tag,
    settle,
};

use super::structured::{Script, edit, state};
use crate::noise;

/// The number of schemas that inputs can select.
pub const KNOWN: usize = 6;

/// The schema with a number, and a baseline with tick 7.
pub fn known(number: usize) -> (Schema, Snapshot) {
    static ALL: OnceLock<Vec<(Schema, Snapshot)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let noise = noise(KNOWN as u64, 200);
        let baseline = |(schema, noise): (Schema, &Vec<u8>)| {
            let mut script = Script::new(noise);
            let mut baseline = state(&mut script, &schema, 7, 5);
            // At least one entity with all components.
            for component in schema.components() {
                let values = super::structured::values(&mut script, component);
                let mut entity = baseline.entry(40);
                entity.set(component.id, &values).expect("values of it");
            }
            (schema, baseline)
        };
        schemas().into_iter().zip(&noise).map(baseline).collect()
    });
    all[number % KNOWN].clone()
}

fn schemas() -> [Schema; KNOWN] {
    let fixed = |min_q, max_q| Codec::FixedPoint {
        min_q,
        max_q,
        scale: 100,
    };
    let bools = |count| (1..=count).map(|id| Field::new(id, Codec::Bool));
    [
        // The schema of the published vectors.
        vec![
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
                    Field::new(3, fixed(-1000, 1000)).threshold(5),
                ],
            ),
        ],
        vec![Component::new(1, [Field::new(1, Codec::Bool)])],
        // The widest and the narrowest fields.
        vec![
            Component::new(
                9,
                [
                    Field::new(5, Codec::UInt { bits: 64 }).threshold(u32::MAX),
                    Field::new(4, Codec::SInt { bits: 64 }),
                    Field::new(3, fixed(i64::MIN, i64::MAX)),
                ],
            ),
            Component::new(3, [Field::new(1, fixed(-4, -4))]),
            Component::new(7, []),
        ],
        vec![
            Component::new(1, bools(64).collect::<Vec<_>>()),
            Component::new(2, [Field::new(1, Codec::UInt { bits: 63 })]),
        ],
        // Entities without components.
        vec![],
        (1..=64)
            .map(|id| Component::new(id, bools(id % 3).collect::<Vec<_>>()))
            .collect(),
    ]
    .map(|components| Schema::new(components).expect("sound"))
}

/// The number of [`packets`] that a strict reader can apply.
pub const SOUND: usize = 4 * KNOWN;

/// Packets of each known schema, each after the schema's number. The first [`SOUND`] can be
/// applied.
pub fn packets() -> Vec<Vec<u8>> {
    let mut sound = Vec::new();
    let mut broken = Vec::new();
    for (number, noise) in noise(KNOWN as u64, 120).iter().enumerate() {
        let (schema, baseline) = known(number);
        let mut encoder = Encoder::new(&schema);
        let decoder = Decoder::new(&schema);
        let mut target = baseline.clone();
        target.set_tick(9);
        let mut script = Script::new(noise);
        while target.same_entities(&baseline) {
            edit(&mut script, &mut target);
            target.entry(3000);
            target.remove(40);
            settle(&baseline, &mut target);
        }
        let mut bytes = Vec::new();
        let push = |to: &mut Vec<Vec<u8>>, packet: &[u8]| {
            to.push([&[number as u8], packet].concat());
        };
        encoder.full(&baseline, &mut bytes).expect("small");
        push(&mut sound, &bytes);
        encoder
            .delta(&baseline, &target, &mut bytes)
            .expect("small");
        push(&mut sound, &bytes);
        // The sections in another order, and one of them at a time.
        let mut packet = decoder.packet(&bytes).expect("it was encoded");
        packet.sections.reverse();
        encoder.packet(&packet, &mut bytes).expect("any order");
        push(&mut sound, &bytes);
        let only = Packet {
            header: packet.header,
            sections: packet
                .sections
                .iter()
                .filter(|section| section.tag != Tag::Update)
                .cloned()
                .collect(),
        };
        encoder.packet(&only, &mut bytes).expect("any of them");
        push(&mut sound, &bytes);
        // The same section twice; an undefined tag; an excessive claim.
        let mut twice = bytes.clone();
        twice.extend_from_slice(&bytes[28..]);
        push(&mut broken, &twice);
        let mut claim = bytes[..28].to_vec();
        claim.extend([3, 5, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        push(&mut broken, &claim);
        claim[28] = 4;
        push(&mut broken, &claim);
    }
    // These bits make the check repair their headers.
    for packet in &mut broken {
        packet[0] |= 8;
    }
    debug_assert_eq!(sound.len(), SOUND);
    sound.extend(broken);
    sound
}

/// Short packets that claim as much as possible, each after its schema's number.
pub fn claims() -> Vec<Vec<u8>> {
    let mut claims = Vec::new();
    for number in 0..KNOWN {
        let (schema, baseline) = known(number);
        for (tag, full) in [(1, true), (1, false), (2, false), (3, false)] {
            let header = Header {
                kind: if full {
                    Kind::Full
                } else {
                    Kind::Delta {
                        baseline: baseline.tick(),
                    }
                },
                schema_hash: schema.hash(),
                tick: 9,
            };
            for count in [7, 127, 1000, u32::MAX] {
                let mut body = vec![0; 28];
                let mut left = count;
                let at = (0..5)
                    .take_while(|at| {
                        let more = left >= 128;
                        body[*at] = (left & 127) as u8 | if more { 128 } else { 0 };
                        left >>= 7;
                        more
                    })
                    .count();
                // Ascending ids, as long as there are any.
                for (id, bytes) in body[at + 1..].chunks_exact_mut(4).enumerate() {
                    bytes[0] = id as u8;
                }
                let mut packet = vec![number as u8];
                packet.extend(header.to_bytes(2 + body.len() as u32));
                packet.extend([tag, body.len() as u8]);
                packet.extend(body);
                claims.push(packet);
            }
        }
    }
    claims
}

/// Full snapshots of thousands of entities with all components, without limits, each after its
/// schema's number.
pub fn large() -> Vec<Vec<u8>> {
    let large = |number: usize| {
        let (schema, mut state) = known(number);
        let codec = noise(1, 1000);
        let values: Vec<_> = {
            let mut script = Script::new(&codec[0]);
            let components = schema.components().iter();
            components
                .map(|c| (c.id, super::structured::values(&mut script, c)))
                .collect()
        };
        for id in 100..10_000 {
            let mut entity = state.entry(id);
            for (component, values) in &values {
                entity.set(*component, values).expect("values of it");
            }
        }
        let mut packet = Vec::new();
        let mut encoder = Encoder::new(&schema).limits(Limits::NONE);
        encoder.full(&state, &mut packet).expect("no limits");
        [&[number as u8][..], &packet].concat()
    };
    (0..KNOWN).map(large).collect()
}
