//! Scans the tables from which a capture was made.

use std::ops::ControlFlow;

use gametape_core::table::{Lane, Owned, Position, Scan, Scanning, Scans, Value, Visit};
use gametape_core::tape::{self, Partial, Work};
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Snapshot, Value as Wire};
use serde_json::Value as Json;

use super::labels::{Label, Labels, each};
use super::range::{Finder, Stretch, ends};
use super::seek::rise;
use super::{KeyOf, Made, RowOf, RowReader, StampReader};
use crate::follow::follow;
use crate::layout::Role;
use crate::made::coding::owned;
use crate::made::description::{Description, Moment, StoredTable, broken};
use crate::packets::Packet;
use crate::read::Capture;
use crate::replay::{Replay, beside};
use crate::rule::{Error, fault};

/// The clocks of the original recording.
pub(crate) const fn clocks(of: &Description) -> Clocks {
    Clocks {
        ticks: of.made_of.ticks,
        times: of.made_of.times,
    }
}

/// Returns the value of a column in the table of packets.
type PacketColumnOf<'p> = dyn Fn(&Packet<'_>, usize) -> Value<'static> + 'p;

/// Scans the rows of several tables; packets and messages are read once for all of them. `packet`
/// returns the values in the table of packets.
pub(crate) fn scan(
    capture: &Capture<'_>,
    made: &Made,
    scans: &[Scan],
    packet: &PacketColumnOf<'_>,
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, tape::Error> {
    let mut running = Scans::new(&made.tables, scans, clocks(&made.of))?;
    let mut sources = Vec::new();
    for scan in scans {
        let table = scan.find(&made.tables)?;
        let mut tables = made.tables.iter();
        let at = tables.position(|other| other.name == table.name);
        let at = at.unwrap_or_default();
        sources.push(match (table.lane, made.of.tables.get(at)) {
            (Lane::Facts, Some(table)) => RowSource::Messages(Role::Labels, table, None),
            (Lane::Events, Some(table)) => RowSource::Messages(Role::Events, table, None),
            (_, None) => RowSource::Packets,
            (Lane::State | Lane::Grid, Some(_)) => {
                let reading = RowReader::new(&made.of, capture.schema(), at)?;
                RowSource::States(Box::new(reading), Changes::default(), false)
            }
        });
    }
    let clock = StampReader::new(&made.of, capture.schema())?;
    let mut finder = Finder::new(capture, &clock);
    let mut pass = TableScan {
        problems: sources.iter().map(|_| None).collect(),
        sources,
        asked: scans,
        scans: &mut running,
        work,
        visit,
    };
    pass.messages(capture, Role::Labels, &mut finder)?;
    pass.messages(capture, Role::Events, &mut finder)?;
    pass.states(capture, made, &mut finder, packet)?;
    let mut problems = pass.problems;
    running.end(visit, |at| {
        problems.get_mut(at)?.take().map(tape::Error::from)
    })
}

/// The source of a table's rows.
enum RowSource<'m> {
    /// Messages of this role and table; with the error of an invalid message.
    Messages(Role, &'m StoredTable, Option<Error>),
    Packets,
    /// Changes of the state; with a flag for missing labels.
    States(Box<RowReader>, Changes, bool),
}

impl RowSource<'_> {
    const fn is_of_packets(&self) -> bool {
        matches!(self, Self::Packets | Self::States(..))
    }
}

/// Tables that are being scanned.
struct TableScan<'p, 'm, 'v> {
    sources: Vec<RowSource<'m>>,
    asked: &'p [Scan],
    scans: &'p mut Scans,
    /// The problem of each scan.
    problems: Vec<Option<Error>>,
    work: &'p Work<'p>,
    visit: &'p mut Visit<'v>,
}

/// The problem of the labels and events in a capture that was made from tables, if there is one.
///
/// # Errors
/// The capture cannot be read.
pub(crate) fn problem(capture: &Capture<'_>, made: &Made) -> Result<Option<Error>, tape::Error> {
    let chunks = capture.chunks().len();
    let wrong = Labels::read(capture, &made.of, chunks)?.wrong();
    let mut unread = 0_u64;
    each(capture, Role::Events, 0..chunks, |message| {
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
    let wrong = wrong.or_else(|| (unread > 0).then(of_events));
    if wrong.is_none() && !rise(capture, made)? {
        let reason = "a clock goes back, although it says that this clock only rises";
        return Ok(Some(broken(reason)));
    }
    Ok(wrong)
}

impl TableScan<'_, '_, '_> {
    /// Passes on the batches that are full. Breaks if no more rows are wanted of a source for which
    /// `is` is true.
    fn give(
        &mut self,
        is: impl Fn(&RowSource<'_>) -> bool,
    ) -> Result<ControlFlow<()>, tape::Error> {
        let _ = self.scans.give(self.visit)?;
        let mut each = self.sources.iter().zip(self.scans.iter());
        Ok(
            if each.any(|(source, rows)| is(source) && !rows.is_over()) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            },
        )
    }

    /// The part of the capture with the rows of the sources for which `is` is true.
    fn part(
        &self,
        finder: &mut Finder<'_>,
        is: impl Fn(&RowSource<'_>) -> bool,
    ) -> Result<Stretch, tape::Error> {
        let each = self.sources.iter().zip(self.asked);
        finder.part(each.filter(|(source, _)| is(source)).map(|(_, scan)| scan))
    }

    /// Ends the sources for which `is` is true if their part does not reach the end of the capture.
    fn ends(&mut self, capture: &Capture<'_>, part: &Stretch, is: impl Fn(&RowSource<'_>) -> bool) {
        if part.chunks.end == capture.chunks().len() {
            return;
        }
        let each = self.sources.iter().zip(self.asked);
        for ((source, scan), rows) in each.zip(self.scans.iter_mut()) {
            if is(source) && ends(scan) {
                rows.finish();
            }
        }
    }

    /// Scans the tables whose rows are messages of a role.
    fn messages(
        &mut self,
        capture: &Capture<'_>,
        role: Role,
        finder: &mut Finder<'_>,
    ) -> Result<(), tape::Error> {
        let is =
            |source: &RowSource<'_>| matches!(source, RowSource::Messages(of, ..) if *of == role);
        if !self.sources.iter().any(is) {
            return Ok(());
        }
        let starts = self.sources.iter().map(|source| match source {
            RowSource::Messages(_, table, _) => {
                format!("{{\"table\":{},", Json::from(table.name.as_str()))
            }
            _ => String::new(),
        });
        let starts: Vec<String> = starts.collect();
        // Facts are true in every range.
        let part = match role {
            Role::Events => self.part(finder, is)?,
            _ => Stretch::whole(capture),
        };
        let problem = each(capture, role, part.chunks.clone(), |message| {
            self.work.wanted()?;
            let tables = self.sources.iter_mut().zip(self.scans.iter_mut());
            for ((source, rows), start) in tables.zip(&starts) {
                // Most messages belong to other tables.
                if is(source) && !rows.is_over() && message.starts_with(start.as_bytes()) {
                    source.message(message, rows);
                }
            }
            self.give(is)
        })?;
        if problem.is_none() {
            self.ends(capture, &part, is);
        }
        let problem = problem.map(fault).transpose()?;
        let each = self.sources.iter_mut().zip(self.scans.iter());
        for ((source, rows), found) in each.zip(&mut self.problems) {
            let RowSource::Messages(of, _, wrong) = source else {
                continue;
            };
            if *of == role && !rows.is_over() {
                let problem = problem.clone().map(Error::from).or(wrong.take());
                *found = problem.or_else(|| capture.problem());
            }
        }
        Ok(())
    }

    /// Scans the tables whose rows come from packets.
    fn states(
        &mut self,
        capture: &Capture<'_>,
        made: &Made,
        finder: &mut Finder<'_>,
        value: &PacketColumnOf<'_>,
    ) -> Result<(), tape::Error> {
        let is = |source: &RowSource<'_>| source.is_of_packets();
        if !self.sources.iter().any(is) {
            return Ok(());
        }
        let clock = finder.clock();
        let part = self.part(finder, is)?;
        let is_state = |source: &RowSource<'_>| matches!(source, RowSource::States(..));
        let has_states = self.sources.iter().any(is_state);
        let labels = has_states.then(|| Labels::read(capture, &made.of, part.chunks.end));
        let labels = labels.transpose()?;
        let problem = followed(capture, &part, |packet, before, state| {
            self.work.done(packet.offset)?;
            let stamp = clock.stamp(state);
            for (source, rows) in self.sources.iter_mut().zip(self.scans.iter_mut()) {
                if !rows.is_over() {
                    let states = [before, Some(state)];
                    source.packet(packet, states, stamp, labels.as_ref(), value, rows);
                }
            }
            self.give(is)
        })?;
        if problem.is_none() {
            self.ends(capture, &part, is);
        }
        let problem = problem.or_else(|| capture.problem());
        let problem = problem.map(fault).transpose()?;
        let each = self.sources.iter().zip(self.scans.iter());
        for ((source, rows), found) in each.zip(&mut self.problems) {
            let of_labels = match (source, &labels) {
                (RowSource::States(_, _, missing), Some(labels)) => labels.problem(*missing)?,
                _ => None,
            };
            if source.is_of_packets() && !rows.is_over() {
                *found = problem.clone().or(of_labels).map(Error::from);
            }
        }
        Ok(())
    }
}

impl RowSource<'_> {
    /// Adds the rows of a packet, given the states before and after it.
    fn packet(
        &mut self,
        packet: &Packet<'_>,
        [before, state]: [Option<&Snapshot>; 2],
        stamp: Option<Stamp>,
        labels: Option<&Labels>,
        value: &PacketColumnOf<'_>,
        rows: &mut Scanning,
    ) {
        match (self, labels, state, stamp) {
            (Self::Packets, ..) if packet.role != Role::Added => {
                let stamp = stamp.unwrap_or_default();
                rows.row(stamp, |column| value(packet, column));
            }
            (Self::States(reading, changes, missing), Some(labels), Some(state), Some(stamp))
                // Rows before the range need not be found.
                if rows.position(stamp) != Position::Outside =>
            {
                changes.find(reading, labels, before, state);
                changes.give(reading, labels, stamp, rows);
                *missing |= labels.took_missing();
            }
            _ => {}
        }
    }

    /// Adds the row of a message of its table.
    fn message(&mut self, message: &[u8], rows: &mut Scanning) {
        let Self::Messages(_, table, wrong) = self else {
            return;
        };
        match row_of(table, message) {
            Content::Other => {}
            Content::Row(stamp, values) => {
                rows.row(stamp, |at| values.get(at).map_or(Value::Null, Owned::value));
            }
            Content::Unreadable => {
                let name = &table.name;
                wrong.get_or_insert_with(|| broken(format!("a row of {name} can't be read")));
            }
        }
    }
}

/// The content of a message.
enum Content {
    Row(Stamp, Vec<Owned>),
    /// A label instead of a row.
    Other,
    /// Nothing readable.
    Unreadable,
}

fn row_of(table: &StoredTable, message: &[u8]) -> Content {
    let Ok(json) = serde_json::from_slice::<Json>(message) else {
        return Content::Unreadable;
    };
    let Some(row) = json.get("row") else {
        return Content::Other;
    };
    let read = || {
        let moment = Moment {
            step: json.get("step")?.as_u64()?,
            tick: json.get("tick")?.as_u64(),
            time_ns: json.get("time_ns")?.as_i64(),
        };
        let values = table.columns.iter();
        let values = values.map(|column| owned(column.kind()?, row.get(&column.name)?));
        Some(Content::Row(moment.into(), values.collect::<Option<_>>()?))
    };
    read().unwrap_or(Content::Unreadable)
}

/// Follows the packets of a part.
fn followed(
    capture: &Capture<'_>,
    part: &Stretch,
    visit: impl FnMut(&Packet<'_>, Option<&Snapshot>, &Snapshot) -> Result<ControlFlow<()>, tape::Error>,
) -> Result<Option<Error>, tape::Error> {
    let before = capture.packets_before();
    let before = before.get(part.chunks.start).copied().unwrap_or_default();
    let cursor = capture.packets_in(part.chunks.clone(), before);
    // Each packet builds on the previous one.
    let replay = Replay::live(capture.schema()).max_state_bytes(0);
    follow(cursor, replay, part.tick, || None, visit)
}

/// The changes of a table by a packet.
#[derive(Default)]
pub(crate) struct Changes {
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
        reading: &RowReader,
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
        reading: &RowReader,
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

    /// Passes the rows of the changes that were found to `row`, until it returns false. Returns
    /// whether it never did.
    pub fn rows<'l>(
        &self,
        reading: &RowReader,
        labels: &'l Labels,
        mut row: impl FnMut(&RowOf<'l, '_>) -> bool,
    ) -> bool {
        if reading.tiles.is_none() {
            for (entity, values) in &self.entities {
                let key = KeyOf::Row(labels.entity(*entity));
                let cell = 0;
                if !row(&RowOf { key, values, cell }) {
                    return false;
                }
            }
        }
        for (at, cell, coordinates) in &self.cells {
            let values = self.entities.get(*at).map_or(&[][..], |(_, values)| values);
            let key = KeyOf::Cell(coordinates);
            let cell = *cell;
            if !row(&RowOf { key, values, cell }) {
                return false;
            }
        }
        true
    }

    fn give(&self, reading: &RowReader, labels: &Labels, stamp: Stamp, rows: &mut Scanning) {
        let given = self.rows(reading, labels, |row| {
            rows.row(stamp, |column| reading.value(labels, row, column))
        });
        if !given {
            return;
        }
        for entity in &self.gone {
            let row = RowOf {
                key: KeyOf::Row(labels.entity(*entity)),
                values: &[],
                cell: 0,
            };
            if !rows.ended(stamp, |column| reading.value(labels, &row, column)) {
                return;
            }
        }
    }
}
