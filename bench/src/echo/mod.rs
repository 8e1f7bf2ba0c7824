//! gametape-echo beside the JSON library that it reads with, and beside what is published of its
//! peers.

mod convert;
mod frames;
mod json;
mod sizes;
mod spool;

use std::time::{Duration, Instant};

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let wants = |name: &str| name.contains(filter);
    json::run(&wants);
    frames::run(&wants);
    convert::run(&wants);
    sizes::run(&wants);
    published(&wants);
    // Takes minutes: only when asked for.
    if filter == spool::NAME {
        spool::run();
    }
}

/// The fastest of some runs: what the neighbours of the machine take is not ours.
fn best(rounds: u32, mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

/// Lines of context, so that nobody has to look them up. Not measured here.
fn published(wants: &dyn Fn(&str) -> bool) {
    for (name, figure) in [
        ("reference-1.3.4", "10000..12000 frames/s written"),
        ("nevrcap-tape", "12.6 us a frame read or written"),
    ] {
        let name = format!("echo-published/{name}");
        if wants(&name) {
            println!("{name} {figure} (published, other machines, not measured)");
        }
    }
}
