//! The origin, `murk-replay` 0.1.9, as an independent implementation.
//!
//! We must read its output and write it again byte for byte, it must read our output, and both must
//! refuse the same files in the same way. Where it errs (formats/murk.md, "Faults of the origin"),
//! our behaviour is right, and `faults` tests both.

mod faults;
mod generate;
mod limits;

use gametape_murk::{
    CommandBuf, SnapshotHasher, Writer, config_hash, read, snapshot_hash, snapshot_hashes,
};
use gametape_testkit::murk::{
    End, Fields, Seen, Tape, Typed, same_typed, seen, seen_by_origin, seen_by_slice, stored,
};
use murk_replay::codec::{deserialize_command, serialize_command};
use murk_replay::{Frame as OriginFrame, ReplayWriter};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use self::generate::{double, every_kind, fields, header, number, small, specimens, tape, typed};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// (a) Written by the origin: read by us, and written again to the same bytes.
    #[test]
    fn origin_to_ours(tape in tape()) {
        let bytes = tape.by_origin();
        let replay = read(&bytes).unwrap();
        prop_assert_eq!(replay.header(), &tape.header());
        prop_assert_eq!(seen(&bytes, &String::new), Seen { frames: tape.frames.clone(), end: End::Clean });

        let mut whole = Writer::new(Vec::new(), replay.header()).unwrap();
        let mut each = Writer::new(Vec::new(), replay.header()).unwrap();
        let mut kept = Writer::new(Vec::new(), replay.header()).unwrap();
        for frame in replay.frames() {
            let frame = frame.unwrap();
            whole.push(frame.tick, frame.commands(), frame.snapshot_hash).unwrap();
            each.push_each(frame.tick, frame, frame.snapshot_hash).unwrap();
            let mut commands = CommandBuf::new();
            for command in frame {
                commands.push_stored(&command).unwrap();
            }
            kept.push(frame.tick, commands.as_commands(), frame.snapshot_hash).unwrap();
        }
        prop_assert_eq!(&whole.finish().unwrap(), &bytes);
        prop_assert_eq!(&each.finish().unwrap(), &bytes);
        prop_assert_eq!(&kept.finish().unwrap(), &bytes);

        for frame in &tape.frames {
            for command in &frame.commands {
                same_typed(command);
            }
        }
    }

    /// (a) Written by the origin from typed commands and a state: every value and its hash.
    #[test]
    fn origin_typed_to_ours(
        (meta, mut init) in header(),
        ticks in vec((number(), vec(typed(), 0..6), fields()), 0..4),
        field_count in 0..4_u32,
    ) {
        init.field_count = field_count;
        let mut bytes = Vec::new();
        let mut writer = ReplayWriter::new(&mut bytes, &meta, &init).unwrap();
        for (tick, commands, state) in &ticks {
            let commands: Vec<_> = commands.iter().map(Typed::origin).collect();
            writer.write_frame(*tick, &commands, state).unwrap();
        }
        drop(writer);

        let replay = read(&bytes).unwrap();
        let frames: Vec<_> = replay.frames().map(Result::unwrap).collect();
        prop_assert_eq!(frames.len(), ticks.len());
        for (frame, (tick, commands, state)) in frames.iter().zip(&ticks) {
            prop_assert_eq!(frame.tick, *tick);
            let read: Vec<_> = frame.commands().iter().map(|c| Typed::of_ours(&c).unwrap()).collect();
            prop_assert_eq!(&read, commands);
            prop_assert!(frame.commands().iter().all(|c| c.trailing().unwrap().is_empty()));
            // The header's field_count counts missing fields, too.
            let missing = std::iter::repeat([].as_slice());
            let counted = state.slices().chain(missing).take(field_count as usize);
            prop_assert_eq!(frame.snapshot_hash, snapshot_hash(counted));
        }
    }

    /// (b) Written by us: the same bytes as the origin's, and it reads them.
    #[test]
    fn ours_to_origin(
        (meta, init) in header(),
        ticks in vec((number(), vec(typed(), 0..6), number()), 0..5),
        buffer in prop_oneof![Just(0_usize), 0..300_usize, Just(1 << 16)],
    ) {
        let frames = ticks.iter().map(|(tick, commands, hash)| OriginFrame {
            tick_id: *tick,
            commands: commands.iter().map(|c| serialize_command(&c.origin()).unwrap()).collect(),
            snapshot_hash: *hash,
        }).collect();
        let tape = Tape { meta, init, frames };

        let mut pushed = Writer::new(Vec::new(), &tape.header()).unwrap();
        let mut each = Writer::new(Vec::new(), &tape.header()).unwrap();
        pushed.set_buffer(buffer);
        each.set_buffer(buffer);
        let mut typed = CommandBuf::new();
        for ((tick, commands, hash), frame) in ticks.iter().zip(&tape.frames) {
            typed.clear();
            for command in commands {
                command.push(&mut typed).unwrap();
            }
            pushed.push(*tick, typed.as_commands(), *hash).unwrap();
            each.push_each(*tick, frame.commands.iter().map(stored), *hash).unwrap();
        }
        prop_assert_eq!(pushed.frames(), ticks.len() as u64);
        let bytes = pushed.finish().unwrap();
        prop_assert_eq!(&bytes, &tape.by_origin());
        prop_assert_eq!(&each.finish().unwrap(), &bytes);

        let read = Tape::from_origin(&bytes).unwrap();
        prop_assert_eq!(&read, &tape);
        for (frame, (_, commands, _)) in read.frames.iter().zip(&ticks) {
            let decoded: Vec<_> = frame.commands.iter()
                .map(|c| Typed::of_origin(&deserialize_command(c).unwrap())).collect();
            prop_assert_eq!(&decoded, commands);
        }
    }

    /// (c, d) Damaged anywhere and cut anywhere: both sides agree.
    #[test]
    fn damaged_and_cut(
        tape in tape(),
        damage in vec((any::<Index>(), 1..=255_u8), 0..3),
        cut in any::<Index>(),
    ) {
        let mut bytes = tape.by_origin();
        for (at, with) in damage {
            let at = at.index(bytes.len());
            bytes[at] ^= with;
        }
        let whole = seen(&bytes, &String::new);
        for frame in &whole.frames {
            for command in &frame.commands {
                same_typed(command);
            }
        }
        let cut = cut.index(bytes.len());
        let part = seen(&bytes[..cut], &String::new);
        prop_assert_eq!(&part.frames, &whole.frames[..part.frames.len()]);
    }

    /// Only noise after a sound header.
    #[test]
    fn noise(noise in vec(prop_oneof![0..3_u8, any::<u8>()], 0..200)) {
        let mut bytes = specimens()[0].by_origin();
        bytes.extend(noise);
        seen(&bytes, &String::new);
    }

    /// (e) The hash of a state, whole and in pieces.
    #[test]
    fn hash_of_a_state(state in fields(), pieces in vec(1..40_usize, 1..5)) {
        let origin = state.origin_hash();
        prop_assert_eq!(snapshot_hash(state.slices()), origin);
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
        prop_assert_eq!(hasher.finish(), origin);
    }

    /// (e) The hashes of many states of one shape.
    #[test]
    fn hashes_of_many_states(
        lengths in vec(prop_oneof![0..4_usize, 14..19_usize, 30..35_usize, 60..70_usize], 0..4),
        count in 0..30_usize,
        seed in any::<u64>(),
        zeros in 0..5_u8,
        after in 0..3_usize,
    ) {
        let mut random = seed;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 32) as u32
        };
        // From no zeros to almost only zeros; some zeros are in all states.
        let mut bits = |at: usize| match zeros {
            1 if next() % 2 == 0 => 0,
            2 if next() % 100 != 0 => 0,
            3 if at % 48 < 32 => 0,
            4 if at % 48 < 32 && next() % 500 != 0 => 0,
            _ => next(),
        };
        let size: usize = lengths.iter().sum();
        let states: Vec<Vec<f32>> = (0..count)
            .map(|_| (0..size + after).map(|at| f32::from_bits(bits(at))).collect())
            .collect();
        let slices: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
        let mut hashes = vec![1; count];
        snapshot_hashes(&slices, &lengths, &mut hashes);
        let origin: Vec<u64> = states.iter().map(|state| {
            let mut rest = state.as_slice();
            Fields(lengths.iter().map(|&length| {
                let (values, after) = rest.split_at(length);
                rest = after;
                // A field without values equals a missing one.
                (length > 0).then(|| values.to_vec())
            }).collect()).origin_hash()
        }).collect();
        prop_assert_eq!(hashes, origin);
    }

    /// (e) The hash of a configuration.
    #[test]
    fn hash_of_a_configuration(
        seed in number(), dt in double(), fields in small(), cells in number(),
        descriptor in vec(any::<u8>(), 0..50),
    ) {
        prop_assert_eq!(
            config_hash(seed, f64::from_bits(dt), fields, cells, &descriptor),
            murk_replay::config_hash(seed, dt, fields, cells, &descriptor)
        );
    }
}

/// The fixed recordings have everything that the tests at every byte need.
#[test]
fn the_specimens_hold_everything() {
    let mut kinds = [[false; 4]; 7];
    for command in every_kind() {
        let sources = usize::from(command.source_id.is_some()) * 2
            + usize::from(command.source_seq.is_some());
        kinds[usize::from(command.payload_type)][sources] = true;
        assert!(same_typed(&command).is_some(), "{command:?}");
    }
    assert_eq!(kinds, [[true; 4]; 7]);
}

/// (c) Every length of several files: the same frames, and the same class of error.
#[test]
fn every_truncation() {
    let mut ends = Vec::new();
    for tape in specimens() {
        let bytes = tape.by_origin();
        for length in 0..=bytes.len() {
            let part = seen(&bytes[..length], &|| format!("{length} bytes"));
            assert_eq!(part.frames, tape.frames[..part.frames.len()]);
            ends.push(part.end);
        }
        assert_eq!(ends.last(), Some(&End::Clean));
    }
    let clean = ends.iter().filter(|end| **end == End::Clean).count();
    let frames: usize = specimens().iter().map(|tape| tape.frames.len() + 1).sum();
    assert_eq!(
        clean, frames,
        "a cut between two frames looks complete, to both"
    );
    assert!(
        ends.iter()
            .all(|end| matches!(end, End::Clean | End::Truncated))
    );
}

/// (c) Every length of files of other formats and versions.
#[test]
fn every_truncation_of_what_is_not_murk_3() {
    let bytes = specimens()[1].by_origin();
    for (at, with, end) in [
        (0, b'N', End::Magic),
        (3, b'k', End::Magic),
        (4, 0, End::Version(0)),
        (4, 1, End::Version(1)),
        (4, 2, End::Version(2)),
        (4, 4, End::Version(4)),
        (4, 255, End::Version(255)),
    ] {
        let mut bytes = bytes.clone();
        bytes[at] = with;
        let enough = if end == End::Magic { 4 } else { 5 };
        for length in 0..=bytes.len() {
            let part = seen(&bytes[..length], &|| format!("{length} bytes"));
            let expected = if length < enough { End::Truncated } else { end };
            assert_eq!(part.end, expected);
        }
    }
}

/// (d) Every byte, changed to every other value: both accept it or both refuse it, and they read
/// the same.
#[test]
fn every_single_byte_changed() {
    let tapes = specimens();
    let (mut accepted, mut refused) = (0, 0);
    for tape in &tapes[2..] {
        let mut bytes = tape.by_origin();
        // Every bit of the large one, every value of the small one.
        let changes: Vec<u8> = if bytes.len() > 1000 {
            (0..8).map(|bit| 1 << bit).collect()
        } else {
            (1..=255).collect()
        };
        for at in 0..bytes.len() {
            for change in &changes {
                bytes[at] ^= change;
                let what = || format!("byte {at} ^ {change:#04x}");
                let origin = seen_by_origin(&bytes);
                assert_eq!(seen_by_slice(&bytes), origin, "{}", what());
                for command in origin.frames.iter().flat_map(|frame| &frame.commands) {
                    same_typed(command);
                }
                if *change == 1 {
                    seen(&bytes, &what);
                }
                match origin.end {
                    End::Clean => accepted += 1,
                    _ => refused += 1,
                }
                bytes[at] ^= change;
            }
        }
        assert_eq!(seen_by_origin(&bytes).end, End::Clean);
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted}, {refused}");
}
