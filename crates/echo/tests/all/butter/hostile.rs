//! Any content of the model can be written, is read strictly, and recovers.

use crate::common::{cases, frames_of, match_options, options, read_strictly, write};
use std::io::Cursor;

use gametape_echo::butter::{self, Compression, Journal, Writer};
use gametape_echo::{Frame, Player, WriteError};
use gametape_testkit::Script;
use gametape_testkit::echo::frames;
use proptest::prelude::*;

/// Returns every number of a frame that a .butter stores as a difference.
fn numbers(frame: &Frame) -> Vec<f32> {
    let session = &frame.session;
    let mut numbers = vec![session.game_clock];
    let mut pose = |pose: &gametape_echo::Pose| {
        numbers.extend(pose.position);
        numbers.extend(pose.forward);
        numbers.extend(pose.up);
    };
    for (_, player) in session.players() {
        pose(&player.head);
        pose(&player.body);
        pose(&player.lhand);
        pose(&player.rhand);
    }
    session.player.iter().for_each(&mut pose);
    session.disc.iter().for_each(|disc| pose(&disc.pose));
    for (_, player) in session.players() {
        numbers.push(player.packetlossratio);
        numbers.extend(player.velocity);
        numbers.extend(player.stats.map(|stats| stats.possession_time));
    }
    for team in &session.teams {
        numbers.extend(team.stats.map(|stats| stats.possession_time));
    }
    if let Some(pause) = &session.pause {
        numbers.extend([pause.paused_timer, pause.unpaused_timer]);
    }
    for bones in frame.bones.iter().flat_map(|bones| &bones.user_bones) {
        numbers.extend(bones.positions.iter().flatten());
        numbers.extend(bones.rotations.iter().flatten());
    }
    numbers
}

fn intervals() -> impl Strategy<Value = u16> {
    prop_oneof![Just(0), Just(1), Just(2), Just(5), Just(300), Just(65_535)]
}

fn written_the_same_again(frames: &[Frame], interval: u16) -> Result<(), TestCaseError> {
    let options = options(interval, Compression::None);
    let bytes = write(frames, options);
    let read = read_strictly(&bytes);
    prop_assert_eq!(read.frames.len(), frames.len());
    prop_assert!(read.findings.is_empty());
    for (at, frame) in read.frames.iter().enumerate() {
        prop_assert!(
            numbers(frame).into_iter().all(f32::is_finite),
            "frame {}",
            at
        );
    }
    let again = write(&read.frames, options);
    let differs = bytes.iter().zip(&again).position(|(a, b)| a != b);
    prop_assert_eq!(differs, None);
    prop_assert_eq!(again.len(), bytes.len());
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_file_reads_and_is_written_the_same_again(
        script in prop::collection::vec(any::<u8>(), 0..6000),
        interval in intervals(),
    ) {
        let mut frames = frames::any(&mut Script::new(&script));
        let mut writer = Writer::new(Cursor::new(Vec::new()), butter::Options::default());
        frames.retain(|frame| writer.push(frame).is_ok());
        written_the_same_again(&frames, interval)?;
    }

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
        written_the_same_again(&frames, 0).unwrap();
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
