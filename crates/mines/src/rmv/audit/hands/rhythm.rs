//! Presses and releases at equal times: a hand has no metronome.

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
/// Of so many intervals so large a share in step is no chance, whatever pauses there are between.
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

/// How many intervals are in step, their mean, and their spread as a share of it.
fn regular(intervals: &mut Vec<u32>) -> Option<(usize, f64, f64)> {
    let count = intervals.len();
    if count < FEW {
        return None;
    }
    let (mean, spread) = mean_and_spread(intervals);
    let most = if count >= MANY { LONG_RHYTHM } else { RHYTHM };
    if mean > 0.0 && spread < most {
        return Some((count, mean, spread));
    }
    if count < MANY {
        return None;
    }
    let (_, median, _) = intervals.select_nth_unstable(count / 2);
    let median = f64::from(*median);
    intervals.retain(|&interval| (f64::from(interval) - median).abs() <= RHYTHM * median);
    let enough = intervals.len() as f64 >= SHARE * count as f64;
    (enough && median >= f64::from(LEAST_MS)).then(|| {
        let (mean, spread) = mean_and_spread(intervals);
        (intervals.len(), mean, spread)
    })
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
            self.0.reserve(512);
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
            if let Some((even, mean, spread)) = regular(&mut intervals) {
                findings.push(Finding::new(Rule::PressesEven {
                    even: even as u32,
                    times,
                    between: kind.name(),
                    mean_ms: mean,
                    percent: spread * 100.0,
                }));
                return;
            }
        }
    }
}
