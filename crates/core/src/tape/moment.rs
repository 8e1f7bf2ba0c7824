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

    /// The steps that are printed of some times in milliseconds.
    fn printed(at: At, times: &[i64]) -> Option<String> {
        let mut out = Vec::new();
        let mut moment = Moment::new(Some(at), &mut out);
        for (step, ms) in (0..).zip(times) {
            let stamp = Stamp {
                step,
                tick: Some(step + 10),
                time: Some(Time::from_ms(*ms)),
            };
            if moment
                .line(stamp, |out| write!(out, "{step} "))
                .unwrap()
                .is_break()
            {
                break;
            }
        }
        let found = moment.finish().unwrap();
        found.then(|| String::from_utf8(out).unwrap())
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
        assert_eq!(printed(At::Step(3), &times).as_deref(), Some("3 "));
        assert_eq!(printed(At::Step(5), &times), None);
        assert_eq!(printed(At::Tick(11), &times).as_deref(), Some("1 "));
        assert_eq!(printed(At::Tick(1), &times), None);
    }
}
