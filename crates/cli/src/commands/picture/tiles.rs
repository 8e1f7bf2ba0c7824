//! How the cells of a grid are laid out: squares, hexagons, a line that is broken; a slice beside the
//! other; several cells in one where there are too many.

use std::collections::BTreeMap;
use std::fmt::Write;

use gametape::TableDef;

use super::ink::{FAINT, Rgb};
use super::page::{ROOM, WIDTH};
use super::svg::{Anchor, Letters, N, Svg};
use crate::scene::cells::Cells;
use crate::scene::views::Grid;

/// More tiles than this make a file that nobody can open.
const MOST: usize = 1 << 16;
/// Smaller ones are not seen, larger ones look silly.
const LEAST: f64 = 2.0;
const LARGEST: f64 = 56.0;
/// As high as all of it may be.
const HIGH: f64 = 900.0;
/// Slices that are shown, and between them.
const SLICES: usize = 32;
const BETWEEN: f64 = 30.0;
/// Where the numbers of rows and columns stand.
const LEFT: f64 = 52.0;
const TOP: f64 = 20.0;
/// Tiles of a line of cells, before it is broken; how high it is, and how many of them there may be.
const LINE: usize = 64;
const TALL: f64 = 24.0;
const LINES: usize = 24;
/// Between two of them.
const LEAD: f64 = 8.0;
/// The height of a row of hexagons, and how far it is pushed to the right, of their width.
const ROW: f64 = 0.866;
const PUSHED: f64 = 0.5;

/// What a tile looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Square,
    /// Keys `q` and `r`: a hexagon on its corner, each row half a hexagon further right.
    Hexagon,
    /// A grid of one key, broken into lines of so many.
    Line(usize),
}

/// Where cells are drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Tiles {
    pub shape: Shape,
    /// Cells of a tile, each way.
    pub by: usize,
    /// Tiles across and down, of a slice.
    pub size: [usize; 2],
    /// Slices that are shown, and how many there are.
    pub shown: usize,
    pub slices: usize,
    /// Slices beside each other.
    beside: usize,
    /// The width of a tile.
    pub edge: f64,
    /// Where the first one starts.
    left: f64,
}

/// One of them: the slice, and where in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tile {
    pub slice: usize,
    pub at: [usize; 2],
}

impl Tiles {
    /// Of a grid that has cells.
    pub fn new(grid: &Grid, table: &TableDef, cells: &Cells) -> Option<Self> {
        let [across, down, slices] = cells.size;
        if cells.room() == 0 {
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
                // Each of them is an outline by itself.
                Shape::Hexagon => tiles.edge >= LEAST && count <= MOST / 4,
                Shape::Square => tiles.edge >= LEAST && count <= MOST,
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
            beside: 1,
            edge: 0.0,
            left: 0.0,
        };
        // As many slices beside each other as make them largest.
        let mut best = (0.0, 1);
        for beside in 1..=shown.max(1) {
            tiles.beside = beside;
            tiles.edge = 1.0;
            let [wide, high] = tiles.slice_size();
            let lines = shown.div_ceil(beside).max(1) as f64;
            let room = (ROOM - LEFT - BETWEEN * (beside - 1) as f64) / beside as f64;
            let below = (HIGH - TOP * lines - BETWEEN * (lines - 1.0)) / lines;
            let below = match shape {
                // Lines are as high as they are.
                Shape::Line(_) => LARGEST,
                _ => below / high,
            };
            let edge = (room / wide).min(below).min(LARGEST);
            if edge > best.0 {
                best = (edge, beside);
            }
        }
        let whole = if best.0 >= 4.0 {
            best.0.floor()
        } else {
            best.0
        };
        tiles.edge = whole;
        tiles.beside = best.1;
        let [wide, _] = tiles.slice_size();
        let wide = wide * best.1 as f64 + BETWEEN * (best.1 - 1) as f64;
        tiles.left = ((WIDTH - wide - LEFT) / 2.0 + LEFT).floor();
        tiles
    }

    /// How wide and how high a slice is.
    fn slice_size(&self) -> [f64; 2] {
        let [across, down] = self.size.map(|count| count as f64);
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

    /// How high a tile is.
    fn tall(&self) -> f64 {
        match self.shape {
            Shape::Line(_) => TALL,
            _ => self.edge,
        }
    }

    /// How high all of it is.
    pub fn height(&self) -> f64 {
        let lines = self.shown.div_ceil(self.beside).max(1) as f64;
        let [_, high] = self.slice_size();
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

    /// The cells of a tile that a grid has room for.
    pub fn cells(&self, tile: Tile, of: &Cells) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [x, y, z] = self.cell(tile);
        let [across, down, _] = of.size;
        let (right, below) = ((x + self.by).min(across), (y + self.by).min(down));
        (y..below).flat_map(move |y| (x..right).map(move |x| [x, y, z]))
    }

    /// The tile that a cell is in.
    pub fn tile(&self, [x, y, z]: [usize; 3]) -> Tile {
        let by = self.by.max(1);
        Tile {
            slice: z,
            at: [x / by, y / by],
        }
    }

    /// The left upper corner of a slice.
    fn origin(&self, slice: usize) -> (f64, f64) {
        let beside = self.beside.max(1);
        let [wide, high] = self.slice_size();
        let (x, y) = ((slice % beside) as f64, (slice / beside) as f64);
        (
            self.left + x * (wide + BETWEEN),
            TOP + y * (high + TOP + BETWEEN),
        )
    }

    /// Where a place is, in tiles from the left upper corner of a slice.
    pub fn spot(&self, slice: usize, x: f64, y: f64) -> (f64, f64) {
        let (left, top) = self.origin(slice);
        let e = self.edge;
        match self.shape {
            Shape::Hexagon => (
                left + (x + PUSHED * (y - 0.5)) * e,
                top + (0.577 + ROW * (y - 0.5)) * e,
            ),
            Shape::Line(_) => (left + x * e, top + y * (TALL + LEAD)),
            Shape::Square => (left + x * e, top + y * e),
        }
    }

    /// The left upper corner of a tile; of a hexagon, of the square in the middle of it.
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

    /// The left upper corner of the square in the middle of a tile, for what stands in it.
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
            // From the upper corner around.
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

    /// Fills tiles: those of one colour are one path.
    pub fn fill(&self, svg: &mut Svg, colour: impl Fn(Tile) -> Option<Rgb>) {
        let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
        let mut run: Option<(Rgb, Tile, usize)> = None;
        let mut end = |run: &mut Option<(Rgb, Tile, usize)>| {
            if let Some((colour, first, count)) = run.take() {
                self.run(first, count, paths.entry(colour).or_default());
            }
        };
        for tile in self.all() {
            let Some(colour) = colour(tile) else {
                end(&mut run);
                continue;
            };
            match &mut run {
                Some((same, first, count))
                    if *same == colour && self.goes_on(*first, *count, tile) =>
                {
                    *count += 1;
                }
                _ => {
                    end(&mut run);
                    run = Some((colour, tile, 1));
                }
            }
        }
        end(&mut run);
        let crisp = if self.shape == Shape::Hexagon {
            ""
        } else {
            r#" shape-rendering="crispEdges""#
        };
        for (colour, path) in paths {
            svg.put(format_args!(r#"<path fill="{colour}"{crisp} d="{path}"/>"#));
        }
    }

    /// Whether a tile is the next of a run of so many.
    fn goes_on(&self, first: Tile, count: usize, tile: Tile) -> bool {
        let next = first.slice == tile.slice && first.at[1] == tile.at[1];
        match self.shape {
            Shape::Square => next,
            Shape::Hexagon => false,
            Shape::Line(wrap) => {
                next && first.at[0] / wrap.max(1) == (first.at[0] + count) / wrap.max(1)
            }
        }
    }

    fn run(&self, first: Tile, count: usize, path: &mut String) {
        if self.shape == Shape::Hexagon {
            return self.outline(first, path);
        }
        let (x, y) = self.corner(first);
        let _ = write!(
            path,
            "M{} {}h{w}v{}h-{w}z",
            N(x),
            N(y),
            N(self.tall()),
            w = N(self.edge * count as f64)
        );
    }

    /// Lines around each tile, where there is room for them.
    pub fn gaps(&self, svg: &mut Svg, ink: Rgb) {
        if self.edge < 8.0 {
            return;
        }
        let mut path = String::new();
        for tile in self.all() {
            self.outline(tile, &mut path);
        }
        svg.put(format_args!(
            r#"<path fill="none" stroke="{ink}" stroke-width="{}" d="{path}"/>"#,
            N(if self.edge < 14.0 { 0.5 } else { 1.0 })
        ));
    }

    /// The numbers of columns and rows, and what they are called.
    pub fn axes(&self, svg: &mut Svg, grid: &Grid, table: &TableDef, cells: &Cells) {
        let name = |key: Option<usize>| {
            let column = key.and_then(|key| table.columns.get(key));
            column.map_or("", |column| &column.name)
        };
        let letters = Letters::new(11.0).ink(FAINT);
        let [across, down, deep] = cells.from;
        for slice in 0..self.shown {
            let (left, top) = self.origin(slice);
            let head = if self.slices > 1 {
                let at = deep.saturating_add(slice as i64);
                format!("{} {at}: ", name(grid.deep))
            } else {
                String::new()
            };
            if let Shape::Line(wrap) = self.shape {
                let lines = self.size[0].div_ceil(wrap.max(1));
                for line in 0..lines {
                    let (_, y) = self.spot(slice, 0.0, line as f64);
                    let y = y + TALL / 2.0;
                    let at = across.saturating_add((line * wrap * self.by) as i64);
                    let letters = letters.anchor(Anchor::End);
                    svg.text(left - 6.0, y + 4.0, letters, &at.to_string());
                }
                let text = format!("{head}{}, on from line to line", name(Some(grid.across)));
                svg.text(left, top - 6.0, letters, &text);
                continue;
            }
            let text = format!("{head}{} →", name(Some(grid.across)));
            let wide = super::letters::width(&text, 11.0) + 12.0;
            svg.text(left, top - 6.0, letters, &text);
            let every = self.every(30.0);
            for x in (0..self.size[0]).step_by(every) {
                let (at, _) = self.spot(slice, x as f64 + 0.5, 0.5);
                if at < left + wide {
                    continue;
                }
                let number = across.saturating_add((x * self.by) as i64).to_string();
                svg.text(at, top - 6.0, letters.anchor(Anchor::Middle), &number);
            }
            let every = self.every(16.0);
            let turned = letters.anchor(Anchor::End);
            for y in (0..self.size[1]).step_by(every) {
                let (at, middle) = self.spot(slice, 0.0, y as f64 + 0.5);
                let number = down.saturating_add((y * self.by) as i64).to_string();
                let number = if y == 0 && slice.is_multiple_of(self.beside.max(1)) {
                    format!("{} ↓ {number}", name(grid.down))
                } else {
                    number
                };
                svg.text(at - 5.0, middle + 4.0, turned, &number);
            }
        }
    }

    /// Every which tile is numbered, where numbers need so much room.
    fn every(&self, room: f64) -> usize {
        let steps = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000];
        let fits = |step: &&usize| **step as f64 * self.edge >= room;
        steps.iter().find(fits).copied().unwrap_or(1000)
    }
}
