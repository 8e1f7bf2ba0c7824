//! Where a cursor was over the cells of a grid, and for how long.

use gametape::{Batch, Stamp};

use super::cells::{Cells, number, whole};
use super::clock::Lasts;

/// More places than this are thinned: a line through them looks the same.
const PLACES: usize = 50_000;

/// What became of the cursor.
pub struct Stay {
    /// By the number of the cell, in the unit.
    pub over: Vec<f64>,
    /// Over no cell.
    pub beside: f64,
    pub unit: &'static str,
    /// Its ways, in cells from the first one's corner.
    pub ways: Vec<Vec<(f64, f64)>>,
    /// Where it was last.
    pub last: Option<(f64, f64)>,
}

/// Where it was: the cell, and the place itself where that is told.
#[derive(Clone, Copy, PartialEq)]
struct Spot {
    cell: Option<[i64; 2]>,
    at: Option<(f64, f64)>,
}

/// While rows are read.
pub struct Follow<'c> {
    cells: &'c Cells,
    lasts: Lasts,
    over: Vec<f64>,
    beside: f64,
    now: Option<(Stamp, Spot)>,
    spots: Vec<Spot>,
    /// Every which spot is kept.
    every: usize,
    seen: usize,
    size: Size,
}

/// How wide a cell is in the units of places, as far as they say.
#[derive(Clone, Copy)]
struct Size {
    least: f64,
    most: f64,
}

impl Size {
    fn see(&mut self, at: f64, cell: i64) {
        let cell = cell as f64;
        // A place is within its cell, and pixels are whole.
        self.least = self.least.max((at + 1.0) / (cell + 1.0));
        if cell > 0.0 {
            self.most = self.most.min(at / cell);
        }
    }

    fn said(self) -> Option<f64> {
        let whole = self.least.ceil();
        let near = self.most <= self.least * 1.2 && self.most >= self.least && self.least > 0.0;
        near.then_some(if whole <= self.most {
            whole
        } else {
            f64::midpoint(self.least, self.most)
        })
    }
}

impl<'c> Follow<'c> {
    /// Over these cells.
    pub fn new(cells: &'c Cells, lasts: Lasts) -> Self {
        Self {
            cells,
            lasts,
            over: vec![0.0; cells.room()],
            beside: 0.0,
            now: None,
            spots: Vec::new(),
            every: 1,
            seen: 0,
            size: Size {
                least: 0.0,
                most: f64::INFINITY,
            },
        }
    }

    /// Some rows: the column and the row, and the place where it is told.
    pub fn see(&mut self, batch: &Batch, from: Option<Stamp>) {
        let placed = batch.columns().len() > 3;
        for row in 0..batch.len() {
            let col = whole(batch.get(row, 0));
            let at = placed
                .then(|| number(batch.get(row, 2)).zip(number(batch.get(row, 3))))
                .flatten();
            let spot = Spot {
                cell: col
                    .zip(whole(batch.get(row, 1)))
                    .map(|(col, row)| [col, row]),
                at,
            };
            if let (Some([col, row]), Some((x, y))) = (spot.cell, spot.at) {
                self.size.see(x, col);
                self.size.see(y, row);
            }
            self.pass(from.unwrap_or_else(|| batch.stamp(row)), spot);
        }
    }

    fn pass(&mut self, stamp: Stamp, spot: Spot) {
        self.hold(stamp);
        let moved = self.now.is_none_or(|(_, before)| before != spot);
        self.now = Some((stamp, spot));
        if !moved {
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.spots.push(spot);
        }
        if self.spots.len() > PLACES {
            let mut nth = 0_usize;
            self.spots.retain(|_| {
                nth += 1;
                nth.is_multiple_of(2)
            });
            self.every = self.every.saturating_mul(2);
        }
    }

    /// It was where it was until now.
    fn hold(&mut self, until: Stamp) {
        let Some((since, spot)) = self.now else {
            return;
        };
        let long = self.lasts.between(since, until);
        let [across, down] = spot.cell.unwrap_or([i64::MIN; 2]);
        let place = self.cells.place([across, down, 0]);
        let index = place.and_then(|place| self.cells.index(place));
        match index.and_then(|index| self.over.get_mut(index)) {
            Some(over) => *over += long,
            None => self.beside += long,
        }
    }

    /// All of it, until now.
    pub fn end(mut self, until: Stamp) -> Stay {
        self.hold(until);
        let size = self.size.said();
        let [x, y, _] = self.cells.from.map(|from| from as f64);
        let place = |spot: &Spot| match (spot.at, size, spot.cell) {
            (Some((left, top)), Some(size), _) => Some((left / size - x, top / size - y)),
            (_, _, Some([col, row])) => Some((col as f64 + 0.5 - x, row as f64 + 0.5 - y)),
            _ => None,
        };
        let mut ways = vec![Vec::new()];
        let last = self.now.map(|(_, spot)| spot);
        for spot in self.spots.iter().chain(last.iter()) {
            match (place(spot), ways.last_mut()) {
                (Some(place), Some(way)) => way.push(place),
                _ => ways.push(Vec::new()),
            }
        }
        ways.retain(|way| !way.is_empty());
        Stay {
            over: self.over,
            beside: self.beside,
            unit: self.lasts.unit(),
            ways,
            last: last.as_ref().and_then(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_say_how_wide_a_cell_is() {
        let mut size = Size {
            least: 0.0,
            most: f64::INFINITY,
        };
        size.see(5.0, 0);
        assert_eq!(size.said(), None, "they say too little");
        for at in [15.0, 16.0, 31.0, 32.0, 160.0, 479.0] {
            size.see(at, (at / 16.0) as i64);
        }
        assert_eq!(size.said(), Some(16.0));
        size.see(100.0, 1);
        assert_eq!(size.said(), None, "they say different things");
    }
}
