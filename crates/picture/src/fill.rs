//! Paints tiles: their colours, the lines between them, and the axes.

use std::collections::BTreeMap;
use std::fmt::Write;

use gametape::TableDef;

use super::palette::{FAINT, Rgb};
use super::svg::{Anchor, Letters, N, Svg, width};
use super::tiles::{Shape, TALL, Tile, Tiles};
use crate::scene::board::Cells;
use crate::scene::views::Grid;

impl Tiles {
    /// Fills all tiles; tiles of one colour become one path.
    pub fn fill(&self, svg: &mut Svg, colour: impl Fn(Tile) -> Rgb) {
        let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
        let mut run: Option<(Rgb, Tile, usize)> = None;
        let mut end = |run: &mut Option<(Rgb, Tile, usize)>| {
            if let Some((colour, first, count)) = run.take() {
                self.run(first, count, paths.entry(colour).or_default());
            }
        };
        for tile in self.all() {
            let colour = colour(tile);
            match &mut run {
                Some((same, first, count))
                    if *same == colour && self.continues(*first, *count, tile) =>
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

    /// Whether a tile continues a run of `count` tiles.
    fn continues(&self, first: Tile, count: usize, tile: Tile) -> bool {
        let next = first.slice == tile.slice && first.at[1] == tile.at[1];
        match self.shape {
            Shape::Square => next && first.at[0] / self.band == tile.at[0] / self.band,
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

    /// Draws lines around the tiles if they are large enough.
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

    /// Draws the names of the axes, and the numbers of columns and rows.
    pub fn axes(&self, svg: &mut Svg, grid: &Grid, table: &TableDef, cells: &Cells) {
        let name = |key: Option<usize>| {
            let column = key.and_then(|key| table.columns.get(key));
            column.map_or("", |column| &column.name)
        };
        let letters = Letters::new(11.0).ink(FAINT);
        let [across, down, deep] = cells.from;
        for panel in 0..self.panels() {
            let (left, top) = self.origin(panel);
            let (slice, columns) = self.columns(panel);
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
            let wide = width(&text, 11.0) + 12.0;
            svg.text(left, top - 6.0, letters, &text);
            let every = self.every(30.0);
            let middle = letters.anchor(Anchor::Middle);
            for x in columns.clone().filter(|x| x.is_multiple_of(every)) {
                let (at, _) = self.spot(slice, x as f64 + 0.5, 0.5);
                if at >= left + wide {
                    let number = across.saturating_add((x * self.by) as i64);
                    svg.text(at, top - 6.0, middle, &number.to_string());
                }
            }
            let every = self.every(16.0);
            let turned = letters.anchor(Anchor::End);
            for y in (0..self.size[1]).step_by(every) {
                let (at, middle) = self.spot(slice, columns.start as f64, y as f64 + 0.5);
                let number = down.saturating_add((y * self.by) as i64).to_string();
                let number = if y == 0 && panel.is_multiple_of(self.beside.max(1)) {
                    format!("{} ↓ {number}", name(grid.down))
                } else {
                    number
                };
                svg.text(at - 5.0, middle + 4.0, turned, &number);
            }
        }
    }

    /// The step between numbered tiles, where a number needs this much room.
    fn every(&self, room: f64) -> usize {
        let steps = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000];
        let fits = |step: &&usize| **step as f64 * self.edge >= room;
        steps.iter().find(fits).copied().unwrap_or(1000)
    }
}
