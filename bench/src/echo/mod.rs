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

/// How long a round should take: the system adds up time at its ticks, some milliseconds apart.
const ROUND: Duration = Duration::from_millis(400);

/// Time of one call in the fastest of some rounds, in time of the processor, all threads added up: so
/// neighbours that take turns with us on the same core do not count.
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

/// Time that all threads of this process have had on a core, where the system tells.
fn processor() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let schedule = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += schedule.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
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
