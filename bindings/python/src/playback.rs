//! A recording at a moment.

use std::sync::{Arc, Mutex, PoisonError};

use gametape::core::table::Batch;
use gametape::{Kind, Lane, Scan, Secrets, TableDef, Value};
use pyo3::prelude::*;

use crate::data::Data;
use crate::errors::Failure;
use crate::moment::Moment;
use crate::rows::{Columns, record};
use crate::work::{Progress, attempt};

/// A recording at a moment: move it with `seek` and `step`, then read the `state` of a table. It keeps
/// its recording open, and is safe between threads, which share its moment.
///
/// >>> play = game.playback()
/// >>> play.seek(1.0).time_ms <= 1000
/// True
/// >>> board = play.state("board")
/// >>> board["rules"].shape
/// (30, 16)
#[pyclass(frozen, module = "gametape")]
pub struct Playback {
    play: Arc<Mutex<gametape::Playback>>,
    recording: Arc<gametape::Recording>,
    /// To ask the recording for them takes longer than some states.
    tables: Arc<[TableDef]>,
    secrets: Secrets,
}

/// A moment of a recording.
///
/// >>> game.playback().now.step
/// 0
#[pyclass(frozen, get_all, eq, hash, module = "gametape")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The ordinal of the frame, packet or event, from 0.
    step: u64,
    /// The recording's own counter, if it has one.
    tick: Option<u64>,
    /// Nanoseconds since the recording's start, if they are known.
    time_ns: Option<i64>,
}

impl From<gametape::Stamp> for Stamp {
    fn from(stamp: gametape::Stamp) -> Self {
        Self {
            step: stamp.step,
            tick: stamp.tick,
            time_ns: stamp.time.map(|time| time.0),
        }
    }
}

#[pymethods]
impl Stamp {
    /// Milliseconds since the recording's start, if they are known.
    #[getter]
    fn time_ms(&self) -> Option<f64> {
        self.time_ns.map(|ns| gametape::Time(ns).ms())
    }

    fn __repr__(&self) -> String {
        let tick = self.tick.map(|tick| format!(", tick {tick}"));
        let time = self.time_ns.map(|ns| format!(", {}", gametape::Time(ns)));
        let [tick, time] = [tick, time].map(Option::unwrap_or_default);
        format!("<Stamp step {}{tick}{time}>", self.step)
    }
}

impl Playback {
    pub fn new(
        play: gametape::Playback,
        recording: Arc<gametape::Recording>,
        tables: Vec<TableDef>,
        secrets: Secrets,
    ) -> Self {
        Self {
            play: Arc::new(Mutex::new(play)),
            recording,
            tables: tables.into(),
            secrets,
        }
    }

    /// Runs a task on a thread, which also waits for the tasks of other threads.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        task: impl FnOnce(&mut gametape::Playback) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let play = Arc::clone(&self.play);
        attempt(py, &Progress::NONE, move |_| {
            task(&mut play.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

#[pymethods]
impl Playback {
    /// The current moment, which is the first one at the start.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<Stamp> {
        self.run(py, |play| Ok(play.now().into()))
    }

    /// The first and the last moment.
    #[getter]
    fn span(&self, py: Python<'_>) -> PyResult<(Stamp, Stamp)> {
        self.run(py, |play| {
            let span = play.span();
            Ok((span.first.into(), span.last.into()))
        })
    }

    /// Goes to the newest step that is not after this moment, and returns its stamp. A moment is a
    /// number of seconds, or a text: see `Recording.table`.
    ///
    /// >>> game.playback().seek("step:3").step
    /// 3
    fn seek(&self, py: Python<'_>, to: Moment) -> PyResult<Stamp> {
        let recording = Arc::clone(&self.recording);
        self.run(py, move |play| {
            let at = to.within(&recording)?;
            Ok(play.seek(at)?.into())
        })
    }

    /// Goes to the next step and returns its stamp; `None` after the last step.
    ///
    /// >>> game.playback().step().step
    /// 1
    fn step(&self, py: Python<'_>) -> PyResult<Option<Stamp>> {
        self.run(py, |play| Ok(play.step()?.map(Stamp::from)))
    }

    /// Returns the rows of a state, the cells of a grid, or the facts that are valid now. A column of a
    /// grid has its shape: `state["value"][y, x]`, in the order of the keys.
    ///
    /// >>> play = game.playback()
    /// >>> play.seek("end").step > 0
    /// True
    /// >>> play.state("cursor", ["x", "y"]).keys()
    /// ['x', 'y']
    #[pyo3(signature = (table, columns = None))]
    fn state(&self, py: Python<'_>, table: String, columns: Option<Vec<String>>) -> PyResult<Data> {
        let (recording, secrets) = (Arc::clone(&self.recording), self.secrets);
        let tables = Arc::clone(&self.tables);
        self.run(py, move |play| {
            let path = recording.path();
            let scan = Scan::table(table);
            let own = scan
                .find(&tables)
                .map_err(|error| Failure::scan(path, error))?;
            let columns = Columns::of(own, columns.as_deref(), secrets, false);
            let columns = columns.map_err(|error| error.of(path))?;
            let definition = columns.table.definition();
            let names = definition.columns.iter().map(|column| &*column.name);
            let scan = Scan {
                secrets,
                ..scan.columns(names)
            };
            let batch = play.state(&scan)?;
            if let Some(problem) = play.problem() {
                return Err(problem.into());
            }
            let (batch, shape) = match own.lane {
                Lane::Grid => in_order(batch, definition)?,
                _ => (batch, None),
            };
            let rows = record(&columns, &path.to_string_lossy(), batch)?;
            Ok(Data::new(rows.schema(), vec![rows]).shaped(shape))
        })
    }

    fn __repr__(&self) -> String {
        format!("<Playback of {}>", self.recording.path().display())
    }
}

/// Puts the cells of a grid into the order of their keys, which is that of an array of the grid's shape.
fn in_order(batch: Batch, grid: &TableDef) -> Result<(Batch, Option<Vec<usize>>), Failure> {
    let shape: Option<Vec<usize>> = (grid.shape.iter())
        .map(|edge| usize::try_from(*edge).ok())
        .collect();
    let keys = || (0..grid.columns.len()).filter(|at| is_key(grid, *at));
    let Some(shape) = shape.filter(|shape| shape.len() == keys().count() && !shape.is_empty())
    else {
        return Ok((batch, None));
    };
    let rows = 0..batch.len();
    // Keys start at 0, or wherever the first cell is.
    let starts = keys().map(|key| {
        rows.clone()
            .filter_map(|row| whole(batch.get(row, key)))
            .min()
    });
    let fits = |key: usize, edge: usize| {
        let mut keys = rows.clone().filter_map(|row| whole(batch.get(row, key)));
        keys.all(|key| (0..edge as i128).contains(&key))
    };
    let starts: Vec<i128> = starts
        .zip(keys().zip(&shape))
        .map(|(start, (key, edge))| {
            if fits(key, *edge) {
                0
            } else {
                start.unwrap_or(0)
            }
        })
        .collect();
    let place = |row: usize| {
        let mut cell = 0_usize;
        for ((key, edge), start) in keys().zip(&shape).zip(&starts) {
            let at = whole(batch.get(row, key))? - start;
            let at = usize::try_from(at).ok().filter(|at| at < edge)?;
            cell = cell.checked_mul(*edge)?.checked_add(at)?;
        }
        Some(cell)
    };
    let places: Option<Vec<usize>> = rows.clone().map(place).collect();
    let outside = || Failure::usage(format!("{} has a cell outside of the grid", grid.name));
    let places = places.ok_or_else(outside)?;
    let cells = shape
        .iter()
        .try_fold(1_usize, |cells, edge| cells.checked_mul(*edge));
    if places.iter().copied().eq(0..cells.unwrap_or(usize::MAX)) {
        return Ok((batch, Some(shape)));
    }
    // The cells that are there bound the memory, not the shape.
    let cells = cells.filter(|cells| *cells <= batch.len().saturating_mul(16).max(1 << 20));
    let mut row_of = vec![None; cells.ok_or_else(outside)?];
    for (row, place) in places.into_iter().enumerate() {
        if let Some(slot) = row_of.get_mut(place) {
            *slot = Some(row);
        }
    }
    let kinds: Vec<Kind> = grid.columns.iter().map(|column| column.kind).collect();
    let mut ordered = Batch::new(kinds.iter().copied());
    let stamp = batch.stamp(0);
    for row in row_of {
        let value = |column| row.map_or(Value::Null, |row| batch.get(row, column));
        ordered.push(stamp, (0..kinds.len()).map(value));
    }
    Ok((ordered, Some(shape)))
}

fn is_key(table: &TableDef, at: usize) -> bool {
    table.columns.get(at).is_some_and(|column| column.key)
}

fn whole(value: Value<'_>) -> Option<i128> {
    match value {
        Value::Int(value) => Some(value.into()),
        Value::Uint(value) => Some(value.into()),
        _ => None,
    }
}
