//! The time that a cursor spends over each cell of a grid, and its path.

use gametape::{Batch, Stamp};

use super::board::Cells;
use super::range::number;
use super::time::Axis;

/// The largest number of positions kept; more are thinned, and the line looks the same.
const PLACES: usize = 50_000;

/// The time over each cell, and the cursor's path.
pub struct Dwell {
    /// By the index of the cell, in `unit`.
    pub over: Vec<f64>,
    /// The time over no cell.
    pub outside: f64,
    pub unit: &'static str,
    /// The paths, in cells from the corner of the first one.
    pub paths: Vec<Vec<(f64, f64)>>,
    /// The last position.
    pub last: Option<(f64, f64)>,
}

/// A position: the cell, and the exact place if the recording has it.
#[derive(Clone, Copy, PartialEq)]
struct Position {
    cell: Option<[i64; 2]>,
    at: Option<(f64, f64)>,
}

/// Counts the time over cells while rows are read.
pub struct DwellCounter<'c> {
    cells: &'c Cells,
    axis: Axis,
    over: Vec<f64>,
    outside: f64,
    now: Option<(Stamp, Position)>,
    positions: Vec<Position>,
    /// One position of this many is kept.
    every: usize,
    seen: usize,
    size: Size,
}

/// The bounds of a cell's width in the unit of positions.
#[derive(Clone, Copy)]
struct Size {
    least: f64,
    most: f64,
}

impl Size {
    fn see(&mut self, at: f64, cell: i64) {
        let cell = cell as f64;
        // A position is within its cell, and pixels are whole numbers.
        self.least = self.least.max((at + 1.0) / (cell + 1.0));
        if cell > 0.0 {
            self.most = self.most.min(at / cell);
        }
    }

    fn width(self) -> Option<f64> {
        let whole = self.least.ceil();
        let near = self.most <= self.least * 1.2 && self.most >= self.least && self.least > 0.0;
        near.then_some(if whole <= self.most {
            whole
        } else {
            f64::midpoint(self.least, self.most)
        })
    }
}

impl<'c> DwellCounter<'c> {
    /// Starts over the cells of a grid.
    pub fn new(cells: &'c Cells, axis: Axis) -> Self {
        Self {
            cells,
            axis,
            over: vec![0.0; cells.room()],
            outside: 0.0,
            now: None,
            positions: Vec::new(),
            every: 1,
            seen: 0,
            size: Size {
                least: 0.0,
                most: f64::INFINITY,
            },
        }
    }

    /// Takes rows: the column and the row of the cursor, then x and y if the recording has them. Rows that
    /// held before count as of `from`.
    pub fn see(&mut self, batch: &Batch, from: Option<Stamp>) {
        let placed = batch.columns().len() > 3;
        for row in 0..batch.len() {
            let col = batch.get(row, 0).as_i64();
            let at = placed
                .then(|| number(batch.get(row, 2)).zip(number(batch.get(row, 3))))
                .flatten();
            let position = Position {
                cell: col
                    .zip(batch.get(row, 1).as_i64())
                    .map(|(col, row)| [col, row]),
                at,
            };
            if let (Some([col, row]), Some((x, y))) = (position.cell, position.at) {
                self.size.see(x, col);
                self.size.see(y, row);
            }
            self.go(from.unwrap_or_else(|| batch.stamp(row)), position);
        }
    }

    fn go(&mut self, stamp: Stamp, position: Position) {
        self.count(stamp);
        let moved = self.now.is_none_or(|(_, before)| before != position);
        self.now = Some((stamp, position));
        if !moved {
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.positions.push(position);
        }
        if self.positions.len() > PLACES {
            let mut nth = 0_usize;
            self.positions.retain(|_| {
                nth += 1;
                nth.is_multiple_of(2)
            });
            self.every = self.every.saturating_mul(2);
        }
    }

    /// Counts the time at the last position.
    fn count(&mut self, until: Stamp) {
        let Some((since, position)) = self.now else {
            return;
        };
        let length = self.axis.between(since, until);
        let [across, down] = position.cell.unwrap_or([i64::MIN; 2]);
        let index = self.cells.index_at([across, down, 0]);
        match index.and_then(|index| self.over.get_mut(index)) {
            Some(over) => *over += length,
            None => self.outside += length,
        }
    }

    /// Ends the count.
    pub fn end(mut self, until: Stamp) -> Dwell {
        self.count(until);
        let size = self.size.width();
        let [x, y, _] = self.cells.from.map(|from| from as f64);
        let place = |position: &Position| match (position.at, size, position.cell) {
            (Some((left, top)), Some(size), _) => Some((left / size - x, top / size - y)),
            (_, _, Some([col, row])) => Some((col as f64 + 0.5 - x, row as f64 + 0.5 - y)),
            _ => None,
        };
        let mut paths = vec![Vec::new()];
        let last = self.now.map(|(_, position)| position);
        for position in self.positions.iter().chain(last.iter()) {
            match (place(position), paths.last_mut()) {
                (Some(place), Some(path)) => path.push(place),
                _ => paths.push(Vec::new()),
            }
        }
        paths.retain(|path| !path.is_empty());
        Dwell {
            over: self.over,
            outside: self.outside,
            unit: self.axis.unit(),
            paths,
            last: last.as_ref().and_then(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_show_the_width_of_a_cell() {
        let mut size = Size {
            least: 0.0,
            most: f64::INFINITY,
        };
        size.see(5.0, 0);
        assert_eq!(size.width(), None, "too few");
        for at in [15.0, 16.0, 31.0, 32.0, 160.0, 479.0] {
            size.see(at, (at / 16.0) as i64);
        }
        assert_eq!(size.width(), Some(16.0));
        size.see(100.0, 1);
        assert_eq!(size.width(), None, "a contradiction");
    }
}
