//! The cells of a grid, by where they are.

use gametape::{Batch, TableDef, Value};

use super::views::Grid;

/// More cells than anybody looks at, and than are held.
const MOST: usize = 1 << 24;

/// Which row of a batch a cell is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cells {
    /// The least coordinates: across, down, deep.
    pub from: [i64; 3],
    /// How many there are of each; none of anything where the cells are too many to be held.
    pub size: [usize; 3],
    /// A row each, counted from one.
    rows: Vec<u32>,
}

/// A whole number.
pub const fn whole(value: Value<'_>) -> Option<i64> {
    match value {
        Value::Int(value) => Some(value),
        Value::Uint(value) if value <= i64::MAX as u64 => Some(value as i64),
        _ => None,
    }
}

/// Any number that is one.
pub fn number(value: Value<'_>) -> Option<f64> {
    let number = match value {
        Value::Int(value) => value as f64,
        Value::Uint(value) => value as f64,
        Value::Float32(value) => f64::from(value),
        Value::Float64(value) => value,
        Value::Bool(value) => f64::from(u8::from(value)),
        Value::Null | Value::Text(_) => return None,
    };
    number.is_finite().then_some(number)
}

impl Cells {
    /// Of a batch that has all columns of its table.
    pub fn new(grid: &Grid, table: &TableDef, batch: &Batch) -> Self {
        let keys = [Some(grid.across), grid.down, grid.deep];
        let at =
            |row: usize, key: Option<usize>| key.map_or(Some(0), |key| whole(batch.get(row, key)));
        let mut cells = Self::default();
        let order: Vec<usize> = (0..table.columns.len())
            .filter(|at| table.columns.get(*at).is_some_and(|column| column.key))
            .collect();
        for ((key, from), size) in keys.iter().zip(&mut cells.from).zip(&mut cells.size) {
            let stand = (0..batch.len()).filter_map(|row| at(row, *key));
            let (least, most) = stand.fold((i64::MAX, i64::MIN), |(least, most), at| {
                (least.min(at), most.max(at))
            });
            if least > most {
                return Self::default();
            }
            // The table says how many there are; where they start, the cells say.
            let place = key.and_then(|key| order.iter().position(|other| *other == key));
            let told = place.and_then(|place| table.shape.get(place)).copied();
            let told = told.and_then(|told| i64::try_from(told).ok()).unwrap_or(0);
            *from = if least >= 0 && most < told { 0 } else { least };
            let seen = most.saturating_sub(*from).saturating_add(1);
            *size = usize::try_from(seen.max(told)).unwrap_or(usize::MAX);
        }
        let [across, down, deep] = cells.size;
        let count = across
            .checked_mul(down)
            .and_then(|count| count.checked_mul(deep));
        let Some(count) = count.filter(|count| *count <= MOST) else {
            return Self::default();
        };
        cells.rows = vec![0; count];
        for row in 0..batch.len() {
            let mut place = [0; 3];
            for ((key, from), place) in keys.iter().zip(cells.from).zip(&mut place) {
                let here = at(row, *key).map(|at| at.saturating_sub(from));
                *place = here
                    .and_then(|here| usize::try_from(here).ok())
                    .unwrap_or(usize::MAX);
            }
            let index = cells.index(place);
            if let Some(cell) = index.and_then(|index| cells.rows.get_mut(index)) {
                *cell = u32::try_from(row + 1).unwrap_or_default();
            }
        }
        cells
    }

    /// Where a cell with these coordinates is.
    #[cfg(feature = "picture")]
    pub fn place(&self, coordinates: [i64; 3]) -> Option<[usize; 3]> {
        let mut place = [0; 3];
        for ((at, from), place) in coordinates.iter().zip(self.from).zip(&mut place) {
            *place = usize::try_from(at.checked_sub(from)?).ok()?;
        }
        self.index(place).map(|_| place)
    }

    /// How many cells there is room for.
    #[cfg(feature = "picture")]
    pub const fn room(&self) -> usize {
        self.rows.len()
    }

    /// The number of a place, from 0, below [`Cells::room`].
    pub fn index(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let [across, down, deep] = self.size;
        (x < across && y < down && z < deep).then(|| (z * down + y) * across + x)
    }

    /// The row of the cell at a place, counted from the least coordinates.
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
}
