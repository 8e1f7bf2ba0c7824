//! Packets as tables: themselves, and a state for each component of their schema.

use std::ops::ControlFlow;

use gametape_core::table::{
    Batch, ColumnDef, Field, Kind, Lane, Rows, Scan, Scanning, State, StateAt, Stepped, Table,
    TableDef, Value, Visit, VisitEach, Visitors, plain_name,
};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};
use gametape_delta::wire::{self, Header};
use gametape_delta::{Codec, Component, Entity, FixedPoint, Part, Schema, Snapshot, Value as Wire};

use super::dump::stamp;
use crate::clock::Clock;
use crate::follow::follow;
use crate::layout::Role;
use crate::packet::Packet;
use crate::rule::{CaptureRule, fault};
use crate::stream::Packets;

/// A packet: what its header says, and its size.
pub(super) struct Head {
    header: Option<Header>,
    bytes: usize,
}

impl Head {
    fn of(packet: &Packet<'_>) -> Self {
        Self {
            header: Header::read(packet.bytes).ok().map(|(header, _)| header),
            bytes: packet.bytes.len(),
        }
    }
}

impl Rows for Head {
    type Row<'a> = Self;
}

const PACKETS: Table<Head> = Table {
    name: "packets",
    lane: Lane::Events,
    doc: "The packets of the stream, as they were sent; what the recorder added is left out.",
    fields: &[
        Field::<Head>::new(
            "kind",
            Kind::Text,
            "`full` or `delta`; missing where the header can't be read.",
            |row| {
                let kind = row.header.as_ref().map(|header| match header.kind {
                    wire::Kind::Full => "full",
                    wire::Kind::Delta { .. } => "delta",
                });
                kind.into()
            },
        ),
        Field::<Head>::new(
            "baseline",
            Kind::Uint,
            "Of a delta the tick of the state that it builds on.",
            |row| row.header.as_ref().and_then(Header::baseline).into(),
        )
        .unit("ticks"),
        Field::<Head>::new("bytes", Kind::Uint, "Its size.", |row| {
            (row.bytes as u64).into()
        })
        .unit("bytes"),
    ],
};

/// The table of packets.
pub(super) fn packets() -> TableDef {
    PACKETS.def()
}

/// What stands in a column of it.
pub(super) fn head(packet: &Packet<'_>, column: usize) -> Value<'static> {
    let head = Head::of(packet);
    match PACKETS.value(&head, column) {
        Value::Text("full") => Value::Text("full"),
        Value::Text(_) => Value::Text("delta"),
        Value::Uint(value) => Value::Uint(value),
        _ => Value::Null,
    }
}

/// What every recording of packets has.
pub(super) fn defs() -> Vec<TableDef> {
    vec![PACKETS.def()]
}

/// Those of packets of this schema.
pub(super) fn of(schema: &Schema) -> Vec<TableDef> {
    let mut tables = defs();
    for component in schema.components() {
        let own = component.name.as_deref().unwrap_or_default();
        let name = plain_name(own, &format!("component_{}", component.id), |name| {
            tables.iter().any(|table| table.name == name)
        });
        tables.push(state(name, component));
    }
    tables
}

/// A component as a table.
fn state(name: String, component: &Component) -> TableDef {
    let doc = match &component.name {
        Some(own) => format!("What each entity's {own} is: component {}.", component.id),
        None => format!("Component {} of each entity.", component.id),
    };
    let entity = ColumnDef::new("entity", Kind::Uint, "The number of the entity.").key();
    let mut table = TableDef::new(name, Lane::State, doc).with(entity);
    for field in &component.fields {
        let own = field.name.as_deref().unwrap_or_default();
        let name = plain_name(own, &format!("field_{}", field.id), |name| {
            table.column(name).is_some()
        });
        let kind = match field.codec {
            Codec::Bool => Kind::Bool,
            Codec::UInt { .. } | Codec::VarUInt => Kind::Uint,
            Codec::SInt { .. } | Codec::VarSInt => Kind::Int,
            Codec::FixedPoint { .. } => Kind::Float64,
        };
        let doc = format!("Field {}: {}.", field.id, field.codec);
        let mut column = ColumnDef::new(name, kind, doc);
        column.precision = FixedPoint::of(field.codec).map(|fixed| fixed.max_error());
        table = table.with(column);
    }
    table
}

/// The values of an entity's component, as columns have them: fixed points in their unit.
struct Reading<'c> {
    component: &'c Component,
    fixed: Vec<Option<FixedPoint>>,
}

impl<'c> Reading<'c> {
    fn of(component: &'c Component) -> Self {
        let fields = component.fields.iter();
        let fixed = fields.map(|field| FixedPoint::of(field.codec)).collect();
        Self { component, fixed }
    }

    /// What stands in a column: the entity, then the fields.
    fn value(&self, entity: u32, values: &[Wire], column: usize) -> Value<'static> {
        let Some(at) = column.checked_sub(1) else {
            return entity.into();
        };
        let fixed = self.fixed.get(at).copied().flatten();
        match values.get(at).copied() {
            None => Value::Null,
            Some(Wire::Bool(value)) => value.into(),
            Some(Wire::UInt(value)) => value.into(),
            Some(Wire::SInt(value)) => value.into(),
            Some(Wire::VarUInt(value)) => value.into(),
            Some(Wire::VarSInt(value)) => value.into(),
            Some(Wire::FixedPoint(value)) => fixed.map(|fixed| fixed.value(value)).into(),
        }
    }

    /// What an entity of a state has of it.
    fn part<'s>(&self, state: &'s Snapshot, entity: u32) -> Option<Part<'s>> {
        state.entity(entity)?.component(self.component.id)
    }

    /// The entities of a state that have it.
    fn entities<'s>(&self, state: &'s Snapshot) -> impl Iterator<Item = (u32, Part<'s>)> + 's {
        let id = self.component.id;
        let of = move |entity: Entity<'s>| Some((entity.id(), entity.component(id)?));
        state.iter().filter_map(of)
    }
}

fn clocks(packets: &Packets<'_>) -> Clocks {
    Clocks::ticks(packets.tick_ns().is_some())
}

/// Gives the rows of a table.
pub(super) fn scan<'v>(
    packets: &Packets<'_>,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let scans = std::slice::from_ref(scan);
    let mut read = scan_each(packets, scans, &mut |_, batch| visit(batch))?;
    Ok(Partial::new((), read.pop().and_then(|read| read.problem)))
}

/// Gives the rows of several tables: the packets are followed once for all components.
pub(super) fn scan_each<'v>(
    packets: &Packets<'_>,
    scans: &[Scan],
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    let tables = of(packets.schema());
    let visitors = Visitors::new(visit);
    let mut visits: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
    let (mut heads, mut components) = (Vec::new(), Vec::new());
    for (at, (scan, visit)) in scans.iter().zip(&mut visits).enumerate() {
        let table = scan.find(&tables)?;
        let rows = Scanning::new(table, scan, clocks(packets), visit)?;
        // The components' tables follow, in the order of the schema.
        let component = tables.iter().position(|other| std::ptr::eq(other, table));
        let component = component.and_then(|at| at.checked_sub(1));
        match component.and_then(|at| packets.schema().components().get(at)) {
            None => heads.push((at, rows)),
            Some(component) => components.push(Going {
                at,
                reading: Reading::of(component),
                rows,
                enough: false,
            }),
        }
    }
    let mut ends: Vec<(usize, Partial<()>)> = Vec::with_capacity(scans.len());
    for (at, rows) in heads {
        // What can't be followed has a head all the same.
        ends.push((at, self::heads(packets, rows)?));
    }
    if !components.is_empty() {
        ends.extend(values(packets, components)?);
    }
    ends.sort_by_key(|(at, _)| *at);
    Ok(ends.into_iter().map(|(_, end)| end).collect())
}

fn heads(packets: &Packets<'_>, mut rows: Scanning<'_>) -> Result<Partial<()>, Error> {
    let mut clock = Clock::new(packets.tick_ns());
    let mut cursor = packets.cursor();
    let problem = loop {
        let packet = match cursor.next_packet() {
            Ok(Some(packet)) if packet.role == Role::Added => continue,
            Ok(Some(packet)) => packet,
            Ok(None) => break packets.problem(),
            // Rows end at the damage.
            Err(error) => break Some(fault(error)?.into()),
        };
        let head = Head::of(&packet);
        let stamp = stamp(&packet, &mut clock);
        if rows.row_of(&PACKETS, stamp, &head)?.is_break() {
            break None;
        }
    };
    rows.end(problem.map(Error::from))
}

/// A component whose rows are given.
struct Going<'c, 'v> {
    /// Which of the scans it is.
    at: usize,
    reading: Reading<'c>,
    rows: Scanning<'v>,
    /// Nothing that follows is wanted.
    enough: bool,
}

/// A row where an entity gets other values, and one where it goes.
fn values(
    packets: &Packets<'_>,
    mut components: Vec<Going<'_, '_>>,
) -> Result<Vec<(usize, Partial<()>)>, Error> {
    let mut clock = Clock::new(packets.tick_ns());
    let (cursor, replay) = (packets.cursor(), packets.replay()?);
    let behind = || packets.problem();
    let problem = follow(cursor, replay, None, behind, |packet, before, state| {
        let stamp = stamp(packet, &mut clock);
        let mut all = ControlFlow::Break(());
        for going in components.iter_mut().filter(|going| !going.enough) {
            let given = show(&going.reading, stamp, before, state, &mut going.rows)?;
            going.enough = given.is_break();
            if !going.enough {
                all = ControlFlow::Continue(());
            }
        }
        Ok(all)
    })?;
    let problem = problem.map(fault).transpose()?;
    let ends = components.into_iter().map(|going| {
        // Who has enough has not asked for what is behind it.
        let problem = problem.clone().filter(|_| !going.enough);
        Ok((going.at, going.rows.end(problem.map(Error::from))?))
    });
    ends.collect()
}

/// Gives what is new in a state.
fn show(
    reading: &Reading<'_>,
    stamp: Stamp,
    before: Option<&Snapshot>,
    state: &Snapshot,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let mut values = Vec::new();
    for (entity, part) in reading.entities(state) {
        let held = before.and_then(|before| reading.part(before, entity));
        if held.is_some_and(|held| held.values().eq(part.values())) {
            continue;
        }
        values.clear();
        values.extend(part.values());
        let given = rows.row(stamp, |column| reading.value(entity, &values, column))?;
        if given.is_break() {
            return Ok(given);
        }
    }
    let before = before
        .into_iter()
        .flat_map(|before| reading.entities(before));
    for (entity, _) in before.filter(|(entity, _)| reading.part(state, *entity).is_none()) {
        let ended = rows.ended(stamp, |column| reading.value(entity, &[], column))?;
        if ended.is_break() {
            return Ok(ended);
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Seeks from the nearest full snapshot.
pub(super) struct Seeking<'t> {
    packets: Packets<'t>,
    tables: Vec<TableDef>,
}

impl<'t> Seeking<'t> {
    pub fn play(packets: Packets<'t>) -> Result<Stepped<Self>, Error> {
        let mut clock = Clock::new(packets.tick_ns());
        let mut stamps = Vec::new();
        let mut cursor = packets.cursor();
        loop {
            match cursor.next_packet() {
                Ok(Some(packet)) if packet.role == Role::Added => {}
                Ok(Some(packet)) => stamps.push(stamp(&packet, &mut clock)),
                Ok(None) => break,
                Err(error) => {
                    fault(error)?;
                    break;
                }
            }
        }
        drop(cursor);
        let clocks = clocks(&packets);
        let tables = of(packets.schema());
        Ok(Stepped::over(stamps, clocks, Self { packets, tables }))
    }
}

impl StateAt for Seeking<'_> {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?;
        let mut rows = State::new(table, scan, now)?;
        // Before them stand the packets, which are no state.
        let at = self
            .tables
            .iter()
            .position(|other| std::ptr::eq(other, table));
        let component = at.and_then(|at| at.checked_sub(1));
        let component = component.and_then(|at| self.packets.schema().components().get(at));
        let tick = now.tick.and_then(|tick| u32::try_from(tick).ok());
        if let (Some(component), Some(tick)) = (component, tick) {
            let state = match self.packets.state_at(tick) {
                Ok(state) => state,
                Err(error) if is_too_early(&error) => return Ok(rows.rows()),
                Err(error) => return Err(error.into()),
            };
            let reading = Reading::of(component);
            let mut values = Vec::new();
            for (entity, part) in reading.entities(&state) {
                values.clear();
                values.extend(part.values());
                rows.row(|column| reading.value(entity, &values, column));
            }
        }
        Ok(rows.rows())
    }

    fn events<'v>(&mut self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        self::scan(&self.packets, scan, visit)
    }
}

/// Before the first full snapshot there is no state, and nothing is wrong.
fn is_too_early(error: &crate::rule::Error) -> bool {
    let rule = error.rule().and_then(|rule| rule.recording());
    matches!(rule, Some(CaptureRule::NoState { .. }))
}
