//! Options of a playout.

/// Options of a [`Playout`](crate::Playout).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutOptions {
    /// The ticks of the world in a second.
    pub ticks_per_second: u32,
    /// The smallest delay, in ticks.
    pub min_delay: u32,
    /// The largest delay, in ticks. If the playout is off by more, it jumps.
    pub max_delay: u32,
}

impl PlayoutOptions {
    /// Returns the defaults: a delay between 1 tick and half a second.
    #[must_use]
    pub const fn new(ticks_per_second: u32) -> Self {
        Self {
            ticks_per_second,
            min_delay: 1,
            max_delay: if ticks_per_second < 2 {
                1
            } else {
                ticks_per_second / 2
            },
        }
    }
}
