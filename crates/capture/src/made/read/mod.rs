//! Reads the rows of a table, and the stamps of packets, from states.

mod labels;
pub(super) mod range;
pub(super) mod scan;
pub(super) mod seek;

use std::collections::HashMap;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Kind, Scan, TableDef, Value, plain_name};
use gametape_core::tape::{self, Secrets, Work, object};
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Entity, Schema, Snapshot, Value as Wire};
use serde_json::{Map, Value as Json, json};

use self::labels::{Label, Labels};
use self::scan::{clocks, scan};
use super::coding::{Coding, Word, value_of};
use super::description::{Coded, Description, MadeOf, Place, Stored, broken, stamp_of};
use super::tile::Tiling;
use crate::error::CaptureError;
use crate::read::Capture;
use crate::rule::Error;

/// The description and the tables of a capture that was made from tables.
pub(crate) struct Made {
    pub(super) of: Description,
    /// The tables of the original recording, followed by the table of packets.
    pub tables: Vec<TableDef>,
}

impl Made {
    /// Reads the description of a capture with this schema; `packets` is the table of its packets.
    ///
    /// # Errors
    /// [`CaptureRule::Tables`](crate::CaptureRule::Tables).
    pub fn read(json: &str, schema: &Schema, packets: TableDef) -> Result<Self, Error> {
        let of = Description::read(json)?;
        let mut tables = of.defs()?;
        for table in 0..of.tables.len() {
            RowReader::new(&of, schema, table)?;
        }
        StampReader::new(&of, schema)?;
        let name = plain_name(&packets.name, "packets", |name| {
            tables.iter().any(|table| table.name == name)
        });
        tables.push(TableDef {
            name: name.into(),
            ..packets
        });
        Ok(Self { of, tables })
    }

    /// The recording from which the capture was made.
    pub const fn made_of(&self) -> &MadeOf {
        &self.of.made_of
    }
}

/// Information about the recording from which a capture was made.
pub(crate) struct Told {
    pub duration_ms: Option<u64>,
    pub details: Map<String, Json>,
}

/// Reads it from the description of a capture; `None` if the description is invalid.
pub(crate) fn told(json: &str) -> Option<Told> {
    let of = Description::read(json).ok()?;
    let made_of = &of.made_of;
    let time = |moment: Option<super::description::Moment>| moment?.time_ns;
    let ns = time(made_of.first).zip(time(made_of.last));
    let ns = ns.and_then(|(first, last)| u64::try_from(last.checked_sub(first)?).ok());
    let steps = made_of.first.zip(made_of.last);
    let steps = steps.map(|(first, last)| last.step.saturating_sub(first.step).saturating_add(1));
    let tables: Vec<Json> = of
        .tables
        .iter()
        .map(|table| table.name.clone().into())
        .collect();
    Some(Told {
        duration_ms: ns.map(|ns| ns / 1_000_000),
        details: object(json!({
            "made_of": {
                "format": made_of.format,
                "format_version": made_of.format_version,
                "step": made_of.step,
                "steps": steps,
            },
            "tables": tables,
        })),
    })
}

/// Finds the stamps of packets.
pub(crate) struct StampReader {
    entity: u32,
    columns: [(Coding, Vec<Place>); 3],
}

impl StampReader {
    pub(super) fn new(of: &Description, schema: &Schema) -> Result<Self, Error> {
        let clock = &of.clock;
        let column = |kind: Kind, coded: Coded| {
            let coding = coded.coding(kind, schema);
            let sound = coded.places().all(|place| place.field.is_some());
            let coding = coding.filter(|_| sound);
            let coding = coding.ok_or_else(|| broken("its clock is not in its packets"))?;
            Ok::<_, Error>((coding, coded.places().collect()))
        };
        Ok(Self {
            entity: clock.entity,
            columns: [
                column(Kind::Uint, clock.step)?,
                column(Kind::Uint, clock.tick)?,
                column(Kind::Int, clock.time_ns)?,
            ],
        })
    }

    pub const fn entity(&self) -> u32 {
        self.entity
    }

    /// The stamp of a state.
    pub fn stamp(&self, state: &Snapshot) -> Option<Stamp> {
        let entity = state.entity(self.entity)?;
        self.stamp_of(|place| entity.value(place.component, place.field?))
    }

    /// The stamp of a packet, with the values of the clock's fields before it, which become those
    /// after it.
    pub fn stamp_after(
        &self,
        packet: &gametape_delta::Packet,
        known: &mut HashMap<(u16, u16), Wire>,
    ) -> Option<Stamp> {
        let sections = packet.sections.iter();
        let entities = sections.flat_map(|section| &section.entities);
        for entity in entities.filter(|entity| entity.id == self.entity) {
            for component in &entity.components {
                let fields = component.fields.iter();
                known.extend(fields.map(|(field, value)| ((component.id, *field), *value)));
            }
        }
        self.stamp_of(|place| known.get(&(place.component, place.field?)).copied())
    }

    /// The stamp of a packet in which the clock's fields have these values.
    fn stamp_of(&self, value: impl Fn(Place) -> Option<Wire>) -> Option<Stamp> {
        let [step, tick, time] = &self.columns;
        let word = |(coding, places): &(Coding, Vec<Place>)| {
            let wires: Option<Vec<Wire>> = places.iter().map(|place| value(*place)).collect();
            Some(coding.read(&wires?))
        };
        Some(stamp_of(word(step)?, word(tick)?, word(time)?))
    }
}

/// The indices of a column's fields among the values of an entity; in tiles, those of the first
/// cell.
struct ColumnFields {
    coding: Coding,
    places: Vec<usize>,
}

/// A column of a table.
enum ReadColumn {
    /// A key, by its index among the keys.
    Key(usize, Kind),
    Fields(ColumnFields),
}

/// Reads those rows of a table that are stored in packets.
pub(super) struct RowReader {
    table: usize,
    components: Vec<u16>,
    columns: Vec<ReadColumn>,
    pub tiles: Option<Tiling>,
    /// For tiles, the index of the values that say which cells have rows.
    stated: usize,
}

impl RowReader {
    /// # Errors
    /// [`CaptureRule::Tables`](crate::CaptureRule::Tables).
    pub fn new(of: &Description, schema: &Schema, table: usize) -> Result<Self, Error> {
        let Some(described) = of.tables.get(table) else {
            return Err(broken("a table that is not there"));
        };
        let wrong = || {
            broken(format!(
                "the columns of {} are not in its packets",
                described.name
            ))
        };
        let (components, tiles, stated) = match &described.stored {
            Stored::Labels | Stored::Events => (&[][..], None, None),
            Stored::Entities { components, .. } => (components.as_slice(), None, None),
            Stored::Tiles {
                components,
                origin,
                edges,
                stated,
            } => {
                let tiling = Tiling::found(origin, edges).ok_or_else(wrong)?;
                let keys = described.columns.iter().filter(|column| column.key);
                if keys.count() != edges.len() {
                    return Err(wrong());
                }
                (components.as_slice(), Some(tiling), Some(*stated))
            }
        };
        let in_packets = !components.is_empty();
        let place =
            |place: Place| place_of(components, tiles.as_ref(), schema, place).ok_or_else(wrong);
        let mut keys = 0..;
        let mut columns = Vec::new();
        for column in &described.columns {
            let kind = column.kind().ok_or_else(wrong)?;
            columns.push(match column.coded {
                Some(coded) if in_packets => ReadColumn::Fields(ColumnFields {
                    coding: coded.coding(kind, schema).ok_or_else(wrong)?,
                    places: coded.places().map(place).collect::<Result<_, Error>>()?,
                }),
                None if in_packets && !column.key => return Err(wrong()),
                _ => ReadColumn::Key(keys.next().unwrap_or_default(), kind),
            });
        }
        Ok(Self {
            table,
            components: components.to_vec(),
            columns,
            stated: stated.map(place).transpose()?.unwrap_or_default(),
            tiles,
        })
    }

    /// Whether an entity belongs to this table: such an entity has the table's first component.
    pub fn is_of(&self, entity: &Entity<'_>) -> bool {
        let first = self.components.first();
        first.is_some_and(|first| entity.component(*first).is_some())
    }

    /// All values of an entity.
    pub fn values(&self, entity: &Entity<'_>, into: &mut Vec<Wire>) {
        into.clear();
        for component in &self.components {
            if let Some(part) = entity.component(*component) {
                into.extend(part.values());
            }
        }
    }

    /// Whether a cell of a tile has a row.
    pub fn has(&self, values: &[Wire], cell: usize) -> bool {
        values.get(self.stated + cell) != Some(&Wire::UInt(0))
    }

    /// Whether a cell of a tile has new values, or repeats its values.
    pub fn differs(&self, old: &[Wire], new: &[Wire], cell: usize) -> bool {
        let differs = |place: usize| old.get(place + cell) != new.get(place + cell);
        let fields = self.columns.iter().filter_map(|column| match column {
            ReadColumn::Fields(fields) => Some(fields),
            ReadColumn::Key(..) => None,
        });
        let mut places = fields.flat_map(|fields| &fields.places);
        differs(self.stated) || places.any(|place| differs(*place))
    }

    /// The value of a column, for an entity or one of its cells.
    pub fn value<'l>(&self, labels: &'l Labels, row: &RowOf<'l, '_>, column: usize) -> Value<'l> {
        match self.columns.get(column) {
            None => Value::Null,
            Some(ReadColumn::Key(at, kind)) => match &row.key {
                KeyOf::Row(Some(Label::Key(keys))) => {
                    keys.get(*at).map_or(Value::Null, |key| key.value())
                }
                KeyOf::Row(_) => Value::Null,
                KeyOf::Cell(cell) => cell.get(*at).map_or(Value::Null, |at| match kind {
                    Kind::Int => i64::try_from(*at).ok().into(),
                    _ => u64::try_from(*at).ok().into(),
                }),
            },
            Some(ReadColumn::Fields(fields)) => {
                let word = fields.read(row.values, row.cell);
                let text = |number| labels.text(self.table, column, number);
                value_of(fields.coding.kind, word, text)
            }
        }
    }
}

impl ColumnFields {
    fn read(&self, values: &[Wire], cell: usize) -> Word {
        let value = |place: &usize| values.get(place + cell).copied();
        match self.places.as_slice() {
            [plain] => self.coding.read(&[value(plain)?]),
            [how, plain] => self.coding.read(&[value(how)?, value(plain)?]),
            [how, plain, exact] => {
                let wires = [value(how)?, value(plain)?, value(exact)?];
                self.coding.read(&wires)
            }
            _ => None,
        }
    }
}

/// The key of a row.
pub(super) enum KeyOf<'l, 'c> {
    Row(Option<&'l Label>),
    Cell(&'c [i128]),
}

/// A row of a state: the values of its entity, and the index of its cell.
pub(super) struct RowOf<'l, 'c> {
    pub key: KeyOf<'l, 'c>,
    pub values: &'c [Wire],
    pub cell: usize,
}

/// The index of a field among the values of an entity with these components.
fn place_of(
    components: &[u16],
    tiles: Option<&Tiling>,
    schema: &Schema,
    place: Place,
) -> Option<usize> {
    let mut before = 0;
    for id in components {
        let (_, component) = schema.component(*id)?;
        if *id == place.component {
            let within = match (place.field, tiles) {
                (Some(id), None) => component.fields.iter().position(|field| field.id == id)?,
                // There is one field per cell, and all have the same codec.
                (None, Some(tiling)) => {
                    let codec = component.fields.first()?.codec;
                    let mut fields = component.fields.iter();
                    let sound = component.fields.len() == tiling.cells()
                        && fields.all(|field| field.codec == codec);
                    sound.then_some(0)?
                }
                _ => return None,
            };
            return Some(before + within);
        }
        before += component.fields.len();
    }
    None
}

impl Made {
    /// Finds the stamps of packets; also the clocks by which moments can be named.
    ///
    /// # Errors
    /// [`CaptureRule::Tables`](crate::CaptureRule::Tables).
    pub fn stamps(&self, schema: &Schema) -> Result<(StampReader, Clocks), Error> {
        Ok((StampReader::new(&self.of, schema)?, clocks(&self.of)))
    }

    /// The description, as JSON, of a part from one moment to another. `rows` gives the number of
    /// rows of each table; without it, the old numbers are kept.
    pub fn part(
        &self,
        [first, last]: [Stamp; 2],
        rows: Option<&[u64]>,
    ) -> Result<String, CaptureError> {
        let mut of = self.of.clone();
        of.made_of.first = Some(first.into());
        of.made_of.last = Some(last.into());
        for (table, rows) in of.tables.iter_mut().zip(rows.unwrap_or_default()) {
            table.rows = *rows;
        }
        serde_json::to_string(&of).map_err(|error| CaptureError::Write(error.to_string()))
    }

    /// Counts the rows of each table.
    pub fn count(&self, capture: &Capture<'_>) -> Result<Vec<u64>, tape::Error> {
        let tables = self.of.tables.iter();
        let scans: Vec<Scan> = tables
            .map(|table| Scan {
                secrets: Secrets::Show,
                ..Scan::table(&*table.name)
            })
            .collect();
        let mut rows = vec![0; scans.len()];
        let mut visit = |scan: usize, batch: Batch| {
            if let Some(rows) = rows.get_mut(scan) {
                *rows += batch.len() as u64;
            }
            Ok(ControlFlow::Continue(()))
        };
        let work = Work::default();
        let read = scan(
            capture,
            self,
            &scans,
            &|_, _| Value::Null,
            &work,
            &mut visit,
        )?;
        let problem = read.into_iter().find_map(|read| read.problem);
        problem.map_or(Ok(rows), Err)
    }
}
