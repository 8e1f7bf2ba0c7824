//! The dump of a single moment.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::error::Error;
use super::info::Partial;
use crate::clock::{At, Stamp, Time};

/// Writes the lines of a dump: all of them, or those at one moment.
///
/// For a tick or a step, these are the lines at exactly that tick or step. For a time, these are
/// the lines that are valid then: those with the newest time that is not after it, compared to the
/// millisecond. If the recording ends before that time, there are none.
///
/// ```
/// use gametape_core::{At, Stamp, Time, tape::Moment};
/// use std::io::Write;
///
/// let mut out = Vec::new();
/// let mut moment = Moment::new(Some("0.08".parse()?), &mut out);
/// for (step, ms) in (0..).zip([0, 33, 67, 100]) {
///     let stamp = Stamp { step, tick: None, time: Some(Time::from_ms(ms)) };
///     if moment.line(stamp, |out| writeln!(out, "{step}"))?.is_break() {
///         break;
///     }
/// }
/// moment.end(None)?;
/// assert_eq!(out, b"2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Moment<'o> {
    at: Option<At>,
    /// Whether a step may have any number of lines.
    of_rows: bool,
    out: &'o mut dyn Write,
    /// The lines of the newest time that is not after the requested one.
    held: Vec<u8>,
    time: Option<Time>,
    /// Whether a step after the requested moment has come.
    passed: bool,
    found: bool,
}

impl<'o> Moment<'o> {
    /// Selects one moment, or everything, of lines of which each stands for a step.
    pub fn new(at: Option<At>, out: &'o mut dyn Write) -> Self {
        Self {
            at,
            of_rows: false,
            out,
            held: Vec::new(),
            time: None,
            passed: false,
            found: at.is_none(),
        }
    }

    /// Selects one moment, or everything, of the rows of tables: a step may have any number of them,
    /// in the order of the steps.
    pub fn of_rows(at: Option<At>, out: &'o mut dyn Write) -> Self {
        Self {
            of_rows: true,
            ..Self::new(at, out)
        }
    }

    /// Takes a line of a step, and writes it if it may be needed. Breaks if no later step is needed.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn line(
        &mut self,
        stamp: Stamp,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let last = match self.at {
            None => false,
            Some(At::Time(until)) => return self.hold(until, stamp, write),
            Some(at) if !at.is(stamp) => {
                self.passed |= matches!(at, At::Step(step) if step < stamp.step);
                return Ok(if self.passed && self.of_rows {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                });
            }
            // Several steps may have the same tick.
            Some(at) => matches!(at, At::Step(_)) && !self.of_rows,
        };
        self.found = true;
        write(self.out).map_err(Error::Output)?;
        Ok(if last {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Returns whether `next` makes `step` unnecessary: for a time, only the newest lines are
    /// needed. If lines are expensive to make, a format can delay each step until it knows the next
    /// one, and skip the [line](Moment::line) if this returns true.
    #[must_use]
    pub fn gives_way(&self, step: Stamp, next: Stamp) -> bool {
        let Some(At::Time(until)) = self.at else {
            return false;
        };
        let is_before = |time: &Time| time.whole_ms() <= until.whole_ms();
        // A step after the moment ends the dump, so it does not replace the step before.
        let times = step.time.filter(is_before).zip(next.time.filter(is_before));
        times.is_some_and(|(time, next)| time != next)
    }

    fn hold(
        &mut self,
        until: Time,
        stamp: Stamp,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let Some(time) = stamp.time else {
            return Ok(ControlFlow::Continue(()));
        };
        if time.whole_ms() > until.whole_ms() {
            self.passed = true;
            return Ok(ControlFlow::Break(()));
        }
        if self.time != Some(time) {
            self.held.clear();
            self.time = Some(time);
        }
        self.found = true;
        write(&mut self.held).map_err(Error::Output)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Ends the dump. `problem` is the problem of the recording, if it is not intact.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] if there is no line at the requested moment; `problem` instead, if
    /// the line may be in the missing part; any error of the output.
    pub fn end(self, problem: Option<Error>) -> Result<Partial<()>, Error> {
        let at = self.at;
        // A step before others is recorded, even if it has no rows.
        let has_passed = self.of_rows && self.passed && matches!(at, Some(At::Step(_)));
        match (self.finish()?, at, problem) {
            (true, _, problem) => Ok(Partial::new((), problem)),
            (false, ..) if has_passed => Ok(().into()),
            (false, _, Some(problem)) => Err(problem),
            (false, Some(at), None) => Err(Error::not_recorded(at)),
            (false, None, None) => Ok(().into()),
        }
    }

    /// Ends the dump, and returns true if there was any line.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn finish(self) -> Result<bool, Error> {
        if let (Some(At::Time(until)), Some(time), false) = (self.at, self.time, self.passed)
            && time.whole_ms() < until.whole_ms()
        {
            return Ok(false);
        }
        self.out.write_all(&self.held).map_err(Error::Output)?;
        Ok(self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(times: &[i64]) -> Vec<Stamp> {
        let stamp = |(step, ms): (u64, &i64)| Stamp {
            step,
            tick: Some(step + 10),
            time: Some(Time::from_ms(*ms)),
        };
        (0..).zip(times).map(stamp).collect()
    }

    /// Returns the steps that are printed for these times in milliseconds.
    fn printed(at: At, times: &[i64]) -> Option<String> {
        let (direct, _) = print(at, times, false);
        // Skipping steps changes nothing in the output and saves lines.
        let (held_back, lines) = print(at, times, true);
        assert_eq!(direct, held_back, "{at} of {times:?}");
        if let (At::Time(_), Some(direct)) = (at, &direct) {
            assert!(lines <= direct.split_whitespace().count() + 1, "{times:?}");
        }
        direct
    }

    /// Prints a dump, with or without skipping steps; also returns the number of lines made.
    fn print(at: At, times: &[i64], hold_back: bool) -> (Option<String>, usize) {
        let (mut out, mut lines) = (Vec::new(), 0);
        let mut moment = Moment::new(Some(at), &mut out);
        let stamps = stamps(times);
        for (at, stamp) in stamps.iter().enumerate() {
            let next = stamps.get(at + 1);
            if hold_back && next.is_some_and(|next| moment.gives_way(*stamp, *next)) {
                continue;
            }
            let line = |out: &mut dyn Write| {
                lines += 1;
                write!(out, "{} ", stamp.step)
            };
            if moment.line(*stamp, line).unwrap().is_break() {
                break;
            }
        }
        let found = moment.finish().unwrap();
        let out = found.then(|| String::from_utf8(out).unwrap());
        (out, lines)
    }

    #[test]
    fn a_time_is_what_holds_then() {
        let times = [5, 33, 67, 67, 100];
        for (ms, wanted) in [
            (4, None),
            (5, Some("0 ")),
            (66, Some("1 ")),
            (67, Some("2 3 ")),
            (99, Some("2 3 ")),
            (100, Some("4 ")),
            (101, None),
        ] {
            let at = At::Time(Time::from_ms(ms));
            assert_eq!(printed(at, &times).as_deref(), wanted, "{ms}");
        }
        // If the clock goes backwards, the first step after the moment ends the dump. After the
        // last step, no line is valid.
        for (ms, wanted) in [(4, None), (6, Some("0 ")), (50, Some("0 ")), (100, None)] {
            let at = At::Time(Time::from_ms(ms));
            let printed = printed(at, &[5, 100, 6, 7, 7, 3, 3]);
            assert_eq!(printed.as_deref(), wanted, "{ms}");
        }
        let tied = printed(At::Time(Time::from_ms(9)), &[5, 8, 8, 7, 9, 9]);
        assert_eq!(tied.as_deref(), Some("4 5 "));
        assert_eq!(printed(At::Step(3), &times).as_deref(), Some("3 "));
        assert_eq!(printed(At::Step(5), &times), None);
        assert_eq!(printed(At::Tick(11), &times).as_deref(), Some("1 "));
        assert_eq!(printed(At::Tick(1), &times), None);
    }
}
