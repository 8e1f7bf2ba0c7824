//! Scans of a recording's tables: of a recording that is complete, of one that is being written, and an
//! estimate of both.

use gametape_core::feed::Fed;
use gametape_core::table::{Lane, Scan, Span, TableDef, Visit};
use gametape_core::tape::{Error, Estimate, Follow, Grown, Partial, RowCount, Work};
use gametape_core::{At, Clocks, Input, InputStream, Stamp};

use super::defs::{COMMANDS, TICKS};
use super::pass::Pass;
use crate::tape::beside;
use crate::tape::opened::MurkTape;
use crate::tape::steps::Clock;
use crate::{Feed, ReadOptions, Reader};

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

/// Follows a recording.
pub(in crate::tape) fn follow(
    tape: &MurkTape,
    scans: &[Scan],
) -> Result<Option<Box<dyn Follow>>, Error> {
    let header = tape.reader().header()?.clone();
    Ok(Some(Box::new(Following {
        grown: Grown::default(),
        feed: Feed::with_options(ReadOptions::lenient()),
        pass: Pass::new(tape, header, scans)?,
        last: None,
    })))
}

/// A recording that is being written.
struct Following {
    grown: Grown,
    feed: Feed,
    pass: Pass,
    /// The last frame.
    last: Option<Stamp>,
}

impl Following {
    /// Adds the rows of the frames that are complete.
    fn frames(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        while self.pass.is_open()
            && let Fed::Item(frame) = self.feed.next_frame()?
        {
            self.pass.frame(&frame, visit)?;
            self.last = Some(self.pass.clock.stamp(frame.index, frame.tick));
        }
        self.pass.give_all(visit)
    }

    /// Reads the new bytes, as long as any table wants rows.
    fn take(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while self.pass.is_open()
            && self.feed.findings().is_empty()
            && let Some(bytes) = self.grown.next(input)?
        {
            self.feed.push(&bytes);
            self.frames(visit)?;
        }
        Ok(())
    }
}

impl Follow for Following {
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        Ok(self.last)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        self.feed.finish();
        self.frames(visit)?;
        let Self { feed, pass, .. } = *self;
        pass.end(|| feed.findings().problem(), visit)
    }
}

/// Bytes of a frame without commands: its size is known to an order of magnitude.
const FRAME: u64 = 30;
/// Nanoseconds that a replay takes per cell, propagator and tick, to an order of magnitude.
const CELL_NS: u64 = 10;

/// Estimates a scan of a table.
pub(in crate::tape) fn estimate(tape: &MurkTape, table: &TableDef) -> Result<Estimate, Error> {
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let clock = Clock::of(tape, &header)?;
    let size = tape.input.size();
    let index = beside::fitting(tape);
    let frames = match &index {
        Some(index) => RowCount::Exact(index.frames()),
        None => RowCount::About(size.saturating_sub(reader.offset()) / FRAME),
    };
    let (RowCount::Exact(count) | RowCount::About(count)) = frames else {
        return Ok(Estimate::of_bytes(size));
    };
    let mut estimate = Estimate::of_bytes(size);
    estimate.rows = match &*table.name {
        name if name == TICKS.name => frames,
        name if name == COMMANDS.name => RowCount::About(count),
        _ => RowCount::Unknown,
    };
    if let Some(world) = tape.replayed_in(&header)?
        && (table.lane == Lane::Grid || table.name == COMMANDS.name)
    {
        let cells = header.cell_count.saturating_mul(world.fields.len() as u64);
        let each = cells.saturating_mul(world.propagators.len().max(1) as u64);
        let replay = each.saturating_mul(count).saturating_mul(CELL_NS);
        estimate.work_ns = estimate.work_ns.saturating_add(replay);
    }
    if let Some(index) = index {
        let rises = index.ticks_rise();
        estimate.rises = Clocks {
            ticks: rises,
            times: rises && clock.clocks().times,
        };
        let entry = |step| index.entry(step).ok().flatten();
        let ends = count
            .checked_sub(1)
            .and_then(|last| Some([entry(0)?, entry(last)?]));
        estimate.span = ends.map(|ends| {
            let [first, last] = ends.map(|entry| clock.stamp(entry.frame, entry.tick));
            Span { first, last }
        });
    }
    Ok(estimate)
}
