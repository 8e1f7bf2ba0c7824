//! The caller's part of a search: its time limit, its progress callback, and the other simulations to
//! try.

use std::fmt;
use std::time::{Duration, Instant};

use crate::divergence::Slip;
use crate::simulation::Checkpoint;

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The number of candidates that were tried.
    pub tried: u64,
    /// The part of the time that has passed, from 0 to 1.
    pub share: f64,
}

/// The time limit of a search, and the callback that may stop it.
pub(crate) struct Budget<'w> {
    start: Instant,
    limit: Duration,
    watch: &'w mut dyn FnMut(Progress) -> bool,
    /// The last call of `watch`.
    watched: Instant,
    stopped: bool,
}

impl<'w> Budget<'w> {
    pub fn new(limit: Duration, watch: &'w mut dyn FnMut(Progress) -> bool) -> Self {
        let start = Instant::now();
        Self {
            start,
            limit,
            watch,
            watched: start,
            stopped: false,
        }
    }

    /// Returns the part of the time that has passed; more than 1 after the limit.
    pub fn share(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / self.limit.as_secs_f64().max(1e-9)
    }

    /// Returns true while less than this share of the time has passed and the caller has not stopped
    /// the search.
    pub fn lasts(&mut self, share: f64, tried: u64) -> bool {
        let spent = self.share();
        if self.watched.elapsed() > Duration::from_millis(100) {
            self.watched = Instant::now();
            self.stopped |= !(self.watch)(Progress {
                tried,
                share: spent.min(1.0),
            });
        }
        !self.stopped && spent < share
    }
}

/// A simulation that differs from the one that diverged, for example by a parameter or by the order
/// of its propagators, and may be the one that was recorded.
pub struct Variant<'v, S: Checkpoint> {
    /// The slip that the variant stands for.
    pub slip: Slip,
    /// Builds the variant at a state that was saved in the simulation that diverged; `None` if that
    /// is not possible.
    pub build: BuildVariant<'v, S>,
}

/// Builds a simulation at a state that was saved in another one. It is called again to see whether the
/// simulation is deterministic.
pub type BuildVariant<'v, S> = Box<dyn Fn(&<S as Checkpoint>::State) -> Option<S> + 'v>;

impl<S: Checkpoint> fmt::Debug for Variant<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("slip", &self.slip)
            .finish_non_exhaustive()
    }
}
