//! Worlds: running, recording, checking.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gametape::murk::engine::own::Kinds;
use gametape::murk::engine::{World as Described, WorldError};
use gametape::murk::tape::{Murk, MurkError};
use gametape::murk::tools::{self, Branch, Minimise, RecordOptions};
use gametape::{Error, Work};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::array::shape;
use super::convert;
use super::described::World;
use super::given::{Given, Tape, file};
use super::run::Run;
use super::slips::{Explanation, Minimised, Verdict};
use crate::errors::Failure;
use crate::values::{object, to_dict, to_python};
use crate::work::{Progress, attempt};

/// A field of a world.
///
/// >>> world = gametape.World.from_toml(open("foraging.toml").read())
/// >>> wind = next(field for field in world.fields if field.name == "wind")
/// >>> wind.kind, wind.components, wind.shape
/// ('vector', 2, (12, 20, 2))
#[pyclass(frozen, eq, module = "gametape")]
#[derive(Clone, PartialEq)]
pub struct Field {
    /// The name.
    #[pyo3(get)]
    name: String,
    /// `scalar`, `vector` or `categorical`.
    #[pyo3(get)]
    kind: &'static str,
    /// The number of values in each cell.
    #[pyo3(get)]
    components: u32,
    /// How long values last: `static`, `per_tick` or `sparse`.
    #[pyo3(get)]
    mutability: &'static str,
    /// The unit, if it has one.
    #[pyo3(get)]
    unit: Option<String>,
    extents: Vec<usize>,
}

#[pymethods]
impl Field {
    /// The shape of its array: the axes of the space, and the components if there are several.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.extents)
    }

    fn __repr__(&self) -> String {
        format!("<Field {} ({})>", self.name, self.kind)
    }
}

impl World {
    fn of(world: Result<Described, WorldError>) -> Result<Self, Failure> {
        let world = world.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self {
            inner: Arc::new(world),
        })
    }

    /// The world with other parameters and another seed.
    pub fn changed(
        &self,
        set: Option<&Bound<'_, PyDict>>,
        seed: Option<u64>,
    ) -> PyResult<Described> {
        let set = convert::parameters(set)?;
        let set = set.iter().map(|(name, value)| (&**name, &**value));
        let world = self.inner.with_parameters(set, &Kinds::new());
        let world = world.map_err(Failure::usage)?;
        Ok(seed.map_or_else(|| world.clone(), |seed| world.with_seed(seed)))
    }

    fn check(
        &self,
        py: Python<'_>,
        recording: Given,
        limit: Duration,
    ) -> PyResult<(tools::Checked, Tape)> {
        let file = file(&self.inner);
        attempt(py, &Progress::NONE, move |work| {
            let tape = recording.open()?;
            let checked = tools::check(&tape.tape, Some(&file), limit, work);
            Ok((checked.map_err(|error| tape.failure(error))?, tape))
        })
    }
}

#[pymethods]
impl World {
    /// Reads a world from its description in TOML.
    ///
    /// >>> gametape.World.from_toml(open("heat.toml").read().replace("rows", "row"))
    /// Traceback (most recent call last):
    /// gametape.UsageError: line 8, [space], rows: missing
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        Ok(Self::of(Described::from_toml(text))?)
    }

    /// Makes a world of dicts and lists, which have the names of a description in TOML.
    ///
    /// >>> world = gametape.World.from_dict({
    /// ...     "dt": 0.1,
    /// ...     "space": {"kind": "ring1d", "len": 8},
    /// ...     "field": [{"name": "heat", "type": "scalar", "mutability": "per_tick"}],
    /// ...     "propagator": [{"kind": "identity_copy", "field": "heat"}],
    /// ... })
    /// >>> world.shape, world.fields
    /// ((8,), [<Field heat (scalar)>])
    #[staticmethod]
    fn from_dict(description: &Bound<'_, PyDict>) -> PyResult<Self> {
        let world = Described::from_toml(&convert::document(description)?);
        // The lines are not the caller's.
        Ok(Self::of(world.map_err(WorldError::without_line))?)
    }

    /// Returns the world that a recording carries: a `Recording`, the path of one, or its bytes.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> gametape.World.from_recording(world.run(ticks=3, keep=True).recording) == world
    /// True
    #[staticmethod]
    fn from_recording(py: Python<'_>, recording: Given) -> PyResult<Self> {
        attempt(py, &Progress::NONE, move |_| {
            let tape = recording.open()?;
            let text = tape.tape.world().map_err(|error| tape.failure(error))?;
            Self::of(Described::from_toml(&text))
        })
    }

    /// The fields.
    #[getter]
    fn fields(&self) -> Vec<Field> {
        let layout = self.inner.space.layout();
        let field = |field: &gametape::murk::engine::Field| {
            let components = field.field_type.components();
            Field {
                name: field.name.clone(),
                kind: field.field_type.kind(),
                components,
                mutability: field.mutability.word(),
                unit: field.units.clone(),
                extents: shape(layout.shape(), components as usize),
            }
        };
        self.inner.fields.iter().map(field).collect()
    }

    /// The parameters by name, with their values; defaults are filled in.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> world.parameters["dt"], world.parameters["space.rows"], world.parameters["propagator.0.kind"]
    /// (0.1, 16, 'agent_emission')
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, text) in self.inner.parameters() {
            // A world writes what TOML can read.
            let value = toml::from_str::<serde_json::Value>(&format!("v = {text}"));
            let value = value
                .ok()
                .and_then(|mut table| Some(table.get_mut("v")?.take()));
            dict.set_item(name, to_python(py, &value.unwrap_or_default())?)?;
        }
        Ok(dict)
    }

    /// The number of places along each axis of the space. An array is indexed by the coordinate of a cell; places
    /// without a cell are NaN.
    ///
    /// >>> gametape.World.from_toml(open("weather.toml").read()).shape
    /// (24, 18)
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.space.layout().shape())
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Returns the description in TOML, with all defaults.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> gametape.World.from_toml(world.to_toml()) == world
    /// True
    fn to_toml(&self) -> String {
        String::from_utf8_lossy(&self.inner.canonical()).into_owned()
    }

    /// Returns this world with other parameters, and with other noise for another seed.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> world.set({"dt": 0.05}).parameters["dt"]
    /// 0.05
    /// >>> world.set({"dt": -1})
    /// Traceback (most recent call last):
    /// gametape.UsageError: dt=-1 can't be set: dt: ...
    #[pyo3(name = "set", signature = (parameters = None, *, seed = None))]
    fn with(&self, parameters: Option<&Bound<'_, PyDict>>, seed: Option<u64>) -> PyResult<Self> {
        Ok(Self {
            inner: Arc::new(self.changed(parameters, seed)?),
        })
    }

    /// Runs the world for some ticks, and returns it in the state after them. With `keep`, the run has a
    /// recording. `progress` gets the number of ticks that were made, and of all.
    ///
    /// Each command is a dict with its `tick`, else as `gametape dump` prints it; its `kind` is `set_field` if it
    /// does not say. Frames as `dump` prints them are taken as well.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> lit = {"tick": 1, "field": "stove", "coord": [3, 4], "value": 1}
    /// >>> warm = world.run(ticks=20, commands=[lit])["heat"]
    /// >>> colder = world.run(ticks=20, commands=[lit], set={"propagator.2.decay": 0.5})["heat"]
    /// >>> bool(colder.sum() < warm.sum())
    /// True
    #[pyo3(signature = (ticks, commands = None, *, set = None, seed = None, keep = false, progress = None))]
    #[allow(clippy::too_many_arguments)] // As callers in Python see it.
    fn run(
        &self,
        py: Python<'_>,
        ticks: u64,
        commands: Option<&Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyDict>>,
        seed: Option<u64>,
        keep: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Run> {
        let commands = convert::of_run(commands, &self.inner)?;
        let world = self.changed(set, seed)?;
        let run = tools::Run::new(&world, keep).map_err(Failure::of_world)?;
        let run = Run::new(py, run)?;
        run.advance(py, ticks, commands, progress)?;
        Ok(run)
    }

    /// Runs the world and writes a recording, tick by tick, to a file that does not exist yet. With `resume` it
    /// continues a recording that does. Returns what was made as a dict.
    ///
    /// An interrupt ends it: the recording then has the ticks up to there.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> made = world.record("run.murk", ticks=20)
    /// >>> made["ticks"], gametape.open("run.murk").audit().summary
    /// (20, '20 ticks, replayed: every hash is right')
    #[pyo3(signature = (path, ticks, commands = None, *, set = None, seed = None, resume = false, progress = None))]
    #[allow(clippy::too_many_arguments)] // As callers in Python see it.
    fn record<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        ticks: u64,
        commands: Option<&Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyDict>>,
        seed: Option<u64>,
        resume: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let commands = convert::of_run(commands, &self.inner)?;
        gametape::formats()
            .check_name(&Murk::new(), &path)
            .map_err(Failure::from)?;
        let options = RecordOptions {
            world: Some(file(&self.changed(set, seed)?)),
            ticks,
            output: path,
            resume,
            ..RecordOptions::default()
        };
        let progress = Progress {
            callback: progress,
            size: ticks,
        };
        let writing = Arc::new(Mutex::new(()));
        let held = Arc::clone(&writing);
        let made = attempt(py, &progress, move |work: &Work<'_>| {
            let _held = held.lock();
            let made = tools::record_each(&options, &commands, |made| {
                match work.done(made.resumed_after.saturating_add(made.ticks)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            });
            let path = options.output.as_path();
            made.map_err(|error| match error.of_format() {
                // They are the caller's, and in no file.
                Some(MurkError::Commands { .. }) => Failure::of_world(error),
                _ => Error::tape(path)(error).into(),
            })
        });
        // After an interrupt the last tick may still be written. The file is whole once that is done.
        py.detach(|| drop(writing.lock()));
        to_dict(py, &object(&made?))
    }

    /// Replays a recording, and compares each state with what was recorded: a `Recording`, the path of one, or its
    /// bytes. It must be one of this world.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> verdict = world.verify(world.run(ticks=20, keep=True).recording)
    /// >>> verdict.ok, verdict.frames, verdict.divergence
    /// (True, 20, None)
    fn verify(&self, py: Python<'_>, recording: Given) -> PyResult<Verdict> {
        let (checked, _) = self.check(py, recording, Duration::ZERO)?;
        Ok(checked.into())
    }

    /// Verifies a recording, and searches up to `seconds` for the one slip that explains where it goes wrong: one
    /// command lost, late, repeated or elsewhere; one parameter; one bit. `None` if nothing is wrong.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
    /// >>> bad[-1] ^= 1
    /// >>> explanation = world.explain(bytes(bad))
    /// >>> explanation.best.kind, explanation.best.tick, explanation.explains_all
    /// ('hash', 20, True)
    #[pyo3(signature = (recording, *, seconds = 10.0))]
    fn explain(
        &self,
        py: Python<'_>,
        recording: Given,
        seconds: f64,
    ) -> PyResult<Option<Explanation>> {
        let limit = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|limit| !limit.is_zero());
        let wrong = || Failure::usage("a number of seconds is above 0, and not too far");
        let (checked, tape) = self.check(py, recording, limit.ok_or_else(wrong)?)?;
        Ok(Explanation::of(checked, &tape))
    }

    /// Finds the smallest list of commands with which a recording still goes wrong in the same way. Tries at most
    /// `max_trials` lists.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> lit = [{"tick": tick, "field": "stove", "coord": [3, 4], "value": tick} for tick in range(1, 9)]
    /// >>> bad = bytearray(world.run(ticks=10, commands=lit, keep=True).recording)
    /// >>> bad[-1] ^= 1
    /// >>> small = world.minimise(bytes(bad))
    /// >>> small.commands, small.minimal
    /// ((8, 0), True)
    #[pyo3(signature = (recording, *, max_trials = 10_000))]
    fn minimise(&self, py: Python<'_>, recording: Given, max_trials: u64) -> PyResult<Minimised> {
        let options = Minimise {
            world: Some(file(&self.inner)),
            against: None,
            max_trials,
        };
        attempt(py, &Progress::NONE, move |work| {
            let tape = recording.open()?;
            let small = tools::minimise(&tape.tape, &options, work);
            Ok(small.map_err(|error| tape.failure(error))?.into())
        })
    }

    /// Returns a run that continues after a tick of a recording (after the last one for `None`), which has to
    /// replay up to there. With other parameters, only its commands are used.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> run = world.branch(world.run(ticks=20, keep=True).recording, 10)
    /// >>> run.go_on(5).tick
    /// 15
    #[pyo3(signature = (recording, tick = None, *, set = None, keep = false))]
    fn branch(
        &self,
        py: Python<'_>,
        recording: Given,
        tick: Option<u64>,
        set: Option<&Bound<'_, PyDict>>,
        keep: bool,
    ) -> PyResult<Run> {
        let options = RecordOptions {
            world: Some(file(&self.inner)),
            set: convert::parameters(set)?,
            ..RecordOptions::default()
        };
        let run = attempt(py, &Progress::NONE, move |work| {
            let tape = recording.open()?;
            let branch = Branch {
                tape: tape.tape.clone(),
                tick,
            };
            tools::Run::branch(&branch, options, keep, work).map_err(|error| tape.failure(error))
        })?;
        Run::new(py, run)
    }

    fn __repr__(&self) -> String {
        let layout = self.inner.space.layout();
        let shape: Vec<String> = layout.shape().iter().map(ToString::to_string).collect();
        let fields: Vec<&str> = self.inner.fields.iter().map(|field| &*field.name).collect();
        format!(
            "<World of {} cells: {}>",
            shape.join(" x "),
            fields.join(", ")
        )
    }
}
