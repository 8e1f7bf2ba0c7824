//! The times of the mouse events: which clock gave them, and whether one did.
//!
//! What is counted on the way is little: enough to know whether more has to be asked.

use super::grid::{self, Grid};
use super::moves::WAITING;
use super::presses::Presses;
use super::release::Release;
use super::{at_mouse, fit};
use crate::Game;
use crate::rmv::{Finding, Findings, Rule};

/// Gaps between events are no longer than this when they are compared with others.
const LONGEST_MS: u32 = 20;
/// A gap up to this long is a short one: the reports of a mouse of 125 Hz are further apart.
const SHORT_MS: i16 = 6;
/// A gap up to this long is none of the Windows tick.
const FINE_MS: i16 = 14;

/// What is counted of the times.
#[derive(Default)]
pub(super) struct Times {
    last_ms: Option<u32>,
    /// Mouse events, and those of them that come a short time after the one before.
    events: u32,
    shorts: u32,
    /// Gaps of one millisecond.
    ones: u32,
    /// Gaps of no time, and those that the tick of Windows has not.
    zeros: u32,
    fine: u32,
    /// Mouse events of ways that have no such gaps.
    coarse: u32,
    /// The times that differ from the one before, each with the number of mouse events before it, as
    /// long as all of them may be those of a tick.
    ticks: Vec<(u32, u32)>,
    /// Of all gaps their sum and that of their squares.
    all: (u64, u64),
    link: Link,
}

/// What the gaps inside of ways have to do with their neighbours.
#[derive(Default)]
struct Link {
    gaps: u32,
    /// Gaps that have one before them.
    pairs: u32,
    /// Of all gaps: their sum, that of their squares, and that of products of neighbours.
    sum: u64,
    squares: u64,
    products: u64,
}

impl Link {
    /// The correlation of a gap with the one before.
    fn correlation(&self) -> f64 {
        let count = f64::from(self.gaps.max(1));
        let mean = self.sum as f64 / count;
        let spread = self.squares as f64 / count - mean * mean;
        let product = self.products as f64 / f64::from(self.pairs.max(1));
        (product - mean * mean) / spread.max(1e-9)
    }
}

/// What is known of a game's clock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// The tick of Windows, in all of the game or in a part, or something else that is coarse.
    Coarse,
    Millisecond,
}

/// Ways of fewer events may well have no fine gap.
const COARSE_WAY: usize = 6;
/// Events of coarse ways from which on the game may be, in a part, on a tick.
const COARSE_FROM: u32 = 24;

impl Times {
    /// Mouse events that follow each other, the last of which may be of a button: the others are
    /// moves of one way.
    pub fn take(&mut self, times: &[u32], ends_in_button: bool) {
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
            return;
        };
        let before = self.last_ms.unwrap_or(first);
        let mut gaps = [0i16; WAITING];
        let gap = |a: u32, b: u32| b.wrapping_sub(a).min(LONGEST_MS) as i16;
        let pairs = times.iter().zip(times.get(1..).unwrap_or_default());
        for (slot, (&a, &b)) in gaps.iter_mut().skip(1).zip(pairs) {
            *slot = gap(a, b);
        }
        if let Some(slot) = gaps.first_mut() {
            *slot = gap(before, first);
        }
        let gaps = gaps.get(..times.len()).unwrap_or_default();
        let fine = self.count(gaps);
        if fine == 0 && times.len() >= COARSE_WAY {
            self.coarse += times.len() as u32;
        }
        if self.fine == 0 {
            self.keep_ticks(times);
        }
        self.fine += fine;
        // A hand rests before a way and behind it: the gaps there are no part of it.
        let end = times.len() - usize::from(ends_in_button && times.len() > 1);
        self.link(gaps.get(1..end).unwrap_or_default());
        self.last_ms = Some(last);
        self.events += times.len() as u32;
    }

    /// Counts gaps; gives how many are fine.
    #[inline(always)]
    fn count(&mut self, gaps: &[i16]) -> u32 {
        let (mut zeros, mut ones, mut shorts, mut fine) = (0i16, 0i16, 0i16, 0i16);
        let (mut sum, mut squares) = (0i32, 0i32);
        for &gap in gaps {
            zeros += i16::from(gap == 0);
            ones += i16::from(gap == 1);
            shorts += i16::from(gap <= SHORT_MS);
            fine += i16::from(gap <= FINE_MS);
            sum += i32::from(gap);
            squares += i32::from(gap) * i32::from(gap);
        }
        let count = |count: i16| u32::from(count.cast_unsigned());
        self.zeros += count(zeros);
        self.ones += count(ones);
        self.shorts += count(shorts - zeros);
        self.all.0 += u64::from(sum.cast_unsigned());
        self.all.1 += u64::from(squares.cast_unsigned());
        count(fine - zeros)
    }

    #[inline(always)]
    fn link(&mut self, way: &[i16]) {
        let (mut sum, mut squares, mut products) = (0i32, 0i32, 0i32);
        for &gap in way {
            sum += i32::from(gap);
            squares += i32::from(gap) * i32::from(gap);
        }
        for (&a, &b) in way.iter().zip(way.get(1..).unwrap_or_default()) {
            products += i32::from(a) * i32::from(b);
        }
        let link = &mut self.link;
        link.gaps += way.len() as u32;
        link.pairs += (way.len() as u32).saturating_sub(1);
        link.sum += u64::from(sum.cast_unsigned());
        link.squares += u64::from(squares.cast_unsigned());
        link.products += u64::from(products.cast_unsigned());
    }

    fn keep_ticks(&mut self, times: &[u32]) {
        let mut last = self.ticks.last().map(|&(_, last)| last);
        for (at, &time) in (self.events..).zip(times) {
            if last != Some(time) {
                self.ticks.push((at, time));
                last = Some(time);
            }
        }
    }

    /// Mouse events so far, and those of them that came a short time after the one before.
    pub const fn shorts(&self) -> (u32, u32) {
        (self.events, self.shorts)
    }

    /// Which clock gave the times.
    pub fn clock(&mut self, game: &Game<'_>, release: Release, findings: &mut Findings) -> Clock {
        let is_asked =
            self.coarse >= COARSE_FROM || self.is_comb() || matches!(release, Release::Tick { .. });
        if !is_asked {
            return Clock::Millisecond;
        }
        // All that may be ticks have been kept.
        let times = if self.fine == 0 {
            std::mem::take(&mut self.ticks)
        } else {
            grid::times_of(game)
        };
        let judged = grid::judge(&times);
        let count = times.len() as u32;
        if judged == Grid::Whole {
            if let Release::Millisecond { name: release } = release {
                let times = count;
                findings.push(Finding::new(Rule::ClockGrid { times, release }));
            }
            return Clock::Coarse;
        }
        let change = (judged == Grid::Part)
            .then(|| grid::change(&times))
            .flatten();
        // Times on two grids that are a bit apart also look like one that is a bit coarser.
        if let Some(change) = change.filter(|change| change.explains(count)) {
            findings.push(at_mouse(game, change.mouse, change.rule()));
            return Clock::Coarse;
        }
        if let Some(rule) = self.own_grid(&times) {
            findings.push(Finding::new(rule));
            return Clock::Coarse;
        }
        if let Some(change) = change {
            findings.push(at_mouse(game, change.mouse, change.rule()));
            return Clock::Coarse;
        }
        if let (Grid::Off { on }, Release::Tick { name, known }) = (judged, release) {
            findings.push(Finding::new(Rule::ClockOff {
                on,
                times: count,
                known,
                release: name,
            }));
        }
        Clock::Millisecond
    }

    /// A grid that is not that of the Windows tick.
    ///
    /// A mouse sets the pace where the clock is fine: only a coarse clock gives several events the
    /// same time.
    fn own_grid(&self, times: &[(u32, u32)]) -> Option<Rule> {
        let count = times.len() as u32;
        let per_time = f64::from(self.events) / f64::from(count.max(1));
        if !self.is_comb() || per_time < fit::EVENTS_PER_TIME {
            return None;
        }
        let fit::Found { period, on } = fit::period(times)?;
        let times = count;
        Some(if fit::is_other_tick(period) {
            Rule::ClockOther { period, on, times }
        } else {
            let factor = period / grid::TICK_MS;
            Rule::ClockScaled {
                period,
                factor,
                on,
                times,
            }
        })
    }

    /// Next to no gaps of one millisecond: the times have a grid of their own.
    fn is_comb(&self) -> bool {
        let some = self.events.saturating_sub(self.zeros);
        some >= fit::LEAST_TIMES && self.ones * 50 <= some
    }

    /// Whether a clock gave the times at all.
    pub fn check(&self, game: &Game<'_>, presses: &Presses, clock: Clock, findings: &mut Findings) {
        if let Some(ms) = self.even(game) {
            let events = self.events;
            findings.push(Finding::new(Rule::TimesEven { ms, events }));
            return;
        }
        // A slow mouse sets the pace by itself.
        let is_paced = clock == Clock::Coarse || self.is_comb();
        let link = self.link.correlation();
        if is_paced || self.link.pairs < INVENTED_FROM || link > INVENTED_LINK {
            return;
        }
        findings.push(Finding::new(match presses.wild_holds() {
            Some((mean_ms, spread_ms)) => Rule::TimesInvented {
                link,
                mean_ms,
                spread_ms,
            },
            None => Rule::HintTimes { link },
        }));
    }

    /// All events equally far apart: how far.
    fn even(&self, game: &Game<'_>) -> Option<f64> {
        let events = f64::from(self.events);
        let (sum, squares) = self.all;
        let mean = sum as f64 / events.max(1.0);
        // Known games have 12 and more.
        let spread = squares as f64 / events.max(1.0) - mean * mean;
        if self.events < EVEN_FROM || spread > EVEN_SPREAD {
            return None;
        }
        let mut gaps = [0u32; 64];
        let mut last = 0;
        for event in &game.events {
            if let crate::Event::Mouse(mouse) = event {
                let gap = mouse.time_ms.saturating_sub(last) as usize;
                if let Some(count) = gaps.get_mut(gap.min(63)) {
                    *count += 1;
                }
                last = mouse.time_ms;
            }
        }
        let pairs = gaps.windows(2).take(62).enumerate();
        let (at, pair) = pairs.max_by_key(|(_, pair)| pair.iter().sum::<u32>())?;
        let (low, high) = (*pair.first()?, *pair.last()?);
        let enough = u64::from(low + high) * 100 >= u64::from(self.events) * EVEN_PERCENT;
        // All in one millisecond is a matter of speed.
        (enough && (at > 0 || high * 10 > low))
            .then(|| at as f64 + f64::from(high) / f64::from(low + high))
    }
}

/// Fewer mouse events say nothing of even times.
const EVEN_FROM: u32 = 50;
/// Of all gaps so many in a hundred in two neighbouring milliseconds: a hand rests, at times.
const EVEN_PERCENT: u64 = 98;
/// The spread of such gaps, squared: at most two of a hundred are up to 20 ms off.
const EVEN_SPREAD: f64 = 8.5;
/// Fewer pairs leave the correlation to chance: its standard error is 1/20 here.
const INVENTED_FROM: u32 = 400;
/// Hands go on as they went: known games have a correlation of 0.35 to 0.57.
const INVENTED_LINK: f64 = 0.1;
