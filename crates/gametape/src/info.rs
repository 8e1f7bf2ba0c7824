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
        let mut line = |key: &str, value: &str| writeln!(f, "  {key:<16} {value}");
        line(
            "format",
            &format!("{} v{}", self.format, self.format_version),
        )?;
        line("size", &format!("{} bytes", self.bytes))?;
        if let Some(ms) = self.duration_ms {
            line("duration", &format!("{}.{:03} s", ms / 1000, ms % 1000))?;
        }
        if let Some(frames) = self.frames {
            line(self.format.unit(), &frames.to_string())?;
        }
        for (key, value) in &self.details {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => printable(text),
                Value::Array(values) => {
                    let texts: Vec<String> = values.iter().map(plain).collect();
                    texts.join(", ")
                }
                Value::Object(map) => {
                    let texts: Vec<String> = map
                        .iter()
                        .filter(|(_, value)| !value.is_null() && *value != "")
                        .map(|(key, value)| format!("{} {}", printable(key), plain(value)))
                        .collect();
                    if texts.is_empty() {
                        continue;
                    }
                    texts.join(", ")
                }
                other => other.to_string(),
            };
            line(&key.replace('_', " "), &text)?;
        }
        Ok(())
    }
}

/// A JSON value without its quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        other => other.to_string(),
    }
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
