//! A recording of a simulation as tables: ticks and commands; with a world, what became of the
//! commands, and a grid for each field, as the replay gives them.

use std::ops::ControlFlow;

use gametape_core::table::{
    ColumnDef, Fact, FactTable, Field, Kind, Lane, Place, Scan, Scanning, Table, TableDef, Tables,
    Visit, plain_name,
};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use super::{MurkTape, stopped, world};
use crate::engine::{EngineWorld, FieldType, Outcome, World};
use crate::list::Coord;
use crate::{Command, Frame, Hash, Header, Payload, Simulation};

use Kind::{Float32, Float64, Int, Text, Uint};

/// The header and what its people measure.
pub(super) const RUN: FactTable = FactTable {
    name: "run",
    doc: "The run: what its header says, and how many ticks and commands there are.",
    facts: &[
        Fact::new(
            "build_toolchain",
            Text,
            "The compiler that built the recorder.",
        ),
        Fact::new(
            "build_target_triple",
            Text,
            "What the recorder was built for.",
        ),
        Fact::new("build_murk_version", Text, "The version of Murk."),
        Fact::new(
            "build_compile_flags",
            Text,
            "The flags that the recorder was built with.",
        ),
        Fact::new("seed", Uint, "The seed of the world."),
        Fact::new(
            "config_hash",
            Text,
            "The hash of the world's configuration, 16 hexadecimal digits.",
        ),
        Fact::new("fields", Uint, "Fields of the world."),
        Fact::new("cells", Uint, "Cells of the world."),
        Fact::new(
            "space_descriptor",
            Text,
            "What the recording says of its space.",
        ),
        Fact::new("ticks", Uint, "Ticks that were recorded."),
        Fact::new("first_tick", Uint, "The first of them."),
        Fact::new("last_tick", Uint, "The last of them."),
        Fact::new("seconds", Float64, "How long they took in the world.").unit("s"),
        Fact::new("commands", Uint, "Commands of all ticks."),
        Fact::new("commands_per_tick", Float64, "Commands a tick."),
        Fact::new(
            "commands_per_second",
            Float64,
            "Commands a second of the world.",
        )
        .unit("1/s"),
        Fact::new(
            "max_commands_in_a_tick",
            Uint,
            "The most commands of one tick.",
        ),
        Fact::new("idle_ticks", Uint, "Ticks without commands."),
        Fact::new("kinds_move", Uint, "Commands that move an entity."),
        Fact::new(
            "kinds_spawn",
            Uint,
            "Commands that put an entity into the world.",
        ),
        Fact::new(
            "kinds_despawn",
            Uint,
            "Commands that take an entity out of the world.",
        ),
        Fact::new(
            "kinds_set_field",
            Uint,
            "Commands that set a value in a cell.",
        ),
        Fact::new("kinds_custom", Uint, "Commands of the recorder's own."),
        Fact::new(
            "kinds_set_parameter",
            Uint,
            "Commands that set a parameter.",
        ),
        Fact::new(
            "kinds_set_parameter_batch",
            Uint,
            "Commands that set several parameters.",
        ),
        Fact::new(
            "unreadable",
            Uint,
            "Commands whose payload has no typed form.",
        ),
        Fact::new("anonymous", Uint, "Commands without a source."),
        Fact::new(
            "other_sources",
            Uint,
            "Commands of sources that are not counted one by one.",
        ),
        Fact::new("expiring", Uint, "Commands that expire at all."),
        Fact::new(
            "expired",
            Uint,
            "Commands that had expired when they were submitted.",
        ),
        Fact::new("payload_bytes", Uint, "The size of all payloads.").unit("bytes"),
    ],
};

/// A tick: its hash as text, and how many commands it has.
struct Tick {
    hash: String,
    commands: u64,
}

impl Tables for Tick {
    type Row<'a> = Self;
}

const TICKS: Table<Tick> = Table {
    name: "ticks",
    lane: Lane::Events,
    doc: "The ticks.",
    fields: &[
        Field::<Tick>::new(
            "hash",
            Text,
            "The hash of the state after it, 16 hexadecimal digits.",
            |row| row.hash.as_str().into(),
        ),
        Field::<Tick>::new(
            "commands",
            Uint,
            "How many commands were submitted.",
            |row| row.commands.into(),
        ),
    ],
};

/// A command.
struct Submitted<'a> {
    number: u64,
    command: Command<'a>,
    payload: Option<Payload<'a>>,
    /// Where, where that is wanted.
    coord: String,
    outcome: Option<Outcome>,
}

/// Rows of [`Submitted`].
struct Submissions;

impl Tables for Submissions {
    type Row<'a> = Submitted<'a>;
}

impl Submitted<'_> {
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

/// Where a payload says.
fn coord<'a>(payload: Option<&Payload<'a>>) -> Option<Coord<'a>> {
    match payload? {
        Payload::Move { target: coord, .. }
        | Payload::Spawn { coord, .. }
        | Payload::SetField { coord, .. } => Some(*coord),
        _ => None,
    }
}

const COORD: usize = 7;
const OUTCOME: usize = 13;

const COMMANDS: Table<Submissions> = Table {
    name: "commands",
    lane: Lane::Events,
    doc: "The commands of each tick, in the order in which they were submitted.",
    fields: &[
        Field::<Submissions>::new(
            "number",
            Uint,
            "Which of its tick's commands it is, from 0.",
            |row| row.number.into(),
        ),
        Field::<Submissions>::new(
            "kind",
            Text,
            "What it asks for: `set_field`, `move`, `spawn` and so on; missing where nothing is known of its type.",
            |row| row.payload.as_ref().map(Payload::name).into(),
        ),
        Field::<Submissions>::new("priority_class", Uint, "Lower is applied earlier.", |row| {
            row.command.envelope.priority_class.into()
        }),
        Field::<Submissions>::new("source_id", Uint, "Who submitted it.", |row| {
            row.command.envelope.source_id.into()
        }),
        Field::<Submissions>::new("source_seq", Uint, "The submitter's own count.", |row| {
            row.command.envelope.source_seq.into()
        }),
        Field::<Submissions>::new("arrival_seq", Uint, "The recorder's count.", |row| {
            row.command.envelope.arrival_seq.into()
        }),
        Field::<Submissions>::new(
            "expires_after_tick",
            Uint,
            "The last tick at which it is still applied; missing where it never expires.",
            |row| {
                let last = row.command.envelope.expires_after_tick;
                (last != u64::MAX).then_some(last).into()
            },
        )
        .unit("ticks"),
        Field::<Submissions>::new(
            "coord",
            Text,
            "The cell that it names, as numbers with commas between them.",
            |row| (!row.coord.is_empty()).then_some(row.coord.as_str()).into(),
        ),
        Field::<Submissions>::new("field", Uint, "The field that it sets.", |row| {
            let field = match row.payload {
                Some(Payload::SetField { field, .. }) => Some(field),
                _ => None,
            };
            field.into()
        }),
        Field::<Submissions>::new("value", Float64, "The value that it sets.", |row| {
            row.value().into()
        }),
        Field::<Submissions>::new("key", Uint, "The parameter that it sets.", |row| {
            let key = match row.payload {
                Some(Payload::SetParameter { key, .. }) => Some(key),
                _ => None,
            };
            key.into()
        }),
        Field::<Submissions>::new(
            "entity_id",
            Uint,
            "The entity that it moves or takes away.",
            |row| row.entity().into(),
        ),
        Field::<Submissions>::new("payload_bytes", Uint, "The size of its payload.", |row| {
            (row.command.payload.len() as u64).into()
        })
        .unit("bytes"),
        Field::<Submissions>::new(
            "outcome",
            Text,
            "What became of it in the replay: `applied`, `expired`, `unsupported`, `not_applied`, `refused` or `rolled_back`; missing where the recording carries no world.",
            |row| row.outcome.map(Outcome::name).into(),
        ),
    ],
};

/// What every recording has.
pub(super) fn defs() -> Vec<TableDef> {
    vec![RUN.def(), TICKS.def(), COMMANDS.def()]
}

/// Those of a recording with this header.
pub(super) fn of(header: &Header<'_>) -> Vec<TableDef> {
    let mut tables = defs();
    let Some(world) = carried(header) else {
        return tables;
    };
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
        for component in 0..field.field_type.components() {
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

/// The world that the recording carries, where it can be replayed in it.
fn carried(header: &Header<'_>) -> Option<World> {
    let world = world::carried(header)?.ok()?;
    world::misfit(header, &world).is_none().then_some(world)
}

/// What gives the rows of a frame.
type Give<'g> =
    Box<dyn FnMut(&Frame<'_>, Stamp, &mut Scanning<'_>) -> Result<ControlFlow<()>, Error> + 'g>;

/// The rows of a table, facts aside.
pub(super) fn scan<'v>(
    tape: &MurkTape,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let mut reader = tape.reader()?;
    let header = reader.header().clone();
    let dt = world::tick_length(&header);
    let tables = of(&header);
    let table = scan.find(&tables)?;
    let mut rows = Scanning::new(table, scan, Clocks::ticks(dt.is_some()), visit)?;
    let world = || -> Result<Option<EngineWorld>, Error> {
        let world = carried(&header);
        world.map(|world| world::build(&world, None)).transpose()
    };
    let mut give: Give<'_> = match &*table.name {
        name if name == TICKS.name => Box::new(tick),
        name if name == COMMANDS.name => {
            let mut world = if rows.needs(OUTCOME) { world()? } else { None };
            Box::new(move |frame, stamp, rows| commands(frame, stamp, world.as_mut(), rows))
        }
        _ => {
            let at = tables.iter().position(|other| std::ptr::eq(other, table));
            let field = at.and_then(|at| u32::try_from(at.checked_sub(defs().len())?).ok());
            let Some((world, field)) = world()?.zip(field) else {
                return rows.end(None);
            };
            let mut grid = Grid::new(world, field, table.shape.len());
            Box::new(move |frame, stamp, rows| grid.tick(frame, stamp, rows))
        }
    };
    while let Some(frame) = reader.next_frame()? {
        let stamp = Stamp {
            step: frame.index,
            tick: Some(frame.tick),
            time: dt.map(|dt| world::time_of(frame.tick, dt)),
        };
        if rows.place(stamp) == Place::Behind || give(&frame, stamp, &mut rows)?.is_break() {
            return rows.end(None);
        }
    }
    rows.end(reader.findings().problem())
}

fn tick(
    frame: &Frame<'_>,
    stamp: Stamp,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let row = Tick {
        hash: Hash(frame.snapshot_hash).to_string(),
        commands: frame.commands().len() as u64,
    };
    rows.row_of(&TICKS, stamp, &row)
}

fn commands(
    frame: &Frame<'_>,
    stamp: Stamp,
    mut world: Option<&mut EngineWorld>,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    if let Some(world) = world.as_deref_mut() {
        replay(world, frame)?;
    }
    let outcomes = world.as_deref().map(|world| world.receipts().outcomes());
    for (number, command) in frame.commands().into_iter().enumerate() {
        let payload = command.payload().ok();
        let coord = coord(payload.as_ref()).filter(|_| rows.needs(COORD));
        let row = Submitted {
            number: number as u64,
            coord: coord.map(|coord| text(coord.iter())).unwrap_or_default(),
            payload,
            command,
            outcome: outcomes.and_then(|outcomes| outcomes.get(number).copied()),
        };
        if rows.row_of(&COMMANDS, stamp, &row)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// `3,4`
fn text(coord: impl Iterator<Item = i32>) -> String {
    let numbers: Vec<String> = coord.map(|number| number.to_string()).collect();
    numbers.join(",")
}

fn replay(world: &mut EngineWorld, frame: &Frame<'_>) -> Result<(), Error> {
    let made = world.step(frame.tick, frame.commands());
    made.map_err(|error| stopped(format!("tick {}: {error}", frame.tick)))
}

/// A field of a world that is replayed.
struct Grid {
    world: EngineWorld,
    field: u32,
    ndim: usize,
    /// What was given last; nothing at first.
    shown: Vec<f32>,
}

impl Grid {
    const fn new(world: EngineWorld, field: u32, ndim: usize) -> Self {
        let shown = Vec::new();
        Self {
            world,
            field,
            ndim,
            shown,
        }
    }

    /// Gives the cells that changed; at the first tick all.
    fn tick(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        replay(&mut self.world, frame)?;
        let values = self.world.field(self.field).unwrap_or_default();
        if rows.place(stamp) != Place::Within {
            // What is before the range is no change in it.
            self.shown.clear();
            self.shown.extend_from_slice(values);
            return Ok(ControlFlow::Continue(()));
        }
        let checker = self.world.checker();
        let components = checker.locate(self.field, 0);
        let components = components.map_or(1, |location| location.components as usize);
        for (cell, values) in values.chunks(components.max(1)).enumerate() {
            let at = cell * components;
            let same = |(old, new): (&f32, &f32)| old.to_bits() == new.to_bits();
            let shown = self.shown.get(at..at + values.len());
            if shown.is_some_and(|shown| shown.iter().zip(values).all(same)) {
                continue;
            }
            let Some(location) = checker.locate(self.field, at) else {
                continue;
            };
            let value = |column: usize| match column.checked_sub(self.ndim) {
                None => location.coord.get(column).copied().into(),
                Some(component) => values.get(component).copied().into(),
            };
            let given: ControlFlow<()> = rows.row(stamp, value)?;
            if given.is_break() {
                return Ok(given);
            }
        }
        self.shown.clear();
        self.shown.extend_from_slice(values);
        Ok(ControlFlow::Continue(()))
    }
}
