//! Sample recordings of each format.

use gametape::echo::echoreplay::Writer;
use gametape::echo::{Frame, butter};
use gametape::murk::engine::World;
use gametape_samples::echo::{Match, MatchOptions};

fn frames() -> Vec<Frame> {
    let options = MatchOptions {
        frames: Some(200),
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

/// Returns recordings of a format; none for formats that are captures themselves.
pub fn samples(format: &str) -> Vec<Vec<u8>> {
    match format {
        "rmv" => {
            let games = gametape_samples::mines::scenarios();
            let record = |scenario| gametape_samples::mines::record(scenario, 3).unwrap();
            let write = |game| gametape::mines::rmv::write(&game).unwrap();
            games.iter().map(record).map(write).collect()
        }
        "murk" => {
            let played = |(_, text): &(&str, &str)| {
                let world = World::from_toml(text).unwrap();
                gametape_samples::murk::record(&world, world.build().unwrap(), 1, 40).unwrap()
            };
            let worlds = gametape_samples::murk::ALL.iter();
            let mut all: Vec<Vec<u8>> = worlds.map(played).collect();
            all.push(gametape::murk::doc_example());
            all
        }
        "echoreplay" => {
            let mut text = Writer::new(Vec::new());
            for frame in frames() {
                text.push(&frame).unwrap();
            }
            vec![text.finish().unwrap()]
        }
        "butter" => {
            vec![butter::write(&frames(), butter::Options::default()).unwrap()]
        }
        "capture" | "delta" => Vec::new(),
        other => panic!("{other} has no sample recording: add one, and it is tested"),
    }
}

/// Returns several megabytes of lines.
pub fn long_match() -> Vec<u8> {
    let options = MatchOptions {
        frames: Some(1500),
        ..MatchOptions::default()
    };
    let mut text = Writer::new(Vec::new());
    for frame in Match::new(options) {
        text.push(&frame).unwrap();
    }
    text.finish().unwrap()
}
