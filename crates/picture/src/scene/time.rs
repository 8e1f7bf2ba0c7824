//! Moments of a recording: as text, along an axis, and from one to another.

use gametape::When;
use gametape::core::text::Grouped;
use gametape::{Stamp, Time};

/// The axis along which a recording is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    Time,
    /// For recordings without times, or whose rows all have the same time.
    Steps,
}

impl Axis {
    /// The axis of a recording or a stretch with these ends.
    pub fn new(first: Stamp, last: Stamp) -> Self {
        match (first.time, last.time) {
            (Some(first), Some(last)) if first < last => Self::Time,
            _ => Self::Steps,
        }
    }

    /// The unit of [`Axis::between`].
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::Steps => "steps",
        }
    }

    /// The seconds or steps from one stamp to another; 0 where the clock goes back.
    pub fn between(self, from: Stamp, to: Stamp) -> f64 {
        match self {
            Self::Time => {
                let times = from.time.zip(to.time);
                let length = times.map_or(0, |(from, to)| to.0.saturating_sub(from.0));
                (length as f64 / 1e9).max(0.0)
            }
            Self::Steps => to.step.saturating_sub(from.step) as f64,
        }
    }
}

/// A time, rounded down to milliseconds.
pub fn time(time: Time) -> String {
    Time::from_ms(time.whole_ms()).to_string()
}

/// All clocks of a stamp: `12.345 s  tick 7  step 6`.
pub fn moment(stamp: Stamp) -> String {
    let tick = stamp.tick.map(|tick| format!("tick {}", Grouped(tick)));
    let step = Some(format!("step {}", Grouped(stamp.step)));
    let parts: Vec<String> = [stamp.time.map(time), tick, step]
        .into_iter()
        .flatten()
        .collect();
    parts.join("  ")
}

/// The same within a sentence: `12.345 s, tick 7, step 6`.
pub fn moment_in_words(stamp: Stamp) -> String {
    moment(stamp).replace("  ", ", ")
}

/// A stretch of a recording; an end that is left out is the recording's.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stretch {
    /// The start.
    pub from: Option<When>,
    /// The end.
    pub to: Option<When>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_shows_all_clocks() {
        let stamp = Stamp {
            step: 6,
            tick: Some(7),
            time: Some(Time(12_345_678_901)),
        };
        assert_eq!(moment(stamp), "12.345 s  tick 7  step 6");
    }
}
