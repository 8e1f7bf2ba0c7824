//! Paints a grid: its cells at a moment, how often they changed, or how long the cursor was over each.

use super::page::Page;
use super::palette::{self, DIFFERS, GAP, Heat, INK, NOTHING, PATH, RULE, Rgb};
use super::signs::{self, Icon};
use super::svg::{N, Svg};
use super::tiles::{Shape, Tile, Tiles};
use crate::scene::board::{Board, Changes, Content};
use crate::scene::describe::counted;
use crate::scene::dwell::Dwell;
use crate::scene::range::decimals;
use gametape::core::surface::plain;
use gametape::core::text::Grouped;

/// The least size of a cell in which text is written.
const WRITTEN: f64 = 7.0;
/// The meaning of a tile of several cells, in the notes on changes and on the cursor.
pub const MOST_CHANGED: &str = "as often as that which changed most";
pub const LONGEST: &str = "as long as over that where it was longest";

/// A grid and its layout.
pub struct GridDrawing<'s> {
    pub board: Board<'s>,
    pub tiles: Tiles,
}

impl GridDrawing<'_> {
    /// Returns a note on cells that are drawn as one, and on slices that are left out.
    pub fn note(&self, how: &str) -> Option<String> {
        let by = self.tiles.by;
        let together = (by > 1).then(|| match self.tiles.shape {
            Shape::Line(_) => format!("{by} cells are drawn as one: {how}"),
            _ => format!("{by} x {by} cells are drawn as one: {how}"),
        });
        let (shown, slices) = (self.tiles.shown, self.tiles.slices);
        let left = (shown < slices).then(|| format!("the first {shown} of {slices} slices"));
        let parts: Vec<String> = [left, together].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// How several cells are merged into one tile.
    pub fn merging(&self) -> &'static str {
        if self.board.is_text() {
            "what most of them hold"
        } else {
            "their mean"
        }
    }

    fn unit(&self) -> &str {
        self.board.column().map_or("", |column| &column.unit)
    }

    fn title(&self) -> &str {
        self.board.column().map_or("", |column| &column.name)
    }

    fn content(&self, tile: Tile) -> Content<'_> {
        self.board.content(self.tiles.cell(tile), self.tiles.by)
    }

    /// The text of a tile.
    fn text(&self, tile: Tile) -> Option<&str> {
        match self.content(tile) {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Draws the cells at a moment.
    pub fn at(&self, page: &mut Page) {
        if self.board.is_text() {
            self.texts(page);
        } else {
            self.values(page);
        }
    }

    fn texts(&self, page: &mut Page) {
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, |tile| {
            self.text(tile).map_or(NOTHING, palette::ground)
        });
        self.tiles.gaps(&mut svg, GAP);
        self.letters(&mut svg);
        let differ = self.differ(&mut svg);
        let cursor = self.cursor(&mut svg);
        self.lay(page, &svg);
        let mut entries = self.faces();
        if differ > 0 {
            let names = self.compared().join(" and ");
            let text = format!("{names} differ: {}", Grouped(differ as u64));
            entries.push((Icon::Outline(DIFFERS), text));
        }
        if cursor && self.tiles.edge < WRITTEN {
            entries.push((Icon::Outline(INK), "the cursor".to_owned()));
        }
        page.legend(&entries);
        if let Some(note) = self.note(self.merging()) {
            page.note(&note);
        }
    }

    /// Draws the text of cells that are large enough.
    fn letters(&self, svg: &mut Svg) {
        let size = self.tiles.edge;
        if size < WRITTEN {
            return;
        }
        for tile in self.tiles.all() {
            if let Some(text) = self.text(tile) {
                let at = self.tiles.middle(tile);
                signs::in_cell(svg, at, size, text, self.board.legend.symbols.get(text));
            }
        }
    }

    /// The names of the compared columns.
    fn compared(&self) -> Vec<&str> {
        let columns = self.board.grid.compared.map(|(one, other)| [one, other]);
        let columns = columns.into_iter().flatten();
        let columns = columns.filter_map(|at| self.board.table.columns.get(at));
        columns.map(|column| &*column.name).collect()
    }

    /// Marks cells whose compared columns differ, and returns their number.
    fn differ(&self, svg: &mut Svg) -> usize {
        let (mut count, mut path) = (0, String::new());
        for tile in self.tiles.all() {
            let cells = self.tiles.cells(tile, self.board.cells);
            let rows = cells.filter_map(|cell| self.board.cells.row(cell));
            let differ = rows.filter(|row| self.board.differs(*row)).count();
            if differ > 0 {
                count += differ;
                self.tiles.outline(tile, &mut path);
            }
        }
        if count > 0 {
            svg.put(format_args!(
                r#"<path fill="none" stroke="{DIFFERS}" stroke-width="3" d="{path}"/>"#
            ));
        }
        count
    }

    /// Draws the recording's cursor; true if it is over a cell.
    fn cursor(&self, svg: &mut Svg) -> bool {
        let Some([x, y]) = self.board.cursor() else {
            return false;
        };
        let [across, down, _] = self.board.cells.size;
        if x >= across || y >= down {
            return false;
        }
        let tile = self.tiles.tile([x, y, 0]);
        let mut path = String::new();
        self.tiles.outline(tile, &mut path);
        svg.put(format_args!(
            r#"<path fill="none" stroke="{INK}" stroke-width="2" d="{path}"/>"#
        ));
        let (x, y) = self.tiles.corner(tile);
        let size = self.tiles.edge;
        signs::cursor(
            svg,
            (x + size * 0.55, y + size * 0.5),
            size.clamp(14.0, 26.0),
        );
        true
    }

    /// The legend of texts, the commonest first.
    fn faces(&self) -> Vec<(Icon, String)> {
        let counts = counted(&self.board);
        let entry = |(text, count): (&str, usize)| {
            let name = if text.is_empty() { "(empty)" } else { text };
            let icon = Icon::Cell(text.to_owned(), self.board.legend.symbols.get(text));
            (icon, format!("{name}: {}", Grouped(count as u64)))
        };
        counts.into_iter().map(entry).collect()
    }

    /// Draws numbers as colours.
    fn values(&self, page: &mut Page) {
        let board = &self.board;
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, |tile| match self.content(tile) {
            Content::Part(part) => Heat::Values.at(part),
            _ => NOTHING,
        });
        if self.tiles.shape == Shape::Hexagon {
            self.tiles.gaps(&mut svg, RULE);
        }
        self.cursor(&mut svg);
        self.lay(page, &svg);
        let what = match self.unit() {
            "" => self.title().to_owned(),
            unit => format!("{} ({unit})", self.title()),
        };
        match board.range() {
            None => page.note(&format!("{what}: no cell has a number")),
            Some(range) if range.from >= range.to => {
                page.note(&format!("{what}: {} everywhere", plain(range.from, 3)));
            }
            Some(range) => {
                let middle = f64::midpoint(range.from, range.to);
                let decimals = decimals(range.from.abs().max(range.to.abs()));
                let tick = |part, value| (part, plain(value, decimals));
                let ticks = [
                    tick(0.0, range.from),
                    tick(0.5, middle),
                    tick(1.0, range.to),
                ];
                page.scale(&what, |part| Heat::Values.at(part), &ticks);
            }
        }
        if let Some(note) = self.note(self.merging()) {
            page.note(&note);
        }
    }

    /// Puts the axes and the cells on the page.
    fn lay(&self, page: &mut Page, cells: &Svg) {
        let mut svg = Svg::default();
        let Board {
            grid,
            table,
            cells: index,
            ..
        } = self.board;
        self.tiles.axes(&mut svg, grid, table, index);
        svg.append(cells);
        page.place(&svg, self.tiles.height() + 18.0);
    }

    /// Fills tiles by a part of the greatest count, from 0 to 1; 0 and NaN have no colour.
    fn counts(&self, svg: &mut Svg, part: impl Fn(Tile) -> f64) {
        let colour = |part: f64| -> Rgb {
            if part > 0.0 {
                Heat::Counts.at(part)
            } else {
                NOTHING
            }
        };
        self.tiles.fill(svg, |tile| colour(part(tile)));
        self.tiles.gaps(svg, RULE);
    }

    /// The greatest value of the cells in a tile.
    fn greatest(&self, of: &[f64], tile: Tile) -> f64 {
        let cells = self.tiles.cells(tile, self.board.cells);
        let values = cells.filter_map(|cell| of.get(self.board.cells.index(cell)?));
        values.fold(0.0, |most, value| most.max(*value))
    }

    /// Draws how often cells changed.
    pub fn changes(&self, page: &mut Page, changes: &Changes) {
        let counts: Vec<f64> = changes
            .counts
            .iter()
            .map(|count| f64::from(*count))
            .collect();
        let most = counts.iter().copied().fold(0.0, f64::max);
        let mut svg = Svg::default();
        self.counts(&mut svg, |tile| self.greatest(&counts, tile) / most);
        self.lay(page, &svg);
        if most > 0.0 {
            let what = format!("how often {} changed", self.title());
            let ticks = whole_ticks(most);
            page.scale(&what, |part| Heat::Counts.at(part), &ticks);
        } else {
            page.note("no cell changed");
        }
        if let Some(note) = self.note(MOST_CHANGED) {
            page.note(&note);
        }
    }

    /// Draws how long the cursor was over each cell, and its path.
    pub fn dwell(&self, page: &mut Page, dwell: &Dwell) {
        let most = dwell.over.iter().copied().fold(0.0, f64::max);
        let mut svg = Svg::default();
        self.counts(&mut svg, |tile| {
            (self.greatest(&dwell.over, tile) / most).sqrt()
        });
        if self.board.is_text() && self.tiles.by == 1 {
            svg.put(format_args!(r#"<g opacity="0.3">"#));
            self.letters(&mut svg);
            svg.put(format_args!("</g>"));
        }
        self.path(&mut svg, dwell);
        self.lay(page, &svg);
        page.legend(&[(Icon::Path(PATH), "the way of the cursor".to_owned())]);
        if most > 0.0 {
            page.time_scale("how long it was over each cell", most, dwell.unit);
        } else {
            page.note("the cursor was over no cell");
        }
        if let Some(note) = self.note(LONGEST) {
            page.note(&note);
        }
    }

    fn path(&self, svg: &mut Svg, dwell: &Dwell) {
        let by = self.tiles.by.max(1) as f64;
        let spot = |(x, y): (f64, f64)| self.tiles.spot(0, x / by, y / by);
        let [left, top, wide, high] = self.tiles.area();
        // Beside the board the path is drawn as far as the numbers.
        svg.put(format_args!(
            r#"<clipPath id="board"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>"#,
            N(left - 4.0),
            N(top - 4.0),
            N(wide + 8.0),
            N(high + 8.0)
        ));
        svg.put(format_args!(r#"<g clip-path="url(#board)">"#));
        let panel = |(x, _): &(f64, f64)| self.tiles.panel(0, x / by).0;
        for path in &dwell.paths {
            // The path is broken between bands.
            for part in path.chunk_by(|one, other| panel(one) == panel(other)) {
                svg.path(part.iter().map(|at| spot(*at)), PATH, 1.4, 0.75);
            }
        }
        svg.put(format_args!("</g>"));
        let within = |(x, y): &(f64, f64)| {
            (left - 4.0..left + wide + 4.0).contains(x) && (top - 4.0..top + high + 4.0).contains(y)
        };
        if let Some(last) = dwell.last.map(spot).filter(within) {
            signs::cursor(svg, last, self.tiles.edge.clamp(16.0, 28.0));
        }
    }
}

/// The ticks of a scale of whole numbers from 0.
fn whole_ticks(most: f64) -> Vec<(f64, String)> {
    let mut values = vec![0.0, (most / 2.0).round(), most];
    values.dedup();
    let tick = |value: f64| (value / most, plain(value, 0));
    values.into_iter().map(tick).collect()
}
