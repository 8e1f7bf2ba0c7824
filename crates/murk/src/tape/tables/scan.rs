//! The rows of a recording's tables.

use gametape_core::table::{Scan, Visit};
use gametape_core::tape::{Error, Partial, Work};
use gametape_core::{At, InputStream};

use super::clock::Clock;
use super::pass::Pass;
use crate::Reader;
use crate::tape::beside;
use crate::tape::opened::MurkTape;

/// Scans tables in one pass.
pub(in crate::tape) fn scan(
    tape: &MurkTape,
    scans: &[Scan],
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    work.wanted()?;
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let mut pass = Pass::new(tape, header, scans)?;
    if !pass.replays() {
        skip(tape, &mut reader, pass.clock, pass.from())?;
    }
    while pass.is_open() {
        let Some(frame) = reader.next_frame()? else {
            break;
        };
        pass.frame(&frame, visit)?;
        work.done(frame.offset)?;
    }
    pass.end(|| reader.findings().problem(), visit)
}

/// Goes to the last frame before a range, if there is an index beside the recording.
fn skip(
    tape: &MurkTape,
    reader: &mut Reader<InputStream>,
    clock: Clock,
    from: Option<At>,
) -> Result<(), Error> {
    let Some((from, index)) = from.zip(beside::fitting(tape)) else {
        return Ok(());
    };
    // If ticks go back, the range may be anywhere.
    if !index.ticks_rise() && !matches!(from, At::Step(_)) {
        return Ok(());
    }
    let is_before = |stamp| from.order(stamp).is_some_and(std::cmp::Ordering::is_lt);
    let before = index.partition_point(|entry| is_before(clock.stamp(entry.frame, entry.tick)));
    let last = before.ok().and_then(|before| before.checked_sub(1));
    let entry = last.and_then(|last| index.entry(last).ok().flatten());
    // An index that can't be read, or that leads elsewhere, is ignored.
    if let Some(entry) = entry
        && index.read(&tape.input, entry).is_ok()
    {
        reader.go(entry.frame, entry.offset)?;
    }
    Ok(())
}
