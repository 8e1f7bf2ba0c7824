//! What the tests of .butter share: real files, a walk over two frames, and the bounds of rounding.

#![allow(dead_code)]

pub mod bounds;
pub mod hostile;
pub mod old;
pub mod raw;
pub mod walk;
pub mod ways;

use std::path::Path;

use gametape_echo::butter::{self, Compression, Mode, Options};
use gametape_echo::{Findings, Frame, Game, ReadOptions, echoreplay};
use gametape_samples::echo::{Match, MatchOptions};

/// A file of the reference; `None`, and loudly so, where the recordings are not beside the project.
pub fn tape(name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/butter");
    let bytes = std::fs::read(folder.join(name)).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED: no {name} beside the project; this test has checked nothing");
    }
    bytes
}

/// The frames of an .echoreplay.
pub fn lines(bytes: &[u8]) -> Vec<Frame> {
    echoreplay::read(bytes)
        .map(|line| {
            let mut frame = Frame::default();
            line.unwrap().read_into(&mut frame).unwrap();
            frame
        })
        .collect()
}

/// A generated match.
pub fn frames_of(options: MatchOptions) -> Vec<Frame> {
    Match::new(options).collect()
}

/// Matches of all kinds: arena, private arena and combat, with and without bones, joins, pauses.
pub fn match_options(seed: u64, frames: u64) -> MatchOptions {
    MatchOptions {
        seed,
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        rate_hz: [30, 15, 60, 10, 1][(seed % 5) as usize],
        frames: Some(frames),
        players_per_team: [5, 1, 4][(seed % 3) as usize],
        spectators: (seed % 3) as u8,
        bones: seed % 2 == 1,
        private: seed % 4 >= 2,
        pauses: seed % 3 != 1,
        joins: true,
        ..MatchOptions::default()
    }
}

pub fn options(mode: Mode, keyframe_interval: u16, compression: Compression) -> Options {
    Options {
        mode,
        keyframe_interval,
        compression,
    }
}

/// What a reader gave: frames, whether each was a keyframe, and why it stopped, if it did not reach
/// the end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    pub frames: Vec<Frame>,
    pub keyframes: Vec<bool>,
    pub error: Option<String>,
    pub truncated: bool,
    pub findings: Findings,
}

/// All frames of a slice.
pub fn read_all(bytes: &[u8], options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let file = match butter::read_with(bytes, options) {
        Ok(file) => file,
        Err(error) => {
            outcome.truncated = error.is_truncated();
            outcome.error = Some(error.to_string());
            return outcome;
        }
    };
    let mut frames = file.frames();
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => outcome.frames.push(frame.clone()),
            Ok(None) => break,
            Err(error) => {
                outcome.truncated = error.is_truncated();
                outcome.error = Some(error.to_string());
                break;
            }
        }
        outcome.keyframes.push(frames.is_keyframe());
    }
    outcome.findings = frames.findings().clone();
    outcome
}

/// All frames of a file that is whole.
pub fn read_strictly(bytes: &[u8]) -> Outcome {
    let outcome = read_all(bytes, ReadOptions::default());
    assert_eq!(outcome.error, None);
    outcome
}

pub fn write(frames: &[Frame], options: Options) -> Vec<u8> {
    butter::write(frames, options).unwrap()
}

/// So many cases, and no file for those that fail: the seed is printed.
pub fn cases(cases: u32) -> proptest::prelude::ProptestConfig {
    proptest::prelude::ProptestConfig {
        // For a longer search: PROPTEST_CASES.
        cases: std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(cases),
        failure_persistence: None,
        ..Default::default()
    }
}
