//! The layout of a grid's cells in tiles: squares, hexagons, or lines; slices side by side; several cells in
//! one tile if there are too many.

use std::fmt::Write;

use gametape::TableDef;

use super::page::{ROOM, WIDTH};
use super::svg::N;
use crate::scene::board::Cells;
use crate::scene::views::Grid;

/// The largest number of cells that are drawn.
const MAX_CELLS: usize = 1 << 22;
/// The largest number of tiles: viewers cannot open larger files.
const MAX_TILES: usize = 1 << 16;
/// The least and the largest size of a tile.
const LEAST: f64 = 2.0;
const LARGEST: f64 = 56.0;
/// The largest height of all tiles.
const HIGH: f64 = 900.0;
/// A wide board whose tiles would be smaller than this is broken into at most [`BANDS`] bands.
const BROKEN: f64 = 9.0;
const BANDS: usize = 24;
/// The largest number of slices shown, and the gap between them.
const SLICES: usize = 32;
const BETWEEN: f64 = 30.0;
/// The room for the numbers of rows and columns.
const LEFT: f64 = 52.0;
const TOP: f64 = 20.0;
/// The number of tiles in a line, the height of a line, and the largest number of lines.
const LINE: usize = 64;
pub const TALL: f64 = 24.0;
const LINES: usize = 24;
/// The gap between two lines.
const LEAD: f64 = 8.0;
/// The height of a row of hexagons, and its offset to the right, both relative to their width.
const ROW: f64 = 0.866;
const PUSHED: f64 = 0.5;

/// The shape of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Square,
    /// For keys `q` and `r`: a hexagon on its corner; each row is half a hexagon further right.
    Hexagon,
    /// For a grid of one key, broken into lines of this many tiles.
    Line(usize),
}

/// The layout of the tiles.
#[derive(Clone, PartialEq, Debug)]
pub struct Tiles {
    pub shape: Shape,
    /// The number of cells in a tile in each direction.
    pub by: usize,
    /// The number of tiles across and down in a slice.
    pub size: [usize; 2],
    /// The number of slices shown, and of all slices.
    pub shown: usize,
    pub slices: usize,
    /// The number of tiles across in a band. A board that is much wider than high is broken into bands, one
    /// below the other.
    pub band: usize,
    /// The number of slices side by side.
    pub beside: usize,
    /// The width of a tile.
    pub edge: f64,
    /// The left edge of the first tile.
    left: f64,
}

/// A tile: its slice, and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tile {
    pub slice: usize,
    pub at: [usize; 2],
}

impl Tiles {
    /// Lays out a grid; `None` if it has no cells or too many.
    pub fn new(grid: &Grid, table: &TableDef, cells: &Cells) -> Option<Self> {
        let [across, down, slices] = cells.size;
        if cells.room() == 0 || cells.room() > MAX_CELLS {
            return None;
        }
        let named = |key: Option<usize>, name: &str| {
            let column = key.and_then(|key| table.columns.get(key));
            column.is_some_and(|column| column.name == name)
        };
        let hexes = named(Some(grid.across), "q") && named(grid.down, "r");
        let shown = slices.min(SLICES);
        let mut by = 1;
        loop {
            let shape = match (grid.down, hexes) {
                (None, _) => Shape::Line(across.div_ceil(by).clamp(1, LINE)),
                (_, true) => Shape::Hexagon,
                (_, false) => Shape::Square,
            };
            let size = [across.div_ceil(by), down.div_ceil(by)];
            let tiles = Self::laid(shape, by, size, shown, slices);
            let count = size[0].saturating_mul(size[1]).saturating_mul(shown);
            let fits = match tiles.shape {
                Shape::Line(_) => count <= LINE * LINES,
                // Each hexagon is an outline of its own.
                Shape::Hexagon => tiles.edge >= LEAST && count <= MAX_TILES / 4,
                Shape::Square => tiles.edge >= LEAST && count <= MAX_TILES,
            };
            if fits || count <= shown {
                return Some(tiles);
            }
            by += by.div_ceil(8);
        }
    }

    fn laid(shape: Shape, by: usize, size: [usize; 2], shown: usize, slices: usize) -> Self {
        let mut tiles = Self {
            shape,
            by,
            size,
            shown,
            slices,
            band: size[0].max(1),
            beside: 1,
            edge: 0.0,
            left: 0.0,
        };
        tiles.put();
        if shape == Shape::Square && slices == 1 {
            let mut broken = tiles.clone();
            for bands in 2..=BANDS {
                if tiles.edge >= BROKEN {
                    break;
                }
                broken.band = size[0].div_ceil(bands).max(1);
                broken.put();
                if broken.edge > tiles.edge {
                    tiles = broken.clone();
                }
            }
        }
        tiles
    }

    /// Arranges the panels so that tiles are as large as possible.
    fn put(&mut self) {
        let panels = self.panels();
        // Bands go one below the other.
        let most = if self.is_broken() { 1 } else { panels };
        let mut best = (0.0, 1);
        for beside in 1..=most.max(1) {
            self.edge = 1.0;
            let [wide, high] = self.panel_size();
            let lines = panels.div_ceil(beside).max(1) as f64;
            let room = (ROOM - LEFT - BETWEEN * (beside - 1) as f64) / beside as f64;
            let below = (HIGH - TOP * lines - BETWEEN * (lines - 1.0)) / lines;
            let below = match self.shape {
                // The height of a line is fixed.
                Shape::Line(_) => LARGEST,
                _ => below / high,
            };
            let edge = (room / wide).min(below).min(LARGEST);
            if edge > best.0 {
                best = (edge, beside);
            }
        }
        let (edge, beside) = best;
        self.edge = if edge >= 4.0 { edge.floor() } else { edge };
        self.beside = beside;
        let [wide, _] = self.panel_size();
        let wide = wide * beside as f64 + BETWEEN * (beside - 1) as f64;
        self.left = ((WIDTH - wide - LEFT) / 2.0 + LEFT).floor();
    }

    /// Whether the board is broken into bands.
    const fn is_broken(&self) -> bool {
        self.band < self.size[0]
    }

    /// The number of slices shown, or of bands.
    pub fn panels(&self) -> usize {
        if self.is_broken() {
            self.size[0].div_ceil(self.band)
        } else {
            self.shown
        }
    }

    /// The panel of a place, and the first column of that panel.
    pub fn panel(&self, slice: usize, x: f64) -> (usize, f64) {
        if !self.is_broken() {
            return (slice, 0.0);
        }
        let last = self.panels().saturating_sub(1);
        // A negative number becomes 0.
        let nth = ((x / self.band as f64).floor() as usize).min(last);
        (nth, (nth * self.band) as f64)
    }

    /// The slice of a panel, and its columns.
    pub fn columns(&self, panel: usize) -> (usize, std::ops::Range<usize>) {
        if self.is_broken() {
            let from = panel * self.band;
            (0, from..(from + self.band).min(self.size[0]))
        } else {
            (panel, 0..self.size[0])
        }
    }

    /// The area of all tiles: left, top, width, height.
    pub fn area(&self) -> [f64; 4] {
        let [wide, _] = self.panel_size();
        let beside = self.beside as f64;
        let wide = wide * beside + BETWEEN * (beside - 1.0);
        [self.left, TOP, wide, self.height() - TOP]
    }

    /// The width and height of a panel.
    fn panel_size(&self) -> [f64; 2] {
        let [across, down] = [self.band, self.size[1]].map(|count| count as f64);
        let [wide, high] = match self.shape {
            Shape::Square => [across, down],
            Shape::Hexagon => [
                across + PUSHED * (down - 1.0).max(0.0),
                ROW * (down - 1.0).max(0.0) + 1.1547,
            ],
            Shape::Line(wrap) => {
                let lines = self.size[0].div_ceil(wrap.max(1));
                let high = lines as f64 * (TALL + LEAD) - LEAD;
                return [wrap as f64 * self.edge, high];
            }
        };
        [wide * self.edge, high * self.edge]
    }

    /// The height of a tile.
    pub fn tall(&self) -> f64 {
        match self.shape {
            Shape::Line(_) => TALL,
            _ => self.edge,
        }
    }

    /// The height of all tiles.
    pub fn height(&self) -> f64 {
        let lines = self.panels().div_ceil(self.beside).max(1) as f64;
        let [_, high] = self.panel_size();
        lines * (high + TOP) + (lines - 1.0) * BETWEEN
    }

    /// All tiles.
    pub fn all(&self) -> impl Iterator<Item = Tile> + '_ {
        let [across, down] = self.size;
        (0..self.shown).flat_map(move |slice| {
            (0..down).flat_map(move |y| (0..across).map(move |x| Tile { slice, at: [x, y] }))
        })
    }

    /// The first cell of a tile.
    pub const fn cell(&self, tile: Tile) -> [usize; 3] {
        [tile.at[0] * self.by, tile.at[1] * self.by, tile.slice]
    }

    /// The cells of a tile.
    pub fn cells(&self, tile: Tile, of: &Cells) -> impl Iterator<Item = [usize; 3]> + use<> {
        of.square(self.cell(tile), self.by)
    }

    /// The tile of a cell.
    pub fn tile(&self, [x, y, z]: [usize; 3]) -> Tile {
        let by = self.by.max(1);
        Tile {
            slice: z,
            at: [x / by, y / by],
        }
    }

    /// The upper left corner of a panel.
    pub fn origin(&self, panel: usize) -> (f64, f64) {
        let beside = self.beside.max(1);
        let [wide, high] = self.panel_size();
        let (x, y) = ((panel % beside) as f64, (panel / beside) as f64);
        (
            self.left + x * (wide + BETWEEN),
            TOP + y * (high + TOP + BETWEEN),
        )
    }

    /// The point of a place, which is given in tiles from the upper left corner of its slice.
    pub fn spot(&self, slice: usize, x: f64, y: f64) -> (f64, f64) {
        let (panel, start) = self.panel(slice, x);
        let (left, top) = self.origin(panel);
        let (x, e) = (x - start, self.edge);
        match self.shape {
            Shape::Hexagon => (
                left + (x + PUSHED * (y - 0.5)) * e,
                top + (0.577 + ROW * (y - 0.5)) * e,
            ),
            Shape::Line(_) => (left + x * e, top + y * (TALL + LEAD)),
            Shape::Square => (left + x * e, top + y * e),
        }
    }

    /// The upper left corner of a tile; for a hexagon, of the square in its middle.
    pub fn corner(&self, tile: Tile) -> (f64, f64) {
        let [x, y] = tile.at.map(|at| at as f64);
        match self.shape {
            Shape::Line(wrap) => {
                let wrap = wrap.max(1);
                let (line, nth) = (tile.at[0] / wrap, tile.at[0] % wrap);
                self.spot(tile.slice, nth as f64, line as f64)
            }
            Shape::Square => self.spot(tile.slice, x, y),
            Shape::Hexagon => {
                let (cx, cy) = self.spot(tile.slice, x + 0.5, y + 0.5);
                (cx - self.edge / 2.0, cy - self.edge / 2.0)
            }
        }
    }

    /// The upper left corner of the square in the middle of a tile, for its text.
    pub fn middle(&self, tile: Tile) -> (f64, f64) {
        let (x, y) = self.corner(tile);
        (x, y + (self.tall() - self.edge) / 2.0)
    }

    /// The outline of a tile.
    pub fn outline(&self, tile: Tile, out: &mut String) {
        let (x, y) = self.corner(tile);
        let e = self.edge;
        let _ = if self.shape == Shape::Hexagon {
            let (cx, cy) = (x + e / 2.0, y + e / 2.0);
            // Clockwise from the top.
            let (half, short, long) = (e / 2.0, e * 0.2887, e * 0.5774);
            write!(
                out,
                "M{} {}l{} {}v{}l-{} {}l-{} -{}v-{}z",
                N(cx),
                N(cy - long),
                N(half),
                N(short),
                N(long),
                N(half),
                N(short),
                N(half),
                N(short),
                N(long)
            )
        } else {
            write!(
                out,
                "M{} {}h{e}v{}h-{e}z",
                N(x),
                N(y),
                N(self.tall()),
                e = N(e)
            )
        };
    }
}
