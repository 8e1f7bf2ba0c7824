//! The origin, `murk-replay` 0.1.9, as an independent implementation.
//!
//! That each reads what the other writes, and that both refuse the same files in the same way, is the promise
//! of the fuzz check `murk_origin`. Where the origin errs (formats/murk.md, "Faults of the origin"), our
//! behaviour is right, and `faults` tests both.

mod faults;
mod limits;

use gametape_murk::{Envelope, SnapshotHasher, snapshot_hash};
use gametape_testkit::murk::{Body, Fields, Tape, Typed};
use murk_replay::codec::serialize_command;
use murk_replay::{BuildMetadata, Frame as OriginFrame, InitDescriptor, SerializedCommand};

/// The hash of a state that comes in pieces is that of the whole, and the origin's.
#[test]
fn a_state_in_pieces_has_one_hash() {
    // Runs of zeros and of others, of the lengths around whole blocks of 16.
    let lengths = [0, 1, 15, 16, 17, 31, 33, 64, 100];
    let field = |first: usize| -> Vec<f32> {
        let runs = lengths
            .iter()
            .cycle()
            .skip(first)
            .take(4)
            .zip([0.0, 1.0].iter().cycle());
        let values =
            runs.flat_map(|(length, scale)| (0..*length).map(move |at| scale * (at as f32 - 7.5)));
        values.collect()
    };
    for first in 0..lengths.len() {
        let state = Fields(vec![Some(field(first)), None, Some(field(first + 3))]);
        let origin = state.origin_hash();
        assert_eq!(snapshot_hash(state.slices()), origin);
        for pieces in [&[1][..], &[7], &[16], &[39, 2], &[5, 16, 30]] {
            let mut hasher = SnapshotHasher::new();
            for mut values in state.slices() {
                hasher.field();
                for piece in pieces.iter().cycle() {
                    let (head, rest) = values.split_at((*piece).min(values.len()));
                    hasher.values(head);
                    values = rest;
                    if values.is_empty() {
                        break;
                    }
                }
            }
            assert_eq!(hasher.finish(), origin, "from {first} in {pieces:?}");
        }
    }
}

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
