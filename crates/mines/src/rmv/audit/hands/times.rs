//! The times of the mouse events: which clock they came from, and whether they came from a clock at
//! all.
//!
//! During the replay only a few counts are kept; they decide whether more has to be computed
//! afterwards.

use super::gaps::{Counts, Gaps, Linked, PART};
use super::grid::{self, Grid};
use crate::replay::Moves;
use crate::rmv::deviations::at_mouse;
use crate::rmv::release::is_vienna_sweeper;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Encoding, Game, Release};

/// The clock of a release, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReleaseClock {
    /// The tick of Windows in every known game; `known` is the number of these games.
    Tick { name: &'static str, known: u32 },
    /// Known games use one clock or the other.
    Either,
    /// A clock with millisecond resolution in every known game.
    Millisecond { name: &'static str },
    /// Another program, or a release without known games.
    Unknown { is_vienna: bool },
}

impl ReleaseClock {
    pub fn of(game: &Game<'_>) -> Self {
        let info = game.version_info.as_bytes();
        let release = Release::of(info);
        match release.map(|release| release.number) {
            Some([2, 2, 0]) => Self::Tick {
                name: "2.2",
                known: 1,
            },
            Some([3, 0, 0]) => Self::Tick {
                name: "3.0",
                known: 2,
            },
            Some([3, 0, 2]) => Self::Either,
            Some([4, 0, 0]) => Self::Millisecond { name: "4.0.0" },
            Some([5, 0, _]) => Self::Millisecond { name: "5.0" },
            _ => {
                let by_id = matches!(game.encoding, Encoding::V2 { clone_id: 1, .. });
                let is_vienna = by_id || is_vienna_sweeper(info);
                Self::Unknown { is_vienna }
            }
        }
    }

    /// Whether the file says that ViennaSweeper wrote it.
    pub const fn is_vienna(self) -> bool {
        !matches!(self, Self::Unknown { is_vienna: false })
    }
}

/// Counts of the times.
#[derive(Default)]
pub(super) struct Times {
    /// The number of mouse events, now and at the previous measurement.
    events: u32,
    measured: u32,
    /// The share of short gaps for each 32 events, with the number of events before them.
    shares: Vec<(u32, f32)>,
    /// The number of gaps of 1 ms.
    ones: u32,
    /// The number of gaps of 0 ms, and of fine gaps, which do not occur on the tick of Windows.
    zeros: u32,
    fine: u32,
    /// The number of mouse events in parts without fine gaps.
    coarse: u32,
    /// The times that differ from the previous one, each with the number of mouse events before it.
    /// They are kept as long as all of them may come from a tick.
    ticks: Vec<(u32, u32)>,
    /// The sum of all gaps and the sum of their squares.
    all: (u64, u64),
    link: Link,
}

/// Sums over the gaps within paths and their predecessors.
#[derive(Default)]
struct Link {
    gaps: u32,
    /// The number of gaps that have a predecessor.
    pairs: u32,
    /// The sum of the gaps, of their squares, and of the products of neighbours.
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

    /// The correlation of each gap with the previous one.
    fn correlation(&self) -> f64 {
        let count = f64::from(self.gaps.max(1));
        let mean = self.sum as f64 / count;
        let spread = self.squares as f64 / count - mean * mean;
        let product = self.products as f64 / f64::from(self.pairs.max(1));
        (product - mean * mean) / spread.max(1e-9)
    }
}

/// The resolution of a game's clock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// The tick of Windows, in the whole game or in a part of it, or another coarse clock.
    Coarse,
    Millisecond,
}

/// With at least this many events without fine gaps, a part of the game may be on a tick.
const COARSE_FROM: u32 = 32;

impl Times {
    /// Takes consecutive mouse events.
    pub fn take(&mut self, moves: &Moves) {
        let mut gaps = Gaps::of(moves);
        for (events, counts) in gaps.counts() {
            self.count(events, &counts);
        }
        if self.fine == 0 {
            self.keep_ticks(moves.times());
        }
        // Gaps before and after button events are left out, because the hand rests there. So is the
        // first gap, which may not belong to a path.
        gaps.leave_out(0);
        for &end in moves.button_events() {
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

    /// For each 32 mouse events, the share that came shortly after the previous event.
    pub fn shares(&self) -> &[(u32, f32)] {
        &self.shares
    }

    /// Finds the clock of the times.
    pub fn clock(
        &mut self,
        game: &Game<'_>,
        release: ReleaseClock,
        findings: &mut Findings,
    ) -> Clock {
        let is_asked = self.coarse >= COARSE_FROM
            || self.is_comb()
            || matches!(release, ReleaseClock::Tick { .. });
        if !is_asked {
            return Clock::Millisecond;
        }
        // All times that may come from a tick have been kept.
        let times = if self.fine == 0 {
            std::mem::take(&mut self.ticks)
        } else {
            grid::times_of(game)
        };
        let judged = grid::judge(&times);
        let count = times.len() as u32;
        if judged == Grid::Whole {
            if let ReleaseClock::Millisecond { name: release } = release {
                let times = count;
                findings.push(Finding::new(Rule::ClockGrid { times, release }));
            }
            return Clock::Coarse;
        }
        let change = (judged == Grid::Part)
            .then(|| grid::change(&times))
            .flatten();
        // Times on two grids with a small shift also look like times on a slightly coarser grid.
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
        if let (Grid::Off { on }, ReleaseClock::Tick { name, known }) = (judged, release) {
            findings.push(Finding::new(Rule::ClockOff {
                on,
                times: count,
                known,
                release: name,
            }));
        }
        Clock::Millisecond
    }

    /// Looks for a grid other than that of the Windows tick.
    ///
    /// With a fine clock, the mouse alone may produce such a grid; only a coarse clock gives
    /// several events the same time.
    fn own_grid(&self, times: &[(u32, u32)]) -> Option<Rule> {
        let count = times.len() as u32;
        let per_time = f64::from(self.events) / f64::from(count.max(1));
        if !self.is_comb() || per_time < grid::EVENTS_PER_TIME {
            return None;
        }
        let grid::FittedGrid { period, on } = grid::period(times)?;
        let times = count;
        Some(if grid::is_other_tick(period) {
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

    /// Whether there are almost no gaps of 1 ms, so that the times may lie on a grid of their own.
    fn is_comb(&self) -> bool {
        let some = self.events.saturating_sub(self.zeros);
        some >= grid::LEAST_TIMES && self.ones * 50 <= some
    }

    /// Checks whether the times came from a clock at all.
    pub fn check(
        &self,
        game: &Game<'_>,
        (release, clock): (ReleaseClock, Clock),
        wild_holds: impl FnOnce() -> Option<(f64, f64)>,
        findings: &mut Findings,
    ) {
        if let Some(ms) = self.even(game) {
            let events = self.events;
            findings.push(Finding::new(Rule::TimesEven { ms, events }));
            return;
        }
        // A slow mouse produces equal gaps by itself.
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

    /// The gap in milliseconds, if all gaps are equal.
    fn even(&self, game: &Game<'_>) -> Option<f64> {
        let events = f64::from(self.events);
        let (sum, squares) = self.all;
        let mean = sum as f64 / events.max(1.0);
        // Known games have 12 or more.
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
        // If all events are within one millisecond, the finding about speed applies.
        (enough && (at > 0 || high * 10 > low))
            .then(|| at as f64 + f64::from(high) / f64::from(low + high))
    }
}

/// With fewer mouse events, equal gaps are not meaningful.
const EVEN_FROM: u32 = 50;
/// The percentage of gaps that are in two neighbouring milliseconds. It is below 100 because a hand
/// rests at times.
const EVEN_PERCENT: u64 = 98;
/// The variance of such gaps in ms²: at most two of a hundred are up to 20 ms off.
const EVEN_SPREAD: f64 = 8.5;
/// With fewer pairs, the correlation may be chance: its standard error is 1/20 here.
const INVENTED_FROM: u32 = 400;
/// Without other evidence more pairs are needed: of 16,000 games played by hand, one with 400 pairs
/// had a correlation below [`INVENTED_LINK`].
const HINT_FROM: u32 = 800;
/// A hand continues its motion: known games have a correlation of 0.21 to 0.67.
const INVENTED_LINK: f64 = 0.1;
