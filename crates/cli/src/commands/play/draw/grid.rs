//! Draws the cells of a grid.

use ratatui::style::{Modifier, Style};

use super::pen::{Pen, scrolled, width};
use crate::commands::play::view_state::ViewState;
use gametape::core::surface::{plain, shown};
use gametape_picture::scene::board::{Board, Content};

/// A grid, and how it is viewed.
pub struct Scene<'s> {
    pub board: Board<'s>,
    pub view_state: &'s ViewState,
}

/// The cells on the screen.
struct Window {
    /// The first cell.
    from: [usize; 2],
    /// The number of signs across and down.
    size: [usize; 2],
    /// The number of cells that a sign stands for, in each direction.
    by: usize,
    /// The number of columns of a sign.
    wide: usize,
    /// The number of cells in a line, for a grid of one key.
    wrap: Option<usize>,
}

/// The lines below the cells: the probe and the legend.
const BELOW: usize = 2;

pub fn draw(pen: &mut Pen<'_>, scene: &Scene<'_>) {
    let height = pen.height().saturating_sub(BELOW);
    let window = window(scene, pen.width(), height);
    for y in 0..window.size[1] {
        for x in 0..window.size[0] {
            sign(&mut pen.part(0, height), scene, &window, [x, y]);
        }
    }
    let used = window.size[1].min(height);
    probe(&mut pen.part(used, 1), scene);
    legend(&mut pen.part(used + 1, 1), scene, window.by);
}

fn window(scene: &Scene<'_>, width: usize, height: usize) -> Window {
    let [across, down, _] = scene.board.cells.size;
    // The window follows the recording's cursor until the probe is moved.
    let followed = scene.board.cursor().filter(|_| !scene.view_state.probed);
    let [x, y] = followed.unwrap_or(scene.view_state.probe);
    let (width, height) = (width.max(1), height.max(1));
    if scene.board.grid.down.is_none() {
        // The line is broken so that all of it is visible.
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
    if by > 1 && !scene.view_state.close && !scene.board.is_text() {
        // Signs of two columns are square; they are used if they fit.
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

/// The cell at a place of the screen; the first one if there are several.
fn cell(scene: &Scene<'_>, window: &Window, [x, y]: [usize; 2]) -> [usize; 3] {
    let slice = scene.view_state.slice;
    match window.wrap {
        Some(wrap) => [(window.from[1] + y) * wrap + x, 0, 0],
        None => [
            window.from[0] + x * window.by,
            window.from[1] + y * window.by,
            slice,
        ],
    }
}

fn sign(pen: &mut Pen<'_>, scene: &Scene<'_>, window: &Window, at: [usize; 2]) {
    let board = &scene.board;
    let place = cell(scene, window, at);
    let Some(row) = board.cells.row(place) else {
        return;
    };
    let (mut symbol, mut style) = match board.content(place, window.by) {
        Content::Text(text) => (board.legend.symbols.get(text), pen.paint.cell(text)),
        Content::Part(part) => pen.paint.heat(part),
        Content::Nothing => ('?', pen.paint.faint()),
    };
    // A number fills both columns; a text leaves the second one free for marks.
    let heat = !board.is_text();
    let mut tail = if heat { symbol } else { ' ' };
    let contains = |at: [usize; 2]| {
        let [x, y, _] = place;
        let by = window.by;
        (x..x + by).contains(&at[0]) && (y..y + by).contains(&at[1])
    };
    if contains(scene.view_state.probe) {
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
    if board.cursor().is_some_and(contains) {
        tail = '<';
        style = style.add_modifier(Modifier::REVERSED);
    }
    if board.differs(row) {
        tail = '!';
        style = style.patch(pen.paint.differs());
    }
    let text: String = [symbol, tail].iter().take(window.wide).collect();
    pen.put(at[0] * window.wide, at[1], &text, style);
}

/// `row 3, col 4: recorded 2, rules 3 (they differ)`
fn probe(pen: &mut Pen<'_>, scene: &Scene<'_>) {
    let view_state = scene.view_state;
    let [x, y] = view_state.probe;
    let place = [x, y, view_state.slice];
    let end = pen.put(0, 0, &scene.board.place(place), pen.paint.head());
    let Some(row) = scene.board.cells.row(place) else {
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

/// Draws the legend: the shown value, the shown slice, and the meaning of the signs.
fn legend(pen: &mut Pen<'_>, scene: &Scene<'_>, by: usize) {
    let Scene { board, view_state } = scene;
    let Some(column) = board.column() else {
        return;
    };
    let mut end = 0;
    if board.grid.values.len() > 1 {
        end = pen.put(
            end,
            0,
            &format!("{} (c: other)  ", column.name),
            pen.paint.head(),
        );
    }
    if let Some(deep) = board
        .grid
        .deep
        .and_then(|deep| board.table.columns.get(deep))
    {
        let [.., z] = board.cells.coordinates([0, 0, view_state.slice]);
        let of = board.cells.size[2];
        let nth = view_state.slice + 1;
        let slice = format!("{} {z}, {nth} of {of} ([ ]: other)  ", deep.name);
        end = pen.put(end, 0, &slice, pen.paint.head());
    }
    if board.is_text() {
        let all = board
            .legend
            .symbols
            .all()
            .filter(|(_, symbol)| *symbol != ' ');
        for (text, symbol) in all {
            // A digit needs no explanation.
            if symbol.is_ascii_digit() {
                continue;
            }
            let symbol = symbol.to_string();
            let next = pen.put(end, 0, &symbol, pen.paint.cell(text));
            end = pen.put(next, 0, &format!(" {text}  "), pen.paint.faint());
        }
        return;
    }
    if let Some(range) = board.range() {
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
