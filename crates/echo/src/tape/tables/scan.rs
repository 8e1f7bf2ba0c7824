//! The rows of tables, frame after frame.

use std::ops::ControlFlow;

use gametape_core::table::{Batch, Place, Scan, Scanning, TableDef, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use super::beside::{Beside, Given};
use super::events::{GOALS, JOINS, THROWS};
use super::frame::{State, stamp};
use super::precision::tables;
use super::there::There;
use crate::Error as ReadError;
use crate::butter::Parts;
use crate::model::{Frame, LastThrow};
use crate::stats::StatsBuilder;
use crate::tape::frames;
use crate::tape::opened::EchoTape;

/// The rows of a table, facts aside.
pub fn scan<'v>(
    tape: &EchoTape,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let tables = tables(tape.format);
    let table = scan.find(&tables)?;
    tape.reads_all();
    let Some(state) = State::of(&table.name) else {
        return events(tape, scan, table, visit);
    };
    let mut nobody = |_: &Batch| Ok(ControlFlow::Continue(()));
    let wanted = Scanning::new(table, scan, Clocks::TIMES, &mut nobody)?;
    let parts = state.parts(table, |column| wanted.needs(column));
    let beside = Beside {
        tape,
        table,
        scan,
        state,
        parts,
    };
    let from = match beside.given(visit)? {
        Given::All => return Ok(().into()),
        Given::Before(step) => step,
    };
    let rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
    let giving = Giving::State(There::new(table, state, parts));
    in_order(tape, parts, from, giving, rows)
}

/// The rows of events.
fn events<'v>(
    tape: &EchoTape,
    scan: &Scan,
    table: &TableDef,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
    let (parts, giving) = match &*table.name {
        name if name == THROWS.name => (Parts::THROW, Giving::Throws(None)),
        name if name == JOINS.name => (Parts::ALL, Giving::Joins(Box::new(StatsBuilder::new()))),
        // What is known of a goal may come behind it.
        _ => return goals(tape, rows),
    };
    in_order(tape, parts, 0, giving, rows)
}

/// Gives the rows of all frames from a step on, one after another.
fn in_order(
    tape: &EchoTape,
    parts: Parts,
    from: u64,
    mut giving: Giving,
    mut rows: Scanning<'_>,
) -> Result<Partial<()>, Error> {
    let mut frames = tape.frames_of(parts)?;
    let mut start = None;
    let problem = loop {
        let step = frames.count;
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break frames.findings().problem(),
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            Err(error) if step == 0 => return Err(error.into()),
            Err(error) => break Some(error.into()),
        };
        let stamp = stamp(step, frame, &mut start);
        if step < from {
            if step + 1 == from {
                giving.know(frame)?;
            }
            continue;
        }
        if rows.place(stamp) == Place::Behind || giving.frame(frame, stamp, &mut rows)?.is_break() {
            break None;
        }
    };
    rows.end(problem)
}

/// What gives the rows of a frame.
enum Giving {
    State(There),
    /// The last throw.
    Throws(Option<LastThrow>),
    Joins(Box<StatsBuilder>),
}

impl Giving {
    fn frame(
        &mut self,
        frame: &Frame,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        match self {
            Self::State(there) => there.frame(frame, stamp, rows),
            Self::Throws(last) => throws(frame, stamp, last, rows),
            Self::Joins(builder) => joins(frame, stamp, builder, rows),
        }
    }

    /// The rows of a frame were given before.
    fn know(&mut self, frame: &Frame) -> Result<(), Error> {
        match self {
            Self::State(there) => there.know(frame),
            Self::Throws(_) | Self::Joins(_) => Ok(()),
        }
    }
}

fn throws(
    frame: &Frame,
    stamp: Stamp,
    last: &mut Option<LastThrow>,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let throw = &frame.session.last_throw;
    let before = std::mem::replace(last, *throw);
    // That of the first frame was before the recording; a .butter may leave it out for a while.
    match throw {
        Some(throw) if before.is_some_and(|before| before != *throw) => {
            rows.row_of(&THROWS, stamp, &throw)
        }
        Some(_) => Ok(ControlFlow::Continue(())),
        None => {
            *last = before;
            Ok(ControlFlow::Continue(()))
        }
    }
}

fn joins(
    frame: &Frame,
    stamp: Stamp,
    builder: &mut StatsBuilder,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let known = builder.so_far().timeline.attendance.len();
    builder.push(frame);
    for joining in builder.so_far().timeline.attendance.iter().skip(known) {
        let given = rows.row_of(&JOINS, stamp, &joining)?;
        if given.is_break() {
            return Ok(given);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn goals(tape: &EchoTape, mut rows: Scanning<'_>) -> Result<Partial<()>, Error> {
    let mut builder = StatsBuilder::new();
    let mut stamps = Vec::new();
    let mut start = None;
    let problem = frames::each(tape.frames()?, |step, frame| {
        let known = builder.so_far().timeline.goals.len();
        builder.push(frame);
        let stamp = stamp(step, frame, &mut start);
        // When the points rose, whatever is learnt of it later.
        stamps.resize(builder.so_far().timeline.goals.len().max(known), stamp);
    })?;
    let stats = builder.finish();
    for (goal, stamp) in stats.timeline.goals.iter().zip(stamps) {
        if rows.row_of(&GOALS, stamp, &goal)?.is_break() {
            break;
        }
    }
    rows.end(problem)
}
