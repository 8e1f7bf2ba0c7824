//! How long is searched, and who hears of it.

use std::time::{Duration, Instant};

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Candidates that were tried.
    pub tried: u64,
    /// How much of the time is over, from 0 to 1.
    pub share: f64,
}

/// What may be spent.
pub(crate) struct Budget<'w> {
    start: Instant,
    limit: Duration,
    watch: &'w mut dyn FnMut(Progress) -> bool,
    told: Instant,
    stopped: bool,
}

impl<'w> Budget<'w> {
    pub fn new(limit: Duration, watch: &'w mut dyn FnMut(Progress) -> bool) -> Self {
        let start = Instant::now();
        Self {
            start,
            limit,
            watch,
            told: start,
            stopped: false,
        }
    }

    /// True while less than this share of the time is over, and nobody wants to stop.
    pub fn lasts(&mut self, share: f64, tried: u64) -> bool {
        let now = Instant::now();
        let spent = now.duration_since(self.start);
        if now.duration_since(self.told) > Duration::from_millis(100) {
            self.told = now;
            let share = spent.as_secs_f64() / self.limit.as_secs_f64().max(1e-9);
            self.stopped |= !(self.watch)(Progress {
                tried,
                share: share.min(1.0),
            });
        }
        !self.stopped && spent < self.limit.mul_f64(share)
    }
}
