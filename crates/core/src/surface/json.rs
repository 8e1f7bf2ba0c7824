//! Rows as JSON.

use std::fmt;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::table::{Batch, Scan, ScanError, StampColumn, TableDef, Value};
use crate::tape::Whole;

/// Writes rows as JSON objects, one per line. Unless columns were [chosen](JsonRows::of_scan), a
/// row starts with the stamps `step`, `tick` (if there is one) and `time_ms`, and with
/// `"ended":true` if it ends its key; then come the columns. Missing values are null. Numbers that
/// JSON cannot represent are text: `"NaN"`, `"inf"`, `"-inf"`; so are whole numbers beyond ±(2^53 − 1), of which
/// many readers of JSON would keep 53 bits.
///
/// ```
/// use gametape_core::Stamp;
/// use gametape_core::surface::JsonRows;
/// use gametape_core::table::{Batch, Kind, Value};
/// let mut batch = Batch::new([Kind::Text, Kind::Float32]);
/// let stamp = Stamp { step: 3, tick: Some(9), time: None };
/// batch.push(stamp, [Value::Text("Ada"), Value::Float32(0.1)]);
/// let mut out = Vec::new();
/// JsonRows::new(["name", "x"]).row(&batch, 0, &mut out)?;
/// assert_eq!(out, b"{\"step\":3,\"tick\":9,\"time_ms\":null,\"name\":\"Ada\",\"x\":0.1}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonRows {
    /// The names of the columns, with the punctuation around them.
    names: Vec<String>,
    /// The text at the start of every line.
    first: String,
    /// Whether a row starts with its stamps.
    stamps: bool,
    /// Whether `ended` is one of the columns.
    ended: bool,
}

impl JsonRows {
    /// Creates a writer for batches with these columns.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut ended = false;
        let names = names.into_iter().map(|name| {
            ended |= name == StampColumn::Ended.name();
            format!("{}:", Json::from(name))
        });
        Self {
            names: names.collect(),
            first: String::new(),
            stamps: true,
            ended,
        }
    }

    /// Creates a writer for the batches of a scan of this table. If the scan names columns, a row
    /// has those and, if it ends its key, `"ended":true`; it then has stamps only if they were
    /// named.
    ///
    /// # Errors
    /// [`ScanError::NoColumn`], [`ScanError::Twice`].
    pub fn of_scan(table: &TableDef, scan: &Scan) -> Result<Self, ScanError> {
        let picked = scan.picked(table)?;
        Ok(Self {
            stamps: scan.columns.is_none(),
            ..Self::new(picked.iter().map(|picked| picked.name(table)))
        })
    }

    /// Puts the name of the table at the start of each row.
    #[must_use]
    pub fn of_table(self, table: &str) -> Self {
        let first = format!("\"table\":{}", Json::from(table));
        Self { first, ..self }
    }

    /// Writes one row.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn row(
        &self,
        batch: &Batch,
        row: usize,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        write!(out, "{{{}", self.first)?;
        let mut between: &[u8] = if self.first.is_empty() { b"" } else { b"," };
        if self.stamps {
            let stamp = batch.stamp(row);
            out.write_all(between)?;
            write!(out, "\"step\":{}", stamp.step)?;
            if let Some(tick) = stamp.tick {
                write!(out, ",\"tick\":{}", Whole(tick.into()))?;
            }
            match stamp.time {
                Some(time) => write!(out, ",\"time_ms\":{}", time.ms())?,
                None => out.write_all(b",\"time_ms\":null")?,
            }
            between = b",";
        }
        if batch.is_end(row) && !self.ended {
            out.write_all(between)?;
            out.write_all(b"\"ended\":true")?;
            between = b",";
        }
        for (name, column) in self.names.iter().zip(batch.columns()) {
            out.write_all(between)?;
            between = b",";
            out.write_all(name.as_bytes())?;
            match column.get(row) {
                Value::Text(text) => serde_json::to_writer(&mut *out, text)?,
                Value::Null => out.write_all(b"null")?,
                Value::Int(value) => write!(out, "{}", Whole(value.into()))?,
                Value::Uint(value) => write!(out, "{}", Whole(value.into()))?,
                value if is_finite(value) => value.write(out)?,
                value => {
                    out.write_all(b"\"")?;
                    value.write(out)?;
                    out.write_all(b"\"")?;
                }
            }
        }
        out.write_all(b"}\n")
    }
}

const fn is_finite(value: Value<'_>) -> bool {
    match value {
        Value::Float32(value) => value.is_finite(),
        Value::Float64(value) => value.is_finite(),
        _ => true,
    }
}

impl Value<'_> {
    /// Writes the value as its `Display` text.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn write(self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match self {
            Value::Text(value) => out.write_all(value.as_bytes()),
            value => write!(out, "{value}"),
        }
    }
}

/// Numbers are written with the fewest digits that restore them, or as `NaN`, `inf` or `-inf`; a
/// missing value is empty.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Null => Ok(()),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Uint(value) => write!(f, "{value}"),
            // The longest number written without an exponent has 17 digits.
            Value::Float32(value) if is_long(value.into()) => write!(f, "{value:e}"),
            Value::Float64(value) if is_long(value) => write!(f, "{value:e}"),
            Value::Float32(value) => write!(f, "{value}"),
            Value::Float64(value) => write!(f, "{value}"),
            Value::Text(value) => f.write_str(value),
        }
    }
}

/// Serializes as in a row: numbers that JSON cannot represent are text.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Value::Null => serializer.serialize_none(),
            value if !is_finite(value) => serializer.collect_str(&value),
            Value::Bool(value) => serializer.serialize_bool(value),
            Value::Int(value) => serializer.serialize_i64(value),
            Value::Uint(value) => serializer.serialize_u64(value),
            Value::Float32(value) => serializer.serialize_f32(value),
            Value::Float64(value) => serializer.serialize_f64(value),
            Value::Text(value) => serializer.serialize_str(value),
        }
    }
}

fn is_long(value: f64) -> bool {
    value.is_finite() && value != 0.0 && !(1e-6..1e17).contains(&value.abs())
}
