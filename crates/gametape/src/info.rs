//! What a recording says of itself.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Format;

/// A description of a recording. Its JSON form has these keys in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info {
    /// As it was opened; `-` for standard input.
    pub path: String,
    /// The format.
    pub format: Format,
    /// The format's version.
    pub format_version: u32,
    /// Size of the file.
    pub bytes: u64,
    /// Length of the recording; `None` where it is not known.
    pub duration_ms: Option<u64>,
    /// Number of frames or events; `None` where only the header was read.
    pub frames: Option<u64>,
    /// What only this format has.
    pub details: Map<String, Value>,
}

/// A line a key, for people.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", printable(&self.path))?;
        let line = |f: &mut fmt::Formatter<'_>, key: &str, value: &str| {
            writeln!(f, "{}", format!("  {key:<16} {value}").trim_end())
        };
        line(
            f,
            "format",
            &format!("{} v{}", self.format, self.format_version),
        )?;
        line(f, "size", &format!("{} bytes", self.bytes))?;
        if let Some(ms) = self.duration_ms {
            line(f, "duration", &format!("{}.{:03} s", ms / 1000, ms % 1000))?;
        }
        if let Some(frames) = self.frames {
            line(f, self.format.unit(), &frames.to_string())?;
        }
        for (key, value) in &self.details {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => printable(text),
                // A list of things with several properties: a table if they are alike, else a
                // line each.
                Value::Array(values) if values.iter().any(Value::is_object) => {
                    if let Some(rows) = table(values) {
                        line(f, &key.replace('_', " "), "")?;
                        for row in rows {
                            writeln!(f, "    {row}")?;
                        }
                        continue;
                    }
                    for value in values.iter().filter_map(Value::as_object) {
                        line(
                            f,
                            &key.replace('_', " "),
                            &properties(value).unwrap_or_default(),
                        )?;
                    }
                    continue;
                }
                Value::Array(values) => {
                    let texts: Vec<String> = values.iter().map(plain).collect();
                    texts.join(", ")
                }
                Value::Object(map) => match properties(map) {
                    Some(text) => text,
                    None => continue,
                },
                other => other.to_string(),
            };
            line(f, &key.replace('_', " "), &text)?;
        }
        Ok(())
    }
}

/// `name x, bytes 12`; nothing where nothing is known.
fn properties(map: &Map<String, Value>) -> Option<String> {
    let texts: Vec<String> = map
        .iter()
        .filter(|(_, value)| !value.is_null() && *value != "")
        .map(|(key, value)| format!("{} {}", printable(key), plain(value)))
        .collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Rows of cells in columns, under their names; none where the objects are not alike, or hold
/// lists.
fn table(values: &[Value]) -> Option<Vec<String>> {
    let objects: Vec<_> = values.iter().map(Value::as_object).collect::<Option<_>>()?;
    let first = objects.first()?;
    let alike = objects.iter().all(|object| object.keys().eq(first.keys()));
    if !alike
        || objects
            .iter()
            .flat_map(|o| o.values())
            .any(|v| v.is_array() || v.is_object())
    {
        return None;
    }
    let names = first
        .keys()
        .map(|name| (shortened(&printable(name)).replace('_', " "), false));
    let mut rows = vec![names.collect::<Vec<_>>()];
    rows.extend(objects.iter().map(|object| {
        let cells = object.values();
        let cells = cells.map(|cell| match cell {
            Value::Null => (String::new(), false),
            cell => (shortened(&plain(cell)), cell.is_number()),
        });
        cells.collect()
    }));
    let widths: Vec<usize> = (0..first.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells
                .map(|(cell, _)| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    // A name stands over its numbers.
    let numbers: Vec<bool> = (0..first.len())
        .map(|at| {
            rows.iter()
                .any(|row| row.get(at).is_some_and(|(_, number)| *number))
        })
        .collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).zip(&numbers);
        let cells = cells.map(|(((cell, _), width), number)| {
            if *number {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    Some(lines.collect())
}

/// A JSON value without its quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(plain).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    }
}

/// Text for a table of people's: of what is long the beginning, so that one name does not push all
/// others off the screen.
///
/// ```
/// assert_eq!(gametape::shortened("mpl_arena_a"), "mpl_arena_a");
/// assert_eq!(gametape::shortened(&"x".repeat(100_000)).chars().count(), 60);
/// ```
#[must_use]
pub fn shortened(text: &str) -> String {
    /// Characters that are shown.
    const MOST: usize = 60;
    if text.chars().nth(MOST).is_none() {
        return text.to_owned();
    }
    text.chars().take(MOST - 1).chain(['…']).collect()
}

/// Control characters, and those that turn the direction of writing.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Text for people: control characters replaced, so that neither a file's content nor its name
/// can steer the terminal it is shown on.
///
/// ```
/// assert_eq!(gametape::printable("a\u{1b}[2Jb"), "a\u{FFFD}[2Jb");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if steers(c) { '\u{FFFD}' } else { c })
        .collect()
}
