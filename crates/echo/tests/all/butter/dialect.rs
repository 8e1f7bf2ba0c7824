//! The writer of a file is recognised from its bytes, and the reference's faults are undone.

use crate::common::{
    cases, check_compat, frames_of, match_options, options, read_as, read_strictly, seen, write,
};
use gametape_echo::butter::{self, Compression, Dialect, Mode, Seen};
use gametape_echo::{Frame, Game, Pause, PausedState, Stats, TeamId};
use gametape_samples::echo::MatchOptions;
use proptest::prelude::*;

/// Checks a file of compat mode against the recorded frames.
fn check(frames: &[Frame], bytes: &[u8], what: &str) -> Seen {
    check_compat(frames, bytes, what, &[]).1
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
        let bytes = write(&frames, options(Mode::Correct, interval, Compression::None));
        let seen = seen(&bytes);
        prop_assert_eq!(seen.reference_chunks, 0);
        prop_assert_eq!(seen.early_chunks, 0);
        prop_assert_eq!(seen.mended.motion, 0);
        prop_assert_eq!(seen.mended.bones + seen.mended.bones_lost, 0);
    }

    #[test]
    fn the_references_is_known_within_seconds(seed: u64) {
        let match_ = MatchOptions { rate_hz: 30, ..match_options(seed, 300) };
        let frames = frames_of(match_);
        let bytes = write(&frames, options(Mode::Compat, 300, Compression::None));
        prop_assert_eq!(seen(&bytes).reference_chunks, 1);
    }

    #[test]
    fn a_match_in_compat_mode_reads_within_the_drift(
        seed: u64,
        interval in prop_oneof![Just(30_u16), Just(300)],
    ) {
        let match_ = MatchOptions { rate_hz: 30, ..match_options(seed, 600) };
        let mut frames = frames_of(match_);
        // The reference's stuns never fall, but a team's do when a player leaves. Until the next keyframe
        // they are too high, and nothing in the file shows it.
        let stuns = |frame: &Frame, team: usize| frame.session.teams[team].stats.map(|s| s.stuns);
        let falls = |two: &[Frame]| (0..2).any(|team| stuns(&two[1], team) < stuns(&two[0], team));
        if let Some(at) = frames.windows(2).position(falls) {
            frames.truncate(at + 1);
        }
        let bytes = write(&frames, options(Mode::Compat, interval, Compression::None));
        check(&frames, &bytes, &format!("seed {seed}"));
    }
}

fn still(frames: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        rate_hz: 30,
        players_per_team: 1,
        joins: false,
        ..match_options(0, frames)
    })
}

#[test]
fn a_disc_that_flies_straight_flies_on() {
    // One player's hand comes to rest, which shows the writer. The disc flies at constant speed, and the
    // reference leaves out its difference from the third frame on.
    let mut frames = still(1);
    frames.resize(90, frames[0].clone());
    for (at, frame) in frames.iter_mut().enumerate() {
        let t = at as f32;
        frame.time.0 += at as i64 * 33;
        let disc = frame.session.disc.as_mut().unwrap();
        disc.pose.position = [t * 0.25 - 10.0, 1.0, t * 0.5];
        disc.velocity = [7.5, 0.0, 15.0];
        let hand = &mut frame.session.teams[0].players[0].lhand.position;
        *hand = [if at < 10 { t * 0.125 } else { 1.25 }, 1.0, 0.0];
    }
    let bytes = write(&frames, options(Mode::Compat, 300, Compression::None));
    let seen = check(&frames, &bytes, "straight");
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
    let mut frames = still(1);
    frames.resize(30, frames[0].clone());
    for (at, frame) in frames.iter_mut().enumerate() {
        frame.time.0 += at as i64 * 33;
        // In the first chunk, four hands come to rest, which is clear. In the others only the disc moves,
        // steadily.
        for (team, offset) in [(0, 0), (1, 1)] {
            let player = &mut frame.session.teams[team].players[0];
            player.lhand.position = [at.min(3 + offset) as f32, 0.0, 0.0];
            player.rhand.position = [at.min(4 + offset) as f32, 0.0, 0.0];
        }
        frame.session.disc.as_mut().unwrap().pose.position = [at as f32, 0.0, 0.0];
    }
    let bytes = write(&frames, options(Mode::Compat, 10, Compression::None));
    let seen = check(&frames, &bytes, "quiet");
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
    let mut frames = still(1);
    frames.resize(40, frames[0].clone());
    for (at, frame) in frames.iter_mut().enumerate() {
        let t = at as f32;
        frame.time.0 += at as i64 * 33;
        frame.session.pause = Some(Pause {
            paused_state: PausedState::Paused,
            unpaused_team: TeamId::None,
            paused_requested_team: TeamId::Blue,
            unpaused_timer: 0.0,
            paused_timer: if at < 30 { t * 0.03125 } else { 29.0 * 0.03125 },
        });
        frame.session.teams[0].players[0].lhand.position = [at.min(3) as f32, 0.0, 0.0];
    }
    let bytes = write(&frames, options(Mode::Compat, 16, Compression::None));
    let seen = check(&frames, &bytes, "pause");
    assert_eq!(seen.mended.pause_timers, 2);
}

#[test]
fn stats_that_go_down_and_those_of_teams_are_right() {
    let mut frames = still(1);
    frames.resize(6, frames[0].clone());
    for (at, frame) in frames.iter_mut().enumerate() {
        frame.time.0 += at as i64 * 33;
        let count = [3, 5, 2, 200, 0, 7][at];
        let stats = Stats {
            points: count,
            saves: 9 - count.min(9),
            // The reference's difference of these never falls.
            stuns: 2 * at as i32,
            possession_time: count as f32,
            ..Stats::default()
        };
        frame.session.teams[0].stats = Some(stats);
        frame.session.teams[0].players[0].stats = Some(stats);
    }
    for mode in [Mode::Correct, Mode::Compat] {
        let bytes = write(&frames, options(mode, 300, Compression::None));
        let read = read_strictly(&bytes).frames;
        for (a, b) in frames.iter().zip(&read) {
            assert_eq!(a.session.teams[0].stats, b.session.teams[0].stats);
            let stats = |frame: &Frame| frame.session.teams[0].players[0].stats;
            assert_eq!(stats(a), stats(b));
        }
        assert!(seen(&bytes).mended.wrapped > 0);
    }
}

fn boned(frames: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        rate_hz: 30,
        bones: true,
        joins: false,
        players_per_team: 2,
        ..match_options(0, frames)
    })
}

#[test]
fn bones_survive_keyframes_that_differ_from_the_frame_before() {
    for interval in [1, 2, 10, 30] {
        let frames = boned(90);
        let bytes = write(&frames, options(Mode::Compat, interval, Compression::None));
        let seen = check(&frames, &bytes, &format!("interval {interval}"));
        assert_eq!(
            seen.mended.bones,
            u64::from(89 / interval),
            "interval {interval}"
        );
        assert_eq!(seen.mended.bones_lost, 0);
        // Read from the middle, they are unknown, and that is reported.
        let file = butter::read(&bytes).unwrap();
        let mut chunk = file.chunk(1).unwrap();
        while chunk.next_frame().unwrap().is_some() {}
        assert_eq!(chunk.seen().mended.bones_lost, 1, "interval {interval}");
    }
}

#[test]
fn bones_of_more_and_fewer_players() {
    let mut frames = boned(40);
    for (at, frame) in frames.iter_mut().enumerate() {
        let bones = &mut frame.bones.as_mut().unwrap().user_bones;
        bones.truncate([4, 4, 2, 2, 3, 1, 4, 0, 4, 4][at % 10]);
        if at % 10 == 9 {
            frame.bones = None;
        }
    }
    for (mode, interval) in [
        (Mode::Correct, 300),
        (Mode::Correct, 7),
        (Mode::Compat, 300),
    ] {
        let bytes = write(&frames, options(mode, interval, Compression::None));
        let read = read_strictly(&bytes).frames;
        for (at, (a, b)) in frames.iter().zip(&read).enumerate() {
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
                    assert!((a - b).abs() < 0.005, "{mode:?}, frame {at}: {a} {b}");
                }
            }
        }
        assert!(seen(&bytes).mended.bone_players > 0);
    }
}

#[test]
fn combat_points_stay_when_they_are_not_stored() {
    let mut frames = frames_of(MatchOptions {
        game: Game::Combat,
        ..match_options(3, 20)
    });
    for (at, frame) in frames.iter_mut().enumerate() {
        frame.session.blue_points = if at < 5 { 10.5 } else { 11.75 };
    }
    let bytes = write(&frames, options(Mode::Compat, 300, Compression::None));
    for (a, b) in frames.iter().zip(&read_strictly(&bytes).frames) {
        assert_eq!(a.session.blue_points, b.session.blue_points);
    }
}
