//! The times of the mouse events: which clock gave them, and whether one did.
//!
//! What is counted on the way is little: enough to know whether more has to be asked.

use super::fit;
use super::gaps::{Counts, Gaps, Linked, PART};
use super::grid::{self, Grid};
use super::place::at_mouse;
use super::release::Release;
use crate::Game;
use crate::replay::Moves;
use crate::rmv::{Finding, Findings, Rule};

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
    fn add(&mut self, linked: Linked) {
        self.gaps += u32::from(linked.gaps);
        self.pairs += u32::from(linked.pairs);
        self.sum += u64::from(linked.sum);
        self.squares += u64::from(linked.squares);
        self.products += u64::from(linked.products);
    }

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

/// Events without fine gaps from which on the game may be, in a part, on a tick.
const COARSE_FROM: u32 = 32;

impl Times {
    /// Mouse events that follow each other.
    pub fn take(&mut self, moves: &Moves) {
        let mut gaps = Gaps::of(moves);
        for (events, counts) in gaps.counts() {
            self.count(events, &counts);
        }
        if self.fine == 0 {
            self.keep_ticks(moves.times());
        }
        // All but those before button events and behind them, where a hand rests. The first gap is not known
        // to be one of a way.
        gaps.leave_out(0);
        for &end in moves.ends() {
            gaps.leave_out(end.into());
            gaps.leave_out(usize::from(end) + 1);
        }
        for linked in gaps.linked() {
            self.link.add(linked);
        }
        self.measured = self.events;
    }

    fn count(&mut self, events: usize, counts: &Counts) {
        let zeros = counts.zeros;
        let (shorts, fine) = (counts.shorts - zeros, counts.fine - zeros);
        self.zeros += u32::from(zeros);
        self.ones += u32::from(counts.ones);
        self.fine += u32::from(fine);
        self.all.0 += u64::from(counts.sum);
        self.all.1 += u64::from(counts.squares);
        if events == PART {
            self.coarse += if fine == 0 { PART as u32 } else { 0 };
            self.shares
                .push((self.events, f32::from(shorts) / PART as f32));
        }
        self.events += events as u32;
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
