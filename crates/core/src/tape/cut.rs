//! The range of a recording that a cut keeps.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use super::error::Error;
use crate::clock::{At, Clocks, Stamp};
use crate::table::{Position, ScanError};

/// The range of a recording that a cut keeps. Both moments are included; a missing one stands for
/// the start or the end of the recording.
///
/// ```
/// use gametape_core::{Clocks, Stamp, Time, tape::Cut};
///
/// let cut = Cut::new(Some("0.04".parse()?), Some("0.07".parse()?));
/// let mut steps = cut.steps(Clocks::TIMES)?;
/// for (step, ms) in (0..).zip([0, 33, 67, 100]) {
///     steps.position(Stamp { step, tick: None, time: Some(Time::from_ms(ms)) });
/// }
/// assert_eq!(steps.kept()?.steps, 2..3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Cut {
    /// The first moment.
    pub from: Option<At>,
    /// The last moment; times are compared to the millisecond.
    pub to: Option<At>,
}

impl Cut {
    /// Creates a range from one moment to another.
    #[must_use]
    pub const fn new(from: Option<At>, to: Option<At>) -> Self {
        Self { from, to }
    }
}

/// For example `from 1.000 s to tick 9`.
impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.to) {
            (Some(from), Some(to)) => write!(f, "from {from} to {to}"),
            (Some(from), None) => write!(f, "from {from} on"),
            (None, Some(to)) => write!(f, "up to {to}"),
            (None, None) => f.write_str("at all"),
        }
    }
}

impl Cut {
    /// Prepares to find the steps of the range in a recording with these clocks.
    ///
    /// # Errors
    /// [`ScanError::Backwards`] if the range ends before it starts, as far as this is known without
    /// the recording; [`Error::NoClock`].
    pub fn steps(self, clocks: Clocks) -> Result<CutSteps, Error> {
        let Self { from, to } = self;
        if let (Some(from), Some(to)) = (from, to)
            && from.is_behind(to)
        {
            return Err(ScanError::Backwards { from, to }.into());
        }
        clocks.check(from)?;
        clocks.check(to)?;
        Ok(CutSteps {
            cut: self,
            seen: 0,
            kept: None,
            behind: false,
        })
    }
}

/// Finds the steps of a recording that are in a range. The range starts at the first step that is
/// not before it, and ends before the first step after it. All steps in between belong to it, even
/// if a clock goes backwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutSteps {
    cut: Cut,
    /// The number of steps so far.
    seen: u64,
    kept: Option<Kept>,
    behind: bool,
}

/// The steps that a cut keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The kept steps, counted from 0 in the order of the recording.
    pub steps: Range<u64>,
    /// The stamp of the first kept step, by the clock of the original recording.
    pub first: Stamp,
    /// The stamp of the last kept step.
    pub last: Stamp,
    /// Whether all steps of the recording are kept.
    pub is_all: bool,
}

impl CutSteps {
    /// Takes the next step of the recording, and returns its position relative to the range. Steps
    /// are counted in the order of these calls. After the range has ended, no later step is in it.
    pub fn position(&mut self, stamp: Stamp) -> Position {
        let number = self.seen;
        self.seen += 1;
        let order = |at: Option<At>| at.and_then(|at| at.order(stamp));
        self.behind |= order(self.cut.to).is_some_and(Ordering::is_gt);
        if self.behind {
            return Position::After;
        }
        if self.kept.is_none() && order(self.cut.from).is_some_and(Ordering::is_lt) {
            return Position::Outside;
        }
        let kept = self.kept.get_or_insert(Kept {
            steps: number..number,
            first: stamp,
            last: stamp,
            is_all: false,
        });
        (kept.steps.end, kept.last) = (number + 1, stamp);
        Position::Within
    }

    /// Returns true if the range has ended, so that no later step is in it.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.behind
    }

    /// Returns the kept steps. Call it after the last step that could be in the range.
    ///
    /// # Errors
    /// [`Error::NothingIn`] if no step is in the range.
    pub fn kept(&self) -> Result<Kept, Error> {
        let (cut, seen) = (self.cut, self.seen);
        let kept = self.kept.clone().ok_or(Error::NothingIn { cut })?;
        Ok(Kept {
            is_all: kept.steps == (0..seen),
            ..kept
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;

    fn kept(from: Option<&str>, to: Option<&str>, times: &[i64]) -> Result<Range<u64>, String> {
        let at = |text: &str| text.parse().unwrap();
        let cut = Cut::new(from.map(at), to.map(at));
        let mut steps = cut
            .steps(Clocks::ticks(true))
            .map_err(|error| error.to_string())?;
        for (step, ms) in (0..).zip(times) {
            let stamp = Stamp {
                step,
                tick: Some(step + 10),
                time: Some(Time::from_ms(*ms)),
            };
            if steps.position(stamp) == Position::After {
                break;
            }
        }
        steps
            .kept()
            .map(|kept| kept.steps)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_range_holds_both_its_moments() {
        let times = [0, 33, 67, 67, 100];
        assert_eq!(kept(None, None, &times), Ok(0..5));
        assert_eq!(kept(Some("0.033"), Some("0.067"), &times), Ok(1..4));
        assert_eq!(
            kept(Some("0.034"), Some("0.066"), &times),
            nothing("from 0.034 s to 0.066 s")
        );
        assert_eq!(kept(Some("tick:9"), Some("step:1"), &times), Ok(0..2));
        assert_eq!(kept(Some("tick:14"), None, &times), Ok(4..5));
        assert_eq!(
            kept(Some("tick:15"), None, &times),
            nothing("from tick 15 on")
        );
        assert_eq!(
            kept(Some("step:3"), Some("tick:12"), &times),
            nothing("from step 3 to tick 12")
        );
        assert_eq!(kept(None, Some("tick:9"), &times), nothing("up to tick 9"));
        let error = kept(Some("1:00"), Some("59.999"), &times).unwrap_err();
        assert_eq!(
            error,
            "the range ends at 59.999 s, before it starts at 1:00.000"
        );
        // All steps in between belong to the range.
        assert_eq!(
            kept(Some("0.02"), Some("0.08"), &[0, 30, 10, 60, 90, 50]),
            Ok(1..4)
        );
    }

    fn nothing(range: &str) -> Result<Range<u64>, String> {
        Err(format!("nothing is recorded {range}"))
    }
}
