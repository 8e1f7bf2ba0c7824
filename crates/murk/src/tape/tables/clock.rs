//! When frames are.

use gametape_core::tape::Error;
use gametape_core::{Clocks, Stamp, Time};

use crate::Header;
use crate::tape::opened::MurkTape;
use crate::tape::world;

/// When the frames of a recording are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds a tick, where a world says so.
    dt: Option<f64>,
}

impl Clock {
    /// Creates the clock of a recording with this header.
    pub fn of(tape: &MurkTape, header: &Header<'_>) -> Result<Self, Error> {
        let dt = tape.tick_length(header)?;
        Ok(Self { dt })
    }

    pub const fn clocks(self) -> Clocks {
        Clocks::ticks(self.dt.is_some())
    }

    /// From when on the facts hold: whatever the recording's ticks and times.
    pub fn start() -> Stamp {
        Stamp {
            time: Some(Time::START),
            ..Stamp::default()
        }
    }

    pub fn stamp(self, step: u64, tick: u64) -> Stamp {
        Stamp {
            step,
            tick: Some(tick),
            time: self.dt.map(|dt| world::time_of(tick, dt)),
        }
    }
}
