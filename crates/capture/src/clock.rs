//! The times of packets, computed from their ticks if the length of a tick is known.

use gametape_core::Time;

/// The duration of `count` ticks; values that do not fit in 64 bits become the largest value.
fn ticks(count: u64, tick_ns: u64) -> Time {
    let ns = u128::from(count) * u128::from(tick_ns);
    Time(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// Computes the time of ticks, relative to the tick of the first packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    tick_ns: Option<u64>,
    first: Option<u32>,
}

impl Clock {
    pub const fn new(tick_ns: Option<u64>) -> Self {
        Self {
            tick_ns,
            first: None,
        }
    }

    /// A clock of a recording that starts at a known tick.
    #[cfg(feature = "tape")]
    pub const fn from(tick_ns: Option<u64>, first: Option<u32>) -> Self {
        Self { tick_ns, first }
    }

    /// The time of a packet with this tick; the first call starts the recording.
    pub fn time(&mut self, tick: u32) -> Option<Time> {
        let first = *self.first.get_or_insert(tick);
        Some(ticks(tick.saturating_sub(first).into(), self.tick_ns?))
    }
}
