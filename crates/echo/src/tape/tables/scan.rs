//! The rows of tables, frame after frame.

use std::ops::ControlFlow;

use gametape_core::table::{Kind, Place, Scan, Scanning, TableDef, Value, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use super::frame::{State, Take, defs, stamp};
use super::rows::{GOALS, JOINS, THROWS};
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
    let tables = defs();
    let table = scan.find(&tables)?;
    tape.reads_all();
    let mut rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
    let (parts, mut giving) = match State::of(&table.name) {
        Some(state) => {
            let parts = state.parts(table, |column| rows.needs(column));
            (parts, Giving::State(There::new(table, state, parts)))
        }
        None if table.name == THROWS.name => (Parts::THROW, Giving::Throws(None)),
        None if table.name == JOINS.name => {
            (Parts::ALL, Giving::Joins(Box::new(StatsBuilder::new())))
        }
        // What is known of a goal may come behind it.
        None => return goals(tape, rows),
    };
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
}

/// What tells the rows of a state apart: the first columns of its table, of those that have so many.
type Key = [i64; 2];

/// Who is there of a state, so that who goes is told.
struct There {
    state: State,
    parts: Parts,
    /// Of what kind the columns are that are keys.
    keys: Vec<Kind>,
    now: Vec<Key>,
    before: Vec<Key>,
}

impl There {
    fn new(table: &TableDef, state: State, parts: Parts) -> Self {
        let keys = table.columns.iter().take_while(|column| column.key);
        Self {
            state,
            parts,
            keys: keys.map(|column| column.kind).collect(),
            now: Vec::new(),
            before: Vec::new(),
        }
    }

    fn frame(
        &mut self,
        frame: &Frame,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        let mut taking = Taking {
            keys: self.keys.len(),
            now: &mut self.now,
            stamp,
            rows,
        };
        let given = self.state.rows(frame, self.parts, &mut taking)?;
        // Nearly always those who were there are there.
        if given.is_break() || self.now == self.before {
            return Ok(given);
        }
        for gone in self.before.iter().filter(|key| !self.now.contains(key)) {
            let value = |column: usize| match (gone.get(column), self.keys.get(column)) {
                (Some(number), Some(Kind::Uint)) => Value::Uint(number.cast_unsigned()),
                (Some(number), Some(_)) => Value::Int(*number),
                _ => Value::Null,
            };
            let ended = rows.ended(stamp, value)?;
            if ended.is_break() {
                return Ok(ended);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes the rows of a frame.
struct Taking<'t, 'v> {
    keys: usize,
    now: &'t mut Vec<Key>,
    stamp: Stamp,
    rows: &'t mut Scanning<'v>,
}

impl Take for Taking<'_, '_> {
    #[inline]
    fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) -> Result<ControlFlow<()>, Error> {
        self.now.push(match self.keys {
            0 => [0; 2],
            1 => [number(value(0)), 0],
            _ => [number(value(0)), number(value(1))],
        });
        self.rows.row(self.stamp, value)
    }
}

/// Keys are numbers.
const fn number(value: Value<'_>) -> i64 {
    match value {
        Value::Int(value) => value,
        Value::Uint(value) => value.cast_signed(),
        _ => 0,
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
