//! The keys.

use ratatui::style::Style;

use super::pen::Pen;

/// What fits a line of 80 columns.
const LINE: [(&str, &str); 9] = [
    ("space", "play"),
    (", .", "step"),
    ("h l", "5 s"),
    ("- +", "speed"),
    ("n p", "marker"),
    ("g", "go to"),
    ("tab", "view"),
    ("?", "keys"),
    ("q", "quit"),
];
const TYPING: [(&str, &str); 3] = [
    ("1:23.4 83.4 tick:137 step:600 50%", "a moment"),
    ("enter", "go"),
    ("esc", "stay"),
];
const ALL: [(&str, &str); 16] = [
    ("space", "play, pause; from the end it starts again"),
    ("+ -", "twice as fast, half as fast: 1/8x to 64x"),
    (". ,", "a step on, a step back"),
    (
        "l h",
        "5 seconds on, back; 5 % of a recording without times",
    ),
    ("home end", "to the start, to the end (also 0 and $)"),
    ("n p", "to the next marker, the one before"),
    ("g", "to a moment: 1:23.4, 83.4, tick:137, step:600, 50%"),
    ("tab 1-9", "another view"),
    (
        "arrows",
        "scroll a table; move the probe of a grid; choose in a list",
    ),
    ("page up/down", "the same, ten at once"),
    ("enter", "to the event or the marker that is chosen"),
    ("c", "another value of the cells of a grid"),
    ("z", "each cell by itself, or all of a large grid at once"),
    ("[ ]", "another slice of a grid of three keys"),
    ("v", "positions from another side"),
    ("? q", "these keys; quit (also ctrl-c)"),
];

/// The last line of the screen.
pub fn line(pen: &mut Pen<'_>, typing: bool) {
    let keys: &[(&str, &str)] = if typing { &TYPING } else { &LINE };
    let mut x = 0;
    for (key, what) in keys {
        x = pen.put(x, 0, key, pen.paint.head());
        x = pen.put(x + 1, 0, what, pen.paint.faint()) + 1;
    }
}

/// All of them.
pub fn draw(pen: &mut Pen<'_>) {
    for (y, (key, what)) in ALL.iter().enumerate() {
        pen.put(0, y, key, pen.paint.head());
        pen.put(14, y, what, Style::new());
    }
}
