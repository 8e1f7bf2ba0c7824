//! A recording at a moment.

use std::sync::{Arc, Mutex, PoisonError};

use gametape::core::Spell as _;
use gametape::{Lane, Scan, Secrets, TableDef, Work};
use pyo3::prelude::*;

use crate::data::Data;
use crate::errors::{Failure, of_arrow};
use crate::moment::Moment;
use crate::rows::{Columns, record};
use crate::work::{Progress, attempt_short};

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
    pub play: Arc<Mutex<gametape::Playback>>,
    pub recording: Arc<gametape::Recording>,
    /// To ask the recording for them takes longer than some states.
    pub tables: Arc<[TableDef]>,
    /// Whether reading any of them is short.
    pub is_short: bool,
    pub secrets: Secrets,
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
    /// Runs a task, which also waits for the tasks of other threads.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        task: impl FnOnce(&mut gametape::Playback, &Work<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let play = Arc::clone(&self.play);
        attempt_short(py, self.is_short, &Progress::NONE, move |work| {
            task(
                &mut play.lock().unwrap_or_else(PoisonError::into_inner),
                work,
            )
        })
    }
}

#[pymethods]
impl Playback {
    /// The current moment, which is the first one at the start.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<Stamp> {
        self.run(py, |play, _| Ok(play.now().into()))
    }

    /// The first and the last moment.
    #[getter]
    fn span(&self, py: Python<'_>) -> PyResult<(Stamp, Stamp)> {
        self.run(py, |play, _| {
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
        self.run(py, move |play, work| {
            let at = to.within(&recording, work)?;
            Ok(play.seek(at)?.into())
        })
    }

    /// Goes to the next step and returns its stamp; `None` after the last step.
    ///
    /// >>> game.playback().step().step
    /// 1
    fn step(&self, py: Python<'_>) -> PyResult<Option<Stamp>> {
        self.run(py, |play, _| Ok(play.step()?.map(Stamp::from)))
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
        self.run(py, move |play, work| {
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
            let batch = play.state_with(&scan, work)?;
            if let Some(problem) = play.problem() {
                return Err(problem.into());
            }
            let name = path.spelled();
            let shape = shape(definition);
            let batch = match &shape {
                Some(_) => columns.table.in_order(&name, batch).map_err(of_arrow)?,
                None => batch,
            };
            let rows = record(&columns, &name, batch)?;
            Ok(Data::new(rows.schema(), vec![rows]).shaped(shape))
        })
    }

    fn __repr__(&self) -> String {
        format!("<Playback of {}>", self.recording.path().spelled())
    }
}

/// The shape of an array of all cells; none for a table that is no grid.
fn shape(grid: &TableDef) -> Option<Vec<usize>> {
    let edges = grid.shape.iter().map(|edge| usize::try_from(*edge).ok());
    let shape: Vec<usize> = edges.collect::<Option<_>>()?;
    (grid.lane == Lane::Grid && !shape.is_empty()).then_some(shape)
}
