//! How long something lasts.

use gametape::Stamp;

/// What is counted: seconds where the recording has times, else steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasts {
    Seconds,
    Steps,
}

impl Lasts {
    /// Of a recording that goes from there to there.
    pub fn of(first: Stamp, last: Stamp) -> Self {
        match (first.time, last.time) {
            (Some(first), Some(last)) if first < last => Self::Seconds,
            _ => Self::Steps,
        }
    }

    pub const fn unit(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Steps => "steps",
        }
    }

    /// From then to then; nothing where the clock goes back.
    pub fn between(self, since: Stamp, until: Stamp) -> f64 {
        match self {
            Self::Seconds => {
                let long = since.time.zip(until.time);
                let long = long.map_or(0, |(since, until)| until.0.saturating_sub(since.0));
                (long as f64 / 1e9).max(0.0)
            }
            Self::Steps => until.step.saturating_sub(since.step) as f64,
        }
    }
}
