//! Runs of worlds.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gametape::murk::engine::{Outcome, World as Described};
use gametape::murk::tape::time_of;
use gametape::murk::tools::{self, CommandList};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::array::Arrays;
use super::convert;
use super::described::World;
use super::given;
use crate::errors::Failure;
use crate::values::{object, to_dict};
use crate::work::{Progress, attempt};

/// A world in a state: after the ticks that it made. It is safe between threads.
///
/// >>> run = gametape.World.from_toml(open("heat.toml").read()).run(ticks=10)
/// >>> run.tick, run.time_ms, run["heat"].shape
/// (10, 1000.0, (16, 16))
/// >>> run.go_on(5).tick
/// 15
#[pyclass(frozen, module = "gametape")]
pub struct Run {
    inner: Arc<Mutex<tools::Run>>,
    world: Arc<Described>,
    arrays: Arrays,
}

impl Run {
    pub fn new(py: Python<'_>, run: tools::Run) -> PyResult<Self> {
        let world = run.world().clone();
        Ok(Self {
            inner: Arc::new(Mutex::new(run)),
            arrays: Arrays::new(py, &world, None)?,
            world: Arc::new(world),
        })
    }

    /// Makes ticks on a thread. An interrupt leaves the run at the tick that it reached.
    pub fn advance(
        &self,
        py: Python<'_>,
        ticks: u64,
        commands: CommandList,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let run = Arc::clone(&self.inner);
        let progress = Progress {
            callback: progress,
            size: ticks,
        };
        attempt(py, &progress, move |work| {
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            let mut advance = || {
                let start = run.tick();
                let end = start.saturating_add(ticks);
                commands.within(start, end)?;
                for tick in start.saturating_add(1)..=end {
                    run.step(commands.of(tick))?;
                    work.done(tick - start)?;
                }
                Ok(())
            };
            advance().map_err(Failure::of_world)
        })
    }

    /// Looks at the run, after whatever another thread does with it.
    fn look<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&tools::Run) -> T + Send) -> T {
        let inner = &self.inner;
        py.detach(|| look(&inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn arrays<'py>(&self, py: Python<'py>, arrays: &Arrays) -> PyResult<Bound<'py, PyDict>> {
        loop {
            if let Ok(run) = self.inner.try_lock() {
                return arrays.of(py, run.simulation());
            }
            // Another thread makes ticks, and may need the interpreter's lock.
            self.look(py, |_| ());
        }
    }
}

#[pymethods]
impl Run {
    /// Makes more ticks, and returns the run itself. The commands are those of `World.run`, of ticks after the
    /// current one.
    ///
    /// An interrupt leaves it at the tick that it reached.
    ///
    /// >>> run = gametape.World.from_toml(open("heat.toml").read()).run(ticks=10)
    /// >>> run.go_on(2, [{"tick": 11, "field": "stove", "coord": [3, 4], "value": 1}]).tick
    /// 12
    #[pyo3(signature = (ticks, commands = None, *, progress = None))]
    fn go_on<'py>(
        slf: Bound<'py, Self>,
        ticks: u64,
        commands: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let run = slf.get();
        let commands = convert::of_run(commands, &run.world)?;
        run.advance(slf.py(), ticks, commands, progress)?;
        Ok(slf)
    }

    /// The last tick; 0 before the first.
    #[getter]
    fn tick(&self, py: Python<'_>) -> u64 {
        self.look(py, tools::Run::tick)
    }

    /// The milliseconds up to the end of the last tick.
    #[getter]
    fn time_ms(&self, py: Python<'_>) -> f64 {
        time_of(self.tick(py), self.world.dt).ms()
    }

    /// The hash of the state, as 16 hexadecimal digits.
    #[getter]
    fn hash(&self, py: Python<'_>) -> String {
        self.look(py, |run| run.hash().to_string())
    }

    /// All fields as arrays, by name. An array is indexed by the coordinate of a cell.
    ///
    /// >>> run = gametape.World.from_toml(open("heat.toml").read()).run(ticks=1)
    /// >>> {name: array.shape for name, array in run.state.items()}
    /// {'stove': (16, 16), 'smoke': (16, 16), 'haze': (16, 16), 'heat': (16, 16), 'gradient': (16, 16, 2)}
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.arrays(py, &self.arrays)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: String) -> PyResult<Bound<'py, PyAny>> {
        let one = Arrays::new(py, &self.world, Some(vec![name.clone()]))?;
        let item = self.arrays(py, &one)?.get_item(&name)?;
        item.ok_or_else(|| PyKeyError::new_err(name))
    }

    /// The numbers of ticks and commands that were made, and what became of them, as a dict.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> run = world.run(ticks=5, commands=[{"tick": 2, "field": "stove", "coord": [99, 0], "value": 1}])
    /// >>> run.made["applied"], run.made["rejected"], run.made["first_rejected"]
    /// (0, 1, 'tick 2: ...')
    #[getter]
    fn made<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut made = self.look(py, |run| object(run.made()));
        made.remove("last_hash");
        to_dict(py, &made)
    }

    /// The outcomes of the commands of the last tick, such as `applied`.
    #[getter]
    fn outcomes(&self, py: Python<'_>) -> Vec<&'static str> {
        self.look(py, |run| {
            let outcomes = run.simulation().receipts().outcomes().iter();
            outcomes.copied().map(Outcome::name).collect()
        })
    }

    /// The recording up to now, as bytes, if it is kept.
    #[getter]
    fn recording<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let recording = self.look(py, |run| run.recording().map(<[u8]>::to_vec));
        recording.map(|recording| PyBytes::new(py, &recording))
    }

    /// Writes the recording up to now to a file, if it is kept. A file that exists is replaced only with
    /// `replace=True`, unless it is the same already.
    ///
    /// >>> run = gametape.World.from_toml(open("heat.toml").read()).run(ticks=10, keep=True)
    /// >>> run.save("kept.murk")
    /// >>> gametape.open("kept.murk").audit().verdict
    /// 'pass'
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> PyResult<()> {
        let recording = self.look(py, |run| run.recording().map(<[u8]>::to_vec));
        let none = || Failure::usage("the run has no recording: it was not kept");
        given::save(py, path, recording.ok_or_else(none)?, replace)
    }

    /// The world, with the parameters and the seed of this run.
    #[getter]
    fn world(&self) -> World {
        World {
            inner: Arc::clone(&self.world),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Run at tick {}>", self.tick(py))
    }
}
