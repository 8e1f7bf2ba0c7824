//! The grid of the Windows tick: t = floor(k · 15.625 + p/8) ms, with one phase p per game.
//!
//! In eighths of a millisecond, a time is on the grid of phase p if p - 8t is 0 to 7, modulo 125.
//! By chance this holds for 8 of 125 times.

use crate::rmv::Rule;
use crate::{Event, Game};

/// The grid repeats after this many milliseconds, which are eight ticks.
const PERIOD: usize = 125;
/// The tick in milliseconds.
pub(super) const TICK_MS: f64 = 15.625;
/// One millisecond in eighths of a millisecond.
const WIDTH: usize = 8;
/// The share of times that are on a grid by chance.
const CHANCE: f64 = WIDTH as f64 / PERIOD as f64;
/// The least -ln P for a grid to be certain. A false alarm in a million, with 125 phases,
/// corresponds to 18.6. A mouse that reports every 16 ms puts three consecutive times on one grid,
/// so these count as one.
const CERTAIN: f64 = 3.0 * 18.6;

/// How the times fit the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grid {
    /// All times are on it.
    Whole,
    /// More times are on one grid than chance explains, but not all.
    Part,
    /// As many times as by chance are on it: `on`.
    Off { on: u32 },
    /// There are too few times to tell.
    Unknown,
}

/// Whether a time is on the grid of a phase.
const fn is_on(time_ms: u32, phase: usize) -> bool {
    (phase + PERIOD - (time_ms as usize * 8) % PERIOD) % PERIOD < WIDTH
}

/// How unlikely it is, as -ln P, that chance puts this many times on a grid.
fn surprise(on: u32, times: u32) -> f64 {
    let share = f64::from(on) / f64::from(times.max(1));
    if share <= CHANCE {
        return 0.0;
    }
    let rest = if share < 1.0 {
        (1.0 - share) * ((1.0 - share) / (1.0 - CHANCE)).ln()
    } else {
        0.0
    };
    f64::from(times) * (share * (share / CHANCE).ln() + rest)
}

pub(super) fn judge(times: &[(u32, u32)]) -> Grid {
    let count = times.len() as u32;
    if surprise(count, count) < CERTAIN {
        return Grid::Unknown;
    }
    let mut places = [0u32; PERIOD];
    for &(_, time) in times {
        if let Some(place) = places.get_mut(time as usize * 8 % PERIOD) {
            *place += 1;
        }
    }
    // The places up to seven eighths below a phase are on its grid.
    let below = |phase: usize| (0..WIDTH).map(move |down| (phase + PERIOD - down) % PERIOD);
    let on = |phase: usize| below(phase).filter_map(|at| places.get(at)).sum();
    // A game begins at time 0, which is on the grid of eight phases only.
    let on_best = (0..WIDTH).map(on).max().unwrap_or(0);
    if on_best == count {
        return Grid::Whole;
    }
    let on_any = (0..PERIOD).map(on).max();
    if surprise(on_any.unwrap_or(0), count) >= CERTAIN {
        return Grid::Part;
    }
    Grid::Off { on: on_best }
}

/// The times that differ from the previous one, each with the number of mouse events before it.
pub(super) fn times_of(game: &Game<'_>) -> Vec<(u32, u32)> {
    let mut times = Vec::new();
    let mut count = 0;
    game.events.iter().for_each(|event| {
        if let Event::Mouse(mouse) = event {
            if times.last().is_none_or(|&(_, last)| last != mouse.time_ms) {
                times.push((count, mouse.time_ms));
            }
            count += 1;
        }
    });
    times
}

/// A stretch of consecutive times, most of which are on the grid of one phase.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    phase: usize,
    from: usize,
    /// The index after its last time.
    to: usize,
    score: f64,
}

/// Scores for a time on the grid and for one off the grid: the logarithm of how much likelier it is
/// with a grid, where one time in a hundred is off it, than by chance.
const FOR: f64 = 2.74;
const AGAINST: f64 = 4.54;

/// The stretch with the highest score.
fn stretch(times: &[(u32, u32)], start: usize) -> Option<Stretch> {
    let of_phase = |phase: usize| {
        let (mut best, mut from, mut score) = (None, 0, 0.0);
        for (at, &(_, time)) in times.iter().enumerate() {
            if is_on(time, phase) {
                score += FOR;
            } else {
                score -= AGAINST;
            }
            if score <= 0.0 {
                (score, from) = (0.0, at + 1);
            }
            if best.is_none_or(|best: Stretch| score > best.score) {
                best = Some(Stretch {
                    phase,
                    from: start + from,
                    to: start + at + 1,
                    score,
                });
            }
        }
        best
    };
    let stretches = (0..PERIOD).filter_map(of_phase);
    stretches.max_by(|a, b| a.score.total_cmp(&b.score))
}

/// The place where times leave a grid, or begin to be on one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The number of mouse events before it.
    pub mouse: u32,
    times: u32,
    /// The number of times that are on the main grid.
    on: u32,
    /// The number of times that are on another grid, and the shift from the earlier to the later
    /// one in milliseconds.
    other: Option<(u32, f64)>,
}

impl Change {
    /// Whether nearly all times are on one of the two grids.
    pub fn explains(&self, times: u32) -> bool {
        let other = self.other.map_or(0, |(on, _)| on);
        (self.on + other) * 10 >= times * 9
    }

    pub const fn rule(&self) -> Rule {
        let Self { on, times, .. } = *self;
        match self.other {
            Some((other, shift)) => Rule::ClockShift {
                on,
                other,
                times,
                shift,
            },
            None => Rule::ClockPart { on, times },
        }
    }
}

/// Finds the most significant change.
pub(super) fn change(times: &[(u32, u32)]) -> Option<Change> {
    let best = stretch(times, 0)?;
    let on = |phase| {
        times
            .iter()
            .filter(|&&(_, time)| is_on(time, phase))
            .count() as u32
    };
    let inside = times.get(best.from..best.to).unwrap_or_default();
    let stray = (inside.iter()).position(|&(_, time)| !is_on(time, best.phase));
    let (place, rest) = if best.from > 1 {
        (best.from, times.get(..best.from).unwrap_or_default())
    } else if best.to < times.len() {
        (best.to, times.get(best.to..).unwrap_or_default())
    } else {
        // Single times are off the grid; if none in the stretch is, the first time is, because the
        // game did not begin together with the clock.
        (best.from + stray.unwrap_or(0), &[][..])
    };
    let other = stretch(rest, 0).filter(|other| other.score >= CERTAIN / 3.0);
    let &(mouse, _) = times.get(place)?;
    Some(Change {
        mouse,
        times: times.len() as u32,
        on: on(best.phase),
        other: other.map(|other| {
            let (from, to) = if best.from > 1 {
                (other.phase, best.phase)
            } else {
                (best.phase, other.phase)
            };
            (on(other.phase), shift_ms(from, to))
        }),
    })
}

/// The shift from one phase to another in milliseconds, at most half a tick.
fn shift_ms(from: usize, to: usize) -> f64 {
    let eighths = ((to + PERIOD - from) % PERIOD) as f64;
    let period = PERIOD as f64;
    let least = if eighths * 2.0 > period {
        eighths - period
    } else {
        eighths
    };
    least / 8.0
}

/// With fewer times no period can be found.
pub(super) const LEAST_TIMES: u32 = 40;
/// The mean number of events that share one time. Known games on the tick have 1.6 to 3.5, those on
/// a clock with millisecond resolution 1.0 to 1.1, at every report rate of the mouse.
pub(super) const EVENTS_PER_TIME: f64 = 1.3;
/// The least share of times on the grid for it to be accepted.
const ENOUGH: f64 = 0.97;
/// If times may lie anywhere within this share of the period, it is not a grid.
const WIDEST: f64 = 0.6;
/// The tolerance for a time in milliseconds, in addition to rounding.
const SLACK_MS: f64 = 0.4;

/// The upper bound for a period, in milliseconds.
const LONGEST_MS: usize = 256;

/// A grid on which times lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct FittedGrid {
    /// In milliseconds.
    pub period: f64,
    /// The number of times that are on it.
    pub on: u32,
}

/// Whether this is another well-known period: some old machines have a Windows tick of 10 ms, and
/// screens show 60 frames per second.
pub(super) fn is_other_tick(period: f64) -> bool {
    [10.0, 10.0144, 1000.0 / 60.0]
        .iter()
        .any(|known| (period - known).abs() < known / 2000.0)
}

/// The most frequent gap, as the mean of it and its neighbours.
fn likeliest_gap(times: &[(u32, u32)]) -> f64 {
    let mut gaps = [0u32; LONGEST_MS];
    for ((_, a), (_, b)) in times.iter().zip(times.get(1..).unwrap_or_default()) {
        if let Some(count) = gaps.get_mut(b.saturating_sub(*a) as usize) {
            *count += 1;
        }
    }
    let most = (2..LONGEST_MS - 1)
        .max_by_key(|&at| gaps.get(at))
        .unwrap_or(2);
    let (mut sum, mut count) = (0.0, 0.0);
    for at in (most - 1..=most + 1).filter(|&at| at > 1) {
        let times = f64::from(gaps.get(at).copied().unwrap_or(0));
        sum += times * at as f64;
        count += times;
    }
    sum / f64::max(count, 1.0)
}

/// Finds the period of the grid on which these times lie.
pub(super) fn period(times: &[(u32, u32)]) -> Option<FittedGrid> {
    let (_, first) = *times.first()?;
    let likely = likeliest_gap(times);
    let mut period = likely;
    // A longer duration allows a finer estimate: each round uses four times as many times, and
    // searches a correspondingly smaller range.
    let mut reach = likely * 0.08;
    let mut count = 24;
    loop {
        let part = times.get(..count).unwrap_or(times);
        let (_, last) = *part.last()?;
        let length = f64::from(last.saturating_sub(first)).max(1.0);
        let step = period * period / (12.0 * length);
        let steps = (reach / step).ceil().min(400.0) as i32;
        let tried = (-steps..=steps).map(|at| period + f64::from(at) * step);
        period = tried.max_by(|a, b| gathered(part, *a).0.total_cmp(&gathered(part, *b).0))?;
        reach = 3.0 * step;
        if count >= times.len() {
            break;
        }
        count *= 4;
    }
    // Times were rounded twice: when the clock was read, before they were scaled, and when they
    // were written.
    let half = f64::midpoint(1.0, period / TICK_MS) + SLACK_MS;
    if period < 2.0 || 2.0 * half > WIDEST * period {
        return None;
    }
    let (_, middle) = gathered(times, period);
    let is_on = |time: u32| {
        let turns = f64::from(time) / period - middle;
        (turns - turns.round()).abs() * period <= half
    };
    let on = times.iter().filter(|&&(_, time)| is_on(time)).count();
    (on as f64 >= ENOUGH * times.len() as f64).then_some(FittedGrid {
        period,
        on: on as u32,
    })
}

/// How much the times concentrate at one point of the period, from 0 to 1, and at which point.
fn gathered(times: &[(u32, u32)], period: f64) -> (f64, f64) {
    let (mut x, mut y) = (0.0, 0.0);
    for &(_, time) in times {
        let (sin, cos) = (f64::from(time) / period * std::f64::consts::TAU).sin_cos();
        x += cos;
        y += sin;
    }
    let length = f64::hypot(x, y) / times.len().max(1) as f64;
    (length, y.atan2(x) / std::f64::consts::TAU)
}
