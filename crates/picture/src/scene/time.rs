//! Moments of a recording: as text, along an axis, and from one to another.

use std::str::FromStr;

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

impl FromStr for Stretch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((from, to)) = text.split_once("..") else {
            return Err(
                "a stretch is FROM..TO, such as 1:23.4..2:00, tick:1..tick:90, step:0..".into(),
            );
        };
        let end = |end: &str| {
            if end.is_empty() {
                return Ok(None);
            }
            end.parse().map(Some).map_err(|error| format!("{error}"))
        };
        Ok(Self {
            from: end(from)?,
            to: end(to)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use gametape::At;

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

    #[test]
    fn an_end_that_is_left_out_is_the_recordings() {
        let stretch: Stretch = "1:23.4..step:9".parse().unwrap();
        assert_eq!(stretch.from, Some(At::Time(Time::from_ms(83_400)).into()));
        assert_eq!(stretch.to, Some(At::Step(9).into()));
        assert_eq!("..".parse(), Ok(Stretch::default()));
        assert_eq!(
            "tick:1..".parse(),
            Ok(Stretch {
                from: Some(At::Tick(1).into()),
                to: None
            })
        );
        for wrong in ["", "1:23", "a..b", "1...2", "1..2..3"] {
            assert!(wrong.parse::<Stretch>().is_err(), "{wrong}");
        }
    }
}
