//! The rows of tables, frame after frame.

use std::ops::ControlFlow;

use gametape_core::table::{Place, Scan, Scanning, TableDef, Value, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use super::frame::{State, defs, stamp};
use super::rows::{GOALS, JOINS, THROWS};
use crate::Error as ReadError;
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
    let tables = defs();
    let table = scan.find(&tables)?;
    let mut rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
    let mut give: Give<'_> = match State::of(&table.name) {
        Some(state) => {
            let mut there = There::new(table);
            Box::new(move |frame, stamp, rows| there.frame(state, frame, stamp, rows))
        }
        None if table.name == THROWS.name => {
            let mut last: Option<LastThrow> = None;
            Box::new(move |frame, stamp, rows| throws(frame, stamp, &mut last, rows))
        }
        None if table.name == JOINS.name => {
            let mut builder = StatsBuilder::new();
            Box::new(move |frame, stamp, rows| joins(frame, stamp, &mut builder, rows))
        }
        // What is known of a goal may come behind it.
        None => return goals(tape, rows),
    };
    let mut frames = tape.frames()?;
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
        if rows.place(stamp) == Place::Behind || give(frame, stamp, &mut rows)?.is_break() {
            break None;
        }
    };
    drop(give);
    rows.end(problem)
}

/// What gives the rows of a frame.
type Give<'g> =
    Box<dyn FnMut(&Frame, Stamp, &mut Scanning<'_>) -> Result<ControlFlow<()>, Error> + 'g>;

/// What tells the rows of a state apart: its first columns, of those that have so many.
type Key = [Value<'static>; 2];

/// Who is there of a state, so that who goes is told.
struct There {
    /// How many columns are keys.
    keys: usize,
    now: Vec<Key>,
    before: Vec<Key>,
}

impl There {
    fn new(table: &TableDef) -> Self {
        Self {
            keys: table.columns.iter().take_while(|column| column.key).count(),
            now: Vec::new(),
            before: Vec::new(),
        }
    }

    fn frame(
        &mut self,
        state: State,
        frame: &Frame,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        let (keys, now) = (self.keys, &mut self.now);
        let given = state.rows(frame, &mut |value| {
            let key = |at| {
                if at < keys {
                    number(value(at))
                } else {
                    Value::Null
                }
            };
            now.push([key(0), key(1)]);
            rows.row(stamp, value)
        })?;
        // Nearly always those who were there are there.
        if given.is_break() || self.now == self.before {
            return Ok(given);
        }
        for gone in self.before.iter().filter(|key| !self.now.contains(key)) {
            let value = |column: usize| gone.get(column).copied().unwrap_or(Value::Null);
            let ended = rows.ended(stamp, value)?;
            if ended.is_break() {
                return Ok(ended);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Keys are numbers.
const fn number(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Int(value) => Value::Int(value),
        Value::Uint(value) => Value::Uint(value),
        _ => Value::Null,
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
