//! Descriptions of recordings.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error;
use super::format::FormatInfo;
use crate::table::Needs;
use crate::text::{Bytes, Many, TextTable, figure, name, printable, shortened, time_figure};

/// Whether tokens, IP addresses and user ids may be shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Secrets {
    /// Replace them.
    #[default]
    Hide,
    /// Show them.
    Show,
}

/// How much of a recording is read to describe it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Depth {
    /// The header, without decoding the body.
    Header,
    /// All of it; of a broken recording, the readable part.
    Whole,
}

/// A value obtained from a recording that may be broken.
///
/// The code that takes it says what a problem means there: an error ([`whole`](Self::whole)), nothing
/// ([`readable`](Self::readable)), or a case of its own (the fields).
///
/// ```
/// use gametape_core::tape::Partial;
///
/// let read: Partial<u32, &str> = Partial::new(540, Some("packet 275 builds on one that is missing"));
/// let Partial { value, problem } = read;
/// assert_eq!((value, problem.is_some()), (540, true));
///
/// let again = || Partial::new(value, problem);
/// assert_eq!(again().readable(), 540);
/// assert!(again().whole().is_err());
/// ```
#[derive(Debug)]
#[must_use = "the recording may be broken: `whole()` makes that an error, `readable()` takes what could be read"]
pub struct Partial<T, E = Error> {
    /// The value, as far as it could be read.
    pub value: T,
    /// The problem of the recording, if it is not intact.
    pub problem: Option<E>,
}

impl<T, E> Partial<T, E> {
    /// Creates a value with a problem.
    pub const fn new(value: T, problem: Option<E>) -> Self {
        Self { value, problem }
    }

    /// Returns the value of an intact recording.
    ///
    /// # Errors
    /// The problem of the recording, if it is not intact.
    pub fn whole(self) -> Result<T, E> {
        self.problem.map_or(Ok(self.value), Err)
    }

    /// Returns the value as far as it could be read, and drops the problem.
    pub fn readable(self) -> T {
        self.value
    }
}

impl<T, E> From<T> for Partial<T, E> {
    /// Creates a value of an intact recording.
    fn from(value: T) -> Self {
        Self {
            value,
            problem: None,
        }
    }
}

/// When a recording started, by a wall clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Started {
    /// In UTC, as texts of columns with the unit `UTC` are written.
    Utc(String),
    /// In a zone that is not known, as texts of columns with the unit `local time` are written.
    Local(String),
}

/// A description of a recording. Its JSON form has these keys in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info {
    /// The format's name.
    pub format: &'static str,
    /// The version of the format used by this recording.
    pub format_version: u32,
    /// The size in bytes.
    pub bytes: u64,
    /// The length of the recording; `None` if unknown.
    pub duration_ms: Option<u64>,
    /// The number of steps, the one that ends a game among them; `None` if only the header was read.
    pub steps: Option<u64>,
    /// The name of a step.
    #[serde(skip)]
    pub step: &'static str,
    /// When it started; `None` if unknown. Formats that know it have it among the details, too, by
    /// a name of their own, which is the one that people and JSON read.
    #[serde(skip)]
    pub started: Option<Started>,
    /// External data that is missing, if it would give the recording more tables or rows.
    #[serde(skip)]
    pub needs: Option<Needs>,
    /// Data that only this format has.
    pub details: Map<String, Value>,
}

impl Info {
    /// Creates the description of a recording of which only the format, its version and the size
    /// in bytes are known.
    #[must_use]
    pub fn new(format: &FormatInfo, format_version: u32, bytes: u64) -> Self {
        Self {
            format: format.name,
            format_version,
            bytes,
            duration_ms: None,
            steps: None,
            step: format.step,
            started: None,
            needs: None,
            details: Map::new(),
        }
    }
}

/// Returns the entries of a JSON object, in order; empty for other values.
#[must_use]
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Writes one line per key, for people.
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
        line(f, "size", &Bytes(self.bytes).to_string())?;
        if let Some(ms) = self.duration_ms {
            line(f, "duration", &figure("duration_ms", ms))?;
        }
        if let Some(steps) = self.steps {
            line(f, &Many(self.step).to_string(), &figure("steps", steps))?;
        }
        for (key, value) in &self.details {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => printable(text),
                // A list of objects: a table if all have the same keys, else one line for each.
                Value::Array(values) if values.iter().any(Value::is_object) => {
                    if let Some(table) = table(values) {
                        line(f, &name(key), "")?;
                        for row in table.lines() {
                            writeln!(f, "    {row}")?;
                        }
                        continue;
                    }
                    for value in values.iter().filter_map(Value::as_object) {
                        let properties = properties(value).unwrap_or_default();
                        line(f, &name(key), &properties)?;
                    }
                    continue;
                }
                Value::Object(map) => match properties(map) {
                    Some(text) => text,
                    None => continue,
                },
                other => plain(key, other),
            };
            line(f, &name(key), &text)?;
        }
        Ok(())
    }
}

/// Formats properties as `name x, bytes 12`; `None` if all are empty.
fn properties(map: &Map<String, Value>) -> Option<String> {
    let texts: Vec<String> = map
        .iter()
        .filter(|(_, value)| !value.is_null() && *value != "")
        .map(|(key, value)| {
            let name = key.strip_suffix("_ms").unwrap_or(key);
            format!("{} {}", printable(name), plain(key, value))
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Formats objects as a table, with their keys as column names; `None` if they have different keys
/// or nested values.
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
    let mut table = TextTable::new(first.keys().map(|key| shortened(&printable(&name(key)))));
    for object in objects {
        table.row(object.iter().map(|(key, cell)| match cell {
            Value::Null => (String::new(), false),
            cell => (shortened(&plain(key, cell)), cell.is_number()),
        }));
    }
    Some(table)
}

/// Formats a JSON value without quotes.
fn plain(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(|value| plain(key, value)).collect();
            texts.join(", ")
        }
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => figure(key, whole),
            (None, Some(float)) => time_figure(key, float).unwrap_or_else(|| number.to_string()),
            (None, None) => number.to_string(),
        },
        other => other.to_string(),
    }
}
