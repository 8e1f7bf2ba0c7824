//! The times of the mouse events: which clock gave them, and whether one did.
//!
//! What is counted on the way is little: enough to know whether more has to be asked.

use super::fit;
use super::grid::{self, Grid};
use super::place::at_mouse;
use super::release::Release;
use crate::Game;
use crate::replay::{Moves, WAITING};
use crate::rmv::{Finding, Findings, Rule};

/// Gaps between events are no longer than this when they are compared with others.
const LONGEST_MS: i32 = 20;
/// A gap up to this long is a short one: the reports of a mouse of 125 Hz are further apart.
const SHORT_MS: i16 = 6;
/// A gap up to this long is none of the Windows tick.
const FINE_MS: i16 = 14;

/// What is counted of the times.
#[derive(Default)]
pub(super) struct Times {
    /// Mouse events, and how many there were when this was last measured.
    events: u32,
    measured: u32,
    /// Of each 32 events, which are behind so many, the share of short gaps.
    shares: Vec<(u32, f32)>,
    /// Gaps of one millisecond.
    ones: u32,
    /// Gaps of no time, and those that the tick of Windows has not.
    zeros: u32,
    fine: u32,
    /// Mouse events of parts that have no such gaps.
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

/// Gaps that are counted together. On a clock of a millisecond some of them are fine.
const PART: usize = 32;
/// Events without fine gaps from which on the game may be, in a part, on a tick.
const COARSE_FROM: u32 = 32;

impl Times {
    /// Mouse events that follow each other.
    pub fn take(&mut self, moves: &Moves) {
        let times = moves.times();
        let mut gaps = [0i16; WAITING];
        // Back in time is as far as can be.
        let gap = |a: u32, b: u32| {
            let gap = b.cast_signed() - a.cast_signed();
            let gap = if gap > LONGEST_MS { LONGEST_MS } else { gap };
            if gap < 0 {
                LONGEST_MS as i16
            } else {
                gap as i16
            }
        };
        let pairs = times.iter().zip(times.get(1..).unwrap_or_default());
        for (slot, (&a, &b)) in gaps.iter_mut().skip(1).zip(pairs) {
            *slot = gap(a, b);
        }
        if let (Some(slot), Some(&first)) = (gaps.first_mut(), times.first()) {
            *slot = gap(moves.before_ms().unwrap_or(first), first);
        }
        let counted = gaps.get(..times.len()).unwrap_or_default();
        // Of a length that is known, several are counted at a time.
        let (parts, rest) = counted.as_chunks::<PART>();
        for part in parts {
            self.count(part);
        }
        self.count(rest);
        if self.fine == 0 {
            self.keep_ticks(times);
        }
        self.link(gaps, times.len(), moves.ends());
        self.measured = self.events;
    }

    /// Counts gaps.
    #[inline(always)]
    fn count(&mut self, gaps: &[i16]) {
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
        let events = gaps.len() as u32;
        let (shorts, fine) = (count(shorts - zeros), count(fine - zeros));
        self.zeros += count(zeros);
        self.ones += count(ones);
        self.fine += fine;
        self.all.0 += u64::from(sum.cast_unsigned());
        self.all.1 += u64::from(squares.cast_unsigned());
        if gaps.len() == PART {
            self.coarse += if fine == 0 { events } else { 0 };
            self.shares.push((self.events, shorts as f32 / PART as f32));
        }
        self.events += events;
    }

    /// The gaps that have to do with each other: all but those before button events and behind them,
    /// where a hand rests.
    fn link(&mut self, mut gaps: [i16; WAITING], len: usize, ends: &[u16]) {
        let (mut count, mut pairs) = (len as u32, (len as u32).saturating_sub(1));
        let (mut done, mut done_pairs) = (0, 0);
        // One that is left out is none of the sums, nor is any pair that it is of.
        let mut leave_out = |from: usize, to: usize| {
            let to = to.min(len);
            let (first, first_pair) = (from.max(done).min(to), from.saturating_sub(1));
            for gap in gaps.get_mut(first..to).unwrap_or_default() {
                *gap = 0;
            }
            let last_pair = to.min(len.saturating_sub(1));
            count -= (to - first) as u32;
            pairs -= last_pair.saturating_sub(first_pair.max(done_pairs)) as u32;
            (done, done_pairs) = (to.max(done), to.max(done_pairs));
        };
        // The first gap is not known to be one of the way.
        leave_out(0, 1);
        for &end in ends {
            leave_out(end.into(), usize::from(end) + 2);
        }
        let gaps = gaps.get(..len).unwrap_or_default();
        let (mut sum, mut squares, mut products) = (0i32, 0i32, 0i32);
        for &gap in gaps {
            sum += i32::from(gap);
            squares += i32::from(gap) * i32::from(gap);
        }
        for (&a, &b) in gaps.iter().zip(gaps.get(1..).unwrap_or_default()) {
            products += i32::from(a) * i32::from(b);
        }
        let link = &mut self.link;
        link.gaps += count;
        link.pairs += pairs;
        link.sum += u64::from(sum.cast_unsigned());
        link.squares += u64::from(squares.cast_unsigned());
        link.products += u64::from(products.cast_unsigned());
    }

    fn keep_ticks(&mut self, times: &[u32]) {
        let mut last = self.ticks.last().map(|&(_, last)| last);
        for (at, &time) in (self.measured..).zip(times) {
            if last != Some(time) {
                self.ticks.push((at, time));
                last = Some(time);
            }
        }
    }

    /// Of each 32 mouse events the share that came a short time after the one before.
    pub fn shares(&self) -> &[(u32, f32)] {
        &self.shares
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
    pub fn check(
        &self,
        game: &Game<'_>,
        (release, clock): (Release, Clock),
        wild_holds: impl FnOnce() -> Option<(f64, f64)>,
        findings: &mut Findings,
    ) {
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
        if let Some((mean_ms, spread_ms)) = wild_holds() {
            findings.push(Finding::new(Rule::TimesInvented {
                link,
                mean_ms,
                spread_ms,
            }));
        } else if release.is_vienna() && self.link.pairs >= HINT_FROM {
            findings.push(Finding::new(Rule::HintTimes { link }));
        }
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
        game.events.iter().for_each(|event| {
            if let crate::Event::Mouse(mouse) = event {
                let gap = mouse.time_ms.saturating_sub(last) as usize;
                if let Some(count) = gaps.get_mut(gap.min(63)) {
                    *count += 1;
                }
                last = mouse.time_ms;
            }
        });
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
/// Where nothing else speaks for it, chance has to be further away: of 16,000 games by hand one of 400
/// pairs came to less.
const HINT_FROM: u32 = 800;
/// Hands go on as they went: known games have a correlation of 0.35 to 0.57.
const INVENTED_LINK: f64 = 0.1;
