//! Assigns components and fields to the columns of tables.

use gametape_core::table::{Kind, Lane, TableDef};
use gametape_core::tape::Error;
use gametape_delta::{Codec, Component, Field, MAX_MASK_BITS, Schema};

use super::gather::{Clocked, Gathering};
use crate::made::coding::{Coding, Survey};
use crate::made::description::{Coded, Place, Stored, StoredClock, StoredColumn, StoredTable};
use crate::made::tile::{CELLS, Tiling};

/// The entity that contains the stamp of a packet.
pub(crate) const CLOCK_ENTITY: u32 = 0;

/// A component with the values of some columns.
#[derive(Debug)]
pub(crate) struct KeptComponent {
    pub component: u16,
    /// Whether it begins with the field that marks a repeated row.
    pub stated: bool,
    pub columns: Vec<(usize, Coding)>,
}

/// How the rows of a table are stored.
#[derive(Debug)]
pub(crate) enum Keep {
    /// Each row as a message.
    Messages,
    /// As entities, one per key.
    Entities {
        keys: Vec<usize>,
        parts: Vec<KeptComponent>,
    },
    /// As tiles of cells.
    Tiles {
        keys: Vec<usize>,
        tiling: Tiling,
        stated: u16,
        /// The columns, with one component for each field of their values.
        columns: Vec<(usize, Coding, Vec<u16>)>,
    },
}

/// The components so far.
#[derive(Default)]
struct Components(Vec<Component>);

impl Components {
    fn add(&mut self, name: &str, fields: Vec<Field>) -> u16 {
        let id = u16::try_from(self.0.len() + 1).unwrap_or(u16::MAX);
        self.0.push(Component::new(id, fields).named(name));
        id
    }
}

/// Fields, numbered in order.
#[derive(Default)]
struct NumberedFields(Vec<Field>);

impl NumberedFields {
    fn add(&mut self, name: String, codec: Codec) -> u16 {
        let id = u16::try_from(self.0.len() + 1).unwrap_or(u16::MAX);
        self.0.push(Field::new(id, codec).named(name));
        id
    }

    /// Adds the fields of a column to this component.
    fn column(&mut self, name: &str, coding: &Coding, component: u16) -> Coded {
        coded(coding, |what, codec| Place {
            component,
            field: Some(self.add(format!("{name}{what}"), codec)),
        })
    }
}

/// The places of a column: `place` makes one for each of its fields, given the end of its name.
fn coded(coding: &Coding, mut place: impl FnMut(&str, Codec) -> Place) -> Coded {
    Coded {
        how: coding.how_codec().map(|codec| place(".how", codec)),
        plain: place("", coding.plain),
        exact: coding.exact_codec().map(|codec| place(".exact", codec)),
    }
}

/// The plan for storing tables in a capture.
pub(crate) struct Plan {
    pub schema: Schema,
    pub clock: StoredClock,
    /// The codings of step, tick and time.
    pub of_clock: [Coding; 3],
    pub tables: Vec<StoredTable>,
    pub keeps: Vec<Keep>,
}

/// Plans a capture of these tables.
pub(crate) fn plan<'g>(
    gathered: impl Iterator<Item = &'g Gathering>,
    clocked: &Clocked,
) -> Result<Plan, Error> {
    let mut components = Components::default();
    let of_clock = [&clocked.step, &clocked.tick, &clocked.time].map(Survey::coding);
    let mut fields = NumberedFields::default();
    let [step, tick, time_ns] = ["step", "tick", "time_ns"];
    let [a, b, c] = &of_clock;
    let clock = StoredClock {
        entity: CLOCK_ENTITY,
        step: fields.column(step, a, 1),
        tick: fields.column(tick, b, 1),
        time_ns: fields.column(time_ns, c, 1),
    };
    components.add("clock", fields.0);
    let (mut tables, mut keeps) = (Vec::new(), Vec::new());
    for gathered in gathered {
        let before = components.0.len();
        let (stored, keep, coded) = keep(gathered, &mut components);
        let made = components.0.len() - before;
        if components.0.len() > MAX_MASK_BITS {
            return Err(Error::Unsupported(format!(
                "its tables take more than {MAX_MASK_BITS} components, which is all that a packet can tell apart: the {} of {} are too much",
                made, gathered.def.name
            )));
        }
        let columns = gathered.def.columns.iter().zip(coded);
        tables.push(StoredTable {
            name: gathered.def.name.to_string(),
            lane: gathered.def.lane.name().to_owned(),
            doc: gathered.def.doc.to_string(),
            rows: gathered.rows,
            shape: gathered.def.shape.clone(),
            columns: columns
                .map(|(def, coded)| StoredColumn::of(def, coded))
                .collect(),
            stored,
        });
        keeps.push(keep);
    }
    let schema = Schema::new(components.0);
    let schema = schema.map_err(|error| Error::Unsupported(error.to_string()))?;
    Ok(Plan {
        schema,
        clock,
        of_clock,
        tables,
        keeps,
    })
}

/// The locations of a table's columns.
type Codes = Vec<Option<Coded>>;

fn keep(gathered: &Gathering, components: &mut Components) -> (Stored, Keep, Codes) {
    let def = &gathered.def;
    let nowhere = vec![None; def.columns.len()];
    match def.lane {
        Lane::Facts => (Stored::Labels, Keep::Messages, nowhere),
        Lane::Events => (Stored::Events, Keep::Messages, nowhere),
        Lane::State => entities(gathered, components, nowhere),
        Lane::Grid => match tiling(gathered) {
            Some(tiling) => tiles(gathered, tiling, components, nowhere),
            None => entities(gathered, components, nowhere),
        },
    }
}

fn keys(def: &TableDef) -> Vec<usize> {
    let columns = def.columns.iter().enumerate();
    columns
        .filter_map(|(at, column)| column.key.then_some(at))
        .collect()
}

fn entities(
    gathered: &Gathering,
    components: &mut Components,
    mut coded: Codes,
) -> (Stored, Keep, Codes) {
    let def = &gathered.def;
    let mut parts: Vec<KeptComponent> = Vec::new();
    let mut ids = Vec::new();
    let mut fields = NumberedFields::default();
    let next_id = |components: &Components| components.0.len() as u16 + 1;
    let mut part = KeptComponent {
        component: next_id(components),
        stated: true,
        columns: Vec::new(),
    };
    let stated = Place {
        component: part.component,
        field: Some(fields.add("stated".to_owned(), Codec::Bool)),
    };
    let name = |parts: &[KeptComponent]| match parts.len() {
        0 => def.name.to_string(),
        more => format!("{}.{}", def.name, more + 1),
    };
    let columns = def.columns.iter().zip(&gathered.surveys).enumerate();
    for (at, (column, survey)) in columns.filter(|(_, (column, _))| !column.key) {
        let coding = survey.coding();
        if fields.0.len() + coding.codecs().count() > MAX_MASK_BITS {
            ids.push(components.add(&name(&parts), std::mem::take(&mut fields.0)));
            let next = KeptComponent {
                component: next_id(components),
                stated: false,
                columns: Vec::new(),
            };
            parts.push(std::mem::replace(&mut part, next));
        }
        if let Some(coded) = coded.get_mut(at) {
            *coded = Some(fields.column(&column.name, &coding, part.component));
        }
        part.columns.push((at, coding));
    }
    ids.push(components.add(&name(&parts), fields.0));
    parts.push(part);
    let stored = Stored::Entities {
        components: ids,
        stated,
    };
    let keys = keys(def);
    (stored, Keep::Entities { keys, parts }, coded)
}

/// How the cells of a grid are arranged in tiles; `None` if its keys are not coordinates.
fn tiling(gathered: &Gathering) -> Option<Tiling> {
    let keys = keys(&gathered.def);
    let mut origin = Vec::new();
    let mut extents = Vec::new();
    for key in &keys {
        let kind = gathered.def.columns.get(*key)?.kind;
        let survey = gathered.surveys.get(*key)?;
        let whole = matches!(kind, Kind::Int | Kind::Uint);
        if !whole || survey.coding().how_codec().is_some() {
            return None;
        }
        let (min, max) = survey.bounds().unwrap_or_default();
        origin.push(i64::try_from(min).ok()?);
        extents.push(u64::try_from(max - min).ok()?.saturating_add(1));
    }
    (!keys.is_empty()).then(|| Tiling::new(origin, &extents))
}

fn tiles(
    gathered: &Gathering,
    tiling: Tiling,
    components: &mut Components,
    mut codes: Codes,
) -> (Stored, Keep, Codes) {
    let def = &gathered.def;
    let cells = tiling.cells();
    let mut all = Vec::new();
    let mut add = |name: String, codec: Codec| {
        // Cells are numbered, not named.
        let fields = (1..=CELLS as u16).take(cells);
        let fields = fields.map(|id| Field::new(id, codec)).collect();
        let component = components.add(&name, fields);
        all.push(component);
        component
    };
    // 0 means a cell without a row.
    let stated = add(format!("{}.stated", def.name), Codec::UInt { bits: 2 });
    let mut kept = Vec::new();
    let columns = def.columns.iter().zip(&gathered.surveys).enumerate();
    for (at, (column, survey)) in columns.filter(|(_, (column, _))| !column.key) {
        let coding = survey.coding();
        let mut ids = Vec::new();
        let places = coded(&coding, |what, codec| {
            let component = add(format!("{}.{}{what}", def.name, column.name), codec);
            ids.push(component);
            Place {
                component,
                field: None,
            }
        });
        if let Some(code) = codes.get_mut(at) {
            *code = Some(places);
        }
        kept.push((at, coding, ids));
    }
    let stored = Stored::Tiles {
        components: all,
        origin: tiling.origin().to_vec(),
        edges: tiling.edges().to_vec(),
        stated: Place {
            component: stated,
            field: None,
        },
    };
    let keep = Keep::Tiles {
        keys: keys(def),
        tiling,
        stated,
        columns: kept,
    };
    (stored, keep, codes)
}
