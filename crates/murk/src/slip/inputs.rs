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

    /// How much of the time is over; more than 1 where it was overrun.
    pub fn share(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.limit.as_secs_f64().max(1e-9)
    }

    /// True while less than this share of the time is over, and nobody wants to stop.
    pub fn lasts(&mut self, share: f64, tried: u64) -> bool {
        let spent = self.share();
        if self.told.elapsed() > Duration::from_millis(100) {
            self.told = Instant::now();
            self.stopped |= !(self.watch)(Progress {
                tried,
                share: spent.min(1.0),
            });
        }
        !self.stopped && spent < share
    }
}
