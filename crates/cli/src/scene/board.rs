//! The cells of a grid at a moment, and what is to be seen in them.

use gametape::{Batch, Kind, TableDef};

use super::cells::{Cells, number, whole};
use super::views::Grid;

/// A grid at a moment.
#[derive(Clone, Copy)]
pub struct Board<'s> {
    pub grid: &'s Grid,
    pub table: &'s TableDef,
    pub cells: &'s Cells,
    /// All columns of the table.
    pub batch: &'s Batch,
    /// The column and the row of the recording's cursor.
    pub cursor: Option<&'s Batch>,
}

impl Board<'_> {
    /// Whether a column of the table is text.
    pub fn is_text(&self, column: usize) -> bool {
        let column = self.table.columns.get(column);
        column.is_some_and(|column| column.kind == Kind::Text)
    }

    /// Where two columns of a cell say different things.
    pub fn differs(&self, row: usize) -> bool {
        let compared = self.grid.compared;
        compared.is_some_and(|(one, other)| self.batch.get(row, one) != self.batch.get(row, other))
    }

    /// The cell that the recording's cursor is at.
    pub fn cursor(&self) -> Option<[usize; 2]> {
        let batch = self.cursor?;
        let at = |column, from: i64| {
            usize::try_from(whole(batch.get(0, column))?.checked_sub(from)?).ok()
        };
        let [x, y, _] = self.cells.from;
        Some([at(0, x)?, at(1, y)?])
    }

    /// `row 3, col 4`, of a cell.
    pub fn place(&self, at: [usize; 3]) -> String {
        let coordinates = self.cells.coordinates(at);
        let keys = [Some(self.grid.across), self.grid.down, self.grid.deep];
        let mut told: Vec<(usize, String)> = keys
            .iter()
            .zip(coordinates)
            .filter_map(|(key, at)| {
                let key = (*key)?;
                let column = self.table.columns.get(key)?;
                Some((key, format!("{} {at}", column.name)))
            })
            .collect();
        told.sort();
        let told: Vec<String> = told.into_iter().map(|(_, told)| told).collect();
        told.join(", ")
    }

    /// The mean of a value over some cells each way, of those that have one.
    pub fn mean(&self, value: usize, [x, y, z]: [usize; 3], by: usize) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_u32);
        for y in y..y + by {
            for x in x..x + by {
                let row = self.cells.row([x, y, z]);
                let number = row.and_then(|row| number(self.batch.get(row, value)));
                if let Some(number) = number {
                    sum += number;
                    count += 1;
                }
            }
        }
        (count > 0).then(|| sum / f64::from(count))
    }
}
