//! The times of the mouse events: which clock gave them, and whether one did.

use super::grid::{self, Grid};
use super::presses::Presses;
use super::release::Release;
use super::{Sample, at_mouse, fit};
use crate::Game;
use crate::rmv::{Finding, Findings, Rule};

/// Gaps are counted up to this many milliseconds; longer ones together.
const GAPS: usize = 64;
/// A gap up to this long is a short one: the reports of a mouse of 125 Hz are further apart.
const SHORT_MS: u32 = 6;

/// What is counted of the times.
pub(super) struct Times {
    /// Mouse events by the time since the one before.
    gaps: [u32; GAPS],
    /// Times that differ from the one before, by their place in the 125 ms after which the grid
    /// of the Windows tick repeats itself.
    places: [u32; grid::PERIOD],
    last_ms: Option<u32>,
    /// Mouse events, and those of them that come a short time after the one before.
    events: u32,
    shorts: u32,
    link: Link,
}

/// What the gaps inside of ways have to do with their neighbours.
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

/// Gaps are no longer than this when they are compared with their neighbours.
const LONGEST_MS: u32 = 20;

impl Times {
    pub const fn new() -> Self {
        Self {
            gaps: [0; GAPS],
            places: [0; grid::PERIOD],
            last_ms: None,
            events: 0,
            shorts: 0,
            link: Link {
                gaps: 0,
                pairs: 0,
                sum: 0,
                squares: 0,
                products: 0,
            },
        }
    }

    /// Mouse events that follow each other, the last of which may be of a button: the others are
    /// moves of one way.
    pub fn take(&mut self, samples: &[Sample], ends_in_button: bool) {
        let Some(first) = samples.first() else {
            return;
        };
        let before = self.last_ms.unwrap_or_else(|| {
            self.begin(first.time_ms);
            first.time_ms
        });
        // A hand rests before a way and behind it: the gaps there are no part of it.
        let end = samples.len() - usize::from(ends_in_button && samples.len() > 1);
        let mut last = self.count(before, first.time_ms);
        let (mut sum, mut squares, mut products, mut last_gap) = (0, 0, 0, 0);
        let way = samples.get(1..end).unwrap_or_default();
        for sample in way {
            let gap = sample.time_ms.saturating_sub(last).min(LONGEST_MS);
            last = self.count(last, sample.time_ms);
            sum += gap;
            squares += gap * gap;
            products += gap * last_gap;
            last_gap = gap;
        }
        for sample in samples.get(end..).unwrap_or_default() {
            last = self.count(last, sample.time_ms);
        }
        let link = &mut self.link;
        link.gaps += way.len() as u32;
        link.pairs += (way.len() as u32).saturating_sub(1);
        link.sum += u64::from(sum);
        link.squares += u64::from(squares);
        link.products += u64::from(products);
        self.last_ms = Some(last);
        self.events += samples.len() as u32;
    }

    /// The first time of all has no gap before it.
    fn begin(&mut self, time_ms: u32) {
        if let Some(place) = self.places.get_mut(time_ms as usize % grid::PERIOD) {
            *place += 1;
        }
        if let Some(none) = self.gaps.first_mut() {
            *none = none.wrapping_sub(1);
        }
    }

    /// Counts a time; gives it.
    #[inline(always)]
    fn count(&mut self, last: u32, time_ms: u32) -> u32 {
        let gap = time_ms.saturating_sub(last);
        if let Some(count) = self.gaps.get_mut((gap as usize).min(GAPS - 1)) {
            *count = count.wrapping_add(1);
        }
        if let Some(count) = self.places.get_mut(time_ms as usize % grid::PERIOD) {
            *count += u32::from(gap != 0);
        }
        self.shorts += u32::from(gap.wrapping_sub(1) < SHORT_MS);
        time_ms
    }

    /// Mouse events so far, and those of them that came a short time after the one before.
    pub const fn shorts(&self) -> (u32, u32) {
        (self.events, self.shorts)
    }

    /// Mouse events behind the first one.
    fn intervals(&self) -> u32 {
        self.gaps.iter().fold(0, |sum, &gap| sum.wrapping_add(gap))
    }

    /// How many times differ from the one before; the first one counts.
    fn distinct(&self) -> u32 {
        self.places.iter().sum()
    }

    /// Which clock gave the times.
    pub fn clock(&self, game: &Game<'_>, release: Release, findings: &mut Findings) -> Clock {
        let times = self.distinct();
        let judged = grid::judge(&self.places, times);
        if judged == Grid::Whole {
            if let Release::Millisecond { name: release } = release {
                findings.push(Finding::new(Rule::ClockGrid { times, release }));
            }
            return Clock::Coarse;
        }
        let change = (judged == Grid::Part)
            .then(|| grid::change(&grid::times_of(game)))
            .flatten();
        // Times on two grids that are a bit apart also look like one that is a bit coarser.
        if let Some(change) = change.filter(|change| change.explains(times)) {
            findings.push(at_mouse(game, change.mouse, change.rule()));
            return Clock::Coarse;
        }
        if let Some(rule) = self.own_grid(game, times) {
            findings.push(Finding::new(rule));
            return Clock::Coarse;
        }
        if let Some(change) = change {
            findings.push(at_mouse(game, change.mouse, change.rule()));
            return Clock::Coarse;
        }
        if let (Grid::Off { on }, Release::Tick { name, known }) = (judged, release) {
            let release = name;
            findings.push(Finding::new(Rule::ClockOff {
                on,
                times,
                known,
                release,
            }));
        }
        Clock::Millisecond
    }

    /// A grid that is not that of the Windows tick.
    ///
    /// A mouse sets the pace where the clock is fine: only a coarse clock gives several events the
    /// same time.
    fn own_grid(&self, game: &Game<'_>, times: u32) -> Option<Rule> {
        let per_time = f64::from(self.intervals() + 1) / f64::from(times.max(1));
        if !self.is_comb() || per_time < fit::EVENTS_PER_TIME {
            return None;
        }
        let found = fit::period(&grid::times_of(game), self.likeliest_gap())?;
        let fit::Found { period, on } = found;
        Some(if found.is_other_tick() {
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
        let all: u32 = self.gaps.iter().skip(1).sum();
        let ones = self.gaps.get(1).copied().unwrap_or(0);
        all >= fit::LEAST_TIMES && ones * 50 <= all
    }

    /// The most frequent gap, as the mean of it and its neighbours.
    fn likeliest_gap(&self) -> f64 {
        let most = (2..GAPS - 1)
            .max_by_key(|&at| self.gaps.get(at))
            .unwrap_or(2);
        let near = (most - 1..=most + 1).filter(|&at| at > 1);
        let (mut sum, mut count) = (0.0, 0.0);
        for at in near {
            let times = f64::from(self.gaps.get(at).copied().unwrap_or(0));
            sum += times * at as f64;
            count += times;
        }
        sum / f64::max(count, 1.0)
    }

    /// Whether a clock gave the times at all.
    pub fn check(&self, presses: &Presses, clock: Clock, findings: &mut Findings) {
        let events = self.intervals();
        if let Some(ms) = self.even(events) {
            findings.push(Finding::new(Rule::TimesEven {
                ms,
                events: events + 1,
            }));
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
    fn even(&self, events: u32) -> Option<f64> {
        if events < EVEN_FROM {
            return None;
        }
        let pairs = self.gaps.windows(2).take(GAPS - 2).enumerate();
        let (at, pair) = pairs.max_by_key(|(_, pair)| pair.iter().sum::<u32>())?;
        let (low, high) = (*pair.first()?, *pair.last()?);
        let enough = u64::from(low + high) * 100 >= u64::from(events) * EVEN_PERCENT;
        // All in one millisecond is a matter of speed.
        (enough && (at > 0 || high * 10 > low))
            .then(|| at as f64 + f64::from(high) / f64::from(low + high))
    }
}

/// Fewer mouse events say nothing of even times.
const EVEN_FROM: u32 = 50;
/// Of all gaps so many in a hundred in two neighbouring milliseconds: a hand rests, at times.
const EVEN_PERCENT: u64 = 98;
/// Fewer pairs leave the correlation to chance: its standard error is 1/20 here.
const INVENTED_FROM: u32 = 400;
/// Hands go on as they went: known games have a correlation of 0.35 to 0.57.
const INVENTED_LINK: f64 = 0.1;
