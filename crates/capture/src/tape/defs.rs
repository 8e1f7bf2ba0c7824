//! The tables of a recording of packets.

use gametape_core::table::{ColumnDef, Kind, Lane, TableDef, plain_name};
use gametape_delta::{Codec, Component, FixedPoint, Schema};

use super::heads::{PACKETS, packets};
use super::parts::{PARTS, parts};
use super::sizes::{BITS, bits};

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
