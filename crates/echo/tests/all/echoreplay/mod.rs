//! .echoreplay: real files, arbitrary files, broken files.

mod lines;
mod redaction;
mod round_trip;
mod tapes;
mod values;
#[cfg(feature = "zip")]
mod variants;
mod zips;

use gametape_echo::echoreplay::{read, read_with, write_frame};
use gametape_echo::{Findings, Frame, Object, ReadOptions, Unknown};
use gametape_testkit::Script;
use gametape_testkit::echo::frames;
use proptest::prelude::*;

/// Frames of any content that can be written, as they are read again.
fn any_frames() -> impl Strategy<Value = Vec<Frame>> {
    let foreign = prop::collection::vec((any::<[u8; 4]>(), any::<String>()), 0..8);
    let script = prop::collection::vec(any::<u8>(), 0..3000);
    (script, any::<String>(), foreign).prop_map(|(script, name, foreign)| {
        let mut script = Script::new(&script);
        let mut frames = frames::any(&mut script);
        frames::change_much(&mut script, &mut frames[0]);
        frames[0].session.client_name = name.into();
        for frame in &mut frames {
            // No players' bones are no bones.
            frame.bones.take_if(|bones| bones.user_bones.is_empty());
        }
        frames.retain(|frame| write_frame(frame, &mut Vec::new()).is_ok());
        frames.truncate(4);
        for frame in &mut frames {
            add_foreign(frame, &foreign);
        }
        frames
    })
}

/// Adds members that the model does not know, wherever the frame has the object they are to be in.
fn add_foreign(frame: &mut Frame, members: &[([u8; 4], String)]) {
    const VALUES: [&str; 8] = [
        "-0.5e3",
        "null",
        "true",
        r#""a\n\"b\"""#,
        "[]",
        "[1, [2,{}]]",
        r#"{"name":"x"}"#,
        "1.50",
    ];
    // In the order of the model, in which they are read again.
    let mut members: Vec<_> = members
        .iter()
        .map(|([object, team, player, value], name)| {
            ([object % 13, team % 3, player % 4, value % 4], value, name)
        })
        .collect();
    members.sort_by_key(|member| member.0);
    for (at, ([object, team, player, pose], value, name)) in members.into_iter().enumerate() {
        let object = match object {
            0 => Object::Session,
            1 => Object::Disc,
            2 => Object::Pause,
            3 => Object::LastScore,
            4 => Object::LastThrow,
            5 => Object::VrPlayer,
            6 => Object::Team(team),
            7 => Object::TeamStats(team),
            8 => Object::Player(team, player),
            9 => Object::PlayerStats(team, player),
            10 => Object::Pose(team, player, pose),
            11 => Object::Bones,
            _ => Object::UserBones(team),
        };
        let member = Unknown {
            object,
            name: format!("{name}{at}_new").into(),
            json: VALUES[usize::from(value >> 2) % VALUES.len()].into(),
        };
        let in_bones = matches!(member.object, Object::Bones | Object::UserBones(_));
        let before = frame.clone();
        match &mut frame.bones {
            Some(bones) if in_bones => bones.unknown.push(member),
            _ if !in_bones => frame.session.unknown.push(member),
            _ => {}
        }
        if write_frame(frame, &mut Vec::new()).is_err() {
            *frame = before;
        }
    }
}

/// A valid session.
const SESSION: &str = r#"{"sessionid":"A","game_clock":1.5}"#;

/// A valid line.
fn line(second: u8, session: &str) -> String {
    format!("2022/01/02 03:00:{second:02}.000\t{session}\r\n")
}

/// The frame of the first line.
fn frame_of(text: &[u8]) -> Frame {
    read(text).next().unwrap().unwrap().frame().unwrap()
}

/// Reads text leniently.
fn lenient(text: &[u8]) -> (Vec<Frame>, Findings) {
    let mut lines = read_with(text, ReadOptions::lenient());
    let mut frames = Vec::new();
    while let Some(frame) = lines.next_frame().unwrap() {
        frames.push(frame.clone());
    }
    (frames, lines.findings().clone())
}

/// The code of the error of a strict reader, and its byte.
fn strict_error(text: &[u8]) -> (&'static str, u64) {
    let mut lines = read(text);
    loop {
        match lines.next_frame() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("nothing is wrong with {:?}", String::from_utf8_lossy(text)),
            Err(error) => {
                // The error is returned again.
                let again = lines.next_frame().unwrap_err();
                assert_eq!(again.finding(), error.finding());
                return (error.code(), error.offset().unwrap());
            }
        }
    }
}
