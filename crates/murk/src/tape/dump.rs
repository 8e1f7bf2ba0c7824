//! Dump: one JSON object per frame.

use std::io::Write;

use gametape_core::tape::{Error, Moment, Partial};
use gametape_core::{At, Clocks, Stamp};

use super::beside::fitting;
use super::json::write_frame;
use super::opened::MurkTape;
use super::world;
use crate::Frame;

/// Prints the frame at a moment, or all frames.
pub(super) fn dump(
    tape: &MurkTape,
    at: Option<At>,
    out: &mut dyn Write,
) -> Result<Partial<()>, Error> {
    let mut reader = tape.reader();
    let tick_length = tape.tick_length(reader.header()?)?;
    // Only a world gives the length of a tick.
    Clocks::ticks(tick_length.is_some()).check(at)?;
    let time = |tick: u64| tick_length.map(|dt| world::time_of(tick, dt));
    if let Some(at @ (At::Tick(_) | At::Step(_))) = at {
        let mut print =
            |frame: &Frame<'_>| write_frame(frame, time(frame.tick), out).map_err(Error::Output);
        if jump(tape, at, &mut print)? {
            return Ok(().into());
        }
    }
    let mut moment = Moment::new(at, out);
    while let Some(frame) = reader.next_frame()? {
        let stamp = Stamp {
            step: frame.index,
            tick: Some(frame.tick),
            time: time(frame.tick),
        };
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
