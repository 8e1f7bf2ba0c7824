//! Compares gametape-echo with the JSON library that it uses, and with the published figures of its
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
    // Takes minutes, so it runs only on request.
    if filter == spool::NAME {
        spool::run();
    }
}

/// The target duration of a round: the system measures processor time in ticks of some
/// milliseconds.
const ROUND: Duration = Duration::from_millis(400);

/// The time of one call in the fastest of some rounds. It is the processor time of all threads
/// together, so that other programs on the same core do not count.
pub fn best(rounds: u32, mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    let once = start.elapsed().max(Duration::from_nanos(1));
    let calls = (ROUND.as_nanos() / once.as_nanos()).clamp(1, 1000) as u32;
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let (start, before) = (Instant::now(), processor());
        for _ in 0..calls {
            work();
        }
        let spent = processor().zip(before).map(|(now, then)| now - then);
        best = best.min(spent.unwrap_or_else(|| start.elapsed()) / calls);
    }
    best
}

/// The processor time of all threads of this process, if the system reports it.
fn processor() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let schedule = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += schedule.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
}

/// Prints published figures for comparison. They are not measured here.
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
