//! Finds the period of a clock that is not the tick of Windows. Times that were scaled lie on a
//! grid that was scaled together with them.

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
    let half = f64::midpoint(1.0, period / super::grid::TICK_MS) + SLACK_MS;
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
