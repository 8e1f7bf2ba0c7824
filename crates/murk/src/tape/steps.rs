//! The frames of a recording by moment: their stamps, `dump`, which prints them, and `cut`, which keeps
//! the first ones.

use std::io::Write;

use gametape_core::table::Position;
use gametape_core::tape::{Cut, Cutout, Error, Moment, Partial, Sink, Work};
use gametape_core::{At, Clocks, Stamp, Time};

use super::beside::fitting;
use super::json::write_frame;
use super::opened::MurkTape;
use super::world;
use crate::{Frame, Header, ReadOptions, Reader};

/// Computes the stamps of a recording's frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds per tick, if the world is known.
    dt: Option<f64>,
}

impl Clock {
    /// Returns the clock of a recording with this header.
    pub(super) fn of(tape: &MurkTape, header: &Header<'_>) -> Result<Self, Error> {
        let dt = tape.tick_length(header)?;
        Ok(Self { dt })
    }

    pub(super) const fn clocks(self) -> Clocks {
        Clocks::ticks(self.dt.is_some())
    }

    /// Returns the stamp of facts, which does not depend on the recording's ticks and times.
    pub(super) fn start() -> Stamp {
        Stamp {
            time: Some(Time::START),
            ..Stamp::default()
        }
    }

    pub(super) fn stamp(self, step: u64, tick: u64) -> Stamp {
        Stamp {
            step,
            tick: Some(tick),
            time: self.dt.map(|dt| world::time_of(tick, dt)),
        }
    }
}

/// Prints the frame at a moment, or all frames.
pub(super) fn dump(
    tape: &MurkTape,
    at: Option<At>,
    out: &mut dyn Write,
) -> Result<Partial<()>, Error> {
    let mut reader = tape.reader();
    let clock = Clock::of(tape, reader.header()?)?;
    // Only a world gives the length of a tick.
    clock.clocks().check(at)?;
    if let Some(at @ (At::Tick(_) | At::Step(_))) = at {
        let mut print = |frame: &Frame<'_>| {
            let time = clock.stamp(frame.index, frame.tick).time;
            write_frame(frame, time, out).map_err(Error::Output)
        };
        if jump(tape, at, &mut print)? {
            return Ok(().into());
        }
    }
    let mut moment = Moment::new(at, out);
    while let Some(frame) = reader.next_frame()? {
        let stamp = clock.stamp(frame.index, frame.tick);
        let printed = moment.line(stamp, |out| write_frame(&frame, stamp.time, out))?;
        // The first of several frames of a tick is printed.
        let tick = at.is_some_and(|at| matches!(at, At::Tick(_)) && at.is(stamp));
        if printed.is_break() || tick {
            return moment.end(None);
        }
    }
    moment.end(reader.findings().problem())
}

/// Prints the frame that the index gives. Returns false without an index that fits, or if a damaged index
/// gives no frame.
fn jump(
    tape: &MurkTape,
    at: At,
    print: &mut impl FnMut(&Frame<'_>) -> Result<(), Error>,
) -> Result<bool, Error> {
    // In constant time: the whole index is checked only if it gives no frame.
    let Some(index) = fitting(tape) else {
        return Ok(false);
    };
    let entry = match at {
        At::Step(step) => index.entry(step),
        At::Tick(tick) => index.find(tick),
        At::Time(_) => Ok(None),
    };
    let whole = || index.is_whole().unwrap_or(false);
    let Ok(entry) = entry else {
        return Ok(false);
    };
    let Some(entry) = entry else {
        return if whole() {
            Err(Error::not_recorded(at))
        } else {
            Ok(false)
        };
    };
    match index.read(&tape.input, entry) {
        Ok(found) => {
            print(&found.frame())?;
            Ok(true)
        }
        Err(error) if whole() => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Copies the frames up to a moment, byte for byte.
pub(super) fn cut(
    tape: &MurkTape,
    cut: &Cut,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    let mut reader = Reader::with_options(work.watched(&tape.input), ReadOptions::lenient());
    let clock = Clock::of(tape, reader.header()?)?;
    let mut steps = cut.steps(clock.clocks())?;
    let mut end = reader.offset();
    while let Some(frame) = reader.next_frame()? {
        if steps.position(clock.stamp(frame.index, frame.tick)) == Position::After {
            break;
        }
        end = reader.offset();
    }
    // Frames of the range may be missing.
    if let Some(problem) = reader.findings().problem()
        && !steps.has_ended()
    {
        return Err(problem);
    }
    let kept = steps.kept()?;
    if kept.steps.start > 0 {
        return Err(Error::Uncut {
            at_start: true,
            why: "Murk v3 has no place for the state of the world that its commands would go on from (its end alone can be)",
            instead: None,
        });
    }
    work.copy_range(&tape.input, 0..end, out)?;
    Ok(Cutout::exact(kept))
}
