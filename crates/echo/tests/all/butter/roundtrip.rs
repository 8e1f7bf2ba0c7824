//! Every field is within its bound, from the first frame to the ten-thousandth; writing again gives the same
//! bytes; and any content of the model can be written, or is refused and leaves nothing.

use std::fmt::Write as _;
use std::io::Cursor;
use std::path::Path;

use crate::common::{
    by_chunks, cases, check_correct, everybody, frames_of, match_options, options, read_strictly,
    write,
};
use gametape_echo::butter::{self, Compression, Journal, Writer};
use gametape_echo::{Frame, Game, Player, Pose, ReadOptions, WriteError};
use gametape_samples::echo::MatchOptions;
use gametape_testkit::Script;
use gametape_testkit::echo::frames;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// Checks all frames.
fn check(frames: &[Frame], bytes: &[u8], what: &str) {
    let seen = check_correct(frames, bytes, what);
    assert_eq!((seen.reference_chunks, seen.mended.bones), (0, 0));
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
}

/// Any frames without compression are the promise of the fuzz check `butter_roundtrip`.
#[test]
fn every_compression_is_written_again_byte_for_byte() {
    for compression in Compression::ALL {
        let frames = frames_of(match_options(1, 40));
        let options = options(20, compression);
        let bytes = write(&frames, options);
        assert!(
            write(&read_strictly(&bytes).frames, options) == bytes,
            "{compression}"
        );
    }
}

#[test]
fn the_ten_thousandth_frame_is_as_near_as_the_tenth() {
    for (seed, frames) in [(0, 10_000), (3, 10_000), (1, 2500)] {
        let frames = frames_of(match_options(seed, frames));
        // One chunk, as far as the minute between keyframes allows.
        let bytes = write(&frames, options(u16::MAX, Compression::None));
        check(&frames, &bytes, &format!("seed {seed}"));
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
                // Less than 2 m away: more is not stored at once.
                *position = position.map(|v| v * -0.5);
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

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn after_a_wild_frame_a_tame_one_is_right_again(
        seed: u64,
        script in prop::collection::vec(any::<u8>(), 3000),
        interval in 3_u16..300,
    ) {
        let mut frames = frames_of(match_options(seed, 40));
        // The time is kept, so that the chunk continues; a time of rules may be taken for another version's.
        let time = frames[19].time;
        frames::change_much(&mut Script::new(&script), &mut frames[19]);
        frames[19].time = time;
        frames[19].session.rules_changed_at = None;
        let bytes = write(&frames, options(interval, Compression::None));
        let read = read_strictly(&bytes);
        let (a, b) = (&frames[39].session, &read.frames[39].session);
        prop_assert!((a.game_clock - b.game_clock).abs() < 1e-3 * a.game_clock.abs().max(1.0));
        // Numbers come back by 65,504 per frame: within 20 frames from a million.
        for (team, player) in a.players() {
            let back = b.player_by_userid(player.userid).unwrap();
            prop_assert!(b.teams[team].players.contains(back));
            prop_assert_eq!(player.ping, back.ping);
            prop_assert_eq!(player.stats.map(|s| s.points), back.stats.map(|s| s.points));
        }
    }
}

/// A pose whose forward and up are parallel except for rounding has a quaternion that is longer than 1, and a code
/// that says that another component is the largest.
#[test]
fn poses_of_parallel_vectors_are_written_the_same_again() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..40 {
        let mut frames = frames_of(match_options(0, 20));
        for frame in &mut frames {
            let disc = frame.session.disc.as_mut().unwrap();
            disc.pose.forward = [(); 3].map(|()| (rng.f32() - 0.5) * 20_000.0);
            let scale = [1.0, -1.0, 3.0, 1e-3, 7e4][rng.usize(..5)];
            disc.pose.up = disc.pose.forward.map(|part| part * scale);
        }
        let options = options(0, Compression::None);
        let bytes = write(&frames, options);
        assert!(write(&read_strictly(&bytes).frames, options) == bytes);
    }
}

#[test]
fn huge_numbers_do_not_add_up_to_infinity() {
    // Differences of 65,504 per frame, for as many frames as a chunk can have. The sum reaches numbers
    // whose neighbours in f32 are further away than the difference.
    let mut frames = frames_of(match_options(0, 1));
    frames[0].session.disc.as_mut().unwrap().velocity = [f32::MAX, f32::MIN, f32::INFINITY];
    let frames = vec![frames[0].clone(); 65_000];
    let bytes = write(&frames, options(u16::MAX, Compression::None));
    let file = butter::read(&bytes).unwrap();
    let mut read = file.frames();
    let mut last = [0.0; 3];
    while let Some(frame) = read.next_frame().unwrap() {
        last = frame.session.disc.unwrap().velocity;
        assert!(last.iter().all(|v| v.is_finite()), "{last:?}");
    }
    assert!(last[0] > 3e9 && last[1] < -3e9);
}

#[test]
fn the_256th_player_is_refused_and_nothing_of_the_frame_is_written() {
    let mut frame = frames_of(match_options(0, 1)).remove(0);
    let crowd = |from: u64, to: u64| -> Vec<Player> {
        (from..to)
            .map(|userid| Player {
                name: format!("player {userid}").into(),
                userid,
                ..Player::default()
            })
            .collect()
    };
    for team in &mut frame.session.teams {
        team.players.clear();
    }
    frame.session.teams[0].players = crowd(1, 200);
    let good = frame.clone();
    frame.session.teams[1].players = crowd(200, 301);
    let too_many = frame.clone();
    frame.session.teams[1].players = crowd(200, 256);
    let full = frame;

    let mut writer = Writer::new(Cursor::new(Vec::new()), butter::Options::default());
    writer.push(&good).unwrap();
    let error = writer.push(&too_many).unwrap_err();
    assert!(matches!(error, WriteError::Unstorable { .. }));
    writer.push(&full).unwrap();
    let mut bytes = Vec::new();
    let written = writer.finish(&mut bytes).unwrap();
    assert_eq!(written.frames, 2);
    let read = read_strictly(&bytes);
    assert_eq!(read.frames.len(), 2);
    assert_eq!(
        read.frames[1].session.teams[1].players[55].name,
        "player 255"
    );
    assert_eq!(
        butter::read(&bytes)
            .unwrap()
            .header()
            .unwrap()
            .players
            .len(),
        255
    );

    // The same in a live recording, whose header is in the file already.
    let mut journal = Journal::new(Cursor::new(Vec::new()), butter::Options::default());
    journal.push(&good).unwrap();
    journal.push(&too_many).unwrap_err();
    journal.push(&full).unwrap();
    let bytes = journal.get_ref().get_ref().clone();
    assert_eq!(read_strictly(&bytes).frames.len(), 2);
}

/// Readers recognise early version 3 by times of rules that end with a letter. A file with such a time
/// would be read one byte too late.
#[test]
fn an_ambiguous_time_of_rules_is_refused_and_leaves_nothing() {
    let mut good = frames_of(match_options(0, 2));
    for frame in &mut good {
        frame.session.private_match = true;
    }
    let with = |at: i64| {
        let mut frame = good[0].clone();
        frame.session.rules_changed_at = Some(at);
        frame.session.rules_changed_by = Some("Ann".into());
        frame
    };
    let options = butter::Options::default();
    let expected = butter::write(&good, options).unwrap();
    for letter in [b' ', b't', b'~'] {
        let odd = with(i64::from_le_bytes([0, 0, 0, 0, 0, 0, 1, letter]));
        let mut writer = Writer::new(Cursor::new(Vec::new()), options);
        let mut journal = Journal::new(Cursor::new(Vec::new()), options);
        for (at, frame) in good.iter().enumerate() {
            // Before the first frame, and after it.
            let error = writer.push(&odd).unwrap_err();
            let what = "rules_changed_at";
            assert!(
                matches!(error, WriteError::Unstorable { what: w, .. } if w == what),
                "{at}"
            );
            let error = journal.push(&odd).unwrap_err();
            assert!(
                matches!(error, WriteError::Unstorable { what: w, .. } if w == what),
                "{at}"
            );
            writer.push(frame).unwrap();
            journal.push(frame).unwrap();
        }
        let mut bytes = Vec::new();
        writer.finish(&mut bytes).unwrap();
        assert_eq!(bytes, expected);
    }
    // Other times are restored, the largest and the least included. Public matches store none.
    for at in [
        0,
        i64::from(u32::MAX),
        i64::MAX,
        i64::MIN,
        -1,
        0x1FFF_FFFF_FFFF_FFFF,
    ] {
        let bytes = butter::write(&[with(at)], options).unwrap();
        let file = butter::read(&bytes).unwrap();
        let mut frames = file.frames();
        let back = frames.next_frame().unwrap().unwrap();
        assert_eq!(back.session.rules_changed_at, Some(at));
    }
    let mut public = with(0x7400_0000_0000_0000);
    public.session.private_match = false;
    butter::write(&[public], options).unwrap();
}

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes written do not change unnoticed. After an intended change:
/// `GAMETAPE_BLESS=1 cargo test -p gametape-echo --test all files_have_not_changed`.
#[test]
fn files_have_not_changed() {
    let mut text = String::new();
    for (game, kind) in [(Game::Arena, "arena"), (Game::Combat, "combat")] {
        for (bones, with) in [(false, ""), (true, "-bones")] {
            let match_ = MatchOptions {
                game,
                bones,
                private: true,
                pauses: true,
                ..match_options(2, 400)
            };
            // Compressors change with their versions; what they compress does not.
            let bytes = write(&frames_of(match_), options(150, Compression::None));
            writeln!(text, "{} {kind}{with}", hex(&bytes)).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/butter/golden.txt");
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default());
}
