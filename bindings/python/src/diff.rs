//! Differences between two recordings.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use gametape::core::surface::{RowDiff, TableDiff, Which};
use gametape::core::tape;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use serde_json::{Map, Value, json};

use crate::data::{capsule, schema_capsule};
use crate::errors::of_arrow;
use crate::page;
use crate::values::{object, to_dict, to_python};

/// The differences between two recordings. Any library that knows Arrow takes them as a table, with
/// a row for each table and column that differs: how often, and where first.
///
/// >>> diff = game.diff(gametape.open("games/b.rmv"))
/// >>> diff.same, diff.first
/// (False, 'mouse_events: step 0, ...')
/// >>> import polars
/// >>> polars.DataFrame(diff).columns[:5]
/// ['table', 'kind', 'column', 'only_in', 'rows']
/// >>> game.diff(game).same
/// True
#[pyclass(frozen, module = "gametape")]
pub struct Diff {
    /// Whether there are no differences.
    #[pyo3(get)]
    same: bool,
    /// The first difference, as a sentence.
    #[pyo3(get)]
    first: Option<String>,
    /// The step of the first difference.
    #[pyo3(get)]
    step: Option<u64>,
    /// The tick of the first difference.
    #[pyo3(get)]
    tick: Option<u64>,
    /// The milliseconds from the start to the first difference.
    #[pyo3(get)]
    time_ms: Option<f64>,
    /// The number of steps that differ after it.
    #[pyo3(get)]
    more: u64,
    /// Differences of the headers: the name, the first value, the second value.
    #[pyo3(get)]
    header: Vec<(String, String, String)>,
    details: Map<String, Value>,
    precision: Value,
    rows: RecordBatch,
}

impl TryFrom<tape::Diff> for Diff {
    type Error = ArrowError;

    fn try_from(diff: tape::Diff) -> Result<Self, ArrowError> {
        let rows: Vec<Row<'_>> = diff.tables.iter().flat_map(rows).collect();
        let rows = batch(&rows)?;
        let header = diff.header.into_iter();
        Ok(Self {
            same: diff.same,
            first: diff.first,
            step: diff.step,
            tick: diff.tick,
            time_ms: diff.time_ms,
            more: diff.more,
            header: header.map(|[name, a, b]| (name, a, b)).collect(),
            details: diff.details,
            precision: diff.precision.map_or(Value::Null, |precision| {
                let mut data = object(&precision);
                data.insert("text".to_owned(), precision.to_string().into());
                json!(data)
            }),
            rows,
        })
    }
}

#[pymethods]
impl Diff {
    /// Further data about the first difference.
    #[getter]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.details)
    }

    /// The differences that were allowed for, because a format rounds; `None` if all was compared
    /// exactly.
    #[getter]
    fn precision<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.precision)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let rows = std::iter::once(Ok(self.rows.clone()));
        capsule(py, self.rows.schema_ref(), rows, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.rows.schema_ref())
    }

    /// Shows the first difference and the rows in a notebook.
    fn _repr_html_(&self) -> PyResult<String> {
        let says = self.first.as_deref().unwrap_or("no differences");
        let html = page::rows(&self.rows.schema(), std::slice::from_ref(&self.rows), says);
        Ok(html.map_err(of_arrow)?)
    }

    fn __repr__(&self) -> String {
        match &self.first {
            _ if self.same => "<Diff: the same>".to_owned(),
            Some(first) => format!("<Diff: {first}; {} more>", self.more),
            None => format!("<Diff: {} rows>", self.rows.num_rows()),
        }
    }
}

/// A difference of a table.
struct Row<'d> {
    table: &'d str,
    /// `table`, `value`, `row`, `moved`, `not compared` or `not recorded`.
    kind: &'static str,
    column: Option<&'d str>,
    /// The recording that has it, if the other does not.
    only_in: Option<Which>,
    rows: Option<u64>,
    first: Option<&'d RowDiff>,
}

/// Lists the differences of a table. The first row that differs stands beside its column.
fn rows(diff: &TableDiff) -> Vec<Row<'_>> {
    let row = |kind, only_in, column, rows| Row {
        table: &diff.table,
        kind,
        column,
        only_in,
        rows,
        first: None,
    };
    let mut all = Vec::new();
    if diff.only_in.is_some() {
        all.push(row("table", diff.only_in, None, None));
    }
    for (column, count) in &diff.columns {
        all.push(row("value", None, Some(&**column), Some(*count)));
    }
    for (count, which) in [
        (diff.only_first, Which::First),
        (diff.only_second, Which::Second),
    ] {
        if count > 0 {
            all.push(row("row", Some(which), None, Some(count)));
        }
    }
    if diff.moved > 0 {
        all.push(row("moved", None, None, Some(diff.moved)));
    }
    for column in &diff.not_compared {
        all.push(row("not compared", None, Some(&**column), None));
    }
    for (column, by) in &diff.not_recorded {
        let other = match by {
            Which::First => Which::Second,
            Which::Second => Which::First,
        };
        all.push(row("not recorded", Some(other), Some(&**column), None));
    }
    if let Some(first) = &diff.first {
        let column = first.column.as_deref();
        let is_first = |row: &&mut Row<'_>| match column {
            Some(_) => row.kind == "value" && row.column == column,
            None => row.kind == "row",
        };
        if let Some(row) = all.iter_mut().find(is_first) {
            row.first = Some(first);
        }
    }
    all
}

fn batch(rows: &[Row<'_>]) -> Result<RecordBatch, ArrowError> {
    let text = |of: &dyn Fn(&Row<'_>) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let stamp = |row: &Row<'_>| row.first.and_then(|first| first.stamp);
    let uint = |of: &dyn Fn(&Row<'_>) -> Option<u64>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<UInt64Array>())
    };
    let times = rows.iter().map(|row| Some(stamp(row)?.time?.ms()));
    let times: ArrayRef = Arc::new(times.collect::<Float64Array>());
    let key = |first: &RowDiff| {
        let key = first.key.iter();
        let key: Vec<String> = key.map(|(name, cell)| format!("{name} {cell}")).collect();
        key.join(", ")
    };
    RecordBatch::try_from_iter_with_nullable([
        ("table", text(&|row| Some(row.table.to_owned())), false),
        ("kind", text(&|row| Some(row.kind.to_owned())), false),
        ("column", text(&|row| row.column.map(str::to_owned)), true),
        (
            "only_in",
            text(&|row| row.only_in.map(|which| which.to_string())),
            true,
        ),
        ("rows", uint(&|row| row.rows), true),
        (
            "step",
            uint(&|row| stamp(row).map(|stamp| stamp.step)),
            true,
        ),
        ("tick", uint(&|row| stamp(row)?.tick), true),
        ("time_ms", times, true),
        ("key", text(&|row| row.first.map(key)), true),
        (
            "first",
            text(&|row| row.first.map(|first| first.first.to_string())),
            true,
        ),
        (
            "second",
            text(&|row| row.first.map(|first| first.second.to_string())),
            true,
        ),
        (
            "unit",
            text(&|row| row.first.map(|first| first.unit.clone())),
            true,
        ),
    ])
}
