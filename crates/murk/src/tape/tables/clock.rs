//! The stamps of frames.

use gametape_core::tape::Error;
use gametape_core::{Clocks, Stamp, Time};

use crate::Header;
use crate::tape::opened::MurkTape;
use crate::tape::world;

/// Computes the stamps of a recording's frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds per tick, if the world is known.
    dt: Option<f64>,
}

impl Clock {
    /// Returns the clock of a recording with this header.
    pub fn of(tape: &MurkTape, header: &Header<'_>) -> Result<Self, Error> {
        let dt = tape.tick_length(header)?;
        Ok(Self { dt })
    }

    pub const fn clocks(self) -> Clocks {
        Clocks::ticks(self.dt.is_some())
    }

    /// Returns the stamp of facts, which does not depend on the recording's ticks and times.
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
