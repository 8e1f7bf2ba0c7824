//! Two hours at 60 Hz with the bones of ten players, generated while they are written through a
//! file.

use std::time::Instant;

use gametape_echo::butter::{Options, Writer};
use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

use super::frames::options;
use crate::alloc;

pub(super) const NAME: &str = "echo-memory/two-hours";

/// The number of frames in two hours at 60 Hz.
const FRAMES: usize = 432_000;

pub(super) fn run() {
    let options = MatchOptions {
        rate_hz: 60,
        joins: true,
        ..options(Game::Arena, true, FRAMES)
    };
    let start = Instant::now();
    let (bytes, peak) = alloc::peak(|| {
        let spool = tempfile::tempfile().expect("a temporary file");
        let mut out = tempfile::tempfile().expect("a temporary file");
        let mut writer = Writer::new(spool, Options::default());
        let mut game = Match::new(options);
        let mut frame = Frame::default();
        while game.next_into(&mut frame) {
            writer.push(&frame).expect("few players");
        }
        writer.finish(&mut out).expect("space").bytes
    });
    println!(
        "{NAME} frames={FRAMES} seconds={:.0} bytes={bytes} peak_allocated_MiB={:.1} peak_resident_MiB={:.1}",
        start.elapsed().as_secs_f64(),
        peak as f64 / f64::from(1 << 20),
        resident().unwrap_or(0.0),
    );
}

/// The peak memory of the process in MiB, as the system reports it.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
