//! The writer of a file is recognised from its bytes, and the reference's faults are undone.

use crate::common::{
    Reference, cases, check_reference, frames_of, match_options, options, read_as, read_strictly,
    reference, reference_matches, seen, write,
};
use gametape_echo::Frame;
use gametape_echo::butter::{self, Compression, Dialect, Seen};
use proptest::prelude::*;

/// Checks a file of the reference against the recorded frames.
fn check(name: &str) -> (Reference, Seen) {
    let file = reference(name);
    let seen = check_reference(&file.recorded, &file.bytes, name, |_, _| {});
    (file, seen)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn ours_is_never_taken_for_the_references(
        seed: u64,
        frames in 1_u64..600,
        interval in prop_oneof![Just(1_u16), Just(2), Just(5), Just(300)],
    ) {
        let frames = frames_of(match_options(seed, frames));
        let bytes = write(&frames, options(interval, Compression::None));
        let seen = seen(&bytes);
        prop_assert_eq!(seen.reference_chunks, 0);
        prop_assert_eq!(seen.early_chunks, 0);
        prop_assert_eq!(seen.mended.motion, 0);
        prop_assert_eq!(seen.mended.bones + seen.mended.bones_lost, 0);
    }
}

#[test]
fn a_match_of_the_reference_is_known_and_reads_within_the_drift() {
    for file in reference_matches() {
        let what = &file.name;
        let seen = check_reference(&file.recorded, &file.bytes, what, |_, _| {});
        assert_eq!(seen.reference_chunks, seen.chunks, "{what}");
    }
}

#[test]
fn a_disc_that_flies_straight_flies_on() {
    // One player's hand comes to rest, which shows the writer. The disc flies at constant speed, and the
    // reference leaves out its difference from the third frame on.
    let (Reference { bytes, .. }, seen) = check("straight");
    assert!(seen.mended.motion > 80, "{seen:?}");
    let read = read_strictly(&bytes).frames;
    let end = read[89].session.disc.unwrap().pose.position;
    assert_eq!(end, [89.0 * 0.25 - 10.0, 1.0, 89.0 * 0.5]);
    // A reader that takes it for another writer's file sees the disc hang in the air, as the reference's
    // own reader does.
    let frozen = read_as(&bytes, Dialect::Exact);
    assert_eq!(frozen[89].session.disc, frozen[1].session.disc);
}

#[test]
fn a_chunk_that_shows_nothing_is_read_as_those_before_it() {
    // In the first chunk, four hands come to rest, which is clear. In the others only the disc moves, steadily.
    let (Reference { bytes, .. }, seen) = check("quiet");
    assert_eq!(seen.reference_chunks, 3);
    // A chunk alone is read the same way.
    let file = butter::read(&bytes).unwrap();
    let mut chunk = file.chunk(2).unwrap();
    let mut last = 0.0;
    while let Some(frame) = chunk.next_frame().unwrap() {
        last = frame.session.disc.unwrap().pose.position[0];
    }
    assert_eq!(last, 29.0);
}

#[test]
fn timers_of_a_pause_run_through_keyframes() {
    let (_, seen) = check("pause");
    assert_eq!(seen.mended.pause_timers, 2);
}

#[test]
fn the_time_between_frames_has_16_bits() {
    let file = reference("gap");
    let read = read_strictly(&file.bytes);
    assert_eq!(read.keyframes, [true, false, false, false, false, false]);
    let passed = |frames: &[Frame]| frames[5].time.0 - frames[4].time.0;
    let recorded = passed(&file.recorded);
    assert!(recorded > 65_536);
    assert_eq!(passed(&read.frames), recorded.rem_euclid(65_536));
}

/// The stats of the blue team, and of its first player, go up and down.
#[test]
fn stats_that_go_down_and_those_of_teams_are_right() {
    let Reference {
        bytes, recorded, ..
    } = reference("counts");
    let ours = write(&recorded, options(300, Compression::None));
    for bytes in [bytes, ours] {
        let read = read_strictly(&bytes).frames;
        for (a, b) in recorded.iter().zip(&read) {
            assert_eq!(a.session.teams[0].stats, b.session.teams[0].stats);
            let stats = |frame: &Frame| frame.session.teams[0].players[0].stats;
            assert_eq!(stats(a), stats(b));
        }
        assert!(seen(&bytes).mended.wrapped > 0);
    }
}

#[test]
fn bones_survive_keyframes_that_differ_from_the_frame_before() {
    // 24 frames, 8 to a chunk.
    let (Reference { bytes, .. }, seen) = check("bones");
    assert_eq!((seen.mended.bones, seen.mended.bones_lost), (2, 0));
    // Read from the middle, they are unknown, and that is reported.
    let file = butter::read(&bytes).unwrap();
    let mut chunk = file.chunk(1).unwrap();
    while chunk.next_frame().unwrap().is_some() {}
    assert_eq!(chunk.seen().mended.bones_lost, 1);
}

#[test]
fn bones_of_more_and_fewer_players() {
    let Reference {
        bytes, recorded, ..
    } = reference("bones-come-and-go");
    let ours = [300, 7].map(|interval| write(&recorded, options(interval, Compression::None)));
    for bytes in ours.iter().chain([&bytes]) {
        let read = read_strictly(bytes).frames;
        for (at, (a, b)) in recorded.iter().zip(&read).enumerate() {
            // Bones of no player count as none.
            let bones = |frame: &Frame| {
                let bones = frame.bones.as_ref().map(|b| b.user_bones.clone());
                bones.filter(|bones| !bones.is_empty())
            };
            let (a, b) = (bones(a), bones(b));
            assert_eq!(
                a.as_ref().map(Vec::len),
                b.as_ref().map(Vec::len),
                "frame {at}"
            );
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                for (a, b) in a
                    .positions
                    .iter()
                    .flatten()
                    .zip(b.positions.iter().flatten())
                {
                    assert!((a - b).abs() < 0.005, "frame {at}: {a} {b}");
                }
            }
        }
        assert!(seen(bytes).mended.bone_players > 0);
    }
}

#[test]
fn combat_points_stay_when_they_are_not_stored() {
    let file = reference("points");
    for (a, b) in file.recorded.iter().zip(&read_strictly(&file.bytes).frames) {
        assert_eq!(a.session.blue_points, b.session.blue_points);
    }
}
