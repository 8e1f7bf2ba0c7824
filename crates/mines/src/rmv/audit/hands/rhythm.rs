//! Presses and releases at equal times: a hand has no metronome.

use std::ops::Range;

use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, MouseAction, MouseEvent};

/// Fewer intervals say nothing of a rhythm.
const FEW: usize = 10;
/// Musicians who tap to a metronome come to a spread of 3 to 5 percent; in known games the time
/// between presses spreads by 43 to 110.
const RHYTHM: f64 = 0.025;
/// Nobody keeps up for so many intervals, from square to square, what musicians do on the spot.
const MANY: usize = 20;
const LONG_RHYTHM: f64 = 0.06;
/// Of so many intervals so large a share of one length, or of two, is no chance, whatever pauses there
/// are between: in known games it is 17 of 100 at most, and 30 of two lengths.
const SHARE: f64 = 0.7;
/// Milliseconds; a tick of Windows is too much of less.
const LEAST_MS: u32 = 100;

/// Whether a button goes down.
pub(super) const fn is_press(action: MouseAction) -> bool {
    matches!(
        action,
        MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
    )
}

/// Button events that may be in step.
#[derive(Clone, Copy)]
enum Kind {
    /// Presses with no other button down: a click or a chord begins.
    First,
    Press,
    Release,
    Any,
}

impl Kind {
    const ALL: [Self; 4] = [Self::First, Self::Press, Self::Release, Self::Any];

    /// In the middle of a sentence.
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

/// Intervals that are in step.
struct Even {
    count: usize,
    mean_ms: f64,
    /// The most of them, where they go by turns.
    other_ms: Option<f64>,
    /// As a share of the mean.
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
    let (before, behind) = (long.get(..one.start)?, long.get(one.end..)?);
    let other = [before, behind].map(|rest| rest.get(nearly_equal(rest)?));
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

/// At least as many as are of two lengths, in one pass: nearly none of a hand's are looked at further.
fn most_of_two_lengths(intervals: &[u32]) -> usize {
    // By the highest four bits: 7 to 13 percent each, so that one length is in two neighbours.
    let mut classes = [0_u32; 104];
    for &interval in intervals.iter().filter(|&&interval| interval >= LEAST_MS) {
        // All of more than a minute are in the last.
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

/// Where, of ascending intervals, the most lie that are the same, to so much.
fn nearly_equal(ascending: &[u32]) -> Option<Range<usize>> {
    let ranges = ascending.iter().enumerate().map(|(start, &least)| {
        let most = f64::from(least) * (1.0 + 2.0 * RHYTHM);
        let rest = ascending.get(start..).unwrap_or_default();
        start..start + rest.partition_point(|&interval| f64::from(interval) <= most)
    });
    ranges.max_by_key(Range::len)
}

/// The mean, and the spread as a share of it.
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

/// The button events of a game: a program may keep a rhythm of any kind of them.
#[derive(Default)]
pub(super) struct Rhythm(Vec<(u32, Kind)>);

impl Rhythm {
    /// A button event: what was down before it.
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
