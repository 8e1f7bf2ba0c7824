//! Every format of the registry, held to the one matrix of bad inputs and outputs. A format that has
//! no sample here fails.

use std::io::Cursor;

use gametape::capture::{self, Options};
use gametape::delta::{Encoder, Snapshot};
use gametape::echo::echoreplay::{Writer, ZipWriter};
use gametape::echo::{Frame, butter};
use gametape_cli::kit::{self, Kit, Sample};
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use rayon::prelude::*;

/// Small sound recordings of a format: in each form that it has.
pub fn samples(format: &str) -> Vec<Sample> {
    match format {
        "rmv" => vec![Sample::new("game.rmv", gametape_samples::mines::example())],
        "murk" => vec![Sample::new("run.murk", gametape::murk::doc_example())],
        "capture" => vec![Sample::new("run.mcap", capture())],
        "delta" => {
            let schema = serde_json::to_vec(&Arena::schema()).unwrap();
            let sample = Sample::new("run.delta", packets().concat());
            vec![sample.with("run.schema.json", schema)]
        }
        "echoreplay" => {
            let mut text = Writer::new(Vec::new());
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "m.echoreplay", 1).unwrap();
            for frame in frames() {
                text.push(&frame).unwrap();
                zip.push(&frame).unwrap();
            }
            vec![
                Sample::new("text.echoreplay", text.finish().unwrap()),
                Sample::new("zip.echoreplay", zip.finish().unwrap().into_inner()),
            ]
        }
        "butter" => {
            let bytes = butter::write(&frames(), butter::Options::default()).unwrap();
            vec![Sample::new("match.butter", bytes)]
        }
        other => panic!("{other} has no sample recording: add one, and it is tested"),
    }
}

fn frames() -> Vec<Frame> {
    let options = MatchOptions {
        seed: 5,
        frames: Some(6),
        players_per_team: 1,
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

fn packets() -> Vec<Vec<u8>> {
    let schema = Arena::schema();
    let mut arena = Arena::new(3, 7);
    let mut encoder = Encoder::new(&schema);
    let mut before: Option<Snapshot> = None;
    (0..5)
        .map(|_| {
            let mut state = Snapshot::new(&schema, 0);
            arena.step();
            arena.state(&mut state).unwrap();
            let mut packet = Vec::new();
            match &before {
                Some(baseline) => encoder.delta(baseline, &state, &mut packet).unwrap(),
                None => encoder.full(&state, &mut packet).unwrap(),
            }
            before = Some(state);
            packet
        })
        .collect()
}

fn capture() -> Vec<u8> {
    let options = Options {
        tick_ns: Some(50_000_000),
        ..Options::default()
    };
    let mut writer = capture::Writer::new(Vec::new(), &Arena::schema(), options).unwrap();
    for packet in packets() {
        writer.push(&packet).unwrap();
    }
    writer.finish().unwrap()
}

/// What can be done with recordings of a format alone: `{}` is the file.
fn also(format: &str) -> &'static [&'static str] {
    match format {
        "murk" => &["minimise {} least.murk", "sync-test {}", "index {}"],
        "capture" | "delta" => &["dump --state {}", "schema hash {}"],
        _ => &[],
    }
}

fn kits() -> Vec<Kit> {
    let kit = |name| {
        Kit::new(env!("CARGO_BIN_EXE_gametape"), samples(name))
            .also(also(name).iter().copied())
            .served_by("kit::command")
    };
    gametape::formats()
        .iter()
        .map(|format| kit(format.name()))
        .collect()
}

/// Runs the command for the tests below.
#[test]
fn command() {
    kit::serve(&gametape_cli::tools::app(gametape::formats()));
}

#[test]
fn every_format_keeps_what_all_promise() {
    kits().par_iter().for_each(Kit::promises);
}

#[test]
fn every_format_can_be_made_into_captures_whose_tables_are_the_same() {
    kits().par_iter().for_each(Kit::captures);
}

#[test]
fn every_format_stands_bad_inputs() {
    kits().par_iter().for_each(Kit::bad_inputs);
}

#[test]
fn every_format_stands_bad_outputs() {
    kits().par_iter().for_each(Kit::bad_outputs);
}

#[test]
fn every_format_stands_whole_folders() {
    kits().par_iter().for_each(Kit::folders);
}
