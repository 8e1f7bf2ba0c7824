//! A small arena, recorded in every form.

use std::fs;
use std::path::Path;

use gametape::capture::{CaptureWriter, Options};
use gametape::delta::wire::HEADER_BYTES;
use gametape::delta::{Encoder, Schema, Snapshot};
use gametape_samples::delta::Arena;
use snapbox::cmd::{Command, cargo_bin};

/// Ships in the arena.
pub const SHIPS: u32 = 4;
/// Packets of the recordings, a tick each.
pub const TICKS: u32 = 40;
/// Between added keyframes.
pub const EVERY: u32 = 15;

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

/// The states of ticks 1 to [`TICKS`].
pub fn states() -> Vec<Snapshot> {
    let mut arena = Arena::new(SHIPS, 7);
    (1..=TICKS)
        .map(|_| {
            let mut state = Snapshot::new(&Arena::schema(), 0);
            arena.step();
            arena.state(&mut state).unwrap();
            state
        })
        .collect()
}

/// A full snapshot, and deltas that build on the tick before.
pub fn packets() -> Vec<Vec<u8>> {
    packets_of(&Arena::schema(), &states())
}

pub fn packets_of(schema: &Schema, states: &[Snapshot]) -> Vec<Vec<u8>> {
    let mut encoder = Encoder::new(schema);
    let mut before: Option<&Snapshot> = None;
    states
        .iter()
        .map(|state| {
            let mut packet = Vec::new();
            match before.replace(state) {
                Some(baseline) => encoder.delta(baseline, state, &mut packet).unwrap(),
                None => encoder.full(state, &mut packet).unwrap(),
            }
            packet
        })
        .collect()
}

/// A capture at 20 ticks a second.
pub fn capture(packets: &[Vec<u8>], options: Options) -> Vec<u8> {
    let options = Options {
        tick_ns: Some(50_000_000),
        ..options
    };
    let mut writer = CaptureWriter::new(Vec::new(), &Arena::schema(), options).unwrap();
    for packet in packets {
        writer.push(packet).unwrap();
    }
    writer.finish().unwrap()
}

pub fn with_keyframes() -> Options {
    Options {
        keyframe_every: Some(EVERY),
        ..Options::default()
    }
}

/// A capture of many small chunks.
pub fn chunked(packets: &[Vec<u8>]) -> Vec<u8> {
    let options = Options {
        chunk_bytes: 600,
        ..Options::default()
    };
    capture(packets, options)
}

pub fn schema_json() -> Vec<u8> {
    serde_json::to_vec(&Arena::schema()).unwrap()
}

/// A folder with one stream in every form: `run.mcap`, `run.delta` with `run.schema.json`, and
/// the folder `packets`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let packets = packets();
    fs::write(path.join("run.mcap"), capture(&packets, with_keyframes())).unwrap();
    fs::write(path.join("run.delta"), packets.concat()).unwrap();
    fs::write(path.join("run.schema.json"), schema_json()).unwrap();
    fs::create_dir(path.join("packets")).unwrap();
    fs::write(path.join("packets/schema.json"), schema_json()).unwrap();
    for (packet, tick) in packets.iter().zip(1..) {
        let name = match tick {
            1 => "full_000001.bin".to_owned(),
            _ => format!("delta_{tick:06}_base_{:06}.bin", tick - 1),
        };
        fs::write(path.join("packets").join(name), packet).unwrap();
    }
    folder
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

/// Where each packet starts in a `.delta` file.
pub fn starts(packets: &[Vec<u8>]) -> Vec<usize> {
    packets
        .iter()
        .scan(0, |end, packet| {
            *end += packet.len();
            Some(*end - packet.len())
        })
        .collect()
}

/// The first byte of a packet's first section body, behind header, tag and a length of one or two
/// bytes.
pub fn body(packet: &[u8]) -> usize {
    let length = packet[HEADER_BYTES + 1..]
        .iter()
        .position(|byte| byte & 0x80 == 0);
    HEADER_BYTES + 2 + length.unwrap()
}
