//! Times two sides in one run: their batches take turns, and the median of each side's rounds
//! counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The target duration of a batch: long compared with reading the clock, short compared with a time
/// slice.
const BATCH: Duration = Duration::from_micros(500);

/// The time of one call in microseconds, for both sides.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub ours: f64,
    pub peer: f64,
}

impl Pair {
    pub fn ratio(self) -> f64 {
        self.peer / self.ours
    }
}

/// Work to be timed: makes `calls` calls and returns their duration without preparations.
pub trait Side {
    fn batch(&mut self, calls: u32) -> Duration;
}

/// Calls without prepared input; dropping the result is part of the call.
pub struct Plain<F>(pub F);

impl<T, F: FnMut() -> T> Side for Plain<F> {
    fn batch(&mut self, calls: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..calls {
            black_box((self.0)());
        }
        start.elapsed()
    }
}

/// Calls that consume an input, which is prepared beforehand; dropping the result is part of the
/// call.
pub struct Prepared<P, F> {
    pub prepare: P,
    pub call: F,
    /// The cost of reading the clock once.
    pub clock: Duration,
}

impl<I, T, P: FnMut() -> I, F: FnMut(I) -> T> Side for Prepared<P, F> {
    fn batch(&mut self, calls: u32) -> Duration {
        let mut total = Duration::ZERO;
        for _ in 0..calls {
            let input = black_box((self.prepare)());
            let start = Instant::now();
            drop(black_box((self.call)(input)));
            total += start.elapsed().saturating_sub(self.clock);
        }
        total
    }
}

/// The difference of two consecutive readings of the clock.
pub fn clock() -> Duration {
    median((0..1001).map(|_| Instant::now().elapsed()).collect())
}

/// Times both sides in turns: A B, B A, A B, ...
pub fn race(rounds: u32, ours: &mut impl Side, peer: &mut impl Side) -> Pair {
    let (our_calls, peer_calls) = (calibrate(ours), calibrate(peer));
    let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            our_times.push(ours.batch(our_calls));
        }
        peer_times.push(peer.batch(peer_calls));
        if round % 2 == 1 {
            our_times.push(ours.batch(our_calls));
        }
    }
    Pair {
        ours: micros(median(our_times), our_calls),
        peer: micros(median(peer_times), peer_calls),
    }
}

/// The number of calls that fill a batch; finding it also warms up the caches.
fn calibrate(side: &mut impl Side) -> u32 {
    let mut calls = 1;
    while side.batch(calls) < BATCH && calls < 1 << 20 {
        calls *= 2;
    }
    calls
}

fn micros(batch: Duration, calls: u32) -> f64 {
    batch.as_secs_f64() * 1e6 / f64::from(calls)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The geometric mean.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| {
        (sum + value.ln(), count + 1)
    });
    (sum / f64::from(count)).exp()
}
