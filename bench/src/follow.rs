//! Recordings that are still being written: the cost of each new frame, from the bytes in the file
//! to packets.

use std::fs::File;
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::time::{Duration, Instant};

use gametape::Recording;
use gametape::capture::tape::{Growing, Piece, segments};
use gametape::core::Input;
use gametape::core::tape::{Error, Secrets, Work};
use gametape_echo::{Frame, butter, echoreplay};
use gametape_murk::engine::World;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::murk;

use crate::alloc;

/// The number of frames in a recording: 40 seconds of a match.
const FRAMES: usize = 1200;

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let folder = tempfile::tempdir().expect("space for temporary files");
    let wants = |name: &str| name.contains(filter);
    for bones in [false, true] {
        let with = if bones { "-bones" } else { "" };
        let [lines, journal] = ["echoreplay", "butter"].map(|of| format!("follow/{of}{with}"));
        if !wants(&lines) && !wants(&journal) {
            continue;
        }
        let frames = frames(bones);
        if wants(&lines) {
            let (bytes, ends) = in_lines(&frames);
            measure(&lines, &folder.path().join("a.echoreplay"), &bytes, &ends);
        }
        if wants(&journal) {
            let (bytes, ends) = in_journal(&frames);
            measure(&journal, &folder.path().join("a.butter"), &bytes, &ends);
        }
    }
    for (name, text) in [
        ("follow/murk-one-value", PLATE.to_owned()),
        (
            "follow/murk-six-values",
            murk::HEAT
                .replace("rows = 16", "rows = 64")
                .replace("cols = 16", "cols = 64"),
        ),
    ] {
        if wants(name) {
            let (bytes, ends) = in_world(&text);
            measure(name, &folder.path().join("a.murk"), &bytes, &ends);
        }
    }
}

/// 64 x 64 cells with one value each.
const PLATE: &str = r#"
dt = 0.1
[space]
kind = "square4"
rows = 64
cols = 64
edge = "absorb"
[[field]]
name = "heat"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "scalar_diffusion"
input_field = "heat"
output_field = "heat"
coefficient = 0.5
sources = [[0, 100.0], [2500, -20.0]]
"#;

/// A match of four against four.
fn frames(bones: bool) -> Vec<Frame> {
    let options = MatchOptions {
        players_per_team: 4,
        frames: Some(FRAMES as u64),
        bones,
        ..MatchOptions::default()
    };
    Match::new(options).collect()
}

fn in_lines(frames: &[Frame]) -> (Vec<u8>, Vec<usize>) {
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in frames {
        text.push(frame).expect("memory");
    }
    let bytes = text.finish().expect("memory");
    let ends = bytes.iter().enumerate();
    let ends = ends.filter_map(|(at, byte)| (*byte == b'\n').then_some(at + 1));
    let ends = ends.collect();
    (bytes, ends)
}

fn in_journal(frames: &[Frame]) -> (Vec<u8>, Vec<usize>) {
    let mut journal = butter::Journal::new(Cursor::new(Vec::new()), butter::Options::default());
    let mut ends = Vec::new();
    for frame in frames {
        journal.push(frame).expect("memory");
        ends.push(journal.get_ref().get_ref().len());
    }
    (journal.get_ref().get_ref().clone(), ends)
}

fn in_world(text: &str) -> (Vec<u8>, Vec<usize>) {
    let world = World::from_toml(text).expect("a world");
    let simulation = world.build().expect("a world");
    let bytes = murk::record(&world, simulation, 1, FRAMES as u64 / 4).expect("memory");
    let read = gametape_murk::read(&bytes).expect("just written");
    let starts = read
        .frames()
        .map(|frame| frame.expect("whole").offset as usize);
    let mut ends: Vec<usize> = starts.skip(1).collect();
    ends.push(bytes.len());
    (bytes, ends)
}

/// Lets a recording grow frame by frame and measures each step.
fn measure(name: &str, path: &Path, bytes: &[u8], ends: &[usize]) {
    std::fs::write(path, bytes).expect("space for temporary files");
    let input = Input::file(File::open(path).expect("just written")).expect("just written");
    let first = ends[0];
    let begun = Recording::from_bytes(bytes[..first].to_vec(), "a").expect("a frame");
    let growing = Growing::begin(&**begun.tape(), Secrets::Hide, &Work::default());
    let mut growing = growing.expect("a frame").expect("it can be followed");
    let mut packets = 0;
    let mut take = |piece: Piece<'_>| {
        if let Piece::Record { bytes, .. } = piece {
            packets += bytes.len();
        }
        Ok::<(), Error>(())
    };
    let (mut times, mut calls, mut asked) = (Vec::with_capacity(ends.len()), 0, 0);
    for end in ends {
        let now = input.first(*end as u64);
        let start = Instant::now();
        let (made, allocations) = alloc::count(|| growing.more(&now, &mut take));
        times.push(start.elapsed());
        made.expect("it goes on");
        calls += allocations.calls;
        asked += allocations.bytes;
    }
    let start = Instant::now();
    let whole = Recording::open(path).expect("just written");
    let mut keep = |segment| {
        black_box(segment);
        Ok(())
    };
    segments(
        whole.tape(),
        Secrets::Hide,
        true,
        &mut keep,
        &Work::default(),
    )
    .expect("whole");
    let anew = start.elapsed();
    times.sort_unstable();
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let count = ends.len();
    println!(
        "{name} frames={count} file={} records={} median_us={:.0} p99_us={:.0} worst_us={:.0} allocations={} allocated={} anew_ms={:.0}",
        bytes.len(),
        packets,
        us(times[count / 2]),
        us(times[count * 99 / 100]),
        us(times[count - 1]),
        calls / count as u64,
        asked / count as u64,
        anew.as_secs_f64() * 1e3,
    );
}
