//! The cells of a grid.

use gametape::Value;
use ratatui::style::{Modifier, Style};

use super::pen::{Pen, scrolled, width};
use crate::commands::play::sight::Sight;
use crate::scene::board::Board;
use crate::scene::range::Range;
use gametape::core::table::{plain, shown};

/// What is looked at.
pub struct Scene<'s> {
    pub board: Board<'s>,
    pub sight: &'s Sight,
}

/// Which cells are where: the first, and how many cells a sign stands for, each way.
struct Window {
    from: [usize; 2],
    /// Signs across and down.
    size: [usize; 2],
    /// Cells that a sign stands for, each way.
    by: usize,
    /// Columns of a sign.
    wide: usize,
    /// Cells of a line, where a grid of one key is broken into lines.
    wrap: Option<usize>,
}

/// Lines below the cells: the probe, what signs mean.
const BELOW: usize = 2;

pub fn draw(pen: &mut Pen<'_>, scene: &Scene<'_>) {
    let Some(value) = scene.board.grid.values.get(scene.sight.value).copied() else {
        return;
    };
    let height = pen.height().saturating_sub(BELOW);
    let window = window(scene, value, pen.width(), height);
    for y in 0..window.size[1] {
        for x in 0..window.size[0] {
            sign(&mut pen.part(0, height), scene, value, &window, [x, y]);
        }
    }
    let used = window.size[1].min(height);
    probe(&mut pen.part(used, 1), scene);
    legend(&mut pen.part(used + 1, 1), scene, value, window.by);
}

fn window(scene: &Scene<'_>, value: usize, width: usize, height: usize) -> Window {
    let [across, down, _] = scene.sight.cells.size;
    // What is seen goes with the recording's cursor, until somebody looks elsewhere.
    let followed = scene.board.cursor().filter(|_| !scene.sight.probed);
    let [x, y] = followed.unwrap_or(scene.sight.probe);
    let (width, height) = (width.max(1), height.max(1));
    if scene.board.grid.down.is_none() {
        // A line is broken, so that all of it is seen.
        let wide = if across * 2 <= width * height { 2 } else { 1 };
        let wrap = (width / wide).max(1).min(across.max(1));
        let lines = across.div_ceil(wrap);
        let first = scrolled(x / wrap, lines, height);
        return Window {
            from: [0, first],
            size: [wrap, (lines - first).min(height)],
            by: 1,
            wide,
            wrap: Some(wrap),
        };
    }
    let wide = if across * 2 <= width { 2 } else { 1 };
    let room = [width / wide, height];
    let by = across.div_ceil(room[0]).max(down.div_ceil(room[1])).max(1);
    if by > 1 && !scene.sight.close && !scene.board.is_text(value) {
        // Two columns a sign are square, if they fit.
        let wide = if across.div_ceil(by) * 2 <= width {
            2
        } else {
            1
        };
        return Window {
            from: [0, 0],
            size: [across.div_ceil(by), down.div_ceil(by)],
            by,
            wide,
            wrap: None,
        };
    }
    let from = [scrolled(x, across, room[0]), scrolled(y, down, room[1])];
    Window {
        from,
        size: [
            (across - from[0]).min(room[0]),
            (down - from[1]).min(room[1]),
        ],
        by: 1,
        wide,
        wrap: None,
    }
}

/// The cell that stands at a place of the screen: the first, where there are several.
fn cell(scene: &Scene<'_>, window: &Window, [x, y]: [usize; 2]) -> [usize; 3] {
    let slice = scene.sight.slice;
    match window.wrap {
        Some(wrap) => [(window.from[1] + y) * wrap + x, 0, 0],
        None => [
            window.from[0] + x * window.by,
            window.from[1] + y * window.by,
            slice,
        ],
    }
}

fn sign(pen: &mut Pen<'_>, scene: &Scene<'_>, value: usize, window: &Window, at: [usize; 2]) {
    let place = cell(scene, window, at);
    let cells = &scene.sight.cells;
    let Some(row) = cells.row(place) else {
        return;
    };
    let range = scene.sight.ranges.get(scene.sight.value).copied().flatten();
    let (symbol, mut style) = match scene.board.batch.get(row, value) {
        Value::Text(text) => (scene.sight.symbols.get(text), pen.paint.cell(text)),
        _ => match scene.board.mean(value, place, window.by) {
            Some(number) => pen.paint.heat(Range::part(range, number)),
            None => ('?', pen.paint.faint()),
        },
    };
    // A number is as wide as its sign, a text has something behind it.
    let heat = !scene.board.is_text(value);
    let mut tail = if heat { symbol } else { ' ' };
    let held = |at: [usize; 2]| {
        let [x, y, _] = place;
        let by = window.by;
        (x..x + by).contains(&at[0]) && (y..y + by).contains(&at[1])
    };
    let mut symbol = symbol;
    if held(scene.sight.probe) {
        tail = '_';
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        if heat {
            (symbol, tail) = if window.wide == 2 {
                ('[', ']')
            } else {
                ('+', '+')
            };
        }
    }
    if scene.board.cursor().is_some_and(held) {
        tail = '<';
        style = style.add_modifier(Modifier::REVERSED);
    }
    if scene.board.differs(row) {
        tail = '!';
        style = style.patch(pen.paint.differs());
    }
    let text: String = [symbol, tail].iter().take(window.wide).collect();
    pen.put(at[0] * window.wide, at[1], &text, style);
}

/// `row 3, col 4: recorded 2, rules 3 (they differ)`
fn probe(pen: &mut Pen<'_>, scene: &Scene<'_>) {
    let sight = scene.sight;
    let [x, y] = sight.probe;
    let place = [x, y, sight.slice];
    let told = scene.board.place(place);
    let end = pen.put(0, 0, &told, pen.paint.head());
    let Some(row) = sight.cells.row(place) else {
        pen.put(end, 0, ": no cell", pen.paint.faint());
        return;
    };
    let values = scene.board.grid.values.iter().filter_map(|at| {
        let column = scene.board.table.columns.get(*at)?;
        let value = shown(scene.board.batch.get(row, *at), Some(column));
        Some(format!("{} {value} {}", column.name, column.unit))
    });
    let values: Vec<String> = values.map(|value| value.trim_end().to_owned()).collect();
    let end = pen.put(end, 0, &format!(": {}", values.join(", ")), Style::new());
    if scene.board.differs(row) {
        pen.put(end, 0, " (they differ)", pen.paint.bad());
    }
}

/// What the signs mean; which of several values is shown, and which slice.
fn legend(pen: &mut Pen<'_>, scene: &Scene<'_>, value: usize, by: usize) {
    let sight = scene.sight;
    let Some(column) = scene.board.table.columns.get(value) else {
        return;
    };
    let mut end = 0;
    if scene.board.grid.values.len() > 1 {
        end = pen.put(
            end,
            0,
            &format!("{} (c: other)  ", column.name),
            pen.paint.head(),
        );
    }
    if let Some(deep) = scene
        .board
        .grid
        .deep
        .and_then(|deep| scene.board.table.columns.get(deep))
    {
        let [.., z] = sight.cells.coordinates([0, 0, sight.slice]);
        let of = sight.cells.size[2];
        let nth = sight.slice + 1;
        let slice = format!("{} {z}, {nth} of {of} ([ ]: other)  ", deep.name);
        end = pen.put(end, 0, &slice, pen.paint.head());
    }
    if scene.board.is_text(value) {
        let all = sight.symbols.all().filter(|(_, symbol)| *symbol != ' ');
        for (text, symbol) in all {
            // Whoever sees a digit knows it.
            if symbol.is_ascii_digit() {
                continue;
            }
            let symbol = symbol.to_string();
            let next = pen.put(end, 0, &symbol, pen.paint.cell(text));
            end = pen.put(next, 0, &format!(" {text}  "), pen.paint.faint());
        }
        return;
    }
    if let Some(range) = sight.ranges.get(sight.value).copied().flatten() {
        end = pen.put(end, 0, &plain(range.from, 3), Style::new()) + 1;
        for step in 0..10 {
            let (sign, style) = pen.paint.heat(f64::from(step) / 9.0);
            end = pen.put(end, 0, &sign.to_string(), style);
        }
        let most = format!("{} {}  ", plain(range.to, 3), column.unit);
        end = pen.put(end + 1, 0, &most, Style::new());
    }
    if by > 1 {
        let fits = format!("mean of {by} x {by} (z: each)");
        if end + width(&fits) <= pen.width() {
            pen.put(end, 0, &fits, pen.paint.faint());
        }
    }
}
