//! Rows on request.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use gametape::core::Spell as _;
use gametape::core::table::{Batch, ScanError};
use gametape::{Lane, Scan, Secrets, Selecting, Selection, TableDef, Value};
use gametape_tables::{ArrowTable, Reader};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::data::{Data, capsule, schema_capsule};
use crate::errors::{Failure, Problems, of_arrow};
use crate::page;
use crate::stream::{Output, Source, Stream};

/// How long a notebook waits for rows, and how many it shows.
const SOON: Duration = Duration::from_secs(1);
const FIRST: usize = 10;

/// Rows that are read when somebody asks for them, each time from the start. Any library that knows
/// Arrow takes them, without a copy and a batch at a time.
///
/// >>> rows = game.table("cursor", columns=["x", "y"], end=1.5)
/// >>> import polars
/// >>> polars.DataFrame(rows).columns
/// ['x', 'y']
///
/// A broken recording gives the rows before the damage, and then its problem as an error: that of
/// the library that reads, or, in a loop over the rows and in `read`, the exception itself. It
/// is in `problems`, too.
#[pyclass(frozen, module = "gametape")]
pub struct Rows {
    pub name: String,
    pub source: Source,
    pub problems: Problems,
}

#[pymethods]
impl Rows {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let stream = Stream::begin(py, &self.source)?;
        capsule(py, &self.source.schema, stream, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.source.schema)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Batches> {
        Ok(Batches(Mutex::new(Stream::begin(py, &self.source)?)))
    }

    /// Reads all rows into memory. `progress` receives the number of bytes that were read, and the number of
    /// all, several times a second; an exception of it ends the reading.
    ///
    /// >>> len(game.table("mouse_events").read()) > 100
    /// True
    #[pyo3(signature = (*, progress = None))]
    fn read(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Data> {
        let batches = Stream::begin(py, &self.source)?.read(py, progress)?;
        Ok(Data::new(Arc::clone(&self.source.schema), batches))
    }

    /// Returns the names of the columns.
    ///
    /// >>> game.table("counters").keys()[:3]
    /// ['step', 'tick', 'time_ms']
    fn keys(&self) -> Vec<&str> {
        let fields = self.source.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// The problems of the recordings that were met so far.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.problems.list(py)
    }

    /// Shows the first rows in a notebook, if they are there soon: nobody has asked for the others yet.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let (first, says) = match Stream::glance(py, &self.source, SOON) {
            Ok(Some(batch)) => {
                let shown = batch.slice(0, batch.num_rows().min(FIRST));
                (vec![shown], "The first rows; read() gives all.".to_owned())
            }
            Ok(None) => (Vec::new(), "No rows so far; read() gives all.".to_owned()),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                (Vec::new(), error.value(py).to_string())
            }
            // An interrupt.
            Err(error) => return Err(error),
        };
        let html = page::rows(&self.source.schema, &first, &says);
        Ok(html.map_err(of_arrow)?)
    }

    fn __repr__(&self) -> String {
        format!("<Rows of {}: {}>", self.name, self.keys().join(", "))
    }
}

/// The batches of rows, one after the other.
#[pyclass]
pub struct Batches(Mutex<Stream>);

#[pymethods]
impl Batches {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Data>> {
        let stream = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let batch = stream.next_rows(py)?;
        Ok(batch.map(|batch| Data::new(batch.schema(), vec![batch])))
    }
}

/// Columns of a table as Arrow.
#[derive(Clone)]
pub struct Columns {
    /// The table, with no other own columns than those that are wanted.
    pub table: ArrowTable,
    /// The wanted columns, in their order, by their index in the schema.
    pub picked: Vec<usize>,
}

impl Columns {
    /// Picks columns by name; all for `None`. The column that names the recording is there if it is
    /// wanted.
    pub fn of(
        table: &TableDef,
        names: Option<&[String]>,
        secrets: Secrets,
        recording: bool,
    ) -> Result<Self, ColumnsError> {
        let mut narrow = table.clone();
        if let Some(names) = names {
            // The keys of a grid say which cell a row is, whether they are wanted or not.
            narrow.columns.retain(|column| {
                names.iter().any(|name| *name == column.name)
                    || (table.lane == Lane::Grid && column.key)
            });
        }
        let arrow = ArrowTable::new(&narrow, secrets);
        let schema = arrow.schema();
        let Some(names) = names else {
            let skipped = usize::from(!recording);
            let picked = (skipped..schema.fields().len()).collect();
            return Ok(Self {
                table: arrow,
                picked,
            });
        };
        let mut picked = Vec::with_capacity(names.len());
        for name in names {
            match schema.index_of(name) {
                Ok(at) if at > 0 || recording => picked.push(at),
                _ => {
                    // Either there is no such column, or it is not shown.
                    Scan::table(&*table.name).columns([name]).picked(table)?;
                    return Err(ColumnsError::Hidden(name.clone()));
                }
            }
        }
        let own = names.iter().filter(|name| *name != "recording");
        Scan::table(&*table.name).columns(own).picked(table)?;
        Ok(Self {
            table: arrow,
            picked,
        })
    }

    pub fn schema(&self) -> Result<SchemaRef, Failure> {
        let schema = self.table.schema().project(&self.picked);
        Ok(Arc::new(schema.map_err(of_arrow)?))
    }
}

/// Why columns cannot be picked.
pub enum ColumnsError {
    Scan(ScanError),
    Hidden(String),
}

impl From<ScanError> for ColumnsError {
    fn from(error: ScanError) -> Self {
        Self::Scan(error)
    }
}

impl ColumnsError {
    pub fn of(self, path: &Path) -> Failure {
        match self {
            Self::Scan(error) => Failure::scan(path, error),
            Self::Hidden(name) => Failure::usage(format!(
                "{name} is not shown: it is secret, which secrets=True shows, or a stamp that the table does not have"
            )),
        }
    }
}

/// Rows of one recording, on their way out.
pub struct Reading<'a> {
    pub recording: &'a gametape::Recording,
    /// The table as this recording has it.
    pub own: &'a TableDef,
    pub columns: &'a Columns,
    /// The range and the order of the rows.
    pub scan: &'a Scan,
    pub selection: &'a Selection,
    /// The bytes of the recordings before this one.
    pub before: u64,
}

impl Reading<'_> {
    /// Gives the rows to a consumer. Returns the problem after them, or that the consumer is gone.
    pub fn run(&self, out: &Output) -> Result<ControlFlow<()>, Failure> {
        if self.selection.conditions.is_empty() {
            self.all(out)
        } else {
            self.selected(out)
        }
    }

    fn name(&self) -> String {
        self.recording.path().spelled().into_owned()
    }

    fn all(&self, out: &Output) -> Result<ControlFlow<()>, Failure> {
        let reader = self.columns.table.reader_of(
            &self.name(),
            self.recording.tape(),
            Some(self.own),
            self.scan,
            Some(&self.columns.picked),
        );
        let (to, problem) = std::sync::mpsc::channel();
        let reader = reader.map_err(of_arrow)?;
        let reader = reader.problems_to(move |error| drop(to.send(error)));
        out.watch(Reader::canceller(&reader));
        let mut reader = reader;
        while let Some(batch) = reader.next() {
            let batch = batch.map_err(of_arrow)?;
            out.at(self.before + reader.bytes_read());
            if !out.is_wanted() || !out.rows(batch) {
                return Ok(ControlFlow::Break(()));
            }
        }
        match problem.try_recv() {
            Ok(error) if out.is_wanted() => Err(error.into()),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Reads, and keeps the rows that meet the conditions.
    fn selected(&self, out: &Output) -> Result<ControlFlow<()>, Failure> {
        let path = self.recording.path();
        let wanted = &self.columns.table.definition().columns;
        let own: Vec<&str> = wanted
            .iter()
            .filter(|column| self.own.column(&column.name).is_some())
            .map(|column| &*column.name)
            .collect();
        let scan = Scan {
            columns: Some(own.iter().map(ToString::to_string).collect()),
            secrets: self.columns.table.secrets(),
            ..self.scan.clone()
        };
        let selecting = Selecting::new(self.own, &scan, self.selection);
        let mut selecting = selecting.map_err(|error| Failure::scan(path, error))?;
        // The place of each wanted column in a batch, and its kind there.
        let places: Vec<_> = wanted
            .iter()
            .map(|column| {
                let place = own.iter().position(|name| *name == column.name);
                let at = self.own.column(&column.name);
                let kind = at.and_then(|at| self.own.columns.get(at));
                (place, kind.unwrap_or(column).kind)
            })
            .collect();
        let mut pull = self.recording.tape().pull([selecting.scan.clone()]);
        out.watch(Some(pull.canceller()));
        let fail = |error| Failure::from(gametape::Error::tape(path)(error));
        while let Some((_, batch)) = pull.next_batch().map_err(fail)? {
            out.at(self.before + pull.bytes_read());
            let mut kept = Batch::new(places.iter().map(|(_, kind)| *kind));
            for row in selecting.rows(&batch) {
                let value = |(place, _): &(Option<usize>, _)| {
                    place.map_or(Value::Null, |at| batch.get(row, at))
                };
                let values = places.iter().map(value);
                if batch.is_end(row) {
                    kept.push_end(batch.stamp(row), values);
                } else {
                    kept.push(batch.stamp(row), values);
                }
            }
            if !out.is_wanted() {
                return Ok(ControlFlow::Break(()));
            }
            if !kept.is_empty() && !out.rows(record(self.columns, &self.name(), kept)?) {
                return Ok(ControlFlow::Break(()));
            }
        }
        match pull.problem(0) {
            Some(error) => Err(fail(error)),
            None => Ok(ControlFlow::Continue(())),
        }
    }
}

/// Moves a batch with all own columns of the table into Arrow.
pub fn record(columns: &Columns, name: &str, batch: Batch) -> Result<RecordBatch, Failure> {
    let moved = columns.table.record(name, batch, Some(&columns.picked));
    moved.map_err(of_arrow)
}
