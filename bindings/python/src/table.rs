//! Descriptions of tables.

use gametape::{ColumnDef, TableDef};
use pyo3::prelude::*;

/// A table of a recording: its lane, its columns, and what they mean.
///
/// >>> table = game.tables["board"]
/// >>> table.name, table.lane, table.shape
/// ('board', 'grid', [30, 16])
#[pyclass(frozen, get_all, eq, module = "gametape")]
#[derive(Clone, PartialEq)]
pub struct Table {
    /// The name.
    name: String,
    /// How it relates to the clock: `facts`, `state`, `events` or `grid`.
    lane: &'static str,
    /// One sentence of documentation.
    doc: String,
    /// The columns, in their order, without the stamps.
    columns: Vec<Column>,
    /// The number of rows, if it is known without reading them.
    rows: Option<u64>,
    /// For a grid: the number of cells along each key.
    shape: Vec<u64>,
}

/// A column of a table.
///
/// >>> x = next(column for column in game.tables["cursor"].columns if column.name == "x")
/// >>> x.unit, x.kind, x.key
/// ('px', 'int', False)
#[pyclass(frozen, get_all, eq, module = "gametape")]
#[derive(Clone, PartialEq)]
pub struct Column {
    /// The name.
    name: String,
    /// The kind of the values: `bool`, `int`, `uint`, `float32`, `float64` or `text`.
    kind: &'static str,
    /// The unit, such as `m` or `ms`; empty for none.
    unit: String,
    /// How far a value may differ from the recorded one, in the same unit; `None` if it is exact.
    precision: Option<f64>,
    /// Whether the column identifies the rows of a state or the cells of a grid.
    key: bool,
    /// Whether the column is there only in recordings that were opened with `secrets=True`.
    secret: bool,
    /// All possible values of a text, if they are known; otherwise empty.
    values: Vec<String>,
    /// One sentence of documentation.
    doc: String,
}

impl From<&TableDef> for Table {
    fn from(table: &TableDef) -> Self {
        Self {
            name: table.name.to_string(),
            lane: table.lane.name(),
            doc: table.doc.to_string(),
            columns: table.columns.iter().map(Column::from).collect(),
            rows: table.rows,
            shape: table.shape.clone(),
        }
    }
}

impl From<&ColumnDef> for Column {
    fn from(column: &ColumnDef) -> Self {
        Self {
            name: column.name.to_string(),
            kind: column.kind.name(),
            unit: column.unit.to_string(),
            precision: column.precision,
            key: column.key,
            secret: column.secret,
            values: column.values.iter().map(ToString::to_string).collect(),
            doc: column.doc.to_string(),
        }
    }
}

#[pymethods]
impl Table {
    fn __repr__(&self) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        format!(
            "<Table {} ({}): {}>",
            self.name,
            self.lane,
            columns.join(", ")
        )
    }
}

#[pymethods]
impl Column {
    fn __repr__(&self) -> String {
        let unit = match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        format!("<Column {} ({}{unit})>", self.name, self.kind)
    }
}
