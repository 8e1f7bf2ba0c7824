//! Every tick is reached from the nearest full snapshot, or reported as unreachable.

use crate::common::{capture_of, schema, small, stream};
use gametape_capture::{CaptureRule, DeltaFile, Options, Packets, Rule};

#[test]
fn seeking_unpacks_from_the_nearest_keyframe_on() {
    for lag in [1, 4, 10] {
        let (packets, states) = stream(400, 10, 1000, lag);
        let options = Options {
            keyframe_every: Some(20),
            ..small()
        };
        let mut bytes = capture_of(&packets, options);
        // A third of the chunks, starting with the second, become unreadable.
        let zstd = b"\x28\xb5\x2f\xfd";
        let starts: Vec<usize> = (0..bytes.len() - 4)
            .filter(|at| bytes[*at..].starts_with(zstd))
            .collect();
        for at in &starts[1..starts.len() / 3] {
            bytes[at + 14] ^= 0xff;
        }
        let capture = gametape_capture::read(&bytes).unwrap();
        // Ticks in the second half do not need them, however far back their deltas build.
        for state in &states[200..] {
            assert_eq!(&capture.state_at(state.tick()).unwrap(), state, "{lag}");
        }
        assert!(capture.state_at(40).is_err());
    }
}

#[test]
fn a_state_whose_baseline_is_not_recorded_is_an_error_and_never_another_state() {
    let (mut packets, states) = stream(40, 4, 20, 1);
    packets.remove(9); // tick 10
    let file = packets.concat();
    let bytes = capture_of(&packets, small());
    for packets in [
        Packets::Delta(DeltaFile::new(&file, schema())),
        Packets::Capture(Box::new(gametape_capture::read(&bytes).unwrap())),
    ] {
        for state in &states {
            let found = packets.state_at(state.tick());
            match state.tick() {
                // The latest recorded tick is the one before.
                10 => assert_eq!(found.unwrap().tick(), 9),
                11..=20 => {
                    let error = found.unwrap_err();
                    assert!(
                        matches!(
                            error.rule().and_then(Rule::recording),
                            Some(CaptureRule::Unreachable { baseline: 10, .. })
                        ),
                        "{error}"
                    );
                }
                _ => assert_eq!(&found.unwrap(), state),
            }
        }
    }
}

#[test]
fn keyframes_are_added_where_the_stream_has_none() {
    let (packets, _) = stream(10, 3, 100, 1);
    let bytes = capture_of(
        &packets,
        Options {
            keyframe_every: Some(4),
            chunk_bytes: 1 << 20,
            ..Options::default()
        },
    );
    // The second as if the recorder was killed, so that there is no index.
    for bytes in [&bytes[..], &bytes[..bytes.len() - 40]] {
        let capture = gametape_capture::read(bytes).unwrap();
        let keyframes = capture.keyframes().unwrap();
        let found: Vec<_> = keyframes.iter().map(|k| (k.tick, k.added)).collect();
        assert_eq!(found, [(1, false), (5, true), (9, true)]);
    }
}
