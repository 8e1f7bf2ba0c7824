//! A world as an environment of an agent.

use std::sync::{Arc, Mutex, PoisonError};

use gametape::murk::engine::World as Described;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::array::Arrays;
use super::convert;
use super::described::World;
use super::single::{Single, Ticks};
use crate::errors::Failure;
use crate::work::in_pieces;

/// A world as an environment after Gymnasium's interface. An observation is a dict of NumPy arrays: the fields
/// (`heat`) and cells (`heat@3,4`) to watch, all fields by default. An array of a field is indexed by the
/// coordinate of a cell. Actions are lists of commands; nothing is written to a file.
///
/// `reward(before, after)` and `done(after)` are functions of observations. A step makes `ticks` ticks, of which
/// the first has the commands; after `horizon` ticks an episode is truncated.
///
/// >>> world = gametape.World.from_toml(open("foraging.toml").read())
/// >>> eaten = lambda before, after: float(after["grass"].sum() - before["grass"].sum())
/// >>> env = gametape.Env(world, watch=["grass", "sheep@3,4"], reward=eaten, horizon=100)
/// >>> obs, info = env.reset(seed=1)
/// >>> obs["grass"].shape, obs["sheep@3,4"].shape
/// ((12, 20), ())
/// >>> obs, reward, terminated, truncated, info = env.step([{"field": "sheep", "coord": [3, 4], "value": 1}])
/// >>> float(obs["sheep@3,4"]), info["tick"], info["outcomes"], truncated
/// (1.0, 1, ['applied'], False)
#[pyclass(module = "gametape")]
pub struct Env {
    world: Arc<Described>,
    single: Mutex<Single>,
    arrays: Arrays,
    rules: Rules,
}

/// The rules of an episode.
pub struct Rules {
    reward: Option<Py<PyAny>>,
    done: Option<Py<PyAny>>,
    horizon: Option<u64>,
    ticks: u64,
}

impl Rules {
    pub fn new(
        reward: Option<Py<PyAny>>,
        done: Option<Py<PyAny>>,
        horizon: Option<u64>,
        ticks: u64,
    ) -> Result<Self, Failure> {
        if ticks == 0 {
            return Err(Failure::usage("a step makes at least one tick"));
        }
        Ok(Self {
            reward,
            done,
            horizon,
            ticks,
        })
    }

    pub const fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Whether the reward needs the observation before a step. It is made for the reward: that which the caller
    /// got may have been changed since.
    pub const fn has_reward(&self) -> bool {
        self.reward.is_some()
    }

    /// Whether anything is computed from observations.
    pub const fn is_asked(&self) -> bool {
        self.reward.is_some() || self.done.is_some()
    }

    /// Returns the reward of a step, and whether the episode is over.
    pub fn judge(
        &self,
        py: Python<'_>,
        before: Option<&Bound<'_, PyDict>>,
        after: &Bound<'_, PyDict>,
    ) -> PyResult<(f64, bool)> {
        let reward = match (&self.reward, before) {
            (Some(reward), Some(before)) => reward.call1(py, (before, after))?.extract(py)?,
            _ => 0.0,
        };
        let done = match &self.done {
            Some(done) => done.call1(py, (after,))?.is_truthy(py)?,
            None => false,
        };
        Ok((reward, done))
    }

    pub fn is_past(&self, tick: u64) -> bool {
        self.horizon.is_some_and(|horizon| tick >= horizon)
    }
}

/// An observation, and more about it.
type Begun<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);
/// An observation, the reward, whether the episode ended or was cut off, and more.
type Stepped<'py> = (Bound<'py, PyDict>, f64, bool, bool, Bound<'py, PyDict>);

#[pymethods]
impl Env {
    #[new]
    #[pyo3(signature = (world, watch = None, *, reward = None, done = None, horizon = None, ticks = 1))]
    fn new(
        py: Python<'_>,
        world: &Bound<'_, World>,
        watch: Option<Vec<String>>,
        reward: Option<Py<PyAny>>,
        done: Option<Py<PyAny>>,
        horizon: Option<u64>,
        ticks: u64,
    ) -> PyResult<Self> {
        let world = Arc::clone(&world.get().inner);
        let single = py.detach(|| Single::new(&world, world.seed))?;
        Ok(Self {
            arrays: Arrays::new(py, &world, watch)?,
            world,
            single: Mutex::new(single),
            rules: Rules::new(reward, done, horizon, ticks)?,
        })
    }

    /// Begins a new episode, and returns the first observation and a dict with the `tick` and `time_ms`. A world
    /// has noise by its seed; without a seed, it keeps the last one, at first its own.
    ///
    /// >>> env = gametape.Env(gametape.World.from_toml(open("heat.toml").read()))
    /// >>> obs, info = env.reset(seed=7)
    /// >>> list(obs), info["tick"]
    /// (['stove', 'smoke', 'haze', 'heat', 'gradient'], 0)
    #[pyo3(signature = (*, seed = None, options = None))]
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seed: Option<u64>,
        options: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Begun<'py>> {
        let _ = options;
        let single = self
            .single
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let seed = seed.unwrap_or(single.seed());
        py.detach(|| single.reset(seed))?;
        let seen = self.arrays.of(py, single.simulation())?;
        Ok((seen, single.info(py)?))
    }

    /// Makes a step with these commands, and returns the observation, the reward, whether the episode ended,
    /// whether it was cut off, and a dict with the `tick`, `time_ms` and the `outcomes` of the commands.
    ///
    /// A command is a dict as `gametape dump` prints it; its `kind` is `set_field` if it does not say. An interrupt
    /// leaves the world at the tick that it reached.
    ///
    /// >>> env = gametape.Env(gametape.World.from_toml(open("heat.toml").read()), ["heat"])
    /// >>> obs, info = env.reset()
    /// >>> obs, reward, terminated, truncated, info = env.step()
    /// >>> reward, terminated, truncated, info
    /// (0.0, False, False, {'tick': 1, 'time_ms': 100.0, 'outcomes': []})
    #[pyo3(signature = (commands = None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        commands: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Stepped<'py>> {
        let commands = convert::of_tick(commands, &self.world)?;
        let single = self
            .single
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let before = self.rules.has_reward();
        let before = before.then(|| self.arrays.of(py, single.simulation()));
        let (before, ticks) = (before.transpose()?, self.rules.ticks());
        let mut ticks = Ticks::none_of(ticks);
        in_pieces(py, |until| {
            ticks = single.step(&commands, ticks, until)?;
            Ok(ticks.are_made())
        })?;
        let seen = self.arrays.of(py, single.simulation())?;
        let info = single.info(py)?;
        let truncated = self.rules.is_past(single.tick());
        let (reward, done) = self.rules.judge(py, before.as_ref(), &seen)?;
        Ok((seen, reward, done, truncated, info))
    }

    /// Does nothing: there is nothing to close.
    ///
    /// >>> gametape.Env(gametape.World.from_toml(open("heat.toml").read())).close()
    #[allow(clippy::unused_self)] // It is a method of the interface.
    const fn close(&self) {}

    /// The world.
    #[getter]
    fn world(&self) -> World {
        World {
            inner: Arc::clone(&self.world),
        }
    }

    /// The space of the observations. It needs gymnasium. Places without a cell are NaN, which it does not contain.
    #[getter]
    fn observation_space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        observations(py, &self.arrays, None)
    }

    /// The space of the actions: any number of commands that set a field. It needs gymnasium.
    #[getter]
    fn action_space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        actions(py, &self.world)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.arrays.shapes().map(|(name, _)| name).collect();
        format!("<Env of a world, watching {}>", names.join(", "))
    }
}

fn spaces(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    match py.import("gymnasium") {
        Ok(gymnasium) => gymnasium.getattr("spaces"),
        Err(error) => {
            let needed =
                Failure::usage("spaces need the package gymnasium, which is not installed");
            let needed = PyErr::from(needed);
            needed.set_cause(py, Some(error));
            Err(needed)
        }
    }
}

/// A space of any numbers of 32 bits.
fn numbers<'py>(
    spaces: &Bound<'py, PyAny>,
    count: Option<usize>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let py = spaces.py();
    let options = PyDict::new(py);
    let shape: Vec<usize> = count.into_iter().chain(shape.iter().copied()).collect();
    options.set_item("shape", PyTuple::new(py, shape)?)?;
    options.set_item("dtype", py.import("numpy")?.getattr("float32")?)?;
    spaces.call_method("Box", (f64::NEG_INFINITY, f64::INFINITY), Some(&options))
}

/// The space of the observations of one world, or of several.
pub fn observations<'py>(
    py: Python<'py>,
    arrays: &Arrays,
    count: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (spaces, all) = (spaces(py)?, PyDict::new(py));
    for (name, shape) in arrays.shapes() {
        all.set_item(name, numbers(&spaces, count, shape)?)?;
    }
    spaces.call_method1("Dict", (all,))
}

/// The space of the actions of one world.
pub fn actions<'py>(py: Python<'py>, world: &Described) -> PyResult<Bound<'py, PyAny>> {
    let (spaces, command) = (spaces(py)?, PyDict::new(py));
    let sizes: Vec<u32> = world
        .space
        .axes()
        .into_iter()
        .map(|(_, size)| size)
        .collect();
    command.set_item(
        "field",
        spaces.call_method1("Discrete", (world.field_count(),))?,
    )?;
    command.set_item("coord", spaces.call_method1("MultiDiscrete", (sizes,))?)?;
    command.set_item("value", numbers(&spaces, None, &[])?)?;
    spaces.call_method1("Sequence", (spaces.call_method1("Dict", (command,))?,))
}
