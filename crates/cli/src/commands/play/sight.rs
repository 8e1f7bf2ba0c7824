//! How somebody looks at a view: how far it is scrolled, where the probe is, what was seen so far.

use gametape::{Batch, TableDef};

use crate::scene::cells::{Cells, number};
use crate::scene::map::Plane;
use crate::scene::range::{Bounds, Range, widen};
use crate::scene::symbols::Symbols;
use crate::scene::views::{Grid, Points};

/// Of one view.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Sight {
    /// How far down, and to the right, it is scrolled; which row is chosen.
    pub down: i64,
    pub right: i64,
    /// The cell whose value is shown.
    pub probe: [usize; 2],
    /// Whether somebody moved it.
    pub probed: bool,
    pub slice: usize,
    /// Which of the values of a cell is shown.
    pub value: usize,
    /// Every cell by itself, even where not all of them fit.
    pub close: bool,
    pub symbols: Symbols,
    /// Of each value of a cell.
    pub ranges: Vec<Option<Range>>,
    pub cells: Cells,
    pub bounds: Bounds,
    pub plane: Plane,
}

impl Sight {
    /// A grid as it is now.
    pub fn learn_grid(&mut self, grid: &Grid, table: &TableDef, batch: &Batch) {
        self.cells = Cells::new(grid, table, batch);
        self.ranges.resize(grid.values.len(), None);
        for (at, range) in grid.values.iter().zip(&mut self.ranges) {
            for row in 0..batch.len() {
                match batch.get(row, *at) {
                    gametape::Value::Text(text) => self.symbols.learn(text),
                    gametape::Value::Null => {}
                    value => {
                        if let Some(value) = number(value) {
                            *range = Some(Range::with(*range, value));
                        }
                    }
                }
            }
        }
        self.clamp();
    }

    /// Positions as they are now.
    pub fn learn_points(&mut self, points: &Points, batch: &Batch) {
        widen(&mut self.bounds, points, batch);
    }

    /// Positions go from there to there, all in all.
    pub fn bound(&mut self, bounds: &Bounds) {
        for (bound, other) in self.bounds.iter_mut().zip(bounds) {
            for value in other.iter().flat_map(|other| [other.from, other.to]) {
                *bound = Some(Range::with(*bound, value));
            }
        }
    }

    /// Moves the probe.
    pub fn probe(&mut self, right: i64, down: i64) {
        let [x, y] = self.probe;
        let moved = |at: usize, by: i64| {
            let at = i64::try_from(at).unwrap_or(i64::MAX).saturating_add(by);
            usize::try_from(at).unwrap_or_default()
        };
        self.probe = [moved(x, right), moved(y, down)];
        self.probed = true;
        self.clamp();
    }

    /// Goes to another slice.
    pub fn slice(&mut self, by: i64) {
        let slice = i64::try_from(self.slice)
            .unwrap_or(i64::MAX)
            .saturating_add(by);
        self.slice = usize::try_from(slice).unwrap_or_default();
        self.clamp();
    }

    fn clamp(&mut self) {
        let [across, down, deep] = self.cells.size;
        let [x, y] = self.probe;
        self.probe = [
            x.min(across.saturating_sub(1)),
            y.min(down.saturating_sub(1)),
        ];
        self.slice = self.slice.min(deep.saturating_sub(1));
    }
}
