//! Every field is within its bound, from the first frame to the ten-thousandth, and writing
//! again gives the same bytes.

use crate::common::bounds::Bounds;
use crate::common::ways::by_chunks;
use crate::common::{
    cases, check_correct, everybody, frames_of, match_options, options, read_strictly, write,
};
use gametape_echo::butter::{self, Compression};
use gametape_echo::{Frame, Game, Pose, ReadOptions};
use proptest::prelude::*;

/// Checks all frames. Returns the largest part of its bound that each field has used.
fn check(frames: &[Frame], bytes: &[u8], what: &str) -> Bounds {
    let (bounds, seen) = check_correct(frames, bytes, what);
    assert_eq!((seen.reference_chunks, seen.mended.bones), (0, 0));
    bounds
}

fn intervals() -> impl Strategy<Value = u16> {
    prop_oneof![Just(1), Just(2), Just(5), Just(300), 1_u16..=65_535]
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn every_field_is_within_its_bound(
        seed: u64,
        frames in prop_oneof![1_u64..30, 100_u64..400],
        interval in intervals(),
    ) {
        let frames = frames_of(match_options(seed, frames));
        let bytes = write(&frames, options(interval, Compression::None));
        check(&frames, &bytes, &format!("seed {seed}"));
    }

    #[test]
    fn our_files_are_written_again_byte_for_byte(
        seed: u64,
        frames in 1_u64..200,
        interval in intervals(),
        compression in prop::sample::select(&Compression::ALL[..5]),
    ) {
        let frames = frames_of(match_options(seed, frames));
        let options = options(interval, compression);
        let bytes = write(&frames, options);
        let read = read_strictly(&bytes).frames;
        prop_assert!(write(&read, options) == bytes);
    }
}

#[test]
fn level_22_is_written_again_byte_for_byte() {
    let frames = frames_of(match_options(1, 40));
    let options = options(20, Compression::Zstd22);
    let bytes = write(&frames, options);
    assert_eq!(write(&read_strictly(&bytes).frames, options), bytes);
}

#[test]
fn the_ten_thousandth_frame_is_as_near_as_the_tenth() {
    for (seed, frames) in [(0, 10_000), (3, 10_000), (1, 2500)] {
        let frames = frames_of(match_options(seed, frames));
        // One chunk, as far as the minute between keyframes allows.
        let bytes = write(&frames, options(u16::MAX, Compression::None));
        let bounds = check(&frames, &bytes, &format!("seed {seed}"));
        // The bounds are tight enough to be reached.
        for field in ["head.position", "player.velocity"] {
            assert!(
                bounds.worst[field] > 0.5,
                "{field}: {}",
                bounds.worst[field]
            );
        }
        assert!(
            bounds.worst["head.rotation"] > 0.3,
            "{}",
            bounds.worst["head.rotation"]
        );
    }
}

#[test]
fn a_minute_starts_a_chunk_and_time_comes_back_exactly() {
    let mut frames = frames_of(match_options(0, 6));
    let start = frames[0].time.0;
    // A minute since the keyframe is allowed; then more than a minute; then time going backwards.
    for (frame, ms) in frames
        .iter_mut()
        .zip([0, 60_000, 60_001, 100_000, 99_000, 10_000_000])
    {
        frame.time.0 = start + ms;
    }
    let bytes = write(&frames, options(300, Compression::None));
    let read = read_strictly(&bytes);
    assert_eq!(read.keyframes, [true, false, true, false, true, true]);
    for (a, b) in frames.iter().zip(&read.frames) {
        assert_eq!(a.time, b.time);
    }
}

#[test]
fn bones_of_keyframes_stand_alone() {
    // Another player at the same place, bones at zero, bones that jump: none is taken for a difference from
    // the frame before, which is what the reference writes.
    let mut options_ = match_options(1, 30);
    options_.game = Game::Arena;
    let mut frames = frames_of(options_);
    for (at, frame) in frames.iter_mut().enumerate() {
        let bones = &mut frame.bones.as_mut().unwrap().user_bones;
        if at % 3 == 1 {
            for bones in bones.iter_mut() {
                bones.positions = [[0.0; 3]; 23];
            }
        }
        if at % 3 == 2 {
            bones.rotate_left(1);
            for position in bones.iter_mut().flat_map(|bones| &mut bones.positions) {
                *position = position.map(|v| -v);
            }
        }
    }
    for interval in [1, 2, 3] {
        let bytes = write(&frames, options(interval, Compression::None));
        check(&frames, &bytes, &format!("interval {interval}"));
        let alone = by_chunks(&bytes, ReadOptions::default()).concat();
        assert!(alone == read_strictly(&bytes).frames);
    }
}

#[test]
fn a_disc_without_a_rotation_and_players_without_any_come_back() {
    let mut frames = frames_of(match_options(0, 3));
    for frame in &mut frames {
        frame.session.disc.as_mut().unwrap().pose = Pose::default();
        everybody(frame).for_each(|player| player.lhand = Pose::default());
    }
    let read = read_strictly(&write(&frames, butter::Options::default()));
    for frame in &read.frames {
        assert_eq!(frame.session.disc.unwrap().pose, Pose::default());
        assert!(
            frame
                .session
                .players()
                .all(|(_, player)| player.lhand == Pose::default())
        );
    }
}

#[test]
fn a_timer_of_a_pause_that_ends_is_not_rounded_to_less_than_nothing() {
    // A timer below 0 would look like a keyframe of the reference, and be written as another keyframe.
    let frames = frames_of(match_options(17_591_118_825_320_153_474, 77));
    let bytes = write(&frames, options(300, Compression::None));
    let read = read_strictly(&bytes).frames;
    let timers = read.iter().filter_map(|frame| frame.session.pause.as_ref());
    assert!(timers.clone().any(|pause| pause.paused_timer > 0.0));
    assert!(
        timers
            .clone()
            .all(|pause| pause.paused_timer >= 0.0 && pause.unpaused_timer >= 0.0)
    );
    assert!(write(&read, options(300, Compression::None)) == bytes);
}
