//! A recording as HTML, for notebooks.

use std::fmt::Write;

use gametape::{Info, TableDef};
use serde_json::Value;

use crate::values::object;

/// Writes the header, the tables, and a picture.
pub fn page(name: &str, header: &Info, tables: &[TableDef], svg: Option<&str>) -> String {
    let mut html = format!("<div><strong>{}</strong><table>", escaped(name));
    let mut header = object(header);
    let details = header.remove("details");
    let details = details.as_ref().and_then(Value::as_object);
    for (key, value) in header.iter().chain(details.into_iter().flatten()) {
        let text = match value {
            Value::Null => continue,
            Value::String(text) if text.is_empty() => continue,
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        row(&mut html, &[key], &[&shortened(&text)]);
    }
    html.push_str("</table><table>");
    row(&mut html, &["table", "lane", "columns", "about"], &[]);
    for table in tables {
        let columns: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        let cells = [
            &*table.name,
            table.lane.name(),
            &columns.join(", "),
            &table.doc,
        ];
        row(&mut html, &[], &cells);
    }
    html.push_str("</table>");
    html.push_str(svg.unwrap_or_default());
    html.push_str("</div>");
    html
}

fn row(html: &mut String, heads: &[&str], cells: &[&str]) {
    html.push_str("<tr>");
    let heads = heads.iter().map(|text| ("th", text));
    for (kind, text) in heads.chain(cells.iter().map(|text| ("td", text))) {
        // Writing to a text does not fail.
        let _ = write!(
            html,
            "<{kind} style=\"text-align:left\">{}</{kind}>",
            escaped(text)
        );
    }
    html.push_str("</tr>");
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// A long value, such as a roster, would push all others out of sight.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
