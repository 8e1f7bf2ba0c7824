//! Draws a grid at a moment, and what became of it meanwhile.

use std::collections::BTreeMap;

use gametape::Value;

use super::ink::{self, DIFFERS, GAP, Heat, INK, NOTHING, RULE, WAY};
use super::page::Page;
use super::signs::{self, Icon};
use super::svg::{N, Svg};
use super::tiles::{Shape, Tile, Tiles};
use super::way::line;
use crate::scene::board::Board;
use crate::scene::cells::number;
use crate::scene::change::Changes;
use crate::scene::range::Range;
use crate::scene::stay::Stay;
use crate::scene::symbols::Symbols;
use crate::scene::text::digits;
use crate::scene::words::counted;
use gametape::core::table::plain;

/// Smaller cells have nothing written in them.
const WRITTEN: f64 = 7.0;

/// A grid, and how it is laid out.
pub struct Drawing<'s> {
    pub board: Board<'s>,
    pub tiles: Tiles,
    /// The column that is shown.
    pub value: usize,
}

impl Drawing<'_> {
    /// A note on cells that are drawn together, and on slices that are not shown.
    pub fn note(&self, how: &str) -> Option<String> {
        let by = self.tiles.by;
        let together = (by > 1).then(|| match self.tiles.shape {
            Shape::Line(_) => format!("{by} cells are drawn as one: {how}"),
            _ => format!("{by} x {by} cells are drawn as one: {how}"),
        });
        let (shown, slices) = (self.tiles.shown, self.tiles.slices);
        let left = (shown < slices).then(|| format!("the first {shown} of {slices} slices"));
        let told: Vec<String> = [left, together].into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// What is drawn of cells that are drawn together.
    pub fn together(&self) -> &'static str {
        if self.board.is_text(self.value) {
            "what most of them hold"
        } else {
            "their mean"
        }
    }

    fn unit(&self) -> &str {
        let column = self.board.table.columns.get(self.value);
        column.map_or("", |column| &column.unit)
    }

    fn title(&self) -> &str {
        let column = self.board.table.columns.get(self.value);
        column.map_or("", |column| &column.name)
    }

    /// What most cells of a tile say.
    fn text(&self, tile: Tile) -> Option<&str> {
        let board = &self.board;
        let text = |place| match board.batch.get(board.cells.row(place)?, self.value) {
            Value::Text(text) => Some(text),
            _ => None,
        };
        if self.tiles.by == 1 {
            return text(self.tiles.cell(tile));
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in self.tiles.cells(tile, board.cells).filter_map(text) {
            *counts.entry(text).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map(|(text, _)| text)
    }

    /// The cells at a moment.
    pub fn at(&self, page: &mut Page, symbols: &Symbols) {
        if self.board.is_text(self.value) {
            self.texts(page, symbols);
        } else {
            self.values(page);
        }
    }

    fn texts(&self, page: &mut Page, symbols: &Symbols) {
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, |tile| {
            Some(self.text(tile).map_or(NOTHING, ink::ground))
        });
        self.tiles.gaps(&mut svg, GAP);
        self.letters(&mut svg, symbols);
        let differ = self.differ(&mut svg);
        let cursor = self.cursor(&mut svg);
        self.lay(page, &svg);
        let mut entries = self.faces(symbols);
        if differ > 0 {
            let names = self.compared().join(" and ");
            let text = format!("{names} differ: {differ}");
            entries.push((Icon::Outline(DIFFERS), text));
        }
        if cursor && self.tiles.edge < WRITTEN {
            entries.push((Icon::Outline(INK), "the cursor".to_owned()));
        }
        page.legend(&entries);
        if let Some(note) = self.note(self.together()) {
            page.note(&note);
        }
    }

    /// What stands in the cells, where there is room for it.
    fn letters(&self, svg: &mut Svg, symbols: &Symbols) {
        let size = self.tiles.edge;
        if size < WRITTEN {
            return;
        }
        for tile in self.tiles.all() {
            if let Some(text) = self.text(tile) {
                let at = self.tiles.middle(tile);
                signs::in_cell(svg, at, size, text, symbols.get(text));
            }
        }
    }

    /// The names of two columns that are compared.
    fn compared(&self) -> Vec<&str> {
        let columns = self.board.grid.compared.map(|(one, other)| [one, other]);
        let columns = columns.into_iter().flatten();
        let columns = columns.filter_map(|at| self.board.table.columns.get(at));
        columns.map(|column| &*column.name).collect()
    }

    /// Marks cells that two columns say different things of: how many they are.
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

    /// The recording's cursor, if it is over a cell.
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

    /// What stands in cells, commonest first.
    fn faces(&self, symbols: &Symbols) -> Vec<(Icon, String)> {
        let counts = counted(&self.board, self.value);
        let entry = |(text, count): (&str, usize)| {
            let name = if text.is_empty() { "(empty)" } else { text };
            let icon = Icon::Cell(text.to_owned(), symbols.get(text));
            (icon, format!("{name}: {count}"))
        };
        counts.into_iter().map(entry).collect()
    }

    /// Numbers, as a heat.
    fn values(&self, page: &mut Page) {
        let board = &self.board;
        let rows = 0..board.batch.len();
        let values = rows.filter_map(|row| number(board.batch.get(row, self.value)));
        let range = values.fold(None, |range, value| Some(Range::with(range, value)));
        let colour = |tile| {
            let mean = board.mean(self.value, self.tiles.cell(tile), self.tiles.by);
            Some(mean.map_or(NOTHING, |mean| Heat::Values.at(Range::part(range, mean))))
        };
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, colour);
        if self.tiles.shape == Shape::Hexagon {
            self.tiles.gaps(&mut svg, RULE);
        }
        self.cursor(&mut svg);
        self.lay(page, &svg);
        let what = match self.unit() {
            "" => self.title().to_owned(),
            unit => format!("{} ({unit})", self.title()),
        };
        match range {
            None => page.note(&format!("{what}: no cell has a number")),
            Some(range) if range.from >= range.to => {
                page.note(&format!("{what}: {} everywhere", plain(range.from, 3)));
            }
            Some(range) => {
                let middle = f64::midpoint(range.from, range.to);
                let digits = digits(range.from.abs().max(range.to.abs()));
                let tick = |part, value| (part, plain(value, digits));
                let ticks = [
                    tick(0.0, range.from),
                    tick(0.5, middle),
                    tick(1.0, range.to),
                ];
                page.scale(&what, |part| Heat::Values.at(part), &ticks);
            }
        }
        if let Some(note) = self.note(self.together()) {
            page.note(&note);
        }
    }

    /// The axes, and what was drawn.
    fn lay(&self, page: &mut Page, svg: &Svg) {
        page.svg.put(format_args!(
            r#"<g transform="translate(0 {})">"#,
            N(page.y)
        ));
        let board = &self.board;
        self.tiles
            .axes(&mut page.svg, board.grid, board.table, board.cells);
        page.svg.append(svg);
        page.svg.put(format_args!("</g>"));
        page.y += self.tiles.height() + 18.0;
    }

    /// The greatest of the cells of a tile.
    fn greatest(&self, of: &[f64], tile: Tile) -> f64 {
        let cells = self.tiles.cells(tile, self.board.cells);
        let values = cells.filter_map(|cell| of.get(self.board.cells.index(cell)?));
        values.fold(0.0, |most, value| most.max(*value))
    }

    /// How often cells changed.
    pub fn changes(&self, page: &mut Page, changes: &Changes) {
        let counts: Vec<f64> = changes
            .counts
            .iter()
            .map(|count| f64::from(*count))
            .collect();
        let most = counts.iter().copied().fold(0.0, f64::max);
        let colour = |tile| {
            let count = self.greatest(&counts, tile);
            Some(if count > 0.0 {
                Heat::Counts.at(count / most)
            } else {
                NOTHING
            })
        };
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, colour);
        self.tiles.gaps(&mut svg, RULE);
        self.lay(page, &svg);
        if most > 0.0 {
            let what = format!("how often {} changed", self.title());
            let ticks = whole_ticks(most);
            page.scale(&what, |part| Heat::Counts.at(part), &ticks);
        } else {
            page.note("no cell changed");
        }
        if let Some(note) = self.note("as often as that which changed most") {
            page.note(&note);
        }
    }

    /// Where the cursor was, and for how long: over what the cells hold in the end.
    pub fn stay(&self, page: &mut Page, stay: &Stay, symbols: &Symbols) {
        let most = stay.over.iter().copied().fold(0.0, f64::max);
        let part = |tile| (self.greatest(&stay.over, tile) / most).sqrt();
        let mut svg = Svg::default();
        self.tiles.fill(&mut svg, |tile| {
            let part = part(tile);
            // What is not even a shade is nothing.
            Some(if part > 0.0 {
                Heat::Counts.at(part)
            } else {
                NOTHING
            })
        });
        self.tiles.gaps(&mut svg, RULE);
        if self.board.is_text(self.value) && self.tiles.by == 1 {
            svg.put(format_args!(r#"<g opacity="0.3">"#));
            self.letters(&mut svg, symbols);
            svg.put(format_args!("</g>"));
        }
        self.way(&mut svg, stay);
        self.lay(page, &svg);
        page.legend(&[(Icon::Way(WAY), "the way of the cursor".to_owned())]);
        if most > 0.0 {
            let unit = stay.unit;
            let tick = |part: f64| {
                (
                    part,
                    format!("{} {unit}", plain(part * part * most, digits(most))),
                )
            };
            let what = "how long it was over each cell";
            let ticks = [0.0, 0.25, 0.5, 1.0].map(tick);
            page.scale(what, |part| Heat::Counts.at(part), &ticks);
        } else {
            page.note("the cursor was over no cell");
        }
        if let Some(note) = self.note("as long as over that where it was longest") {
            page.note(&note);
        }
    }

    fn way(&self, svg: &mut Svg, stay: &Stay) {
        let by = self.tiles.by.max(1) as f64;
        let spot = |(x, y): (f64, f64)| self.tiles.spot(0, x / by, y / by);
        let [left, top, wide, high] = self.tiles.area();
        // Beside the board it is drawn as far as the numbers.
        svg.put(format_args!(
            r#"<clipPath id="board"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>"#,
            N(left - 4.0),
            N(top - 4.0),
            N(wide + 8.0),
            N(high + 8.0)
        ));
        svg.put(format_args!(r#"<g clip-path="url(#board)">"#));
        let panel = |(x, _): &(f64, f64)| self.tiles.panel(0, x / by).0;
        for way in &stay.ways {
            // From one band to the next it jumps.
            for part in way.chunk_by(|one, other| panel(one) == panel(other)) {
                line(svg, part.iter().map(|at| spot(*at)), WAY, 1.4, 0.75);
            }
        }
        svg.put(format_args!("</g>"));
        let within = |(x, y): &(f64, f64)| {
            (left - 4.0..left + wide + 4.0).contains(x) && (top - 4.0..top + high + 4.0).contains(y)
        };
        if let Some(last) = stay.last.map(spot).filter(within) {
            signs::cursor(svg, last, self.tiles.edge.clamp(16.0, 28.0));
        }
    }
}

/// Ticks of a scale of whole numbers from 0.
fn whole_ticks(most: f64) -> Vec<(f64, String)> {
    let mut values = vec![0.0, (most / 2.0).round(), most];
    values.dedup();
    let tick = |value: f64| (value / most, plain(value, 0));
    values.into_iter().map(tick).collect()
}
