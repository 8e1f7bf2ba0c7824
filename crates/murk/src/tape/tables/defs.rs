//! The definitions of the tables: the rows of ticks and commands, and the grids of fields.

use std::ops::ControlFlow;

use Kind::{Float32, Float64, Int, Text, Uint};
use gametape_core::table::{
    ColumnDef, Field, Kind, Lane, Rows, Table, TableDef, Value, plain_name,
};
use gametape_core::tape::Error;

use super::facts::{PARAMETERS, RUN};
use crate::engine::{EngineWorld, FieldType, Outcome, World};
use crate::model::list::Coord;
use crate::{Command, Location, Payload, Simulation};

/// The maximum number of components that are columns. More components are rows: a world of a few bytes may
/// have millions.
const MOST_COLUMNS: u32 = 64;

/// Returns the tables of every recording.
fn defs() -> Vec<TableDef> {
    vec![RUN.def(), TICKS.def(), COMMANDS.def()]
}

/// Returns the tables of every recording with a world, except for its grids.
pub(in crate::tape) fn known() -> Vec<TableDef> {
    let mut tables = defs();
    // One row for each parameter, and not one in all, as other facts have.
    tables.push(TableDef {
        rows: None,
        ..PARAMETERS.def()
    });
    tables
}

/// Returns the tables of a recording that is replayed in this world.
pub(in crate::tape) fn of(world: Option<&World>) -> Vec<TableDef> {
    let Some(world) = world else {
        return defs();
    };
    let mut tables = known();
    let axes = world.space.axes();
    for (number, field) in world.fields.iter().enumerate() {
        let name = plain_name(&field.name, &format!("field_{number}"), |name| {
            tables.iter().any(|table| table.name == name)
        });
        let doc = format!(
            "Field {number} ({}) in each cell, as the replay gives it.",
            field.name
        );
        let shape: Vec<u64> = axes.iter().map(|(_, size)| u64::from(*size)).collect();
        let mut table = TableDef::new(name, Lane::Grid, doc).shape(shape);
        for (axis, _) in &axes {
            let doc = "A number of the cell's coordinate.";
            table = table.with(ColumnDef::new(axis.clone(), Int, doc).key());
        }
        let unit = field.units.clone().unwrap_or_default();
        let components = field.field_type.components();
        if components > MOST_COLUMNS {
            let taken = |name: &str| table.column(name).is_some();
            let name = plain_name("component", "component", taken);
            let doc = "The number of the component, from 0.";
            table = table.with(ColumnDef::new(name, Int, doc).key());
            table.shape.push(components.into());
            let taken = |name: &str| table.column(name).is_some();
            let name = plain_name("value", "value", taken);
            let doc = "The component's value.";
            table = table.with(ColumnDef::new(name, Float32, doc).unit(unit));
            tables.push(table);
            continue;
        }
        for component in 0..components {
            let (name, doc) = match field.field_type {
                FieldType::Vector { .. } => (
                    format!("value_{component}"),
                    format!("Component {component} of the value."),
                ),
                FieldType::Scalar {} => ("value".to_owned(), "The value.".to_owned()),
                FieldType::Categorical { n_values } => {
                    ("value".to_owned(), format!("The value, one of {n_values}."))
                }
            };
            table = table.with(ColumnDef::new(name, Float32, doc).unit(unit.clone()));
        }
        tables.push(table);
    }
    tables
}

/// Returns the grid of a table, if it is the table of a field.
pub(super) fn grid(world: &World, tables: &[TableDef], table: &TableDef) -> Option<Grid> {
    let at = tables.iter().position(|other| other.name == table.name)?;
    let field = u32::try_from(at.checked_sub(known().len())?).ok()?;
    let keys = table.columns.iter().filter(|column| column.key).count();
    let long = keys > world.space.axes().len();
    let ndim = keys - usize::from(long);
    Some(Grid { field, ndim, long })
}

/// The grid of a field of a world.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub field: u32,
    /// The number of columns that are coordinates.
    pub ndim: usize,
    /// Whether each component of a value has a row of its own.
    pub long: bool,
}

impl Grid {
    /// Returns the values of all cells, cell by cell.
    pub fn values(self, world: &EngineWorld) -> &[f32] {
        world.field(self.field).unwrap_or_default()
    }

    /// Visits the cells whose values differ, bit for bit, from those `shown` before; all cells if nothing was
    /// shown.
    pub fn cells(
        self,
        world: &EngineWorld,
        shown: &[f32],
        mut each: impl FnMut(&Location, &[f32]) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let checker = world.checker();
        let components = checker.locate(self.field, 0);
        let components = components.map_or(1, |location| location.components as usize);
        let cells = self.values(world).chunks(components.max(1));
        for (at, values) in (0..).step_by(components.max(1)).zip(cells) {
            let same = |(old, new): (&f32, &f32)| old.to_bits() == new.to_bits();
            let shown = shown.get(at..at + values.len());
            if shown.is_some_and(|shown| shown.iter().zip(values).all(same)) {
                continue;
            }
            let Some(location) = checker.locate(self.field, at) else {
                continue;
            };
            if each(&location, values)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Visits the rows of a cell. A row is a function from a column to its value.
    pub fn rows(
        self,
        location: &Location,
        values: &[f32],
        mut row: impl FnMut(&dyn Fn(usize) -> Value<'static>) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let coord = |column: usize| location.coord.get(column).copied().into();
        if !self.long {
            return row(&|column| match column.checked_sub(self.ndim) {
                None => coord(column),
                Some(component) => values.get(component).copied().into(),
            });
        }
        for (component, value) in (0_i64..).zip(values) {
            let given = row(&|column| match column.checked_sub(self.ndim) {
                None => coord(column),
                Some(0) => component.into(),
                Some(_) => (*value).into(),
            })?;
            if given.is_break() {
                return Ok(given);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A tick: its hash as text, and the number of its commands.
pub(super) struct TickRow {
    pub hash: String,
    pub commands: u64,
    /// The hash of the replay, if that column is needed.
    pub replayed_hash: Option<String>,
}

impl Rows for TickRow {
    type Row<'a> = Self;
}

type TickField = Field<TickRow>;

pub(super) const TICKS: Table<TickRow> = Table {
    name: "ticks",
    lane: Lane::Events,
    doc: "The ticks.",
    fields: &[
        TickField::new(
            "hash",
            Text,
            "The hash of the state after the tick, 16 hexadecimal digits.",
            |row| row.hash.as_str().into(),
        ),
        TickField::new(
            "commands",
            Uint,
            "The number of commands that were submitted.",
            |row| row.commands.into(),
        ),
        TickField::new(
            "replayed_hash",
            Text,
            "The hash of the state after the tick in the replay. From the first tick at which it is not the recorded \
             one, it is that of the replay, which goes on from its own states; missing without a world, and after a \
             tick that can't be replayed.",
            |row| row.replayed_hash.as_deref().into(),
        ),
    ],
};

/// A command.
pub(super) struct CommandRow<'a> {
    pub number: u64,
    pub command: Command<'a>,
    pub payload: Option<Payload<'a>>,
    /// The coordinate as text, if that column is needed.
    pub coord: String,
    pub outcome: Option<Outcome>,
}

/// Rows of [`CommandRow`].
pub(super) struct CommandRows;

impl Rows for CommandRows {
    type Row<'a> = CommandRow<'a>;
}

impl CommandRow<'_> {
    const fn entity(&self) -> Option<u64> {
        match self.payload {
            Some(Payload::Move { entity_id, .. } | Payload::Despawn { entity_id }) => {
                Some(entity_id)
            }
            _ => None,
        }
    }

    const fn value(&self) -> Option<f64> {
        match self.payload {
            Some(Payload::SetField { value, .. }) => Some(value as f64),
            Some(Payload::SetParameter { value, .. }) => Some(value),
            _ => None,
        }
    }
}

/// Returns the coordinate in a payload.
pub(super) fn coord<'a>(payload: Option<&Payload<'a>>) -> Option<Coord<'a>> {
    match payload? {
        Payload::Move { target: coord, .. }
        | Payload::Spawn { coord, .. }
        | Payload::SetField { coord, .. } => Some(*coord),
        _ => None,
    }
}

pub(super) const REPLAYED_HASH: usize = 2;
pub(super) const COORD: usize = 7;
pub(super) const OUTCOME: usize = 13;

type CommandField = Field<CommandRows>;

pub(super) const COMMANDS: Table<CommandRows> = Table {
    name: "commands",
    lane: Lane::Events,
    doc: "The commands of each tick, in the order in which they were submitted.",
    fields: &[
        CommandField::new(
            "number",
            Uint,
            "The number of the command within its tick, from 0.",
            |row| row.number.into(),
        )
        .key(),
        CommandField::new(
            "kind",
            Text,
            "The kind of the command: `set_field`, `move`, `spawn` and so on; missing if its payload can't be read.",
            |row| row.payload.as_ref().map(Payload::name).into(),
        ),
        CommandField::new(
            "priority_class",
            Uint,
            "Lower classes are applied earlier.",
            |row| row.command.envelope.priority_class.into(),
        ),
        CommandField::new(
            "source_id",
            Uint,
            "The source that submitted the command.",
            |row| row.command.envelope.source_id.into(),
        )
        .wide(),
        CommandField::new("source_seq", Uint, "The source's own count.", |row| {
            row.command.envelope.source_seq.into()
        }),
        CommandField::new("arrival_seq", Uint, "The recorder's count.", |row| {
            row.command.envelope.arrival_seq.into()
        }),
        CommandField::new(
            "expires_after_tick",
            Uint,
            "The last tick at which the command is still applied; missing if it never expires.",
            |row| {
                let last = row.command.envelope.expires_after_tick;
                (last != u64::MAX).then_some(last).into()
            },
        )
        .unit("ticks"),
        CommandField::new(
            "coord",
            Text,
            "The cell that the command names, as numbers separated by commas.",
            |row| (!row.coord.is_empty()).then_some(row.coord.as_str()).into(),
        ),
        CommandField::new("field", Uint, "The field that the command sets.", |row| {
            let field = match row.payload {
                Some(Payload::SetField { field, .. }) => Some(field),
                _ => None,
            };
            field.into()
        }),
        CommandField::new(
            "value",
            Float64,
            "The value that the command sets.",
            |row| row.value().into(),
        ),
        CommandField::new("key", Uint, "The parameter that the command sets.", |row| {
            let key = match row.payload {
                Some(Payload::SetParameter { key, .. }) => Some(key),
                _ => None,
            };
            key.into()
        }),
        CommandField::new(
            "entity_id",
            Uint,
            "The entity that the command moves or removes.",
            |row| row.entity().into(),
        )
        .wide(),
        CommandField::new("payload_bytes", Uint, "The size of the payload.", |row| {
            (row.command.payload.len() as u64).into()
        })
        .unit("bytes"),
        CommandField::new(
            "outcome",
            Text,
            "The outcome in the replay: `applied`, `expired`, `unsupported`, `not_applied`, `refused` or `rolled_back`; missing without a world.",
            |row| row.outcome.map(Outcome::name).into(),
        ),
    ],
};
