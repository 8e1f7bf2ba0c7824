//! Estimates of a scan, from the header and from an index beside the recording.

use gametape_core::Clocks;
use gametape_core::table::{Lane, Span, TableDef};
use gametape_core::tape::{Error, Estimate, RowCount};

use super::clock::Clock;
use super::columns::{COMMANDS, TICKS};
use crate::tape::beside;
use crate::tape::opened::MurkTape;

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
