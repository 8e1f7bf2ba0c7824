//! Which steps of a recording are in a range.

use std::cmp::Ordering;
use std::ops::Range;

use super::cut::Cut;
use super::error::Error;
use crate::clock::{At, Clocks, Stamp};
use crate::table::{Place, ScanError};

impl Cut {
    /// Looks for the range in a recording that has such clocks.
    ///
    /// # Errors
    /// [`ScanError::Backwards`], as far as that can be told without the recording;
    /// [`Error::NoClock`].
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

/// The steps of a recording that are in a range: those from the first that is not before it to the
/// last before one that is behind it. In between all belong to it, even where a clock goes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutSteps {
    cut: Cut,
    /// Steps that came.
    seen: u64,
    kept: Option<Kept>,
    behind: bool,
}

/// The steps of a recording that were kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Which of its steps, in their order, from 0.
    pub steps: Range<u64>,
    /// When the first of them is, by the clock of the recording.
    pub first: Stamp,
    /// When the last is.
    pub last: Stamp,
    /// True where these are all of its steps.
    pub is_all: bool,
}

impl CutSteps {
    /// The next step, in the order of the recording: where it stands to the range. Steps count as
    /// they come. Behind the range nothing else is in it.
    pub fn place(&mut self, stamp: Stamp) -> Place {
        let number = self.seen;
        self.seen += 1;
        let order = |at: Option<At>| at.and_then(|at| at.order(stamp));
        self.behind |= order(self.cut.to).is_some_and(Ordering::is_gt);
        if self.behind {
            return Place::Behind;
        }
        if self.kept.is_none() && order(self.cut.from).is_some_and(Ordering::is_lt) {
            return Place::Before;
        }
        let kept = self.kept.get_or_insert(Kept {
            steps: number..number,
            first: stamp,
            last: stamp,
            is_all: false,
        });
        (kept.steps.end, kept.last) = (number + 1, stamp);
        Place::Within
    }

    /// True where the range has ended: what follows is not in it.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.behind
    }

    /// What is kept; all steps have come that may be.
    ///
    /// # Errors
    /// [`Error::NothingIn`] where there is none.
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
            if steps.place(stamp) == Place::Behind {
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
        // All that lies between belongs to it.
        assert_eq!(
            kept(Some("0.02"), Some("0.08"), &[0, 30, 10, 60, 90, 50]),
            Ok(1..4)
        );
    }

    fn nothing(range: &str) -> Result<Range<u64>, String> {
        Err(format!("nothing is recorded {range}"))
    }
}
