//! The tables page of the book.

use std::fmt::Write as _;

use super::def::TableDef;

/// Returns tables as Markdown: a heading and a description for each table, and a row for each
/// column.
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
        for column in &table.columns {
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
                "| `{}` | {}{unit}{}{mark} | {}{precision} |",
                column.name,
                column.kind.name(),
                column.unit,
                column.doc
            );
        }
        out.push('\n');
    }
    out
}
