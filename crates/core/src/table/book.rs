//! The tables page of the book.

use std::fmt::Write as _;

use super::def::{ColumnDef, TableDef};

/// Returns tables as Markdown: a heading and a description for each table, and a row for each
/// column. Columns that say the same of the axes x, y and z share a row.
///
/// ```
/// use gametape_core::table::{ColumnDef, Kind, Lane, TableDef, tables_page};
/// let table = TableDef::new("throws", Lane::Events, "Throws of dice.")
///     .with(ColumnDef::new("eyes", Kind::Uint, "What was thrown."));
/// let page = tables_page(&[table]);
/// assert!(page.starts_with("### `throws`\n\nEvents. Throws of dice.\n\n| column | kind |"));
/// assert!(page.contains("\n| `eyes` | uint | What was thrown. |\n"));
/// ```
#[must_use]
pub fn tables_page(tables: &[TableDef]) -> String {
    let mut out = String::new();
    for table in tables {
        let lane = table.lane.name();
        let asked = if table.on_request {
            ", where they are asked for by name"
        } else {
            ""
        };
        let (first, rest) = lane.split_at_checked(1).unwrap_or((lane, ""));
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "### `{}`\n\n{}{rest}{asked}. {}\n\n| column | kind | what it is |\n|---|---|---|\n",
            table.name,
            first.to_uppercase(),
            table.doc
        );
        let mut rest = table.columns.as_slice();
        while let [column, after @ ..] = rest {
            let (name, doc, after) = match rest {
                [x, y, z, after @ ..] if are_axes(x, [(y, "y"), (z, "z")]) => (
                    format!("{}`, `{}`, `{}", x.name, y.name, z.name),
                    x.doc.replacen(" along x", " along x, y and z", 1),
                    after,
                ),
                _ => (column.name.to_string(), column.doc.to_string(), after),
            };
            let mark = match (column.key, column.secret) {
                (true, _) => ", key",
                (_, true) => ", secret",
                _ => "",
            };
            let unit = if column.unit.is_empty() { "" } else { ", " };
            let precision = column.precision;
            let precision = precision.map_or_else(String::new, |off| format!(" Within {off}."));
            let _ = writeln!(
                out,
                "| `{name}` | {}{unit}{}{mark} | {doc}{precision} |",
                column.kind.name(),
                column.unit,
            );
            rest = after;
        }
        out.push('\n');
    }
    out
}

/// Whether the other columns differ from the one of x in their axis alone.
fn are_axes(x: &ColumnDef, others: [(&ColumnDef, &str); 2]) -> bool {
    let stem = x.name.strip_suffix("_x");
    let Some(stem) = stem.filter(|_| x.doc.contains(" along x")) else {
        return false;
    };
    others.iter().all(|(other, axis)| {
        let doc = x.doc.replacen(" along x", &format!(" along {axis}"), 1);
        let of_axis = ColumnDef {
            name: format!("{stem}_{axis}").into(),
            doc: doc.into(),
            ..x.clone()
        };
        of_axis == **other
    })
}
