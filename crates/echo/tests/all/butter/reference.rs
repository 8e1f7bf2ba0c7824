//! Cases that the reference's own reader throws for or misreads: players who were away for a frame or were
//! renamed, and the timers of pauses.

use crate::common::raw::{self, Player};
use crate::common::{
    Outcome, agree, by_chunks, check_correct, check_reference, everybody, frames_of, lines,
    match_options, options, read_as, reference, seen, tape, write,
};
use gametape_echo::butter::{self, Compression, Dialect, from_smallest3, to_basis};
use gametape_echo::{Frame, Pause, PausedState, ReadOptions, TeamId, Vec3};
use gametape_samples::echo::MatchOptions;

/// Returns the frames of a whole file, which all ways to read agree on, each chunk alone too.
fn read(bytes: &[u8]) -> Vec<Frame> {
    let [strict, lenient] = agree(bytes, 41);
    assert_eq!(strict.error, None);
    assert_eq!(strict, lenient);
    let Outcome { frames, .. } = strict;
    assert!(by_chunks(bytes, ReadOptions::default()).concat() == frames);
    frames
}

/// The positions of head, body, left hand and right hand.
fn parts(player: &gametape_echo::Player) -> [Vec3; 4] {
    [player.head, player.body, player.lhand, player.rhand].map(|pose| pose.position)
}

/// The [`parts`] of a player of the blue team.
fn positions(frame: &Frame, place: usize) -> [Vec3; 4] {
    parts(&frame.session.teams[0].players[place])
}

fn frame(players: Vec<Player>) -> raw::Frame {
    raw::Frame {
        players,
        ..raw::Frame::default()
    }
}

fn keyframe(players: Vec<Player>) -> raw::Frame {
    raw::Frame {
        keyframe: true,
        ..frame(players)
    }
}

/// Two rotations.
const TURNS: [u32; 2] = [0x7FDF_F7FF, 0xFF9F_F7FD];

/// The reference's small cases, in which every value is exactly a half.
#[test]
fn small_cases_of_the_reference_read_as_recorded() {
    for (name, interval) in [
        ("absent-frame", 9),
        ("both-keys", 3),
        ("late-index", 3),
        ("position-bit", 7),
    ] {
        let Some(recorded) = tape(&format!("compat/{name}.echoreplay")) else {
            return;
        };
        let recorded = lines(&recorded);
        let bytes = tape(&format!("compat/{name}.k{interval}.none.butter")).unwrap();
        let frames = read(&bytes);
        assert_eq!(frames.len(), recorded.len(), "{name}");
        check_reference(&recorded, &bytes, name, |read, recorded| {
            // What was recorded has no vectors to the left.
            let session = &recorded.session;
            for (read, recorded) in read.session.player.iter_mut().zip(&session.player) {
                read.left = recorded.left;
            }
            for (read, recorded) in read.session.disc.iter_mut().zip(&session.disc) {
                read.pose.left = recorded.pose.left;
            }
            for (read, (_, recorded)) in everybody(read).zip(session.players()) {
                read.head.left = recorded.head.left;
                read.body.left = recorded.body.left;
                read.lhand.left = recorded.lhand.left;
                read.rhand.left = recorded.rhand.left;
            }
            // A name that the header lacks can't be stored as an index.
            if name == "late-index"
                && let Some(score) = &mut read.session.last_score
            {
                let recorded = recorded.session.last_score.as_ref().unwrap();
                score.assist_scored.clone_from(&recorded.assist_scored);
            }
        });
        for (at, (a, b)) in recorded.iter().zip(&frames).enumerate() {
            for ((_, a), (_, b)) in a.session.players().zip(b.session.players()) {
                assert_eq!(parts(a), parts(b), "{name}, frame {at}");
            }
        }
    }
}

#[test]
fn a_pose_left_out_of_a_player_who_was_away_is_that_of_two_frames_before() {
    let here = Player::new(1, 0, [1.0, 2.0, 3.0], TURNS[0]);
    let other = Player::new(2, 1, [-5.0, 0.0, 5.0], TURNS[1]);
    let mut back = Player {
        ping: Some(40),
        ..Player::silent(1, 0)
    };
    // The head is stored, the body's rotation, and the position of the left hand; of the right hand
    // nothing.
    back.poses[0] = (Some([9.0, 9.0, 9.0]), Some(TURNS[1]));
    back.poses[1].1 = Some(TURNS[1]);
    back.poses[2].0 = Some([7.0, 7.0, 7.0]);
    let chunk = vec![
        keyframe(vec![here, other]),
        // It moves, so that the position is a sum; the other does not.
        frame(vec![
            Player::moved(1, 0, [0.25, 0.0, 0.0]),
            Player::moved(2, 1, [0.0; 3]),
        ]),
        frame(vec![Player::silent(2, 1)]),
        // Another player is at its place.
        frame(vec![Player::silent(2, 1), back]),
        frame(vec![
            Player::silent(2, 1),
            Player::moved(1, 0, [0.5, 0.0, 0.0]),
        ]),
    ];
    let bytes = raw::file(2, &[chunk]);
    for frames in [
        read(&bytes),
        read_as(&bytes, Dialect::Exact),
        read_as(&bytes, Dialect::Reference),
    ] {
        let there = [1.25, 2.0, 3.0];
        assert_eq!(positions(&frames[1], 0), [there; 4]);
        let [head, lhand] = [[9.0, 9.0, 9.0], [7.0, 7.0, 7.0]];
        assert_eq!(positions(&frames[3], 1), [head, there, lhand, there]);
        let moved = [head, there, lhand, there].map(|[x, y, z]| [x + 0.5, y, z]);
        assert_eq!(positions(&frames[4], 1), moved);
        let player = &frames[3].session.teams[0].players[1];
        assert_eq!(player.userid, 1001);
        let forward = |code| to_basis(from_smallest3(code))[0];
        assert_eq!(player.head.forward, forward(TURNS[1]));
        assert_eq!(player.body.forward, forward(TURNS[1]));
        assert_eq!(player.lhand.forward, forward(TURNS[0]));
        assert_eq!(player.rhand.forward, forward(TURNS[0]));
        assert_eq!(positions(&frames[3], 0), [[-5.0, 0.0, 5.0]; 4]);
    }
}

#[test]
fn the_next_difference_left_out_is_the_absolute_position() {
    // The reference compares with the bytes of the frame before. For a player who was not in the frame
    // before that one, they hold the absolute position.
    let chunk = vec![
        keyframe(vec![Player::new(1, 0, [1.0, 2.0, 3.0], TURNS[0])]),
        frame(vec![]),
        frame(vec![Player::silent(1, 0)]),
        frame(vec![Player::silent(1, 0)]),
    ];
    let bytes = raw::file(1, &[chunk]);
    let frames = read_as(&bytes, Dialect::Reference);
    assert_eq!(positions(&frames[2], 0), [[1.0, 2.0, 3.0]; 4]);
    assert_eq!(positions(&frames[3], 0), [[2.0, 4.0, 6.0]; 4]);
    let frames = read_as(&bytes, Dialect::Exact);
    assert_eq!(positions(&frames[3], 0), [[1.0, 2.0, 3.0]; 4]);
}

#[test]
fn two_frames_before_is_no_further_and_no_other_chunk() {
    let here = || Player::new(1, 0, [1.0, 2.0, 3.0], TURNS[0]);
    let unknown = [[0.0; 3]; 4];
    // Three frames before.
    let chunk = vec![
        keyframe(vec![here()]),
        frame(vec![]),
        frame(vec![]),
        frame(vec![Player::silent(1, 0)]),
    ];
    let frames = read(&raw::file(1, &[chunk]));
    assert_eq!(positions(&frames[3], 0), unknown);
    // With a keyframe in between, of another chunk and of the same.
    let before = vec![keyframe(vec![here()])];
    let after = vec![keyframe(vec![]), frame(vec![Player::silent(1, 0)])];
    let both = [before.clone(), after.clone()].concat();
    for chunks in [vec![before, after], vec![both]] {
        let frames = read(&raw::file(1, &chunks));
        assert_eq!(positions(&frames[2], 0), unknown);
    }
}

#[test]
fn a_returning_player_does_not_show_the_writer() {
    let by = [0.25, 0.0, 0.0];
    let chunk = vec![
        keyframe(vec![
            Player::new(1, 0, [1.0; 3], TURNS[0]),
            Player::new(2, 1, [0.0; 3], TURNS[0]),
        ]),
        frame(vec![Player::moved(1, 0, by), Player::moved(2, 1, by)]),
        // The second rests, which only the reference stores. The first comes back, and the difference from
        // before is unknown.
        frame(vec![Player::moved(2, 1, [0.0; 3])]),
        frame(vec![Player::silent(1, 0), Player::silent(2, 1)]),
        frame(vec![Player::moved(1, 0, by), Player::silent(2, 1)]),
        frame(vec![Player::silent(1, 0), Player::silent(2, 1)]),
    ];
    let bytes = raw::file(2, &[chunk]);
    assert_eq!(seen(&bytes).reference_chunks, 1);
    let x = |frame: &Frame, place| positions(frame, place)[0][0];
    let frames = read(&bytes);
    assert_eq!([3, 4, 5].map(|at| x(&frames[at], 0)), [1.25, 1.5, 1.75]);
    assert_eq!([3, 4, 5].map(|at| x(&frames[at], 1)), [0.25; 3]);
}

/// Three players per team and a spectator, who stay.
fn still(count: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        rate_hz: 30,
        players_per_team: 3,
        spectators: 1,
        joins: false,
        ..match_options(0, count)
    })
}

#[test]
fn a_player_away_for_a_frame_comes_back_as_written() {
    let mut frames = still(60);
    // One at a time, two at once, the same one again, and one who has not moved meanwhile.
    for (at, away) in [(7, vec![0]), (20, vec![1, 2]), (22, vec![1]), (41, vec![2])] {
        let userid = |place: usize| frames[at].session.teams[0].players[place].userid;
        let away: Vec<u64> = away.into_iter().map(userid).collect();
        for userid in away {
            let same = frames[at - 1].session.player_by_userid(userid).cloned();
            let players = &mut frames[at].session.teams[0].players;
            players.retain(|player| player.userid != userid);
            if at == 41 {
                let mut players = frames[at + 1].session.teams[0].players.iter_mut();
                *players.find(|player| player.userid == userid).unwrap() = same.unwrap();
            }
        }
    }
    for interval in [300, 8, 7, 1] {
        let options = options(interval, Compression::None);
        let bytes = write(&frames, options);
        let back = read(&bytes);
        assert!(write(&back, options) == bytes, "interval {interval}");
        check_correct(&frames, &bytes, &format!("interval {interval}"));
    }
}

#[test]
fn a_player_with_index_0_continues_the_same_playerid() {
    let [by, here, there] = [[0.25, 0.0, 0.0], [1.0, 2.0, 3.0], [-5.0, 0.0, 5.0]];
    let rest = [0.0; 3];
    // Two are renamed at once, change places and get their old names back.
    let chunk = vec![
        keyframe(vec![
            Player::new(1, 7, here, TURNS[0]),
            Player::new(2, 8, there, TURNS[1]),
        ]),
        frame(vec![Player::moved(1, 7, rest), Player::moved(2, 8, rest)]),
        frame(vec![Player::moved(0, 7, by), Player::silent(0, 8)]),
        frame(vec![Player::silent(0, 8), Player::moved(0, 7, by)]),
        frame(vec![Player::moved(0, 8, by), Player::moved(1, 7, rest)]),
        frame(vec![Player::moved(2, 8, rest), Player::moved(0, 7, by)]),
    ];
    let bytes = raw::file(2, &[chunk]);
    // By playerid: the accumulated steps of each.
    let steps = [[0, 0], [0, 0], [1, 0], [2, 0], [2, 1], [3, 1]];
    for frames in [
        read(&bytes),
        read_as(&bytes, Dialect::Exact),
        read_as(&bytes, Dialect::Reference),
    ] {
        for (at, (frame, steps)) in frames.iter().zip(steps).enumerate() {
            for (place, player) in frame.session.teams[0].players.iter().enumerate() {
                let second = usize::from(player.playerid == 8);
                let [x, y, z] = [here, there][second];
                let place_of = [x + steps[second] as f32 * 0.25, y, z];
                assert_eq!(positions(frame, place), [place_of; 4], "frame {at}");
                let [forward, left, up] = to_basis(from_smallest3(TURNS[second]));
                let pose = player.rhand;
                assert_eq!([pose.forward, pose.left, pose.up], [forward, left, up]);
                // The ping was not stored since the keyframe.
                assert_eq!(player.ping, 40, "frame {at}");
            }
        }
        // The identity is not stored.
        let renamed = &frames[2].session.teams[0].players[0];
        assert_eq!(renamed.name, butter::INVALID);
        assert_eq!((renamed.userid, renamed.number, renamed.level), (0, -1, -1));
        let again = &frames[4].session.teams[0].players[1];
        assert_eq!((again.userid, again.name.as_str()), (1001, "player 1"));
    }
}

#[test]
fn a_player_with_index_0_who_was_away_has_the_pose_of_two_frames_before() {
    let [here, there] = [[1.0, 2.0, 3.0], [-5.0, 0.0, 5.0]];
    let back = |index, playerid| Player {
        ping: Some(40),
        ..Player::silent(index, playerid)
    };
    let chunk = vec![
        keyframe(vec![
            Player::new(1, 7, here, TURNS[0]),
            Player::new(0, 8, there, TURNS[1]),
        ]),
        frame(vec![]),
        frame(vec![back(0, 8), back(0, 7)]),
        frame(vec![]),
        frame(vec![back(1, 7), back(2, 8)]),
        // A playerid that no player had: nothing is known.
        frame(vec![back(0, 9)]),
    ];
    let frames = read(&raw::file(2, &[chunk]));
    for (at, order) in [(2, [there, here]), (4, [here, there])] {
        for (place, position) in order.into_iter().enumerate() {
            assert_eq!(positions(&frames[at], place), [position; 4], "frame {at}");
        }
    }
    assert_eq!(positions(&frames[5], 0), [[0.0; 3]; 4]);
}

/// For good, for a while, and for a frame, also across keyframes.
#[test]
fn renamed_players_of_the_references_match_stay_themselves() {
    let file = reference("renamed");
    read(&file.bytes);
    check_reference(&file.recorded, &file.bytes, "renamed", |b, a| {
        // Their names are the only difference.
        let players = a.session.teams.iter().zip(&mut b.session.teams);
        for (a, b) in players.flat_map(|(a, b)| a.players.iter().zip(&mut b.players)) {
            if b.name == butter::INVALID {
                (b.name, b.userid) = (a.name.clone(), a.userid);
            }
        }
    });
}

#[test]
fn a_renamed_player_comes_back_as_written() {
    let mut frames = still(30);
    for frame in &mut frames[10..20] {
        everybody(frame).for_each(|player| player.name = "the same for all".into());
    }
    let options = options(12, Compression::None);
    let bytes = write(&frames, options);
    let back = read(&bytes);
    assert!(write(&back, options) == bytes);
    // An account keeps its first name.
    for ((_, a), (_, b)) in frames[15].session.players().zip(back[15].session.players()) {
        assert_eq!(a.userid, b.userid);
        assert_eq!(
            b.name,
            frames[0].session.player_by_userid(a.userid).unwrap().name
        );
    }
}

/// A pause requested by orange, in a state, with the changes of its timers.
fn pause(state: &PausedState, timers: [f32; 2]) -> raw::Frame {
    raw::Frame {
        pause: Some((1 << 2 | 3 << 4, state.code().unwrap(), timers)),
        ..raw::Frame::default()
    }
}

fn key(frame: raw::Frame) -> raw::Frame {
    raw::Frame {
        keyframe: true,
        ..frame
    }
}

/// A frame that stores no change.
fn silent() -> raw::Frame {
    raw::Frame::default()
}

/// Lets a player come to rest in the last frame, which shows the writer of the chunk.
fn rests(mut chunk: Vec<raw::Frame>) -> Vec<raw::Frame> {
    let frames = chunk.len();
    assert!(frames > 2);
    for (at, frame) in chunk.iter_mut().enumerate() {
        frame.players = vec![match at {
            0 => Player::new(1, 0, [0.0; 3], TURNS[0]),
            at if at == frames - 1 => Player::moved(1, 0, [0.0; 3]),
            _ => Player::moved(1, 0, [0.5, 0.0, at as f32]),
        }];
    }
    chunk
}

/// `paused_timer` and `unpaused_timer` of each frame.
fn timers(frames: &[Frame]) -> Vec<[f32; 2]> {
    let pause = |frame: &Frame| frame.session.pause.clone().unwrap();
    let timers = |pause: Pause| [pause.paused_timer, pause.unpaused_timer];
    frames.iter().map(pause).map(timers).collect()
}

fn unpaused_timers(frames: &[Frame]) -> Vec<f32> {
    timers(frames).into_iter().map(|[_, timer]| timer).collect()
}

#[test]
fn a_timer_that_falls_below_0_did_not_start_at_0() {
    let chunk = vec![
        key(pause(&PausedState::Unpausing, [0.0, 0.0])),
        pause(&PausedState::Unpausing, [0.25, -0.5]),
        // As before, twice.
        silent(),
        silent(),
        pause(&PausedState::Unpausing, [0.0, -0.25]),
    ];
    let bytes = raw::file(0, &[chunk]);
    let right = [
        [0.0, 1.75],
        [0.25, 1.25],
        [0.5, 0.75],
        [0.75, 0.25],
        [0.75, 0.0],
    ];
    // The fall below 0 shows the writer.
    assert_eq!(timers(&read(&bytes)), right);
    assert_eq!(timers(&read_as(&bytes, Dialect::Reference)), right);
    // A reader that takes it for another writer's file returns the stored values.
    let exact = read_as(&bytes, Dialect::Exact);
    let told = [0.0, -0.5, -0.5, -0.5, -0.75];
    assert_eq!(unpaused_timers(&exact), told);
}

#[test]
fn later_falls_raise_each_keyframe_of_a_chunk() {
    let chunk = vec![
        key(pause(&PausedState::Unpausing, [0.0; 2])),
        pause(&PausedState::Unpausing, [0.0, -1.0]),
        key(pause(&PausedState::Paused, [0.0; 2])),
        pause(&PausedState::Paused, [-0.5, 0.25]),
        key(pause(&PausedState::Unpausing, [0.0; 2])),
        pause(&PausedState::Unpausing, [0.0, 2.0]),
    ];
    let frames = read(&raw::file(0, &[chunk]));
    let right = [
        [0.0, 1.0],
        [0.0; 2],
        [0.5, 0.0],
        [0.0, 0.25],
        [0.0; 2],
        [0.0, 2.0],
    ];
    assert_eq!(timers(&frames), right);
}

#[test]
fn a_timer_stored_in_a_keyframe_is_used() {
    let chunk = vec![
        key(pause(&PausedState::Unpausing, [0.0, 0.5])),
        pause(&PausedState::Unpausing, [0.0, -1.0]),
        pause(&PausedState::Unpausing, [-1.0, 0.0]),
    ];
    let bytes = raw::file(1, &[rests(chunk)]);
    let right = [[0.0, 0.5], [0.0, -0.5], [-1.0, -0.5]];
    assert_eq!(timers(&read(&bytes)), right);
}

#[test]
fn a_pause_continues_across_chunks_and_each_chunk_alone_agrees() {
    // Three seconds until play continues, half a second per frame.
    let first = rests(vec![
        key(pause(&PausedState::Paused, [0.0; 2])),
        pause(&PausedState::Unpausing, [8.0, 5.0]),
        pause(&PausedState::Unpausing, [0.0, -0.5]),
        silent(),
    ]);
    let more = || {
        vec![
            key(pause(&PausedState::Unpausing, [0.0; 2])),
            pause(&PausedState::Unpausing, [0.0, -0.5]),
            silent(),
        ]
    };
    let chunks = vec![first, more(), more()];
    let frames = read(&raw::file(1, &chunks));
    let right = [0.0, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0];
    assert_eq!(unpaused_timers(&frames), right);
    assert_eq!(timers(&frames)[9], [8.0, 1.0]);

    // The timer falls by more than was left, so it was higher by at least that much.
    let fall = vec![
        key(pause(&PausedState::Unpausing, [0.0; 2])),
        pause(&PausedState::Unpausing, [0.0, -6.0]),
    ];
    let [first, second, _] = &chunks[..] else {
        unreachable!()
    };
    let frames = read(&raw::file(1, &[first.clone(), second.clone(), fall]));
    assert_eq!(timers(&frames)[7..], [[8.0, 6.0], [8.0, 0.0]]);

    // Another pause, and no pause, start anew.
    for state in [PausedState::Paused, PausedState::Unpaused] {
        let other = rests(vec![
            key(pause(&state, [0.0; 2])),
            pause(&state, [1.0, 0.0]),
            pause(&state, [1.0, 0.5]),
        ]);
        let frames = read(&raw::file(1, &[first.clone(), other]));
        assert_eq!(timers(&frames)[4..], [[0.0; 2], [1.0, 0.0], [2.0, 0.5]]);
    }
}

#[test]
fn a_chunk_alone_looks_back_64_chunks_for_its_pause() {
    let chunk = |at: usize| {
        let state = match at {
            0..3 => PausedState::Unpaused,
            _ => PausedState::Paused,
        };
        rests(vec![
            key(pause(&state, [0.0; 2])),
            pause(&state, [1.0, 0.0]),
            pause(&state, [2.0, 0.0]),
        ])
    };
    let chunks: Vec<Vec<raw::Frame>> = (0..150).map(chunk).collect();
    let bytes = raw::file(1, &chunks);
    let [whole, _] = agree(&bytes, 1000);
    let whole = timers(&whole.frames);
    let alone = by_chunks(&bytes, ReadOptions::default());
    for (at, (whole, alone)) in whole.chunks(3).zip(&alone).enumerate() {
        let alone = timers(alone);
        if at <= 3 + 64 {
            assert_eq!(alone, whole, "chunk {at}");
        } else {
            // 64 chunks of one second, two, and two to the next keyframe.
            assert_eq!(alone[0], [64.0 * 5.0, 0.0], "chunk {at}");
            assert!(whole[0][0] > alone[0][0]);
        }
    }
}

/// A match with these pauses.
fn paused(count: u64, pause_at: impl Fn(usize) -> Pause) -> Vec<Frame> {
    let mut frames = still(count);
    for (at, frame) in frames.iter_mut().enumerate() {
        frame.session.pause = Some(pause_at(at));
    }
    frames
}

fn a_pause(paused_state: PausedState, paused_timer: f32, unpaused_timer: f32) -> Pause {
    Pause {
        paused_state,
        unpaused_team: TeamId::Blue,
        paused_requested_team: TeamId::Orange,
        unpaused_timer,
        paused_timer,
    }
}

/// It starts within the countdown; another pause spans keyframes.
#[test]
fn timers_of_the_references_match_are_right_and_never_below_0() {
    for (name, interval) in [("countdown", 80), ("countdown-long", 300)] {
        let file = reference(name);
        let back = read(&file.bytes);
        let back = timers(&back);
        for (at, (a, b)) in timers(&file.recorded).iter().zip(&back).enumerate() {
            let what = format!("interval {interval}, frame {at}: {a:?} {b:?}");
            assert!(b.iter().all(|timer| *timer >= 0.0), "{what}");
            // A keyframe in which a pause changes its state does not store the timer that stays, and that
            // is unknown until the pause ends.
            assert!(
                (a[0] - b[0]).abs() < 0.02 || interval == 300 && at >= 300,
                "{what}"
            );
            assert!((a[1] - b[1]).abs() < 0.02, "{what}");
        }
    }
}

#[test]
fn timers_below_0_come_back_as_written() {
    let state = PausedState::Unpausing;
    for low in [-4.0, -0.25, -1e-5, -1e-9] {
        let frames = paused(90, |at| {
            // 0 in keyframes; below 0, above 0 and back.
            let timer = [0.0, 0.5, low, low / 2.0, 3.0, low][at % 30 / 5];
            a_pause(state.clone(), [0.0, low][at / 45], timer)
        });
        for interval in [300, 30, 7, 1] {
            let options = options(interval, Compression::None);
            let bytes = write(&frames, options);
            assert_eq!(seen(&bytes).reference_chunks, 0);
            let back = read(&bytes);
            assert!(write(&back, options) == bytes, "{low}, interval {interval}");
            for (a, b) in timers(&frames).into_iter().zip(timers(&back)) {
                for (a, b) in a.into_iter().zip(b) {
                    let bound = a.abs().max(8.0) / 1024.0;
                    assert!(
                        (a - b).abs() <= bound,
                        "{low}, interval {interval}: {a} {b}"
                    );
                }
            }
        }
    }
}

/// The reference looks up a player of the frame before by user id, and takes the first.
#[test]
fn two_players_of_one_user_id_both_differ_from_the_first() {
    for seed in 0..8 {
        let mut frames = frames_of(MatchOptions {
            players_per_team: 2,
            rate_hz: 30,
            joins: false,
            bones: false,
            ..match_options(seed, 90)
        });
        for (at, frame) in frames.iter_mut().enumerate() {
            let [one, other] = &mut frame.session.teams[0].players[..] else {
                panic!("two to a team");
            };
            other.name.clone_from(&one.name);
            (other.userid, other.number, other.level) = (one.userid, one.number, one.level);
            // Now and then one of them is away, or they change places.
            match at % 30 {
                10 => drop(frame.session.teams[0].players.remove(0)),
                20 => frame.session.teams[0].players.swap(0, 1),
                _ => {}
            }
        }
        let bytes = write(&frames, options(30, Compression::None));
        assert_eq!(counts(&frames), counts(&read(&bytes)), "seed {seed}");
        check_correct(&frames, &bytes, &format!("seed {seed}"));
    }
    let twins = reference("twins");
    assert_eq!(counts(&twins.recorded), counts(&read(&twins.bytes)));
}

/// The ping and the points of each player.
fn counts(frames: &[Frame]) -> Vec<Vec<(i32, Option<i32>)>> {
    let of = |frame: &Frame| {
        let players = frame.session.players();
        let of = players.map(|(_, player)| (player.ping, player.stats.map(|stats| stats.points)));
        of.collect()
    };
    frames.iter().map(of).collect()
}
