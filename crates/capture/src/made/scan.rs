//! Scans the tables from which a capture was made.

use std::ops::ControlFlow;

use gametape_core::table::{Lane, Owned, Scan, Scanning, Value, Visit, VisitEach, Visitors};
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

/// The clocks of the original recording.
pub(super) const fn clocks(of: &Description) -> Clocks {
    Clocks {
        ticks: of.made_of.ticks,
        times: of.made_of.times,
    }
}

/// Returns the value of a column in the table of packets.
type OfPacket<'p> = dyn Fn(&Packet<'_>, usize) -> Value<'static> + 'p;

/// Scans the rows of a table; `packet` gives the values in the table of packets.
pub(crate) fn scan<'v>(
    capture: &Capture<'_>,
    made: &Made,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
    packet: &OfPacket<'_>,
) -> Result<Partial<()>, tape::Error> {
    let scans = std::slice::from_ref(scan);
    let mut visit = |_, batch: &_| visit(batch);
    let mut read = scan_each(capture, made, scans, &mut visit, packet)?;
    Ok(Partial::new((), read.pop().and_then(|read| read.problem)))
}

/// Scans the rows of several tables; packets and messages are read once for all of them.
pub(crate) fn scan_each<'v>(
    capture: &Capture<'_>,
    made: &Made,
    scans: &[Scan],
    visit: &'v mut VisitEach<'v>,
    packet: &OfPacket<'_>,
) -> Result<Vec<Partial<()>>, tape::Error> {
    let visitors = Visitors::new(visit);
    let mut visits: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
    let (mut facts, mut events, mut followed) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (scan, visit)) in scans.iter().zip(&mut visits).enumerate() {
        let table = scan.find(&made.tables)?;
        let mut tables = made.tables.iter();
        let at = tables.position(|other| other.name == table.name);
        let at = at.unwrap_or_default();
        let rows = Scanning::new(table, scan, clocks(&made.of), visit)?;
        let described = made.of.tables.get(at);
        let (going, to) = match (table.lane, described) {
            (Lane::Facts, Some(table)) => (Gives::Messages(table, None), &mut facts),
            (Lane::Events, Some(table)) => (Gives::Messages(table, None), &mut events),
            (_, None) => (Gives::Packets, &mut followed),
            (Lane::State | Lane::Grid, Some(_)) => {
                let reading = Reading::new(&made.of, capture.schema(), at)?;
                (
                    Gives::States(Box::new(reading), Changes::default(), false),
                    &mut followed,
                )
            }
        };
        to.push(Going {
            place,
            gives: going,
            rows,
            enough: false,
        });
    }
    let mut ends: Vec<(usize, Partial<()>)> = Vec::with_capacity(scans.len());
    messages(capture, facts, Role::Labels, &mut ends)?;
    messages(capture, events, Role::Events, &mut ends)?;
    states(capture, made, followed, packet, &mut ends)?;
    ends.sort_by_key(|(place, _)| *place);
    Ok(ends.into_iter().map(|(_, end)| end).collect())
}

/// A table that is being scanned.
struct Going<'m, 'v> {
    /// The index of its scan.
    place: usize,
    gives: Gives<'m>,
    rows: Scanning<'v>,
    /// Whether no more rows are wanted.
    enough: bool,
}

/// The source of its rows.
enum Gives<'m> {
    /// From messages of this table; with the error of an invalid one.
    Messages(&'m Table, Option<Error>),
    Packets,
    /// From changes of the state; with a flag for missing labels.
    States(Box<Reading>, Changes, bool),
}

/// The problem of the labels and events in a capture that was made from tables, if there is one.
///
/// # Errors
/// The capture cannot be read.
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

/// Scans tables whose rows are messages.
fn messages(
    capture: &Capture<'_>,
    mut tables: Vec<Going<'_, '_>>,
    role: Role,
    ends: &mut Vec<(usize, Partial<()>)>,
) -> Result<(), tape::Error> {
    if tables.is_empty() {
        return Ok(());
    }
    let starts = tables.iter().map(|going| match &going.gives {
        Gives::Messages(table, _) => format!("{{\"table\":{},", Json::from(table.name.as_str())),
        _ => String::new(),
    });
    let starts: Vec<String> = starts.collect();
    let problem = each(capture, role, |_, message| {
        let mut all = ControlFlow::Break(());
        for (going, start) in tables.iter_mut().zip(&starts) {
            // Most messages belong to other tables.
            if !going.enough && message.starts_with(start.as_bytes()) {
                going.message(message)?;
            }
            if !going.enough {
                all = ControlFlow::Continue(());
            }
        }
        Ok(all)
    })?;
    let problem = problem.map(fault).transpose()?;
    for going in tables {
        let wrong = match going.gives {
            Gives::Messages(_, wrong) => wrong,
            _ => None,
        };
        let problem = problem.clone().map(Error::from).or(wrong);
        let problem = problem.or_else(|| capture.problem());
        let problem = problem.filter(|_| !going.enough);
        let end = going.rows.end(problem.map(tape::Error::from))?;
        ends.push((going.place, end));
    }
    Ok(())
}

impl Going<'_, '_> {
    /// Visits the rows of a packet, given the states before and after it.
    fn packet(
        &mut self,
        packet: &Packet<'_>,
        [before, state]: [Option<&Snapshot>; 2],
        stamp: Option<Stamp>,
        labels: Option<&Labels>,
        value: &OfPacket<'_>,
    ) -> Result<ControlFlow<()>, tape::Error> {
        match (&mut self.gives, labels, state, stamp) {
            (Gives::Packets, ..) if packet.role != Role::Added => {
                let stamp = stamp.unwrap_or_default();
                self.rows.row(stamp, |column| value(packet, column))
            }
            (Gives::States(reading, changes, missing), Some(labels), Some(state), Some(stamp)) => {
                changes.find(reading, labels, before, state);
                let given = changes.give(reading, labels, stamp, &mut self.rows)?;
                *missing |= labels.took_missing();
                Ok(given)
            }
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Takes a message of its table.
    fn message(&mut self, message: &[u8]) -> Result<(), tape::Error> {
        let Gives::Messages(table, wrong) = &mut self.gives else {
            return Ok(());
        };
        match row_of(table, message) {
            Said::Other => {}
            Said::Row(stamp, values) => {
                let value = |at: usize| values.get(at).map_or(Value::Null, Owned::value);
                self.enough = self.rows.row(stamp, value)?.is_break();
            }
            Said::Nothing => {
                let name = &table.name;
                wrong.get_or_insert_with(|| broken(format!("a row of {name} can't be read")));
            }
        }
        Ok(())
    }
}

/// The content of a message.
enum Said {
    Row(Stamp, Vec<Owned>),
    /// A label instead of a row.
    Other,
    /// Nothing readable.
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

/// The full snapshot at which a scan from a given step on must start: the last one before that
/// step.
fn start(
    capture: &Capture<'_>,
    clock: &Clock,
    from: Option<At>,
) -> Result<Option<Keyframe>, tape::Error> {
    // Other clocks may go back, so that early packets may be in the range.
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
            // A scan cannot start at a damaged full snapshot.
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
    // Each packet builds on the previous one.
    let replay = Replay::live(capture.schema()).max_state_bytes(0);
    let tick = start.map(|start| start.tick);
    follow(cursor, replay, tick, || capture.problem(), visit)
}

/// Scans tables whose rows come from packets, all in one pass.
fn states(
    capture: &Capture<'_>,
    made: &Made,
    mut tables: Vec<Going<'_, '_>>,
    value: &OfPacket<'_>,
    ends: &mut Vec<(usize, Partial<()>)>,
) -> Result<(), tape::Error> {
    if tables.is_empty() {
        return Ok(());
    }
    let clock = Clock::new(&made.of, capture.schema())?;
    let of_state = |going: &Going<'_, '_>| matches!(going.gives, Gives::States(..));
    let has_states = tables.iter().any(of_state);
    let labels = has_states.then(|| Labels::read(capture, &made.of));
    let labels = labels.transpose()?;
    // Packets before the earliest requested step are not followed.
    let from = tables.iter().map(|going| match going.rows.from() {
        Some(At::Step(step)) => Some(step),
        _ => None,
    });
    let from = from.collect::<Option<Vec<u64>>>();
    let from = from.and_then(|steps| steps.into_iter().min()).map(At::Step);
    let start = start(capture, &clock, from)?;
    let problem = followed(capture, start, |packet, before, state| {
        let stamp = clock.stamp(state);
        let mut all = ControlFlow::Break(());
        for going in tables.iter_mut().filter(|going| !going.enough) {
            let given =
                going.packet(packet, [before, Some(state)], stamp, labels.as_ref(), value)?;
            going.enough = given.is_break();
            if !going.enough {
                all = ControlFlow::Continue(());
            }
        }
        Ok(all)
    })?;
    let problem = problem.map(fault).transpose()?;
    for going in tables {
        let of_labels = match (&going.gives, &labels) {
            (Gives::States(_, _, missing), Some(labels)) => labels.problem(*missing)?,
            _ => None,
        };
        let problem = problem.clone().or(of_labels).filter(|_| !going.enough);
        let end = going.rows.end(problem.map(tape::Error::from))?;
        ends.push((going.place, end));
    }
    Ok(())
}

/// The changes of a table by a packet.
#[derive(Default)]
pub(super) struct Changes {
    /// Changed entities: ids and values.
    entities: Vec<(u32, Vec<Wire>)>,
    /// Removed entities.
    gone: Vec<u32>,
    /// Changed cells: the index of the entity in `entities`, the index of the cell, and its
    /// coordinates.
    cells: Vec<(usize, usize, Vec<i128>)>,
    old: Vec<Wire>,
}

impl Changes {
    /// Finds the changes of a state.
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
        // In the order of keys.
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

    /// Visits the rows of the changes that were found.
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
