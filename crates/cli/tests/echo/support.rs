//! A short match, recorded in every form.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use gametape::echo::echoreplay::{Writer, ZipWriter};
use gametape::echo::{Frame, butter};
use gametape_samples::echo::{Match, MatchOptions};
use snapbox::cmd::{Command, cargo_bin};

/// Frames of the match.
pub const FRAMES: u64 = 90;

pub fn gametape(folder: &Path, args: &[&str]) -> Command {
    Command::new(cargo_bin("gametape"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(args)
}

pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// What a command says that exits with `code`: on standard output, and on standard error.
pub fn said(folder: &Path, args: &str, code: i32) -> (String, String) {
    let run = gametape(folder, &words(args)).assert().code(code);
    let [out, err] = [&run.get_output().stdout, &run.get_output().stderr]
        .map(|text| String::from_utf8(text.clone()).unwrap());
    (out, err)
}

/// Runs a command that has to end well, and say nothing on standard error.
pub fn fine(folder: &Path, args: &str) -> String {
    let (out, err) = said(folder, args, 0);
    assert_eq!(err, "", "{args}");
    out
}

/// Runs a command that must not be carried out: one line on standard error, nothing on standard
/// output, and no file more or less than before.
pub fn refused(folder: &Path, args: &str, complaint: &str) {
    let before = names(folder);
    let (out, err) = said(folder, args, 2);
    assert_eq!(err, format!("gametape: {complaint}\n"), "{args}");
    assert_eq!(out, "", "{args}");
    assert_eq!(names(folder), before, "{args}");
}

/// One JSON object that a command prints.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// The names of what is in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().display().to_string())
        .collect();
    names.sort();
    names
}

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
