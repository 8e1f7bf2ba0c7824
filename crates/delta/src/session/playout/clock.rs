//! When to show which tick.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::PlayoutOptions;
use crate::session::model::Feedback;
use crate::session::receiver::Received;

/// The number of packets, and of updates, on which estimates rest.
const SAMPLES: usize = 128;
/// After so many packets that are later than any delay covers, the world's clock stood still.
const LATE: u32 = 8;
/// How much faster or slower than the world the playout runs, at most, to reach its delay.
const CORRECTION: f64 = 0.1;

/// The newest measurements of something.
#[derive(Clone, Debug)]
struct Samples {
    values: [f64; SAMPLES],
    count: usize,
    next: usize,
}

impl Samples {
    const fn new() -> Self {
        Self {
            values: [0.0; SAMPLES],
            count: 0,
            next: 0,
        }
    }

    fn add(&mut self, value: f64) {
        if let Some(slot) = self.values.get_mut(self.next) {
            *slot = value;
        }
        self.next = (self.next + 1) % SAMPLES;
        self.count = (self.count + 1).min(SAMPLES);
    }

    /// Returns the smallest value that a part of the measurements does not exceed.
    fn quantile(&self, part: f64) -> Option<f64> {
        let mut sorted = self.values;
        let sorted = sorted.get_mut(..self.count)?;
        sorted.sort_unstable_by(f64::total_cmp);
        let at = (part * self.count as f64) as usize;
        sorted.get(at.min(self.count.checked_sub(1)?)).copied()
    }
}

/// The world's clock and the network, as the arrivals of packets show them. All times are in ticks.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    options: PlayoutOptions,
    /// The tick of each packet less the local time of its arrival: the larger, the faster it came.
    leads: Samples,
    /// The ticks between two updates of an entity that moves.
    gaps: Samples,
    /// When each of the newest packets was acknowledged.
    answered: VecDeque<(u32, f64)>,
    round_trip: Option<f64>,
    /// The first packet that counts for the loss, and the newest.
    first: u32,
    newest: u32,
    /// The number of packets in a row that were later than any delay covers.
    late: u32,
    loss: f64,
    /// The tick that is shown, and when it was.
    shown: Option<(f64, f64)>,
}

impl Clock {
    pub const fn new(options: PlayoutOptions) -> Self {
        Self {
            options,
            leads: Samples::new(),
            gaps: Samples::new(),
            answered: VecDeque::new(),
            round_trip: None,
            first: 0,
            newest: 0,
            late: 0,
            loss: 0.0,
            shown: None,
        }
    }

    fn local(&self, now: Duration) -> f64 {
        now.as_secs_f64() * f64::from(self.options.ticks_per_second)
    }

    /// Notes the arrival of the newest packet. Returns true if the world has begun again, at an
    /// earlier tick.
    pub fn note(&mut self, received: &Received, now: Duration) -> bool {
        let Received { tick, baseline, .. } = *received;
        let now = self.local(now);
        let lead = f64::from(tick) - now;
        let began_again = tick <= self.newest;
        let longest = f64::from(self.options.max_delay.max(1));
        let is_late = self
            .leads
            .quantile(1.0)
            .is_some_and(|fast| lead < fast - longest);
        self.late = if is_late { self.late + 1 } else { 0 };
        if began_again || self.late == LATE {
            self.leads = Samples::new();
            self.shown = None;
            self.late = 0;
        }
        self.newest = tick;
        self.leads.add(lead);
        match baseline {
            None => {
                self.answered.clear();
                self.first = tick;
            }
            Some(baseline) => self.measure(baseline, now),
        }
        if self.answered.len() >= SAMPLES {
            self.answered.pop_front();
        }
        self.answered.push_back((tick, now));
        if let Feedback::Ack { tick, earlier } = received.ack {
            let (arrived, sent) = arrivals(tick, earlier, self.first);
            self.loss = 1.0 - f64::from(arrived) / f64::from(sent);
        }
        began_again
    }

    /// The first packet on a baseline comes a round trip after the baseline was acknowledged, and
    /// after the sender has waited for its next tick. A lost acknowledgement makes it longer.
    fn measure(&mut self, baseline: u32, now: f64) {
        while self
            .answered
            .pop_front_if(|(tick, _)| *tick < baseline)
            .is_some()
        {}
        let Some((_, then)) = self.answered.pop_front_if(|(tick, _)| *tick == baseline) else {
            return;
        };
        let (took, before) = (now - then, self.round_trip);
        self.round_trip = Some(before.map_or(took, |before| before + (took - before) / 8.0));
    }

    /// Notes the ticks between two updates of an entity. If they are more than the largest delay, it
    /// did not move, or nothing was sent.
    pub fn note_gap(&mut self, ticks: u32) {
        if ticks <= self.options.max_delay {
            self.gaps.add(ticks.into());
        }
    }

    /// Returns the ticks between two updates of an entity that moves, for nine in ten.
    pub fn gap(&self) -> f64 {
        self.gaps.quantile(0.9).unwrap_or(1.0).max(1.0)
    }

    /// Returns by how much packets are later than the fastest one, for 19 in 20.
    pub fn jitter(&self) -> f64 {
        let slow = self.leads.quantile(0.05).unwrap_or(0.0);
        self.leads.quantile(1.0).map_or(0.0, |fast| fast - slow)
    }

    pub fn delay(&self) -> f64 {
        let (min, max) = (self.options.min_delay, self.options.max_delay);
        let delay = self.jitter() + self.gap();
        delay.max(min.into()).min(max.max(min).into())
    }

    /// Returns the tick of which the fastest packet would arrive now; `None` before the first one.
    pub fn arriving(&self, now: Duration) -> Option<f64> {
        Some(self.local(now) + self.leads.quantile(1.0)?)
    }

    pub const fn round_trip(&self) -> Option<f64> {
        self.round_trip
    }

    pub const fn loss(&self) -> f64 {
        self.loss
    }

    /// Moves on to the tick to show now. It never goes back, unless the world began again or stood
    /// still.
    pub fn advance(&mut self, now: Duration) -> Option<f64> {
        let target = self.arriving(now)? - self.delay();
        let local = self.local(now);
        let tick = match self.shown {
            None => target,
            Some((tick, at)) => {
                let passed = (local - at).max(0.0);
                let off = target - (tick + passed);
                if off.abs() > f64::from(self.options.max_delay.max(1)) {
                    target.max(tick)
                } else {
                    let most = passed * CORRECTION;
                    tick + passed + off.clamp(-most, most)
                }
            }
        };
        self.shown = Some((tick, local));
        Some(tick)
    }

    pub fn tick(&self) -> Option<f64> {
        self.shown.map(|(tick, _)| tick)
    }
}

/// Returns how many of the packets of the 64 ticks before the newest arrived in time, of how many. The
/// distance between two packets that were sent is not known: it is taken as the greatest that fits.
fn arrivals(tick: u32, earlier: u64, first: u32) -> (u32, u32) {
    let reach = tick.saturating_sub(first).min(64);
    let seen = match reach {
        0 => 0,
        reach => earlier & u64::MAX >> (64 - reach),
    };
    let backs = (1..=64).filter(|back| seen >> (back - 1) & 1 == 1);
    match backs.fold(0, greatest_divisor) {
        0 => (1, 1),
        stride => (seen.count_ones(), reach / stride),
    }
}

const fn greatest_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_expected_as_far_apart_as_those_that_arrived() {
        assert_eq!(arrivals(100, u64::MAX, 1), (64, 64));
        assert_eq!(arrivals(100, u64::MAX << 32, 1), (32, 64));
        // Every third tick.
        let third = (1..=64).filter(|back| back % 3 == 0);
        let third: u64 = third.map(|back| 1 << (back - 1)).sum();
        assert_eq!(arrivals(99, third, 1), (21, 21));
        assert_eq!(arrivals(99, third & !4, 1), (20, 21));
        // Nothing was sent before the session began.
        assert_eq!(arrivals(5, 0b1111, 1), (4, 4));
        assert_eq!(arrivals(5, 0b1101, 1), (3, 4));
        assert_eq!(arrivals(5, 0, 5), (1, 1));
        assert_eq!(arrivals(1, 0, 1), (1, 1));
    }
}
