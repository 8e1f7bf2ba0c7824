//! The cells of a grid: where they are, what they hold at a moment, and how often they change.

use std::collections::BTreeMap;

use gametape::core::table::Owned;
use gametape::{Batch, ColumnDef, Kind, TableDef, Value};

use super::range::{Range, number};
use super::symbols::Symbols;
use super::views::Grid;

/// The largest number of cells that an index is built for.
const MAX_CELLS: usize = 1 << 24;

/// An index from the place of a cell to its row in a batch.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cells {
    /// The least coordinates: across, down, deep.
    pub from: [i64; 3],
    /// The number of cells in each direction; all zero if there are more than `MAX_CELLS`.
    pub size: [usize; 3],
    /// One plus the row of each cell; 0 for a cell without a row.
    rows: Vec<u32>,
}

impl Cells {
    /// Indexes a batch that has all columns of its table.
    pub fn new(grid: &Grid, table: &TableDef, batch: &Batch) -> Self {
        let keys = grid.keys();
        let at = |row: usize, key: Option<usize>| {
            key.map_or(Some(0), |key| batch.get(row, key).as_i64())
        };
        let mut cells = Self::default();
        let order: Vec<usize> = (0..table.columns.len())
            .filter(|at| table.columns.get(*at).is_some_and(|column| column.key))
            .collect();
        for ((key, from), size) in keys.iter().zip(&mut cells.from).zip(&mut cells.size) {
            let coordinates = (0..batch.len()).filter_map(|row| at(row, *key));
            let (least, most) = coordinates.fold((i64::MAX, i64::MIN), |(least, most), at| {
                (least.min(at), most.max(at))
            });
            if least > most {
                return Self::default();
            }
            // The table's shape gives the size; the cells show whether coordinates start at 0.
            let place = key.and_then(|key| order.iter().position(|other| *other == key));
            let shape = place.and_then(|place| table.shape.get(place)).copied();
            let shape = shape
                .and_then(|shape| i64::try_from(shape).ok())
                .unwrap_or(0);
            *from = if least >= 0 && most < shape { 0 } else { least };
            let seen = most.saturating_sub(*from).saturating_add(1);
            *size = usize::try_from(seen.max(shape)).unwrap_or(usize::MAX);
        }
        let [across, down, deep] = cells.size;
        let count = across
            .checked_mul(down)
            .and_then(|count| count.checked_mul(deep));
        let Some(count) = count.filter(|count| *count <= MAX_CELLS) else {
            return Self::default();
        };
        cells.rows = vec![0; count];
        for row in 0..batch.len() {
            let coordinates = keys.map(|key| at(row, key).unwrap_or(i64::MAX));
            let index = cells.index_at(coordinates);
            if let Some(cell) = index.and_then(|index| cells.rows.get_mut(index)) {
                *cell = u32::try_from(row + 1).unwrap_or_default();
            }
        }
        cells
    }

    /// The index of the cell with these coordinates.
    pub fn index_at(&self, coordinates: [i64; 3]) -> Option<usize> {
        let mut place = [0; 3];
        for ((at, from), place) in coordinates.iter().zip(self.from).zip(&mut place) {
            *place = usize::try_from(at.checked_sub(from)?).ok()?;
        }
        self.index(place)
    }

    /// The number of cells that the index has room for.
    pub const fn room(&self) -> usize {
        self.rows.len()
    }

    /// The index of a place, from 0, below [`Cells::room`].
    pub fn index(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let [across, down, deep] = self.size;
        (x < across && y < down && z < deep).then(|| (z * down + y) * across + x)
    }

    /// The row of the cell at a place; places count from the least coordinates.
    pub fn row(&self, place: [usize; 3]) -> Option<usize> {
        let row = *self.rows.get(self.index(place)?)?;
        (row as usize).checked_sub(1)
    }

    /// The coordinates of a place.
    pub fn coordinates(&self, place: [usize; 3]) -> [i64; 3] {
        let mut coordinates = self.from;
        for (from, place) in coordinates.iter_mut().zip(place) {
            *from = from.saturating_add(i64::try_from(place).unwrap_or(i64::MAX));
        }
        coordinates
    }

    /// The places of a square of `by` cells each way, those outside the grid left out.
    pub fn square(
        &self,
        [x, y, z]: [usize; 3],
        by: usize,
    ) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [across, down, _] = self.size;
        let (right, below) = ((x + by).min(across), (y + by).min(down));
        (y..below).flat_map(move |y| (x..right).map(move |x| [x, y, z]))
    }
}

/// What the values of a grid mean, as far as they were seen: the symbol of each text, the range of each
/// column of numbers.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Legend {
    pub symbols: Symbols,
    /// One per value column of the grid.
    pub ranges: Vec<Option<Range>>,
}

impl Legend {
    /// Adds the values of a batch that has all columns of the grid's table.
    pub fn learn(&mut self, grid: &Grid, batch: &Batch) {
        self.ranges.resize(grid.values.len(), None);
        for (at, range) in grid.values.iter().zip(&mut self.ranges) {
            for row in 0..batch.len() {
                match batch.get(row, *at) {
                    Value::Text(text) => self.symbols.learn(text),
                    value => {
                        if let Some(value) = number(value) {
                            *range = Some(Range::with(*range, value));
                        }
                    }
                }
            }
        }
    }

    /// The range of a column of the table.
    pub fn range(&self, grid: &Grid, column: usize) -> Option<Range> {
        let at = grid.values.iter().position(|value| *value == column)?;
        self.ranges.get(at).copied().flatten()
    }
}

/// A grid at a moment, and the column of it that is drawn.
#[derive(Clone, Copy)]
pub struct Board<'s> {
    pub grid: &'s Grid,
    pub table: &'s TableDef,
    pub cells: &'s Cells,
    pub legend: &'s Legend,
    /// All columns of the table.
    pub batch: &'s Batch,
    /// The column and the row of the recording's cursor.
    pub cursor: Option<&'s Batch>,
    /// The column that is drawn.
    pub value: usize,
}

/// What is drawn for one cell, or for a square of cells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Content<'s> {
    /// The commonest text of the square.
    Text(&'s str),
    /// The mean of the square, as a part of the column's range, from 0 to 1.
    Part(f64),
    Nothing,
}

impl<'s> Board<'s> {
    /// The column that is drawn.
    pub fn column(&self) -> Option<&'s ColumnDef> {
        self.table.columns.get(self.value)
    }

    /// Whether that column is text.
    pub fn is_text(&self) -> bool {
        self.column()
            .is_some_and(|column| column.kind == Kind::Text)
    }

    /// The range of that column's numbers.
    pub fn range(&self) -> Option<Range> {
        self.legend.range(self.grid, self.value)
    }

    /// Whether the two compared columns of a row differ.
    pub fn differs(&self, row: usize) -> bool {
        let compared = self.grid.compared;
        compared.is_some_and(|(one, other)| self.batch.get(row, one) != self.batch.get(row, other))
    }

    /// The cell that the recording's cursor is at.
    pub fn cursor(&self) -> Option<[usize; 2]> {
        let batch = self.cursor?;
        let at = |column, from: i64| {
            usize::try_from(batch.get(0, column).as_i64()?.checked_sub(from)?).ok()
        };
        let [x, y, _] = self.cells.from;
        Some([at(0, x)?, at(1, y)?])
    }

    /// The coordinates of a cell: `row 3, col 4`.
    pub fn place(&self, at: [usize; 3]) -> String {
        let coordinates = self.cells.coordinates(at);
        let mut parts: Vec<(usize, String)> = self
            .grid
            .keys()
            .iter()
            .zip(coordinates)
            .filter_map(|(key, at)| {
                let key = (*key)?;
                let column = self.table.columns.get(key)?;
                Some((key, format!("{} {at}", column.name)))
            })
            .collect();
        parts.sort();
        let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
        parts.join(", ")
    }

    /// What is drawn for a square of `by` cells each way.
    pub fn content(&self, from: [usize; 3], by: usize) -> Content<'s> {
        let content = if self.is_text() {
            self.commonest(from, by).map(Content::Text)
        } else {
            let mean = self.mean(from, by);
            mean.map(|mean| Content::Part(Range::part(self.range(), mean)))
        };
        content.unwrap_or(Content::Nothing)
    }

    /// The mean over the cells of a square that have a number.
    fn mean(&self, from: [usize; 3], by: usize) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_u32);
        for place in self.cells.square(from, by) {
            let row = self.cells.row(place);
            if let Some(number) = row.and_then(|row| number(self.batch.get(row, self.value))) {
                sum += number;
                count += 1;
            }
        }
        (count > 0).then(|| sum / f64::from(count))
    }

    /// The text that most cells of a square hold.
    fn commonest(&self, from: [usize; 3], by: usize) -> Option<&'s str> {
        let text = |place| match self.batch.get(self.cells.row(place)?, self.value) {
            Value::Text(text) => Some(text),
            _ => None,
        };
        if by == 1 {
            return text(from);
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in self.cells.square(from, by).filter_map(text) {
            *counts.entry(text).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(text, _)| text)
    }
}

/// Counts how often each cell changes, while rows are read.
pub struct Changes {
    /// By the index of the cell.
    pub counts: Vec<u32>,
    values: Vec<Option<Owned>>,
}

impl Changes {
    /// Starts without a value for any cell.
    pub fn new(cells: &Cells) -> Self {
        Self {
            counts: vec![0; cells.room()],
            values: vec![None; cells.room()],
        }
    }

    /// Counts the changes in a batch. Its columns are `keys` key columns (across, down, deep), then the
    /// value. The first value of a cell is no change.
    pub fn see(&mut self, cells: &Cells, keys: usize, batch: &Batch) {
        for row in 0..batch.len() {
            let mut at = [0; 3];
            for (key, at) in at.iter_mut().enumerate().take(keys) {
                *at = batch.get(row, key).as_i64().unwrap_or(i64::MAX);
            }
            let index = cells.index_at(at);
            let Some((old, count)) =
                index.and_then(|index| self.values.get_mut(index).zip(self.counts.get_mut(index)))
            else {
                continue;
            };
            let value = batch.get(row, keys);
            match old {
                Some(old) if old.value().is_same(value) => continue,
                Some(_) => *count = count.saturating_add(1),
                None => {}
            }
            *old = Some(value.into());
        }
    }
}
