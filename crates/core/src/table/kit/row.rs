//! Owned rows and facts, for comparisons in tests.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use serde_json::{Map, Value as Json};

use crate::clock::Stamp;
use crate::input::Input;
use crate::table::{Batch, ColumnDef, Kind, Late, Owned, Scan, TableDef, Value};
use crate::tape::{Secrets, Tape, Work};

/// An owned row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The stamp of the row.
    pub stamp: Stamp,
    /// Whether the row ends its key.
    pub ended: bool,
    /// The values, one for each column.
    pub values: Vec<Owned>,
}

impl Row {
    /// Creates a row with values.
    pub fn new<'v>(stamp: Stamp, values: impl IntoIterator<Item = Value<'v>>) -> Self {
        Self {
            stamp,
            ended: false,
            values: values.into_iter().map(Owned::from).collect(),
        }
    }

    /// Creates a row that ends its key; values other than the key are missing.
    pub fn end<'v>(stamp: Stamp, values: impl IntoIterator<Item = Value<'v>>) -> Self {
        Self {
            ended: true,
            ..Self::new(stamp, values)
        }
    }

    /// Returns the key, which identifies the row in its table.
    #[must_use]
    pub fn key(&self, table: &TableDef) -> Vec<Owned> {
        let columns = table.columns.iter().zip(&self.values);
        let keys = columns.filter(|(column, _)| column.key);
        keys.map(|(_, value)| value.clone()).collect()
    }
}

/// As failures show it: `step 1, 0.100 s: 1, 0.5, "text", missing`.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stamp { step, tick, time } = self.stamp;
        write!(f, "step {step}")?;
        if let Some(tick) = tick {
            write!(f, ", tick {tick}")?;
        }
        if let Some(time) = time {
            write!(f, ", {time}")?;
        }
        f.write_str(if self.ended { ", ended:" } else { ":" })?;
        for (at, value) in self.values.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { " " })?;
            match value.value() {
                Value::Null => f.write_str("missing"),
                Value::Text(text) => write!(f, "{text:?}"),
                value => write!(f, "{value}"),
            }?;
        }
        Ok(())
    }
}

/// A scan, as failures show it: `a scan of positions, columns [x, y], from step 3`.
pub(super) fn told(scan: &Scan) -> String {
    let mut parts = vec![format!("a scan of {}", scan.table)];
    let columns = scan.columns.as_ref().map(|columns| columns.join(", "));
    parts.extend(columns.map(|columns| format!("columns [{columns}]")));
    if !scan.stamps {
        parts.push("without stamps".to_owned());
    }
    parts.extend(scan.from.map(|at| format!("from {at}")));
    parts.extend(scan.to.map(|at| format!("to {at}")));
    if scan.to.is_some() && scan.late == Late::Skip {
        parts.push("and all later rows that lie in this range".to_owned());
    }
    let keys = scan.keys.iter();
    parts.extend(keys.map(|(column, value)| format!("where {column}={value}")));
    parts.join(", ")
}

/// Keeps the bytes of a recording in a file if a check fails, and prints its path.
pub(super) struct KeptInput<'i> {
    pub(super) input: &'i Input,
    /// What the bytes are.
    pub(super) what: String,
}

impl Drop for KeptInput<'_> {
    fn drop(&mut self) {
        // The checks' own tests fail on purpose.
        if cfg!(test) || !std::thread::panicking() {
            return;
        }
        let kept = || {
            let mut file = tempfile::Builder::new()
                .prefix("gametape-kit-")
                .disable_cleanup(true)
                .tempfile()?;
            std::io::copy(&mut self.input.stream(), &mut file)?;
            Ok::<_, std::io::Error>(file.path().to_owned())
        };
        match kept() {
            Ok(path) => eprintln!("{} is kept: {}", self.what, path.display()),
            Err(error) => eprintln!("{} can't be kept: {error}", self.what),
        }
    }
}

/// Returns the rows of a batch.
pub fn rows_of(batch: &Batch) -> impl Iterator<Item = Row> + '_ {
    (0..batch.len()).map(|row| Row {
        stamp: batch.stamp(row),
        ended: batch.is_end(row),
        values: batch
            .columns()
            .iter()
            .map(|column| column.get(row).into())
            .collect(),
    })
}

/// Returns the rows of a batch, in the order of their keys.
#[must_use]
pub fn by_key(table: &TableDef, batch: &Batch) -> Vec<Row> {
    let mut rows: Vec<Row> = rows_of(batch).collect();
    rows.sort_by_key(|row| row.key(table));
    rows
}

/// Returns the rows of a scan, and ignores problems of the recording.
///
/// # Panics
/// If the scan fails.
pub fn scanned(tape: &dyn Tape, scan: &Scan) -> Vec<Row> {
    let mut rows = Vec::new();
    let scanned = tape.scan_table(scan, &Work::default(), |batch| {
        assert!(!batch.is_empty(), "{}: an empty batch", told(scan));
        rows.extend(rows_of(&batch));
        Ok(ControlFlow::Continue(()))
    });
    if let Err(error) = scanned {
        panic!("{}: {error}", told(scan));
    }
    rows
}

/// Returns a scan of all columns of a table, including secrets.
#[must_use]
pub fn all_of(table: &TableDef) -> Scan {
    let columns = table.columns.iter().map(|column| &*column.name);
    Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*table.name).columns(columns)
    }
}

/// Returns the state after these rows, in the order of the keys.
pub fn holding<'r>(table: &TableDef, rows: impl IntoIterator<Item = &'r Row>) -> Vec<Row> {
    let mut held = BTreeMap::new();
    for row in rows {
        if row.ended {
            held.remove(&row.key(table));
        } else {
            held.insert(row.key(table), row.clone());
        }
    }
    held.into_values().collect()
}

/// Compares two values within the precision of their column; all NaNs are equal.
fn same(column: &ColumnDef, a: &Owned, b: &Owned) -> bool {
    let number = |value: &Owned| match value {
        Owned::Float32(bits) => Some(f64::from(f32::from_bits(*bits))),
        Owned::Float64(bits) => Some(f64::from_bits(*bits)),
        _ => None,
    };
    let Some((x, y)) = number(a).zip(number(b)) else {
        return a == b;
    };
    let within = |off: f64| (x - y).abs() <= off;
    a == b || x.is_nan() && y.is_nan() || column.precision.is_some_and(within)
}

/// Asserts that rows are equal within the precision of their columns.
///
/// # Panics
/// If they differ.
#[track_caller]
pub fn assert_same(table: &TableDef, wanted: &[Row], found: &[Row]) {
    for (at, (a, b)) in wanted.iter().zip(found).enumerate() {
        let mut values = table.columns.iter().zip(a.values.iter().zip(&b.values));
        let same = a.stamp == b.stamp
            && a.ended == b.ended
            && values.all(|(column, (a, b))| same(column, a, b));
        assert!(same, "{} row {at}:\n  {b}, not\n  {a}", table.name);
    }
    assert_eq!(wanted.len(), found.len(), "rows of {}", table.name);
}

/// Asserts that a scan gave exactly the expected rows.
#[track_caller]
pub(super) fn same_rows(scan: &Scan, rows: &[Row], wanted: &[Row]) {
    let at = rows.iter().zip(wanted).position(|(a, b)| a != b);
    if let Some(at) = at {
        let [found, wanted] = [rows, wanted].map(|rows| rows.get(at).map(Row::to_string));
        panic!(
            "{}: row {at} of the result\n  is     {}\n  not    {}",
            told(scan),
            found.unwrap_or_default(),
            wanted.unwrap_or_default()
        );
    }
    assert_eq!(
        rows.len(),
        wanted.len(),
        "{}: the number of rows (left) is not the expected one (right)",
        told(scan)
    );
}

/// Flattens an object: values of nested objects get joined names such as `player_name`. Lists are
/// left out.
#[must_use]
pub fn flat(map: &Map<String, Json>) -> Map<String, Json> {
    let mut out = Map::new();
    put(map, "", &mut out);
    out
}

fn put(map: &Map<String, Json>, before: &str, out: &mut Map<String, Json>) {
    for (key, value) in map {
        let name = format!("{before}{key}");
        match value {
            Json::Object(inner) => put(inner, &format!("{name}_"), out),
            Json::Array(_) => {}
            value => {
                out.insert(name, value.clone());
            }
        }
    }
}

/// Returns the value that a column of this kind must have for a JSON value; missing if the JSON
/// value is missing or of another kind.
#[must_use]
pub fn fact(kind: Kind, value: Option<&Json>) -> Owned {
    let fact = value.and_then(|value| match kind {
        Kind::Bool => value.as_bool().map(Owned::Bool),
        Kind::Int => value.as_i64().map(Owned::Int),
        Kind::Uint => value.as_u64().map(Owned::Uint),
        Kind::Float32 => value
            .as_f64()
            .map(|value| Owned::Float32((value as f32).to_bits())),
        Kind::Float64 => value.as_f64().map(|value| Owned::Float64(value.to_bits())),
        Kind::Text => value.as_str().map(|text| Owned::Text(text.to_owned())),
    });
    fact.unwrap_or(Owned::Null)
}
