//! Recordings, rows and findings as HTML, for notebooks.

use std::fmt::Write;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, Schema};
use gametape::core::text::Counted;
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

/// The number of rows at the start that are shown, and as many at the end.
const ROWS: usize = 5;
/// The number of columns that are shown.
const COLUMNS: usize = 20;
/// The number of findings that are shown.
const FINDINGS: usize = 10;

/// Writes the first and the last rows, and below them what `says` says of all.
pub fn rows(schema: &Schema, batches: &[RecordBatch], says: &str) -> Result<String, ArrowError> {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let mut heads: Vec<&str> = names.take(COLUMNS).collect();
    let hidden = schema.fields().len() - heads.len();
    let more = format!("{hidden} more columns");
    if hidden > 0 {
        heads.push(&more);
    }
    let mut html = "<div><table>".to_owned();
    row(&mut html, &heads, &[]);
    let all: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let gap = ROWS..all.saturating_sub(ROWS).max(ROWS);
    let mut before = 0;
    for batch in batches {
        let options = FormatOptions::new();
        let columns = batch.columns().iter().take(COLUMNS);
        let columns = columns.map(|column| ArrayFormatter::try_new(column, &options));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let here = before..before + batch.num_rows();
        let head = here.start..here.end.min(gap.start);
        let tail = here.start.max(gap.end)..here.end;
        for (which, shown) in [head, tail].into_iter().enumerate() {
            for at in shown {
                if which == 1 && at == gap.end && !gap.is_empty() {
                    row(&mut html, &[], &vec!["…"; heads.len()]);
                }
                let cells = columns.iter().map(|column| {
                    let text = column.value(at - before).try_to_string();
                    text.map(|text| shortened(&text))
                });
                let cells = cells.collect::<Result<Vec<String>, _>>()?;
                let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                row(&mut html, &[], &cells);
            }
        }
        before = here.end;
    }
    html.push_str("</table>");
    html.push_str(&escaped(says));
    html.push_str("</div>");
    Ok(html)
}

/// Writes a verdict, a summary, and the first findings.
pub fn findings(verdict: &str, summary: &str, findings: &[String]) -> String {
    let head = format!("<strong>{}</strong> {}", escaped(verdict), escaped(summary));
    let mut html = format!("<div>{head}<table>");
    for finding in findings.iter().take(FINDINGS) {
        row(&mut html, &[], &[&shortened(finding)]);
    }
    if let Some(more) = findings
        .len()
        .checked_sub(FINDINGS)
        .filter(|more| *more > 0)
    {
        let more = format!("and {}", Counted(more as u64, "more finding"));
        row(&mut html, &[], &[&more]);
    }
    html.push_str("</table></div>");
    html
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
