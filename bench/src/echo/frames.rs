//! Frames to .butter and back, on one core.

use std::hint::black_box;
use std::io::Cursor;

use gametape_echo::butter::{self, Compression, Options, Writer};
use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

use super::best;
use crate::alloc;

/// The number of frames that are written cyclically and stay in the cache, and that of a match of
/// 33 minutes.
const RING: usize = 300;
const LONG: usize = 60_000;

/// The number of frames in a measurement.
const COUNT: usize = 30_000;

/// Ten players at 30 Hz.
pub(super) fn options(game: Game, bones: bool, frames: usize) -> MatchOptions {
    MatchOptions {
        seed: 1,
        game,
        bones,
        joins: false,
        frames: Some(frames as u64),
        ..MatchOptions::default()
    }
}

pub(super) fn run(wants: &dyn Fn(&str) -> bool) {
    for (game, name) in [(Game::Arena, "arena"), (Game::Combat, "combat")] {
        for bones in [false, true] {
            let kind = if bones { "bones" } else { "plain" };
            let ring = format!("{name}-{kind}");
            if any(wants, &ring) {
                let frames: Vec<Frame> = Match::new(options(game, bones, RING)).collect();
                measure(wants, &ring, &frames);
            }
            let long = format!("{name}-{kind}-long");
            if any(wants, &long) && (game == Game::Arena) {
                let count = if bones { LONG / 6 } else { LONG };
                let frames: Vec<Frame> = Match::new(options(game, bones, count)).collect();
                measure(wants, &long, &frames);
            }
        }
    }
}

fn any(wants: &dyn Fn(&str) -> bool, name: &str) -> bool {
    let groups = ["echo-write", "echo-read"];
    groups.iter().any(|group| {
        let name = format!("{group}/{name}-");
        wants(&name) || name.is_empty() || COMPRESSIONS.iter().any(|c| wants(&full(&name, *c)))
    })
}

const COMPRESSIONS: [Compression; 2] = [Compression::None, Compression::Zstd3];

fn full(name: &str, compression: Compression) -> String {
    format!("{name}{}", compression.name())
}

fn measure(wants: &dyn Fn(&str) -> bool, name: &str, frames: &[Frame]) {
    let count = COUNT.max(frames.len());
    for compression in COMPRESSIONS {
        let options = Options {
            keyframe_interval: 300,
            compression,
        };
        let mut spool = Vec::new();
        let write = |spool: &mut Vec<u8>, count: usize| {
            spool.clear();
            let mut out = Vec::new();
            let mut writer = Writer::new(Cursor::new(spool), options);
            for frame in frames.iter().cycle().take(count) {
                writer.push(black_box(frame)).expect("ten players");
            }
            writer.finish(&mut out).expect("memory");
            out
        };
        // In cyclic frames the time goes back, which begins a chunk there as it does in the
        // original.
        let bytes = write(&mut spool, count);
        let title = full(&format!("echo-write/{name}-"), compression);
        if wants(&title) {
            let rounds = if compression == Compression::None {
                4
            } else {
                2
            };
            let time = best(rounds, || drop(black_box(write(&mut spool, count))));
            let (_, once) = alloc::count(|| write(&mut spool, count));
            report(&title, count, time, bytes.len(), once.calls);
        }
        let title = full(&format!("echo-read/{name}-"), compression);
        if wants(&title) {
            let read = || {
                let file = butter::read(black_box(&bytes)).expect("just written");
                let mut frames = file.frames();
                let mut count = 0;
                while let Some(frame) = frames.next_frame().expect("just written") {
                    black_box(frame);
                    count += 1;
                }
                count
            };
            assert_eq!(read(), count);
            let time = best(4, || {
                black_box(read());
            });
            let (_, once) = alloc::count(read);
            report(&title, count, time, bytes.len(), once.calls);
        }
    }
}

fn report(title: &str, frames: usize, time: std::time::Duration, bytes: usize, calls: u64) {
    let frames = frames as f64;
    println!(
        "{title} frames/s={:.0} ns={:.0} bytes/frame={:.1} allocations/frame={:.4}",
        frames / time.as_secs_f64(),
        time.as_secs_f64() * 1e9 / frames,
        bytes as f64 / frames,
        calls as f64 / frames,
    );
}
