//! What a dump prints of a recording where a moment was named.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::error::Error;
use super::info::Partial;
use crate::clock::{At, Stamp, Time};

/// The lines of a dump: all of them, or those of one moment.
///
/// Of a tick or a step those that are of it. Of a time those that hold then: the newest that is not
/// after it, to the millisecond, as people write it, and all that have the same time; none where the
/// recording has ended by then.
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
    out: &'o mut dyn Write,
    /// Lines of the newest time that is not after the one that is wanted.
    held: Vec<u8>,
    time: Option<Time>,
    /// Whether a step came that is after it.
    passed: bool,
    found: bool,
}

impl<'o> Moment<'o> {
    /// What is at this moment alone, or everything.
    pub fn new(at: Option<At>, out: &'o mut dyn Write) -> Self {
        Self {
            at,
            out,
            held: Vec::new(),
            time: None,
            passed: false,
            found: at.is_none(),
        }
    }

    /// A step: its line is written if it may be wanted. Breaks where none behind it can be.
    ///
    /// # Errors
    /// The output's.
    pub fn line(
        &mut self,
        stamp: Stamp,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let last = match self.at {
            None => false,
            Some(At::Time(until)) => return self.hold(until, stamp, write),
            Some(at) if !at.is(stamp) => return Ok(ControlFlow::Continue(())),
            // Of a tick there may be several.
            Some(at) => matches!(at, At::Step(_)),
        };
        self.found = true;
        write(self.out).map_err(Error::Output)?;
        Ok(if last {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Whether a step can't be wanted because of the one that follows it: of a time what holds then is,
    /// and that is the newer one. Where it costs much to make a line, a format holds a step back until
    /// it knows the next, and leaves out the [line](Moment::line) of one that gives way.
    #[must_use]
    pub fn gives_way(&self, step: Stamp, next: Stamp) -> bool {
        let Some(At::Time(until)) = self.at else {
            return false;
        };
        let is_before = |time: &Time| time.whole_ms() <= until.whole_ms();
        // What is behind the moment ends the dump, whatever follows.
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

    /// Ends the dump, of a recording with which this is wrong.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] where nothing is at the moment that was named; `problem` where it may
    /// have been in what is lost; the output's.
    pub fn end(self, problem: Option<Error>) -> Result<Partial<()>, Error> {
        let at = self.at;
        match (self.finish()?, at, problem) {
            (true, _, problem) => Ok(Partial::new((), problem)),
            (false, _, Some(problem)) => Err(problem),
            (false, Some(at), None) => Err(Error::NotRecorded { at }),
            (false, None, None) => Ok(().into()),
        }
    }

    /// True where there was anything.
    ///
    /// # Errors
    /// The output's.
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

    /// The steps that are printed of some times in milliseconds.
    fn printed(at: At, times: &[i64]) -> Option<String> {
        let (direct, _) = print(at, times, false);
        // Those that give way are not missed, and few lines are made.
        let (held_back, lines) = print(at, times, true);
        assert_eq!(direct, held_back, "{at} of {times:?}");
        if let (At::Time(_), Some(direct)) = (at, &direct) {
            assert!(lines <= direct.split_whitespace().count() + 1, "{times:?}");
        }
        direct
    }

    /// The same, without those that give way where steps are held back; and how many lines were made.
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
        // Where the clock goes back, the first that is behind the moment ends it; behind the last step
        // nothing holds.
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
