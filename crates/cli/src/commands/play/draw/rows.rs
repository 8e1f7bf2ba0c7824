//! Draws the rows of a state or of facts: a line per row, or a line per column if there is one row.

use std::collections::BTreeMap;

use gametape::core::table::Owned;
use gametape::{Batch, ColumnDef, Kind, TableDef, Value};
use ratatui::style::{Modifier, Style};

use super::pen::{Pen, width};
use crate::commands::play::view_state::ViewState;
use gametape::core::surface::shown;

/// The largest width of a column.
const WIDEST: usize = 28;

/// Draws the rows and marks values that changed since `before`.
pub fn draw(
    pen: &mut Pen<'_>,
    table: &TableDef,
    now: &Batch,
    before: Option<&Batch>,
    view_state: &ViewState,
) {
    if now.is_empty() {
        pen.put(0, 0, "nothing holds now", pen.paint.faint());
        return;
    }
    let before = Before::new(table, before);
    let down = usize::try_from(view_state.down).unwrap_or_default();
    if now.len() == 1 {
        one(pen, table, now, &before, down);
    } else {
        let right = usize::try_from(view_state.right).unwrap_or_default();
        many(pen, table, now, &before, [right, down]);
    }
}

/// The earlier rows of a table.
struct Before<'b> {
    batch: Option<&'b Batch>,
    rows: BTreeMap<Vec<Owned>, usize>,
    keys: Vec<usize>,
}

impl<'b> Before<'b> {
    fn new(table: &TableDef, batch: Option<&'b Batch>) -> Self {
        let columns = table.columns.iter().enumerate();
        let keys: Vec<usize> = columns
            .filter_map(|(at, column)| column.key.then_some(at))
            .collect();
        let count = batch.map_or(0, Batch::len);
        let rows = (0..count).filter_map(|row| Some((key(batch?, row, &keys), row)));
        Self {
            rows: rows.collect(),
            batch,
            keys,
        }
    }

    /// Whether a value changed; a new row is not a change.
    fn changed(&self, now: &Batch, row: usize, column: usize) -> bool {
        let was = self.rows.get(&key(now, row, &self.keys)).zip(self.batch);
        // `Owned` compares floats by their bits, so that NaN equals NaN.
        was.is_some_and(|(was, batch)| {
            Owned::from(batch.get(*was, column)) != Owned::from(now.get(row, column))
        })
    }
}

fn key(batch: &Batch, row: usize, keys: &[usize]) -> Vec<Owned> {
    keys.iter().map(|at| batch.get(row, *at).into()).collect()
}

/// Draws a line per column: its name, its value and its description.
fn one(pen: &mut Pen<'_>, table: &TableDef, now: &Batch, before: &Before<'_>, down: usize) {
    let names = table.columns.iter().map(|column| width(&column.name));
    let names = names.max().unwrap_or(0).min(WIDEST) + 2;
    let values: Vec<String> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let value = shown(now.get(0, at), Some(column));
            format!("{value} {}", column.unit).trim_end().to_owned()
        })
        .collect();
    let wide = values.iter().map(|value| width(value)).max().unwrap_or(0);
    let wide = wide.min(pen.width().saturating_sub(names) * 2 / 5).max(8);
    let from = down.min(table.columns.len().saturating_sub(pen.height()));
    let lines = table.columns.iter().zip(&values).enumerate().skip(from);
    for (y, (at, (column, value))) in lines.take(pen.height()).enumerate() {
        pen.put(0, y, &column.name, pen.paint.head());
        let style = style(pen, before.changed(now, 0, at), now.get(0, at));
        let end = pen.put(names, y, value, style);
        // The descriptions are aligned, except after a long value.
        pen.put(end.max(names + wide) + 2, y, &column.doc, pen.paint.faint());
    }
}

fn style(pen: &Pen<'_>, changed: bool, value: Value<'_>) -> Style {
    match (changed, value) {
        (true, _) => pen.paint.changed(),
        (false, Value::Null) => pen.paint.faint(),
        (false, _) => Style::new(),
    }
}

/// Draws a line per row; keys and names do not scroll.
fn many(
    pen: &mut Pen<'_>,
    table: &TableDef,
    now: &Batch,
    before: &Before<'_>,
    [right, down]: [usize; 2],
) {
    let room = pen.height().saturating_sub(1);
    let from = down.min(now.len().saturating_sub(room));
    let rows = from..(from + room).min(now.len());
    let columns = table.columns.iter().enumerate();
    let (keys, others): (Vec<_>, Vec<_>) =
        columns.partition(|(_, column)| column.key || column.name == "name");
    let right = right.min(others.len().saturating_sub(1));
    let mut x = 0;
    for (at, column) in keys.into_iter().chain(others.into_iter().skip(right)) {
        if x >= pen.width() {
            break;
        }
        let texts: Vec<String> = rows
            .clone()
            .map(|row| shown(now.get(row, at), Some(column)))
            .collect();
        let head = head(column);
        let widest = texts.iter().map(|text| width(text)).max().unwrap_or(0);
        let wide = widest.max(width(&head)).min(WIDEST);
        let number = !matches!(column.kind, Kind::Text | Kind::Bool);
        let place = |text: &str| {
            if number {
                x + wide - width(text).min(wide)
            } else {
                x
            }
        };
        pen.put(place(&head), 0, &clipped(&head, wide), pen.paint.head());
        for (y, (row, text)) in rows.clone().zip(&texts).enumerate() {
            let mut style = style(pen, before.changed(now, row, at), now.get(row, at));
            if column.key {
                style = style.add_modifier(Modifier::BOLD);
            }
            pen.put(place(text), y + 1, &clipped(text, wide), style);
        }
        x += wide + 2;
    }
    if now.len() > room {
        let of = format!("rows {}-{} of {}", rows.start + 1, rows.end, now.len());
        pen.put_before(pen.width(), 0, &format!(" {of}"), pen.paint.faint());
    }
}

/// `ping ms`
fn head(column: &ColumnDef) -> String {
    format!("{} {}", column.name, column.unit)
        .trim_end()
        .to_owned()
}

/// Cuts a text to a width; a text that was cut ends in `…`.
pub fn clipped(text: &str, wide: usize) -> String {
    if width(text) <= wide {
        return text.to_owned();
    }
    let mut clipped = String::new();
    for letter in text.chars() {
        if width(&clipped) + 1 >= wide {
            break;
        }
        clipped.push(letter);
    }
    clipped.push('…');
    clipped
}
