//! When a packet is: from its tick, where the length of one is known.

use gametape_core::Time;

/// Nanoseconds of so many ticks; what 64 bits don't hold is the most they hold.
fn ticks(count: u64, tick_ns: u64) -> Time {
    let ns = u128::from(count) * u128::from(tick_ns);
    Time(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// Tells the time of ticks: since the tick of the first packet.
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

    /// The time of a packet of this tick; the first that is asked for starts the recording.
    pub fn time(&mut self, tick: u32) -> Option<Time> {
        let first = *self.first.get_or_insert(tick);
        Some(ticks(tick.saturating_sub(first).into(), self.tick_ns?))
    }
}
