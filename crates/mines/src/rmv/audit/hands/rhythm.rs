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

/// The times between some of the button events.
#[derive(Default)]
struct Beat {
    last: Option<u32>,
    intervals: Vec<u32>,
}

impl Beat {
    fn take(&mut self, time_ms: u32) {
        if self.intervals.capacity() == 0 {
            self.intervals.reserve(128);
        }
        if let Some(last) = self.last.replace(time_ms) {
            self.intervals.push(time_ms.saturating_sub(last));
        }
    }

    /// How many intervals are in step, their mean, and their spread as a share of it.
    fn regular(&self) -> Option<(usize, f64, f64)> {
        let count = self.intervals.len();
        if count < FEW {
            return None;
        }
        let (mean, spread) = mean_and_spread(&self.intervals);
        let most = if count >= MANY { LONG_RHYTHM } else { RHYTHM };
        if mean > 0.0 && spread < most {
            return Some((count, mean, spread));
        }
        if count < MANY {
            return None;
        }
        let mut sorted = self.intervals.clone();
        let (_, median, _) = sorted.select_nth_unstable(count / 2);
        let median = f64::from(*median);
        let is_near = |&interval: &u32| (f64::from(interval) - median).abs() <= RHYTHM * median;
        sorted.retain(is_near);
        let enough = sorted.len() as f64 >= SHARE * count as f64;
        (enough && median >= f64::from(LEAST_MS)).then(|| {
            let (mean, spread) = mean_and_spread(&sorted);
            (sorted.len(), mean, spread)
        })
    }
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

/// What is known of the rhythm: a program may keep one of any of these.
#[derive(Default)]
pub(super) struct Rhythm {
    /// Presses with no other button down: a click or a chord begins.
    begins: Beat,
    presses: Beat,
    releases: Beat,
    /// Presses and releases.
    buttons: Beat,
}

impl Rhythm {
    /// A button event: what was down before it.
    pub fn take(&mut self, before: Buttons, event: &MouseEvent) {
        let time_ms = event.time_ms;
        self.buttons.take(time_ms);
        if !is_press(event.action) {
            self.releases.take(time_ms);
            return;
        }
        self.presses.take(time_ms);
        if before == Buttons::NONE {
            self.begins.take(time_ms);
        }
    }

    pub fn check(&self, findings: &mut Findings) {
        let beats = [&self.begins, &self.presses, &self.releases, &self.buttons];
        let mut regular = beats.into_iter().filter_map(Beat::regular);
        if let Some((count, mean, spread)) = regular.next() {
            findings.push(Finding::new(Rule::PressesEven {
                presses: count as u32 + 1,
                mean,
                percent: spread * 100.0,
            }));
        }
    }
}
