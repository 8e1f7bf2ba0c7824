//! Segments made of a match with bones.

use std::time::Instant;

use gametape::{Recording, Work};
use gametape_echo::{butter, echoreplay};
use gametape_live::{PublishOptions, Store, publish};

use crate::server::{game, say};

const RATE: usize = 30;

pub fn run(seconds: usize) {
    let frames: Vec<_> = game(RATE).take(seconds * RATE).collect();
    let lines = || {
        let mut writer = echoreplay::Writer::new(Vec::new());
        for frame in &frames {
            writer.push(frame).expect("written");
        }
        writer.finish().expect("written")
    };
    let butter = butter::write(&frames, butter::Options::default()).expect("written");
    for (name, bytes) in [("match.butter", butter), ("match.echoreplay", lines())] {
        let size = bytes.len();
        let recording = Recording::from_bytes(bytes, name).expect("read");
        let from = Instant::now();
        let mut store = Store::memory();
        let options = PublishOptions::default();
        let index = publish(&recording, "match", options, &mut store, &Work::default());
        let took = from.elapsed().as_secs_f64();
        let index = index.expect("published");
        let bytes: u64 = index
            .segments
            .iter()
            .map(|segment| segment.file.bytes)
            .sum();
        let times = seconds as f64 / took;
        say(&format!(
            "making/{name} times_real={times:.1} seconds={took:.2} of={seconds} file_bytes={size} segment_bytes={bytes}"
        ));
    }
}
