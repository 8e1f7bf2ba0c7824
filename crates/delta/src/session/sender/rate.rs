//! The network, as acknowledgements show it, and the budget that follows from it.

use crate::session::model::SenderOptions;

/// So many verdicts at least are needed for a change of the budget: then a single loss is no more
/// than the share at which the budget stays.
const VERDICTS: u32 = 10;

/// The knowledge of a sender about its network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimates {
    /// The round trip in ticks, smoothed: from a packet to the newest tick that was sent when its
    /// acknowledgement came. `None` before the first acknowledgement.
    pub round_trip: Option<f32>,
    /// The shortest round trip so far, in ticks.
    pub least_round_trip: Option<u32>,
    /// The share of packets that were lost, or came too late; smoothed, from 0 to 1.
    pub loss: f32,
    /// The size that the next packet may have, in bytes.
    pub budget: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Rate {
    /// The budget that the network seems to carry.
    budget: f32,
    /// The tick of the last packet with an older budget.
    changed: u32,
    /// The packets after that which have a verdict, and those of them that were lost.
    verdicts: u32,
    lost: u32,
    round_trip: Option<f32>,
    least: Option<u32>,
    loss: f32,
}

impl Rate {
    pub const fn new(options: &SenderOptions) -> Self {
        Self {
            budget: options.budget as f32,
            changed: 0,
            verdicts: 0,
            lost: 0,
            round_trip: None,
            least: None,
            loss: 0.0,
        }
    }

    /// Returns the size that the next packet may have.
    pub fn budget(&self, options: &SenderOptions) -> usize {
        match options.min_budget {
            None => options.budget,
            Some(least) => (self.budget as usize).max(least).min(options.budget),
        }
    }

    pub fn estimates(&self, options: &SenderOptions) -> Estimates {
        Estimates {
            round_trip: self.round_trip,
            least_round_trip: self.least,
            loss: self.loss,
            budget: self.budget(options),
        }
    }

    /// A packet was acknowledged after so many ticks.
    pub fn took(&mut self, ticks: u32) {
        let before = self.round_trip.unwrap_or(ticks as f32);
        self.round_trip = Some(before + (ticks as f32 - before) / 8.0);
        self.least = Some(self.least.unwrap_or(ticks).min(ticks));
    }

    /// Whether the packet of a tick has arrived is known.
    pub fn verdict(&mut self, tick: u32, is_lost: bool) {
        self.loss += (f32::from(u8::from(is_lost)) - self.loss) / 32.0;
        if tick > self.changed {
            self.verdicts += 1;
            self.lost += u32::from(is_lost);
        }
    }

    /// Changes the budget if enough packets with the present one have a verdict. `last` is the tick
    /// of the newest packet. The rule is that of the loss-based controller in the draft
    /// `draft-ietf-rmcat-gcc-02`, section 6.
    pub fn adapt(&mut self, last: u32, options: &SenderOptions) {
        if self.verdicts < VERDICTS {
            return;
        }
        let loss = self.lost as f32 / self.verdicts as f32;
        let now = self.budget(options) as f32;
        self.budget = if loss < 0.02 {
            (now * 1.05).max(now + 1.0)
        } else if loss <= 0.1 {
            now
        } else {
            now * (1.0 - 0.5 * loss)
        };
        (self.changed, self.verdicts, self.lost) = (last, 0, 0);
    }
}
