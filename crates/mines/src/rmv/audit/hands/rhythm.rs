//! Presses and releases at equal intervals: a hand is not a metronome.

use std::ops::Range;

use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, MouseAction, MouseEvent};

/// With fewer intervals no rhythm can be found.
const FEW: usize = 10;
/// The spread as a share of the mean. Musicians who tap to a metronome reach 0.03 to 0.05; in known
/// games the time between presses spreads by 0.19 to 1.10.
const RHYTHM: f64 = 0.025;
/// For this many intervals, and moving from cell to cell, nobody keeps up the precision of
/// musicians, who tap on one spot.
const MANY: usize = 20;
const LONG_RHYTHM: f64 = 0.06;
/// If at least this share of [`MANY`] or more intervals have one length, or one of two lengths, it
/// is not chance, whatever pauses are between them. In known games at most 0.41 have one length.
const SHARE: f64 = 0.7;
/// In milliseconds. For shorter intervals a tick of Windows is too coarse.
const LEAST_MS: u32 = 100;

/// Whether the action presses a button.
pub(super) const fn is_press(action: MouseAction) -> bool {
    matches!(
        action,
        MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
    )
}

/// Kinds of button events that may have a common rhythm.
#[derive(Clone, Copy)]
enum Kind {
    /// Presses while no other button is down: the beginning of a click or a chord.
    First,
    Press,
    Release,
    Any,
}

impl Kind {
    const ALL: [Self; 4] = [Self::First, Self::Press, Self::Release, Self::Any];

    /// The name as used within sentences.
    const fn name(self) -> &'static str {
        match self {
            Self::First => "presses with no other button down",
            Self::Press => "presses",
            Self::Release => "releases",
            Self::Any => "presses and releases",
        }
    }

    const fn has(self, event: Self) -> bool {
        match self {
            Self::Any => true,
            Self::Press => matches!(event, Self::First | Self::Press),
            Self::First => matches!(event, Self::First),
            Self::Release => matches!(event, Self::Release),
        }
    }
}

/// Intervals with a rhythm.
struct Even {
    count: usize,
    mean_ms: f64,
    /// The mean of the second length, if the intervals have two.
    other_ms: Option<f64>,
    /// The spread as a share of the mean.
    spread: f64,
}

fn even(intervals: &mut [u32]) -> Option<Even> {
    let count = intervals.len();
    if count < FEW {
        return None;
    }
    let (mean_ms, spread) = mean_and_spread(intervals);
    let most = if count >= MANY { LONG_RHYTHM } else { RHYTHM };
    if mean_ms > 0.0 && spread < most {
        return Some(Even {
            count,
            mean_ms,
            other_ms: None,
            spread,
        });
    }
    let enough = |count_in: usize| count_in as f64 >= SHARE * count as f64;
    if count < MANY || !enough(most_of_two_lengths(intervals)) {
        return None;
    }
    intervals.sort_unstable();
    let short = intervals.partition_point(|&interval| interval < LEAST_MS);
    let long = intervals.get(short..).unwrap_or_default();
    let one = nearly_equal(long)?;
    let (before, after) = (long.get(..one.start)?, long.get(one.end..)?);
    let other = [before, after].map(|rest| rest.get(nearly_equal(rest)?));
    let other = other.into_iter().flatten().max_by_key(|rest| rest.len());
    let one = long.get(one)?;
    let other = other.filter(|_| !enough(one.len())).unwrap_or_default();
    let (mean_ms, spread) = mean_and_spread(one);
    let (other_ms, other_spread) = mean_and_spread(other);
    enough(one.len() + other.len()).then(|| Even {
        count: one.len() + other.len(),
        mean_ms,
        other_ms: (!other.is_empty()).then_some(other_ms),
        spread: spread.max(other_spread),
    })
}

/// An upper bound for the number of intervals that have one of two lengths, found in one pass. For
/// nearly all human games it is so low that nothing else has to be computed.
fn most_of_two_lengths(intervals: &[u32]) -> usize {
    // Each class contains the intervals with the same highest four bits, a range of 7 to 13
    // percent. So the intervals of one length are in at most two neighbouring classes.
    let mut classes = [0_u32; 104];
    for &interval in intervals.iter().filter(|&&interval| interval >= LEAST_MS) {
        // All intervals of more than a minute are in the last class.
        let interval = interval.min(0xFFFF);
        let shift = interval.ilog2().saturating_sub(3);
        let class = shift * 8 + ((interval >> shift) & 7);
        if let Some(count) = classes.get_mut(class as usize) {
            *count += 1;
        }
    }
    let (mut most, mut second) = (0, 0);
    for pair in classes.windows(2) {
        let count: u32 = pair.iter().sum();
        if count > most {
            (most, second) = (count, most);
        } else if count > second {
            second = count;
        }
    }
    (most + second) as usize
}

/// The range of the ascending intervals in which the most lie that are equal within the tolerance.
fn nearly_equal(ascending: &[u32]) -> Option<Range<usize>> {
    let ranges = ascending.iter().enumerate().map(|(start, &least)| {
        let most = f64::from(least) * (1.0 + 2.0 * RHYTHM);
        let rest = ascending.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|&interval| f64::from(interval) <= most)
    });
    ranges.max_by_key(Range::len)
}

/// The mean, and the spread as a share of the mean.
fn mean_and_spread(intervals: &[u32]) -> (f64, f64) {
    let count = intervals.len().max(1) as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for &interval in intervals {
        let interval = f64::from(interval);
        sum += interval;
        squares += interval * interval;
    }
    let mean = sum / count;
    let spread = (squares / count - mean * mean).max(0.0).sqrt();
    (mean, spread / mean.max(f64::MIN_POSITIVE))
}

/// The button events of a game. A program may keep a rhythm in any kind of them.
#[derive(Default)]
pub(super) struct Rhythm(Vec<(u32, Kind)>);

impl Rhythm {
    /// Takes a button event; `before` are the buttons that were down before it.
    pub fn take(&mut self, before: Buttons, event: &MouseEvent) {
        if self.0.capacity() == 0 {
            self.0.reserve(128);
        }
        let kind = match is_press(event.action) {
            false => Kind::Release,
            true if before == Buttons::NONE => Kind::First,
            true => Kind::Press,
        };
        self.0.push((event.time_ms, kind));
    }

    pub fn check(&self, findings: &mut Findings) {
        let mut intervals = Vec::with_capacity(self.0.len());
        for kind in Kind::ALL {
            let mut last = None;
            intervals.clear();
            for &(time_ms, event) in &self.0 {
                if kind.has(event)
                    && let Some(last) = last.replace(time_ms)
                {
                    intervals.push(time_ms.saturating_sub(last));
                }
            }
            let times = intervals.len() as u32;
            if let Some(found) = even(&mut intervals) {
                findings.push(Finding::new(Rule::PressesEven {
                    even: found.count as u32,
                    times,
                    between: kind.name(),
                    mean_ms: found.mean_ms,
                    other_ms: found.other_ms,
                    percent: found.spread * 100.0,
                }));
                return;
            }
        }
    }
}
