//! What a recording says of itself.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error;
use crate::text::{Many, TextTable, printable, shortened};

/// Whether tokens, IP addresses and user ids may be shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Secrets {
    /// They are replaced.
    #[default]
    Hide,
    /// They are shown.
    Show,
}

/// Something taken from a recording that may be broken.
#[derive(Debug)]
pub struct Partial<T> {
    /// What could be taken.
    pub value: T,
    /// What is wrong with the recording, where it is not whole.
    pub problem: Option<Error>,
}

impl<T> Partial<T> {
    /// So much of it, and what is wrong.
    pub const fn new(value: T, problem: Option<Error>) -> Self {
        Self { value, problem }
    }
}

impl<T> From<T> for Partial<T> {
    /// All of it.
    fn from(value: T) -> Self {
        Self {
            value,
            problem: None,
        }
    }
}

/// A description of a recording. Its JSON form has these keys in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info {
    /// The format's name.
    pub format: &'static str,
    /// The version of the format that this recording is written in.
    pub format_version: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// Length of the recording; `None` where it is not known.
    pub duration_ms: Option<u64>,
    /// Number of steps; `None` where only the header was read.
    pub frames: Option<u64>,
    /// What a step is called.
    #[serde(skip)]
    pub step: &'static str,
    /// What only this format has.
    pub details: Map<String, Value>,
}

/// The object that a `json!` is, its keys in their order; nothing of what is no object.
#[must_use]
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A line a key, for people.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            line(f, &Many(self.step).to_string(), &frames.to_string())?;
        }
        for (key, value) in &self.details {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => printable(text),
                // A list of things with several properties: a table if they are alike, else a
                // line each.
                Value::Array(values) if values.iter().any(Value::is_object) => {
                    if let Some(table) = table(values) {
                        line(f, &key.replace('_', " "), "")?;
                        for row in table.lines() {
                            writeln!(f, "    {row}")?;
                        }
                        continue;
                    }
                    for value in values.iter().filter_map(Value::as_object) {
                        let properties = properties(value).unwrap_or_default();
                        line(f, &key.replace('_', " "), &properties)?;
                    }
                    continue;
                }
                Value::Object(map) => match properties(map) {
                    Some(text) => text,
                    None => continue,
                },
                other => plain(other),
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
fn table(values: &[Value]) -> Option<TextTable> {
    let objects: Vec<_> = values.iter().map(Value::as_object).collect::<Option<_>>()?;
    let first = objects.first()?;
    let alike = objects.iter().all(|object| object.keys().eq(first.keys()));
    let nested = |value: &Value| value.is_array() || value.is_object();
    if !alike
        || objects
            .iter()
            .flat_map(|object| object.values())
            .any(nested)
    {
        return None;
    }
    let mut table = TextTable::new(
        first
            .keys()
            .map(|name| shortened(&printable(name)).replace('_', " ")),
    );
    for object in objects {
        table.row(object.values().map(|cell| match cell {
            Value::Null => (String::new(), false),
            cell => (shortened(&plain(cell)), cell.is_number()),
        }));
    }
    Some(table)
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
