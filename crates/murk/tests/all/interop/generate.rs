//! Generated recordings, and fixed ones for the tests at every byte.

use gametape_murk::Envelope;
use gametape_testkit::murk::{Body, Fields, Tape, Typed};
use murk_replay::codec::serialize_command;
use murk_replay::{BuildMetadata, Frame as OriginFrame, InitDescriptor, SerializedCommand};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

pub fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(1 << 63),
        any::<u64>()
    ]
}

pub fn small() -> impl Strategy<Value = u32> {
    prop_oneof![0..4_u32, Just(u32::MAX), any::<u32>()]
}

/// Bits of an f32: every class, NaNs of both kinds and signs with payloads.
pub fn single() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0),
        Just(0x8000_0000),
        Just(0x7fc0_0000),
        Just(0x7f80_0001),
        Just(0x7f80_0000),
        (1..0x0080_0000_u32, any::<bool>())
            .prop_map(|(payload, negative)| 0x7f80_0000 | payload | u32::from(negative) << 31),
        (-4_i8..5).prop_map(|value| f32::from(value).to_bits()),
        any::<u32>(),
    ]
}

/// Bits of an f64, likewise.
pub fn double() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1 << 63),
        Just(0x7ff8_0000_0000_0000),
        Just(0xfff0_0000_0000_0001),
        Just(0x7ff0_0000_0000_0000),
        any::<u64>(),
    ]
}

pub fn coord() -> impl Strategy<Value = Vec<i32>> {
    let part = prop_oneof![Just(0), Just(i32::MIN), Just(i32::MAX), any::<i32>()];
    vec(part, 0..7)
}

pub fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        (number(), coord()).prop_map(|(id, to)| Body::Move(id, to)),
        (coord(), vec((small(), single()), 0..5)).prop_map(|(at, with)| Body::Spawn(at, with)),
        number().prop_map(Body::Despawn),
        (coord(), small(), single()).prop_map(|(at, field, bits)| Body::SetField(at, field, bits)),
        (small(), vec(any::<u8>(), 0..40)).prop_map(|(id, data)| Body::Custom(id, data)),
        (small(), double()).prop_map(|(key, bits)| Body::SetParameter(key, bits)),
        vec((small(), double()), 0..5).prop_map(Body::SetParameterBatch),
    ]
}

pub fn envelope() -> impl Strategy<Value = Envelope> {
    let source = || proptest::option::of(number());
    (any::<u8>(), source(), source(), number(), number()).prop_map(
        |(priority_class, source_id, source_seq, expires_after_tick, arrival_seq)| Envelope {
            priority_class,
            source_id,
            source_seq,
            expires_after_tick,
            arrival_seq,
        },
    )
}

pub fn typed() -> impl Strategy<Value = Typed> {
    (body(), envelope()).prop_map(|(body, envelope)| Typed { body, envelope })
}

/// A command as the origin stores it: typed, with bytes missing or added at the end, or of an
/// unknown type.
pub fn raw() -> impl Strategy<Value = SerializedCommand> {
    let whole = || typed().prop_map(|typed| serialize_command(&typed.origin()).unwrap());
    prop_oneof![
        4 => whole(),
        1 => (whole(), any::<Index>()).prop_map(|(mut command, at)| {
            let keep = at.index(command.payload.len() + 1);
            command.payload.truncate(keep);
            command
        }),
        1 => (whole(), vec(any::<u8>(), 1..9)).prop_map(|(mut command, after)| {
            command.payload.extend(after);
            command
        }),
        1 => (whole(), any::<u8>(), vec(any::<u8>(), 0..30)).prop_map(|(command, tag, payload)| {
            SerializedCommand { payload_type: tag, payload, ..command }
        }),
    ]
}

prop_compose! {
    pub fn header()(
        toolchain in any::<String>(),
        target_triple in any::<String>(),
        murk_version in any::<String>(),
        compile_flags in any::<String>(),
        seed in number(),
        config_hash in number(),
        field_count in small(),
        cell_count in number(),
        space_descriptor in vec(any::<u8>(), 0..40),
    ) -> (BuildMetadata, InitDescriptor) {
        (
            BuildMetadata { toolchain, target_triple, murk_version, compile_flags },
            InitDescriptor { seed, config_hash, field_count, cell_count, space_descriptor },
        )
    }
}

pub fn tape() -> impl Strategy<Value = Tape> {
    let frame =
        (number(), vec(raw(), 0..6), number()).prop_map(|(tick_id, commands, hash)| OriginFrame {
            tick_id,
            commands,
            snapshot_hash: hash,
        });
    (header(), vec(frame, 0..6)).prop_map(|((meta, init), frames)| Tape { meta, init, frames })
}

/// Values of a field: all classes, and long runs of zeros.
pub fn values() -> impl Strategy<Value = Vec<f32>> {
    let run = prop_oneof![
        (0..100_usize).prop_map(|zeros| vec![0; zeros]),
        vec(single(), 0..40),
        // Around whole blocks of 16.
        (1..4_usize, 0..3_usize)
            .prop_flat_map(|(blocks, off)| vec(single(), 16 * blocks + off - 1)),
    ];
    vec(run, 0..4).prop_map(|runs| runs.into_iter().flatten().map(f32::from_bits).collect())
}

pub fn fields() -> impl Strategy<Value = Fields<Vec<f32>>> {
    vec(proptest::option::weighted(0.9, values()), 0..4).prop_map(Fields)
}

// Fixed recordings for the tests at every byte.

pub fn build() -> BuildMetadata {
    BuildMetadata {
        toolchain: "1.95.0".into(),
        target_triple: "x86_64-unknown-linux-gnu".into(),
        murk_version: "0.1.9 – µ".into(),
        compile_flags: String::new(),
    }
}

pub fn init() -> InitDescriptor {
    InitDescriptor {
        seed: 42,
        config_hash: 0xdead_beef,
        field_count: 2,
        cell_count: 64,
        space_descriptor: vec![1, 2, 3],
    }
}

/// Every kind with every combination of sources; lists are empty and not.
pub fn every_kind() -> Vec<SerializedCommand> {
    let bodies = [
        Body::Move(7, vec![1, -2]),
        Body::Spawn(vec![3], vec![(0, 0x7fc0_0000), (1, 0x8000_0000)]),
        Body::Despawn(u64::MAX),
        Body::SetField(vec![4, 5], 1, 0x7f80_0001),
        Body::Custom(9, b"custom".to_vec()),
        Body::SetParameter(2, 1 << 63),
        Body::SetParameterBatch(vec![(0, 0), (u32::MAX, 0x7ff0_0000_0000_0001)]),
        Body::Move(0, vec![]),
        Body::Spawn(vec![], vec![]),
        Body::Custom(0, vec![]),
        Body::SetParameterBatch(vec![]),
    ];
    let sources = [
        (None, None),
        (Some(0), None),
        (None, Some(0)),
        (Some(1), Some(u64::MAX)),
    ];
    let mut arrival_seq = 0;
    let mut commands = Vec::new();
    for body in bodies {
        for (source_id, source_seq) in sources {
            arrival_seq += 1;
            let envelope = Envelope {
                priority_class: arrival_seq as u8,
                source_id,
                source_seq,
                expires_after_tick: u64::MAX - arrival_seq,
                arrival_seq,
            };
            let typed = Typed {
                body: body.clone(),
                envelope,
            };
            commands.push(serialize_command(&typed.origin()).unwrap());
        }
    }
    commands
}

/// Recordings with frames of all sizes, and ticks that rise, stay or fall.
pub fn specimens() -> Vec<Tape> {
    let frame = |tick_id, commands: &[SerializedCommand]| OriginFrame {
        tick_id,
        commands: commands.to_vec(),
        snapshot_hash: tick_id.wrapping_mul(0x9e37_79b9_7f4a_7c15),
    };
    let tape = |frames| Tape {
        meta: build(),
        init: init(),
        frames,
    };
    let all = every_kind();
    let unknown = SerializedCommand {
        payload_type: 200,
        payload: vec![9; 11],
        ..all[3].clone()
    };
    let mut trailing = all[15].clone();
    trailing.payload.extend([1, 2, 3]);
    let empty = SerializedCommand {
        payload: vec![],
        ..all[0].clone()
    };
    vec![
        tape(vec![]),
        tape(vec![frame(1, &[]), frame(2, &[]), frame(u64::MAX, &[])]),
        tape(
            all.chunks(9)
                .zip(1..)
                .map(|(commands, tick)| frame(tick, commands))
                .collect(),
        ),
        tape(vec![
            frame(5, &[unknown, trailing, empty]),
            frame(5, &[]),
            frame(3, &all[12..16]),
            frame(0, &[]),
        ]),
    ]
}
