//! Rows of state and grid tables, as entities of a state.

use std::collections::HashMap;

use gametape_core::table::{Kind, Value};
use gametape_core::tape::Error;
use gametape_delta::{Snapshot, Value as Wire};
use serde_json::{Map, Value as Json, json};

use super::plan::{Keep, KeptComponent};
use super::spill::Block;
use crate::made::coding::{Coding, Word, json as of_value, value_of};
use crate::made::description::{StoredColumn, StoredTable};
use crate::made::tile::Tiling;

/// An entity of a table.
struct Slot {
    entity: u32,
    /// The last packet that changed the entity.
    packet: u32,
}

/// The result of adding a row.
pub(crate) enum Held {
    /// The row is in the state.
    Yes,
    /// The row is in the state as a new entity; this message describes the entity.
    New(Json),
    /// The current packet already has a row of the same key, so it must be finished first.
    Again,
    /// The row ends a key that did not exist.
    Nothing,
}

/// A row of a block.
#[derive(Clone, Copy)]
pub(crate) struct Row<'b> {
    pub block: &'b Block,
    pub at: usize,
    /// The number of the packet for the row.
    pub packet: u32,
}

impl Row<'_> {
    fn get(&self, column: usize) -> Word {
        self.block.get(self.at, column)
    }
}

/// The next unused entity number.
pub(crate) struct NextEntity(pub u32);

impl NextEntity {
    fn take(&mut self) -> Result<u32, Error> {
        let entity = self.0;
        let next = entity.checked_add(1);
        self.0 = next.ok_or_else(|| {
            Error::Unsupported("its tables have more keys than a packet has numbers".to_owned())
        })?;
        Ok(entity)
    }
}

/// The current rows of a table.
pub(crate) enum HeldRows {
    /// The table's rows are messages.
    Messages,
    Entities(Entities),
    Tiles(Tiles),
}

impl HeldRows {
    pub fn new(table: &StoredTable, keep: Keep) -> Self {
        match keep {
            Keep::Messages => Self::Messages,
            Keep::Entities { keys, parts } => Self::Entities(Entities {
                table: table.name.clone(),
                keys: keys
                    .into_iter()
                    .filter_map(|at| Key::of(at, table.columns.get(at)?))
                    .collect(),
                wires: parts.iter().map(|_| Vec::new()).collect(),
                parts,
                slots: HashMap::new(),
                words: Vec::new(),
            }),
            Keep::Tiles {
                keys,
                tiling,
                stated,
                columns,
            } => Self::Tiles(Tiles::new(table, keys, tiling, stated, columns)),
        }
    }

    /// Adds a text of a key.
    pub fn text(&mut self, column: usize, text: &str) {
        if let Self::Entities(entities) = self {
            let key = entities.keys.iter_mut().find(|key| key.column == column);
            if let Some(key) = key {
                key.texts.push(text.to_owned());
            }
        }
    }

    pub fn row(
        &mut self,
        row: Row<'_>,
        state: &mut Snapshot,
        next: &mut NextEntity,
    ) -> Result<Held, Error> {
        match self {
            Self::Messages => Ok(Held::Nothing),
            Self::Entities(entities) => entities.row(row, state, next),
            Self::Tiles(tiles) => tiles.row(row, next),
        }
    }

    /// Writes pending changes into the state.
    pub fn settle(&mut self, state: &mut Snapshot) -> Result<(), Error> {
        match self {
            Self::Messages | Self::Entities(_) => Ok(()),
            Self::Tiles(tiles) => tiles.settle(state),
        }
    }
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Unsupported(format!("a row does not fit its fields: {error}"))
}

/// A column of the table's key.
struct Key {
    column: usize,
    name: String,
    kind: Kind,
    /// For a column of texts, all texts; rows contain their numbers.
    texts: Vec<String>,
}

impl Key {
    fn of(at: usize, column: &StoredColumn) -> Option<Self> {
        Some(Self {
            column: at,
            name: column.name.clone(),
            kind: column.kind()?,
            texts: Vec::new(),
        })
    }

    fn value(&self, word: Word) -> Value<'_> {
        value_of(self.kind, word, |number| {
            let text = self.texts.get(usize::try_from(number).ok()?)?;
            Some(text.as_str())
        })
    }
}

/// Rows with a key, one entity each.
pub(crate) struct Entities {
    table: String,
    keys: Vec<Key>,
    parts: Vec<KeptComponent>,
    slots: HashMap<Box<[u64]>, Slot>,
    words: Vec<u64>,
    /// The values of each part of a row.
    wires: Vec<Vec<Wire>>,
}

impl Entities {
    fn row(
        &mut self,
        row: Row<'_>,
        state: &mut Snapshot,
        next: &mut NextEntity,
    ) -> Result<Held, Error> {
        self.words.clear();
        let mut missing = 0;
        for (at, key) in self.keys.iter().enumerate() {
            let word = row.get(key.column);
            missing |= u64::from(word.is_none()) << at.min(63);
            self.words.push(word.unwrap_or_default());
        }
        self.words.push(missing);
        let ends = row.block.ended.get(row.at) == Some(&true);
        let (entity, is_new) = match self.slots.get_mut(self.words.as_slice()) {
            Some(slot) if slot.packet == row.packet => return Ok(Held::Again),
            Some(slot) => {
                slot.packet = row.packet;
                (slot.entity, false)
            }
            None if ends => return Ok(Held::Nothing),
            None => {
                let slot = Slot {
                    entity: next.take()?,
                    packet: row.packet,
                };
                let entity = slot.entity;
                self.slots.insert(self.words.as_slice().into(), slot);
                (entity, true)
            }
        };
        if ends {
            let was_there = state.remove(entity);
            return Ok(if was_there { Held::Yes } else { Held::Nothing });
        }
        self.state(row, entity, state)?;
        Ok(if is_new {
            Held::New(self.label(row, entity))
        } else {
            Held::Yes
        })
    }

    fn state(&mut self, row: Row<'_>, entity: u32, state: &mut Snapshot) -> Result<(), Error> {
        let old = state.entity(entity);
        let first = self.parts.first().map_or(0, |part| part.component);
        let stated = old.and_then(|old| old.component(first)?.values().next());
        let mut stated = stated == Some(Wire::Bool(true));
        let mut same = old.is_some();
        for (part, wires) in self.parts.iter().zip(&mut self.wires) {
            wires.clear();
            if part.stated {
                wires.push(Wire::Bool(stated));
            }
            for (column, coding) in &part.columns {
                coding.write(row.get(*column), wires);
            }
            let old = old.and_then(|old| old.component(part.component));
            same &= old.is_some_and(|old| old.values().eq(wires.iter().copied()));
        }
        // A row that repeats the previous values must still be visible.
        if same {
            stated = !stated;
            let first = self.wires.first_mut().and_then(|wires| wires.first_mut());
            if let Some(first) = first {
                *first = Wire::Bool(stated);
            }
        }
        let mut entity = state.entry(entity);
        for (part, wires) in self.parts.iter().zip(&self.wires) {
            entity.set(part.component, wires).map_err(refused)?;
        }
        Ok(())
    }

    fn label(&self, row: Row<'_>, entity: u32) -> Json {
        let key = |key: &Key| (key.name.clone(), of_value(key.value(row.get(key.column))));
        let keys: Map<String, Json> = self.keys.iter().map(key).collect();
        json!({ "table": self.table, "entity": entity, "key": keys })
    }
}

/// A tile of cells.
struct Tile {
    entity: u32,
    /// The values of each component.
    wires: Vec<Vec<Wire>>,
    /// For each cell, the last packet that changed it.
    packets: Vec<u32>,
    changed: bool,
}

/// Cells, grouped in tiles.
pub(crate) struct Tiles {
    table: String,
    keys: Vec<(usize, bool)>,
    tiling: Tiling,
    columns: Vec<(usize, Coding)>,
    /// The components: the one that says which cells have rows, then those of the columns.
    components: Vec<u16>,
    all: Vec<Tile>,
    found: HashMap<Box<[u64]>, usize>,
    cell: Vec<i128>,
    tile: Vec<u64>,
    wires: Vec<Wire>,
}

/// The values that mark a cell with a row. They alternate when a row repeats the previous values.
const STATED: [Wire; 2] = [Wire::UInt(1), Wire::UInt(2)];

impl Tiles {
    fn new(
        table: &StoredTable,
        keys: Vec<usize>,
        tiling: Tiling,
        stated: u16,
        columns: Vec<(usize, Coding, Vec<u16>)>,
    ) -> Self {
        let signed = |at: &usize| {
            let column = table.columns.get(*at);
            column.and_then(StoredColumn::kind) == Some(Kind::Int)
        };
        let ids = columns.iter().flat_map(|(_, _, ids)| ids).copied();
        Self {
            table: table.name.clone(),
            keys: keys.into_iter().map(|at| (at, signed(&at))).collect(),
            tiling,
            components: std::iter::once(stated).chain(ids).collect(),
            columns: columns
                .into_iter()
                .map(|(at, coding, _)| (at, coding))
                .collect(),
            all: Vec::new(),
            found: HashMap::new(),
            cell: Vec::new(),
            tile: Vec::new(),
            wires: Vec::new(),
        }
    }

    fn row(&mut self, row: Row<'_>, next: &mut NextEntity) -> Result<Held, Error> {
        if row.block.ended.get(row.at) == Some(&true) {
            return Ok(Held::Nothing);
        }
        self.cell.clear();
        for (column, signed) in &self.keys {
            let word = row.get(*column).unwrap_or_default();
            self.cell.push(if *signed {
                word.cast_signed().into()
            } else {
                word.into()
            });
        }
        let cell = self.tiling.place(&self.cell, &mut self.tile);
        let (at, is_new) = match self.found.get(self.tile.as_slice()) {
            Some(at) => (*at, false),
            None => (self.add(next)?, true),
        };
        let Some(tile) = self.all.get_mut(at) else {
            return Ok(Held::Nothing);
        };
        match tile.packets.get_mut(cell) {
            Some(packet) if *packet == row.packet => return Ok(Held::Again),
            Some(packet) => *packet = row.packet,
            None => return Ok(Held::Nothing),
        }
        self.wires.clear();
        for (column, coding) in &self.columns {
            coding.write(row.get(*column), &mut self.wires);
        }
        tile.set(cell, &self.wires);
        Ok(if is_new {
            let label = json!({ "table": self.table, "entity": tile.entity, "tile": self.tile });
            Held::New(label)
        } else {
            Held::Yes
        })
    }

    /// Adds a tile without rows.
    fn add(&mut self, next: &mut NextEntity) -> Result<usize, Error> {
        let cells = self.tiling.cells();
        self.wires.clear();
        self.wires.push(Wire::UInt(0));
        for (_, coding) in &self.columns {
            coding.write(None, &mut self.wires);
        }
        let wires = self.wires.iter();
        let at = self.all.len();
        self.all.push(Tile {
            entity: next.take()?,
            wires: wires.map(|wire| vec![*wire; cells]).collect(),
            packets: vec![0; cells],
            changed: true,
        });
        self.found.insert(self.tile.as_slice().into(), at);
        Ok(at)
    }

    fn settle(&mut self, state: &mut Snapshot) -> Result<(), Error> {
        for tile in self.all.iter_mut().filter(|tile| tile.changed) {
            let mut entity = state.entry(tile.entity);
            for (component, wires) in self.components.iter().zip(&tile.wires) {
                entity.set(*component, wires).map_err(refused)?;
            }
            tile.changed = false;
        }
        Ok(())
    }
}

impl Tile {
    /// Sets the values of a cell.
    fn set(&mut self, cell: usize, values: &[Wire]) {
        self.changed = true;
        let Some((stated, columns)) = self.wires.split_first_mut() else {
            return;
        };
        let mut same = true;
        for (column, value) in columns.iter_mut().zip(values) {
            if let Some(field) = column.get_mut(cell) {
                same &= *field == *value;
                *field = *value;
            }
        }
        let [one, other] = STATED;
        if let Some(field) = stated.get_mut(cell) {
            *field = match *field {
                Wire::UInt(0) => one,
                field if same && field == one => other,
                _ if same => one,
                field => field,
            };
        }
    }
}
