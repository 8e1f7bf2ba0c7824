//! A short match, recorded in every form.

use std::fs;
use std::io::Cursor;

use gametape::echo::echoreplay::{Writer, ZipWriter};
use gametape::echo::{Frame, butter};
use gametape_samples::echo::{Match, MatchOptions};

/// Frames of the match.
pub const FRAMES: u64 = 90;

pub fn frames() -> Vec<Frame> {
    let options = MatchOptions {
        seed: 5,
        frames: Some(FRAMES),
        players_per_team: 2,
        bones: true,
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

pub fn text(frames: &[Frame]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for frame in frames {
        writer.push(frame).unwrap();
    }
    writer.finish().unwrap()
}

pub fn zip(frames: &[Frame]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()), "m.echoreplay", 1).unwrap();
    for frame in frames {
        writer.push(frame).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn butter(frames: &[Frame]) -> Vec<u8> {
    let options = butter::Options {
        keyframe_interval: 30,
        ..butter::Options::default()
    };
    butter::write(frames, options).unwrap()
}

/// A folder with one match in every form: `text.echoreplay`, `zip.echoreplay`, `match.butter`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let frames = frames();
    for (name, bytes) in [
        ("text.echoreplay", text(&frames)),
        ("zip.echoreplay", zip(&frames)),
        ("match.butter", butter(&frames)),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}
