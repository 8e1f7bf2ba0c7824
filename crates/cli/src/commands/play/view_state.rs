//! The state of a view: its scroll position, its probe, and the values seen so far.

use gametape::{Batch, TableDef};

use gametape_picture::scene::board::{Cells, Legend};
use gametape_picture::scene::map::Plane;
use gametape_picture::scene::range::{Bounds, Range, widen};
use gametape_picture::scene::views::{Grid, Points};

/// The state of a view.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ViewState {
    /// The scroll position; in a list, the chosen row.
    pub down: i64,
    pub right: i64,
    /// The cell whose values are shown below the grid.
    pub probe: [usize; 2],
    /// Whether the probe was moved.
    pub probed: bool,
    pub slice: usize,
    /// The number of the shown value column.
    pub value: usize,
    /// Shows each cell by itself, even if not all of them fit.
    pub close: bool,
    pub legend: Legend,
    pub cells: Cells,
    pub bounds: Bounds,
    pub plane: Plane,
}

impl ViewState {
    /// Takes the current cells of a grid.
    pub fn learn_grid(&mut self, grid: &Grid, table: &TableDef, batch: &Batch) {
        self.cells = Cells::new(grid, table, batch);
        self.legend.learn(grid, batch);
        self.clamp();
    }

    /// Takes the current positions.
    pub fn learn_points(&mut self, points: &Points, batch: &Batch) {
        widen(&mut self.bounds, points, batch);
    }

    /// Takes the bounds of all positions.
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

    /// Moves this many slices.
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
