//! Draws lists of moments: events around now, and markers.

use gametape::core::text::Grouped;
use gametape::{Batch, Stamp, TableDef};
use ratatui::style::{Modifier, Style};

use super::pen::{Pen, scrolled, width, wrapped};
use super::rows::clipped;
use gametape::core::surface::Marker;
use gametape::core::surface::shown;
use gametape_picture::scene::time::time;

/// Draws events, and the place of now among them.
pub fn events(
    pen: &mut Pen<'_>,
    table: &TableDef,
    (rows, upto): (&[(&Batch, usize)], usize),
    down: i64,
) {
    if rows.is_empty() {
        pen.put(0, 0, "nothing happens around now", pen.paint.faint());
        return;
    }
    let room = pen.height().saturating_sub(1);
    let chosen = i64::try_from(upto).unwrap_or(i64::MAX) - 1 + down;
    let middle = usize::try_from(chosen).unwrap_or_default();
    let from = scrolled(middle, rows.len(), room);
    let seen: Vec<&(&Batch, usize)> = rows.iter().skip(from).take(room).collect();
    let stamps: Vec<String> = seen
        .iter()
        .map(|(batch, row)| when(batch.stamp(*row)))
        .collect();
    let x = column(pen, 0, "when", &stamps, pen.paint.faint()) + 2;
    let mut x = x;
    for (at, def) in table.columns.iter().enumerate() {
        if x >= pen.width() {
            break;
        }
        let texts = seen
            .iter()
            .map(|(batch, row)| shown(batch.get(*row, at), Some(def)));
        let texts: Vec<String> = texts.collect();
        let head = format!("{} {}", def.name, def.unit);
        x = column(pen, x, head.trim_end(), &texts, Style::new()) + 2;
    }
    for (y, at) in (from..from + seen.len()).enumerate() {
        // Future events are faint; the newest past event stands out.
        if at >= upto {
            pen.mark_line(y + 1, Modifier::DIM);
        }
        if at + 1 == upto {
            pen.mark_line(y + 1, Modifier::BOLD | Modifier::UNDERLINED);
        }
        if down != 0 && i64::try_from(at) == Ok(chosen) {
            pen.mark_line(y + 1, Modifier::REVERSED);
        }
    }
}

/// Draws a column and returns its right edge.
fn column(pen: &mut Pen<'_>, x: usize, head: &str, texts: &[String], style: Style) -> usize {
    const WIDEST: usize = 24;
    let widest = texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let wide = widest.max(width(head)).min(WIDEST);
    pen.put(x, 0, &clipped(head, wide), pen.paint.head());
    for (y, text) in texts.iter().enumerate() {
        pen.put(x, y + 1, &clipped(text, wide), style);
    }
    x + wide
}

/// `12.345 s`, or `step 7`.
fn when(stamp: Stamp) -> String {
    match (stamp.time, stamp.tick) {
        (Some(at), _) => time(at),
        (None, Some(tick)) => format!("tick {}", Grouped(tick)),
        (None, None) => format!("step {}", Grouped(stamp.step)),
    }
}

/// Draws the markers, and the whole text of the chosen one below them.
pub fn marks(pen: &mut Pen<'_>, marks: &[Marker], searched: bool, chosen: i64) {
    /// The lines for the text of a marker.
    const TEXT: usize = 4;
    let chosen = usize::try_from(chosen).unwrap_or_default();
    let Some(mark) = marks.get(chosen) else {
        let none = if searched {
            "no markers: nothing was found"
        } else {
            "looking for markers …"
        };
        pen.put(0, 0, none, pen.paint.faint());
        return;
    };
    let text = wrapped(&mark.to_string(), pen.width(), TEXT);
    let room = pen.height().saturating_sub(TEXT + 1);
    for (y, line) in text.iter().enumerate() {
        pen.put(0, room + 1 + y, line, Style::new());
    }
    let mut pen = pen.part(0, room);
    let from = scrolled(chosen, marks.len(), room);
    let seen = marks.iter().enumerate().skip(from).take(room);
    for (y, (at, mark)) in seen.enumerate() {
        let (sign, style) = pen.paint.mark(mark.kind);
        pen.put(0, y, &sign.to_string(), style);
        let when = mark.stamp.map_or_else(|| "all of it".to_owned(), when);
        let end = pen.put(2, y, &when, pen.paint.faint());
        pen.put(end.max(14) + 1, y, &mark.to_string(), Style::new());
        if at == chosen {
            pen.mark_line(y, Modifier::REVERSED);
        }
    }
}
