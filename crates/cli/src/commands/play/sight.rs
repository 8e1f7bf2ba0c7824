//! How somebody looks at a view: how far it is scrolled, where the probe is, what was seen so far.

use gametape::{Batch, TableDef};

use super::cells::{Cells, number};
use super::symbols::Symbols;
use super::views::{Grid, Points};

/// The least and the greatest of what was seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub from: f64,
    pub to: f64,
}

impl Range {
    /// This one, and a value that it may not have.
    pub fn with(range: Option<Self>, value: f64) -> Self {
        let range = range.unwrap_or(Self {
            from: value,
            to: value,
        });
        Self {
            from: range.from.min(value),
            to: range.to.max(value),
        }
    }
}

/// From where to where x, y and z go.
pub type Bounds = [Option<Range>; 3];

/// Makes bounds so wide that the positions of a batch are within them.
pub fn widen(bounds: &mut Bounds, points: &Points, batch: &Batch) {
    let axes = if points.three { 3 } else { 2 };
    for (axis, bound) in bounds.iter_mut().enumerate().take(axes) {
        let values = (0..batch.len()).filter_map(|row| number(batch.get(row, points.at + axis)));
        for value in values {
            *bound = Some(Range::with(*bound, value));
        }
    }
}

/// From where positions are looked at: what goes right, and what goes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plane {
    /// From above, where `y` is the height.
    #[default]
    Xz,
    Xy,
    Zy,
}

impl Plane {
    pub const fn next(self) -> Self {
        match self {
            Self::Xz => Self::Xy,
            Self::Xy => Self::Zy,
            Self::Zy => Self::Xz,
        }
    }

    /// Which coordinates: right, up.
    pub const fn axes(self) -> [usize; 2] {
        match self {
            Self::Xz => [0, 2],
            Self::Xy => [0, 1],
            Self::Zy => [2, 1],
        }
    }
}

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
