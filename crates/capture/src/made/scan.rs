//! The rows of the tables that a capture was made of.

use std::ops::ControlFlow;

use gametape_core::table::{Lane, Owned, Scan, Scanning, Value, Visit};
use gametape_core::tape::{self, Partial};
use gametape_core::{At, Clocks, Stamp};
use gametape_delta::{Snapshot, Value as Wire};
use serde_json::Value as Json;

use super::description::{Description, Moment, Table, broken};
use super::json::owned;
use super::labels::{Label, Labels, each};
use super::reading::{Clock, KeyOf, Made, Reading, RowOf};
use crate::beside::beside;
use crate::follow::follow;
use crate::keyframe::Keyframe;
use crate::layout::Role;
use crate::packet::Packet;
use crate::read::Capture;
use crate::replay::Replay;
use crate::rule::{Error, fault};

/// The clocks that the recording has.
pub(super) const fn clocks(of: &Description) -> Clocks {
    Clocks {
        ticks: of.made_of.ticks,
        times: of.made_of.times,
    }
}

/// Gives the rows of a table; `packets` gives those of the packets, and is told when each is.
pub(crate) fn scan<'v>(
    capture: &Capture<'_>,
    made: &Made,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
    packet: &dyn Fn(&Packet<'_>, usize) -> Value<'static>,
) -> Result<Partial<()>, tape::Error> {
    let table = scan.find(&made.tables)?;
    let clocks = clocks(&made.of);
    let at = made
        .tables
        .iter()
        .position(|other| other.name == table.name);
    let at = at.unwrap_or_default();
    let rows = Scanning::new(table, scan, clocks, visit)?;
    let Some(described) = made.of.tables.get(at) else {
        return packets(capture, made, rows, packet);
    };
    match table.lane {
        Lane::Facts => messages(capture, described, Role::Labels, rows),
        Lane::Events => messages(capture, described, Role::Events, rows),
        Lane::State | Lane::Grid => states(capture, made, at, rows),
    }
}

/// What is wrong with what lies beside the packets of a capture that was made of tables.
///
/// # Errors
/// Where it can't be read.
pub(crate) fn problem(capture: &Capture<'_>, made: &Made) -> Result<Option<Error>, tape::Error> {
    let wrong = Labels::read(capture, &made.of)?.wrong();
    let mut unread = 0_u64;
    each(capture, Role::Events, |_, message| {
        let json: Option<Json> = serde_json::from_slice(message).ok();
        let name = json.as_ref().and_then(|json| json.get("table")?.as_str());
        let mut known = made.of.tables.iter().map(|table| &table.name);
        match name {
            Some(name) if known.any(|table| table == name) => {}
            _ => unread += 1,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let of_events = || broken(format!("{unread} events are of no table of it"));
    Ok(wrong.or_else(|| (unread > 0).then(of_events)))
}

/// Rows that are messages.
fn messages(
    capture: &Capture<'_>,
    table: &Table,
    role: Role,
    mut rows: Scanning<'_>,
) -> Result<Partial<()>, tape::Error> {
    let mut wrong = None;
    let start = format!("{{\"table\":{},", Json::from(table.name.as_str()));
    let problem = each(capture, role, |_, message| {
        // Most messages are of other tables.
        if !message.starts_with(start.as_bytes()) {
            return Ok(ControlFlow::Continue(()));
        }
        match row_of(table, message) {
            Said::Other => Ok(ControlFlow::Continue(())),
            Said::Row(stamp, values) => {
                rows.row(stamp, |at| values.get(at).map_or(Value::Null, Owned::value))
            }
            Said::Nothing => {
                let name = &table.name;
                wrong.get_or_insert_with(|| broken(format!("a row of {name} can't be read")));
                Ok(ControlFlow::Continue(()))
            }
        }
    })?;
    let problem = problem.or(wrong).or_else(|| capture.problem());
    rows.end(problem.map(tape::Error::from))
}

/// What a message says.
enum Said {
    Row(Stamp, Vec<Owned>),
    /// No row, but a label.
    Other,
    /// Nothing that can be read.
    Nothing,
}

fn row_of(table: &Table, message: &[u8]) -> Said {
    let Ok(json) = serde_json::from_slice::<Json>(message) else {
        return Said::Nothing;
    };
    let Some(row) = json.get("row") else {
        return Said::Other;
    };
    let read = || {
        let moment = Moment {
            step: json.get("step")?.as_u64()?,
            tick: json.get("tick")?.as_u64(),
            time_ns: json.get("time_ns")?.as_i64(),
        };
        let values = table.columns.iter();
        let values = values.map(|column| owned(column.kind()?, row.get(&column.name)?));
        Some(Said::Row(moment.into(), values.collect::<Option<_>>()?))
    };
    read().unwrap_or(Said::Nothing)
}

/// The full snapshot that is started from to have the rows from a step on: the last one before it.
fn start(
    capture: &Capture<'_>,
    clock: &Clock,
    from: Option<At>,
) -> Result<Option<Keyframe>, tape::Error> {
    // Other clocks may go back: what comes early may be in the range.
    let Some(At::Step(step)) = from else {
        return Ok(None);
    };
    let keyframes = capture.keyframes()?;
    let (mut low, mut high) = (0, keyframes.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let Some(keyframe) = keyframes.get(middle) else {
            break;
        };
        let stamp = match capture.state_at(keyframe.tick) {
            Ok(state) => clock.stamp(&state),
            // One that is damaged is none to start from.
            Err(error) => fault(error).map(|_| None)?,
        };
        if stamp.is_some_and(|stamp| stamp.step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let before = low.checked_sub(1).and_then(|at| keyframes.get(at));
    Ok(before.copied())
}

/// Follows the packets from a full snapshot on.
fn followed(
    capture: &Capture<'_>,
    start: Option<Keyframe>,
    visit: impl FnMut(&Packet<'_>, Option<&Snapshot>, &Snapshot) -> Result<ControlFlow<()>, tape::Error>,
) -> Result<Option<Error>, tape::Error> {
    let cursor = capture.packets_from(start.map_or(0, |start| start.chunk));
    // Each packet builds on the one before it.
    let replay = Replay::live(capture.schema()).max_state_bytes(0);
    let tick = start.map(|start| start.tick);
    follow(cursor, replay, tick, || capture.problem(), visit)
}

fn packets(
    capture: &Capture<'_>,
    made: &Made,
    mut rows: Scanning<'_>,
    value: &dyn Fn(&Packet<'_>, usize) -> Value<'static>,
) -> Result<Partial<()>, tape::Error> {
    let clock = Clock::new(&made.of, capture.schema())?;
    let start = start(capture, &clock, rows.from())?;
    let problem = followed(capture, start, |packet, _, state| {
        if packet.role == Role::Added {
            return Ok(ControlFlow::Continue(()));
        }
        let stamp = clock.stamp(state).unwrap_or_default();
        rows.row(stamp, |column| value(packet, column))
    })?;
    rows.end(problem.map(tape::Error::from))
}

fn states(
    capture: &Capture<'_>,
    made: &Made,
    table: usize,
    mut rows: Scanning<'_>,
) -> Result<Partial<()>, tape::Error> {
    let clock = Clock::new(&made.of, capture.schema())?;
    let reading = Reading::new(&made.of, capture.schema(), table)?;
    let mut labels = Labels::read(capture, &made.of)?;
    let mut changes = Changes::default();
    let start = start(capture, &clock, rows.from())?;
    let problem = followed(capture, start, |_, before, state| {
        let Some(stamp) = clock.stamp(state) else {
            return Ok(ControlFlow::Continue(()));
        };
        changes.find(&reading, &labels, before, state);
        changes.give(&reading, &labels, stamp, &mut rows)
    })?;
    let problem = problem.or_else(|| labels.take_problem());
    rows.end(problem.map(tape::Error::from))
}

/// What a packet says of a table.
#[derive(Default)]
pub(super) struct Changes {
    /// The values of entities, and their ids.
    entities: Vec<(u32, Vec<Wire>)>,
    /// Entities that are no more.
    gone: Vec<u32>,
    /// Cells: the entity by its place among them, the cell, and its coordinates.
    cells: Vec<(usize, usize, Vec<i128>)>,
    old: Vec<Wire>,
}

impl Changes {
    /// What is new in a state.
    pub fn find(
        &mut self,
        reading: &Reading,
        labels: &Labels,
        before: Option<&Snapshot>,
        state: &Snapshot,
    ) {
        self.entities.clear();
        self.gone.clear();
        self.cells.clear();
        let schema = state.schema();
        let nothing = Snapshot::new(schema, 0);
        for (was, is) in beside(before.unwrap_or(&nothing), state) {
            let was = was.filter(|was| reading.is_of(was));
            let is = is.filter(|is| reading.is_of(is));
            match (was, is) {
                (Some(was), Some(is)) if was.same_values(&is) => {}
                (_, Some(is)) => {
                    let mut values = Vec::new();
                    reading.values(&is, &mut values);
                    if let Some(was) = was {
                        reading.values(&was, &mut self.old);
                    } else {
                        self.old.clear();
                    }
                    let at = self.entities.len();
                    self.cells_of(reading, labels, at, is.id(), &values);
                    self.entities.push((is.id(), values));
                }
                (Some(was), None) => self.gone.push(was.id()),
                (None, None) => {}
            }
        }
        // As keys are ordered.
        self.cells.sort_unstable_by(|(_, _, a), (_, _, b)| a.cmp(b));
    }

    fn cells_of(
        &mut self,
        reading: &Reading,
        labels: &Labels,
        at: usize,
        entity: u32,
        values: &[Wire],
    ) {
        let Some(tiling) = &reading.tiles else {
            return;
        };
        let Some(Label::Tile(tile)) = labels.entity(entity) else {
            return;
        };
        for cell in 0..tiling.cells() {
            if reading.has(values, cell) && reading.differs(&self.old, values, cell) {
                let mut coordinates = Vec::new();
                tiling.cell(tile, cell, &mut coordinates);
                self.cells.push((at, cell, coordinates));
            }
        }
    }

    /// The rows that hold of what was found.
    pub fn rows<'l>(
        &self,
        reading: &Reading,
        labels: &'l Labels,
        mut row: impl FnMut(&RowOf<'l, '_>) -> Result<ControlFlow<()>, tape::Error>,
    ) -> Result<ControlFlow<()>, tape::Error> {
        if reading.tiles.is_none() {
            for (entity, values) in &self.entities {
                let key = KeyOf::Row(labels.entity(*entity));
                let cell = 0;
                if row(&RowOf { key, values, cell })?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        for (at, cell, coordinates) in &self.cells {
            let values = self.entities.get(*at).map_or(&[][..], |(_, values)| values);
            let key = KeyOf::Cell(coordinates);
            let cell = *cell;
            if row(&RowOf { key, values, cell })?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn give(
        &self,
        reading: &Reading,
        labels: &Labels,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, tape::Error> {
        let given = self.rows(reading, labels, |row| {
            rows.row(stamp, |column| reading.value(labels, row, column))
        })?;
        if given.is_break() {
            return Ok(given);
        }
        for entity in &self.gone {
            let row = RowOf {
                key: KeyOf::Row(labels.entity(*entity)),
                values: &[],
                cell: 0,
            };
            let ended = rows.ended(stamp, |column| reading.value(labels, &row, column))?;
            if ended.is_break() {
                return Ok(ended);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
