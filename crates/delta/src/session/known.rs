//! The knowledge of a sender about an entity at its receiver.

use super::change::{Head, What};
use super::options::Mode;

/// An entity that the receiver may have or should have. Ticks are 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub id: u32,
    /// The tick of its values in the baseline; 0 if the baseline lacks it.
    pub acked: u32,
    /// The newest packet under way that names or destroys it.
    pub flight: u32,
    /// Since when a change waits.
    pub since: u32,
    /// Whether the packet under way destroys it.
    pub ends: bool,
}

impl Known {
    pub const fn new(id: u32) -> Self {
        Self {
            id,
            acked: 0,
            flight: 0,
            since: 0,
            ends: false,
        }
    }

    /// Returns true if the receiver may have it.
    pub const fn may_be_held(&self) -> bool {
        self.acked != 0 || self.flight != 0
    }

    /// Returns the tick of its values in the state on which the next packet builds; 0 if that state
    /// lacks it.
    pub const fn base(&self, mode: Mode) -> u32 {
        match (mode, self.flight, self.ends) {
            (Mode::Merged, ..) | (Mode::Strict, 0, _) => self.acked,
            (Mode::Strict, _, true) => 0,
            (Mode::Strict, flight, false) => flight,
        }
    }

    /// Returns the change to send for an entity that the receiver may see.
    #[inline]
    pub fn show(&self, head: &Head, mode: Mode) -> Option<What> {
        let newest = if self.flight > self.acked {
            self.flight
        } else {
            self.acked
        };
        if newest != 0 && !self.ends && head.changed <= newest {
            return None;
        }
        Some(match self.base(mode) {
            0 => What::Create,
            base if base < head.born => What::Replace,
            _ => What::Update,
        })
    }

    /// Returns whether to destroy an entity that the receiver may not see. If it is not in the
    /// baseline yet, that has to wait.
    #[inline]
    pub const fn hide(&self, mode: Mode) -> bool {
        !self.ends && self.base(mode) != 0
    }

    /// Forgets the packet under way: it will not arrive.
    pub const fn ground(&mut self) {
        if self.flight != 0 {
            // It has waited since then.
            self.since = self.flight;
            self.flight = 0;
            self.ends = false;
        }
    }

    /// The packet of this tick has arrived.
    pub const fn land(&mut self, tick: u32) {
        if self.flight == tick {
            self.flight = 0;
            self.ends = false;
        }
    }
}
