//! The rows of a recording's tables.

use gametape_core::table::{Scan, VisitEach, Waiting, go_on};
use gametape_core::tape::{Error, Partial};
use gametape_core::{At, InputStream};

use super::clock::Clock;
use super::pass::Pass;
use crate::Reader;
use crate::tape::beside;
use crate::tape::opened::MurkTape;

/// The rows of tables, in one pass.
pub(in crate::tape) fn scan_each<'v>(
    tape: &MurkTape,
    scans: &[Scan],
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let (mut pass, mut waiting) = Pass::new(tape, header, scans)?;
    if !pass.replays() {
        // Where all of them start.
        let mut froms = waiting.iter().map(Waiting::from);
        let from = froms.next().flatten();
        let from = from.filter(|_| froms.all(|other| other == from));
        skip(tape, &mut reader, pass.clock, from)?;
    }
    go_on(&mut waiting, visit, |rows| {
        while pass.is_open() {
            let Some(frame) = reader.next_frame()? else {
                return Ok(());
            };
            pass.frame(&frame, rows)?;
        }
        Ok(())
    })?;
    let problem = || reader.findings().problem();
    pass.end(tape.input.size(), problem, waiting, visit)
}

/// Goes to the last frame before a range, where an index beside the recording leads there.
fn skip(
    tape: &MurkTape,
    reader: &mut Reader<InputStream>,
    clock: Clock,
    from: Option<At>,
) -> Result<(), Error> {
    let Some((from, index)) = from.zip(beside::fitting(tape.path(), &tape.input)) else {
        return Ok(());
    };
    // Where ticks go back, what is wanted can be anywhere.
    if !index.ticks_rise() && !matches!(from, At::Step(_)) {
        return Ok(());
    }
    let is_before = |stamp| from.order(stamp).is_some_and(std::cmp::Ordering::is_lt);
    let before = index.partition_point(|entry| is_before(clock.stamp(entry.frame, entry.tick)));
    let last = before.ok().and_then(|before| before.checked_sub(1));
    let entry = last.and_then(|last| index.entry(last).ok().flatten());
    // An index that can't be read, or that leads to anything else, is as good as none.
    if let Some(entry) = entry
        && index.read(&tape.input, entry).is_ok()
    {
        reader.go(entry.frame, entry.offset)?;
    }
    Ok(())
}
