//! Packets as tables: the packets themselves, and a state table for each component of their schema.

pub(super) mod packets;
pub(super) mod pass;
mod range;

use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{
    Batch, ColumnDef, Kind, Lane, Scan, State, StateAt, Stepped, TableDef, Visit, plain_name,
};
use gametape_core::tape::{Error, Partial, Work};
use gametape_delta::{Codec, Component, FixedPoint, Schema};

use self::packets::{BITS, PACKETS, PARTS, Sizing, bits, packets, parts};
use self::pass::{ComponentReader, Pass, clocks};
use self::range::Excerpt;
use super::dump::stamp;
use crate::cursor::Cursor;
use crate::layout::Role;
use crate::packets::{Clock, Packets};
use crate::rule::CaptureRule;

/// Scans the rows of tables in a single pass.
pub(super) fn scan(
    packets: &Packets<'_>,
    scans: &[Scan],
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    let Packets::Capture(capture) = packets else {
        // To know which states are needed again, all packets have to be examined first.
        let pass = Pass::new(packets.schema(), None, scans, || packets.replay())?;
        return rows(packets, pass, &mut packets.cursor(), |_| {}, work, visit);
    };
    let part = Excerpt::of(capture, scans)?;
    let replay = || part.replay(capture);
    let pass = Pass::new(packets.schema(), packets.tick_ns(), scans, replay)?;
    let pass = pass.within(part.clock, part.of_states, part.sure);
    let mut cursor = part.cursor(capture);
    let is_beyond = part.chunks.end < capture.chunks().len();
    let at_end = |pass: &mut Pass| {
        if is_beyond {
            pass.is_beyond(scans);
        }
    };
    rows(packets, pass, &mut cursor, at_end, work, visit)
}

/// Makes the rows of the packets of a cursor; `at_end` is called after the last one.
fn rows(
    packets: &Packets<'_>,
    mut pass: Pass,
    cursor: &mut Cursor<'_>,
    at_end: impl FnOnce(&mut Pass),
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    let failed = pass.all(cursor, work, visit)?;
    if failed.is_none() {
        at_end(&mut pass);
    }
    let problem = || failed.clone().map(Into::into).or_else(|| packets.problem());
    pass.end(problem, visit)
}

/// Playback that seeks from the nearest full snapshot.
pub(super) struct PacketPlayback {
    packets: Packets<'static>,
    tables: Vec<TableDef>,
    /// The sizes of all packets, once they are asked for.
    sizing: Option<Sizing>,
}

impl PacketPlayback {
    pub fn play(packets: Packets<'static>, work: &Work<'_>) -> Result<Stepped<Self>, Error> {
        let mut clock = Clock::new(packets.tick_ns());
        let mut stamps = Vec::new();
        packets.cursor().each(|packet| {
            work.done(packet.offset)?;
            if packet.role != Role::Added {
                stamps.push(stamp(packet, &mut clock));
            }
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        let clocks = clocks(packets.tick_ns());
        let tables = of(packets.schema());
        let seeking = Self {
            packets,
            tables,
            sizing: None,
        };
        Ok(Stepped::over(stamps, clocks, seeking))
    }
}

impl StateAt for PacketPlayback {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?;
        let mut rows = State::new(table, scan, now)?;
        if table.name == BITS.name {
            let sizing = if let Some(sizing) = self.sizing.take() {
                sizing
            } else {
                let of_components = self.tables.get(OF_PACKETS..).unwrap_or_default();
                Sizing::of(self.packets.schema(), of_components).all(&self.packets)?
            };
            for sum in self.sizing.insert(sizing).sums() {
                rows.row(|column| BITS.value(&sum, column));
            }
            return Ok(rows.rows());
        }
        let component = component(self.packets.schema(), &self.tables, table);
        let tick = now.tick.and_then(|tick| u32::try_from(tick).ok());
        if let (Some(component), Some(tick)) = (component, tick) {
            let state = match self.packets.state_at(tick) {
                Ok(state) => state,
                Err(error) if is_too_early(&error) => return Ok(rows.rows()),
                Err(error) => return Err(error.into()),
            };
            let reading = ComponentReader::of(component);
            let mut values = Vec::new();
            for (entity, part) in reading.entities(&state) {
                values.clear();
                values.extend(part.values());
                rows.row(|column| reading.value(entity, &values, column));
            }
        }
        Ok(rows.rows())
    }
}

/// Whether the moment is before the first full snapshot, where the absence of a state is not an
/// error.
fn is_too_early(error: &crate::rule::Error) -> bool {
    let rule = error.rule().and_then(|rule| rule.recording());
    matches!(rule, Some(CaptureRule::NoState { .. }))
}

/// The number of tables about packets. Those of the components follow, in the order of the schema.
pub(super) const OF_PACKETS: usize = 3;

/// The tables of every recording of packets.
pub(super) fn defs() -> Vec<TableDef> {
    vec![packets(), parts(), bits()]
}

/// Whether a table is that of a component: a state, for which earlier packets are needed.
pub(super) fn is_state(table: &str) -> bool {
    ![PACKETS.name, PARTS.name, BITS.name].contains(&table)
}

/// The component of a table; `None` for the tables about packets.
pub(super) fn component<'s>(
    schema: &'s Schema,
    tables: &[TableDef],
    table: &TableDef,
) -> Option<&'s Component> {
    let at = tables.iter().position(|other| other.name == table.name)?;
    schema.components().get(at.checked_sub(OF_PACKETS)?)
}

/// The tables of a recording with this schema.
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

/// The table of a component.
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
        column.wide = matches!(field.codec, Codec::UInt { bits: 64 } | Codec::VarUInt);
        column.precision = FixedPoint::of(field.codec).map(|fixed| fixed.max_error());
        table = table.with(column);
    }
    table
}
