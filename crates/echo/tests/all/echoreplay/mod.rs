//! .echoreplay: real files, arbitrary files, broken files.

mod lines;
mod redaction;
mod round_trip;
#[cfg(feature = "zip")]
mod spoiled;
mod tapes;
mod values;
#[cfg(feature = "zip")]
mod variants;
mod writing;
mod zips;

use gametape_echo::echoreplay::{read, read_with, write_frame};
use gametape_echo::{Findings, Frame, ReadOptions};
use gametape_testkit::Script;
use gametape_testkit::echo::frames;
use proptest::prelude::*;

/// Frames of any content that can be written.
fn any_frames() -> impl Strategy<Value = Vec<Frame>> {
    prop::collection::vec(any::<u8>(), 0..3000).prop_map(|script| {
        let mut script = Script::new(&script);
        let mut frames = frames::any(&mut script);
        frames::change_much(&mut script, &mut frames[0]);
        frames.retain(|frame| write_frame(frame, &mut Vec::new()).is_ok());
        frames.truncate(4);
        frames
    })
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
