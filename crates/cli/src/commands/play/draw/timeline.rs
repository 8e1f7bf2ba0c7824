//! Draws the timeline.

use gametape::Stamp;
use ratatui::style::Modifier;

use super::pen::{Pen, width};
use crate::commands::play::player::Player;
use gametape_picture::scene::time::{Axis, time};

/// Draws the position, the span and the markers; of several markers at one place, the worst.
pub fn draw(pen: &mut Pen<'_>, player: &Player) {
    let clock = &player.clock;
    let ends = [clock.span().first, clock.span().last];
    let [first, last] = ends.map(|stamp| end(clock.axis(), stamp));
    pen.put(0, 0, &first, pen.paint.faint());
    pen.put_before(pen.width(), 0, &last, pen.paint.faint());
    let from = width(&first) + 1;
    let room = pen.width().saturating_sub(from + width(&last) + 1);
    if room < 2 {
        return;
    }
    let column = |at: i64| from + (clock.part(at) * (room - 1) as f64).round() as usize;
    let here = column(clock.at());
    for x in from..from + room {
        let (line, style) = if x < here {
            ("━", pen.paint.head())
        } else {
            ("─", pen.paint.faint())
        };
        pen.put(x, 0, line, style);
    }
    pen.put(here, 0, "┃", pen.paint.head());
    // Markers are sorted worst first; the last one drawn is visible.
    for mark in player.marks.iter().rev() {
        let Some(stamp) = mark.stamp else {
            continue;
        };
        let x = column(clock.place(stamp));
        let (sign, mut style) = pen.paint.mark(mark.kind);
        if x == here {
            style = style.add_modifier(Modifier::REVERSED);
        }
        pen.put(x, 0, &sign.to_string(), style);
    }
}

fn end(axis: Axis, stamp: Stamp) -> String {
    match (axis, stamp.time) {
        (Axis::Time, Some(at)) => time(at),
        _ => format!("step {}", stamp.step),
    }
}
