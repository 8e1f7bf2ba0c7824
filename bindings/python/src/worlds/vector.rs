//! Several worlds as one environment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gametape::murk::CommandBuf;
use gametape::murk::engine::{EngineWorld, World as Described};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::array::Arrays;
use super::convert;
use super::described::World;
use super::env::{Rules, actions, observations};
use super::single::{Single, Ticks};
use crate::errors::Failure;
use crate::work::in_pieces;

/// `n` copies of a world, stepped on all cores, as one environment: see `Env`. Its arrays have one more axis at
/// the front, for the number of the copy; actions are `n` lists of commands. Copy `i` has the seed `seed + i`.
///
/// It does not begin episodes on its own: `reset(options={"reset_mask": mask})` begins those that are marked.
///
/// >>> world = gametape.World.from_toml(open("foraging.toml").read())
/// >>> envs = gametape.VectorEnv(world, 3, ["grass"], horizon=10)
/// >>> obs, info = envs.reset(seed=1)
/// >>> obs, rewards, terminated, truncated, info = envs.step([[], [{"field": "sheep", "coord": [3, 4], "value": 1}], []])
/// >>> obs["grass"].shape, rewards.tolist(), info["outcomes"]
/// ((3, 12, 20), [0.0, 0.0, 0.0], [[], ['applied'], []])
#[pyclass(module = "gametape")]
pub struct VectorEnv {
    world: Arc<Described>,
    singles: Mutex<Vec<Single>>,
    arrays: Arrays,
    rules: Rules,
    pool: Option<Pool>,
}

/// Threads, and the process that has them: a fork has none.
struct Pool {
    process: u32,
    threads: ThreadPool,
}

type Begun<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);
/// Observations; rewards, ends and cuts as arrays; and more.
type Stepped<'py> = (
    Bound<'py, PyDict>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyDict>,
);

impl VectorEnv {
    fn threads(pool: &mut Option<Pool>) -> Result<&ThreadPool, Failure> {
        let process = std::process::id();
        let pool = match pool.take() {
            Some(mut own) => {
                if own.process != process {
                    // The threads of the other process can't be ended from here.
                    std::mem::forget(std::mem::replace(&mut own.threads, begin()?));
                    own.process = process;
                }
                pool.insert(own)
            }
            None => pool.insert(Pool {
                process,
                threads: begin()?,
            }),
        };
        Ok(&pool.threads)
    }

    fn seen<'py>(&mut self, py: Python<'py>) -> PyResult<Begun<'py>> {
        let singles = self
            .singles
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let worlds: Vec<&EngineWorld> = singles.iter().map(Single::simulation).collect();
        let seen = self.arrays.of_many(py, &worlds)?;
        let infos = singles.iter().map(|single| single.info(py));
        let infos = infos.collect::<PyResult<Vec<_>>>()?;
        let all = PyDict::new(py);
        for key in infos.iter().flat_map(PyDictMethods::keys) {
            if !all.contains(&key)? {
                // A failure is not there for every copy.
                let of_each = infos.iter().map(|info| info.get_item(&key));
                all.set_item(&key, of_each.collect::<PyResult<Vec<_>>>()?)?;
            }
        }
        Ok((seen, all))
    }

    /// The observation of one copy.
    fn part<'py>(seen: &Bound<'py, PyDict>, at: usize) -> PyResult<Bound<'py, PyDict>> {
        let part = PyDict::new(seen.py());
        for (name, array) in seen {
            part.set_item(name, array.get_item(at)?)?;
        }
        Ok(part)
    }
}

fn begin() -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().thread_name(|_| "gametape".to_owned());
    pool.build()
        .map_err(|error| Failure::usage(error.to_string()))
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (world, n, watch = None, *, reward = None, done = None, horizon = None, ticks = 1))]
    #[allow(clippy::too_many_arguments)] // As callers in Python see it.
    fn new(
        py: Python<'_>,
        world: &Bound<'_, World>,
        n: usize,
        watch: Option<Vec<String>>,
        reward: Option<Py<PyAny>>,
        done: Option<Py<PyAny>>,
        horizon: Option<u64>,
        ticks: u64,
    ) -> PyResult<Self> {
        if n == 0 {
            return Err(Failure::usage("there is at least one world").into());
        }
        let world = Arc::clone(&world.get().inner);
        let mut singles = Vec::new();
        in_pieces(py, |until| {
            while singles.len() < n && Instant::now() < until {
                let seed = world.seed.wrapping_add(singles.len() as u64);
                singles.push(Single::new(&world, seed)?);
            }
            Ok(singles.len() >= n)
        })?;
        Ok(Self {
            arrays: Arrays::new(py, &world, watch)?,
            world,
            singles: Mutex::new(singles),
            rules: Rules::new(reward, done, horizon, ticks)?,
            pool: None,
        })
    }

    /// Begins new episodes: of all copies, or of those that `options={"reset_mask": mask}` marks. Without a seed
    /// they keep theirs.
    ///
    /// >>> envs = gametape.VectorEnv(gametape.World.from_toml(open("heat.toml").read()), 2)
    /// >>> obs, info = envs.reset()
    /// >>> result = envs.step([[], []])
    /// >>> obs, info = envs.reset(options={"reset_mask": [True, False]})
    /// >>> info["tick"]
    /// [0, 1]
    #[pyo3(signature = (*, seed = None, options = None))]
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seed: Option<u64>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Begun<'py>> {
        let singles = self
            .singles
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let mask = options.map(|options| options.get_item("reset_mask"));
        let mask: Vec<bool> = match mask.transpose()?.flatten() {
            Some(mask) => {
                let flags = mask.try_iter()?.map(|flag| flag?.is_truthy());
                flags.collect::<PyResult<_>>()?
            }
            None => vec![true; singles.len()],
        };
        same(mask.len(), singles.len(), "flags in reset_mask")?;
        let threads = Self::threads(&mut self.pool)?;
        py.detach(|| {
            threads.install(|| {
                let singles = singles.par_iter_mut().enumerate();
                let marked = singles.filter(|(at, _)| mask.get(*at).copied().unwrap_or(false));
                marked.try_for_each(|(at, single)| {
                    let own = single.seed();
                    single.reset(seed.map_or(own, |seed| seed.wrapping_add(at as u64)))
                })
            })
        })?;
        self.seen(py)
    }

    /// Makes a step of each copy with its commands: see `Env.step`. Rewards and ends are arrays; the values of
    /// the dict are lists.
    ///
    /// >>> envs = gametape.VectorEnv(gametape.World.from_toml(open("heat.toml").read()), 2, horizon=1)
    /// >>> obs, info = envs.reset()
    /// >>> envs.step([[], []])[3].tolist()
    /// [True, True]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        commands: &Bound<'py, PyAny>,
    ) -> PyResult<Stepped<'py>> {
        let commands = commands.try_iter()?;
        let commands = commands.map(|one| convert::of_tick(Some(&one?), &self.world));
        let commands = commands.collect::<PyResult<Vec<CommandBuf>>>()?;
        let singles = self
            .singles
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        same(commands.len(), singles.len(), "lists of commands")?;
        let threads = Self::threads(&mut self.pool)?;
        let before = self.rules.has_reward().then(|| {
            let worlds: Vec<&EngineWorld> = singles.iter().map(Single::simulation).collect();
            self.arrays.of_many(py, &worlds)
        });
        let (before, ticks) = (before.transpose()?, self.rules.ticks());
        let mut ticks = vec![Ticks::none_of(ticks); singles.len()];
        in_pieces(py, |until| {
            threads.install(|| {
                let each = singles.par_iter_mut().zip(&commands).zip(&mut ticks);
                each.try_for_each(|((single, commands), ticks)| {
                    *ticks = single.step(commands, *ticks, until)?;
                    Ok::<(), Failure>(())
                })
            })?;
            Ok(ticks.iter().all(Ticks::are_made))
        })?;
        let past = singles
            .iter()
            .map(|single| self.rules.is_past(single.tick()));
        let past: Vec<bool> = past.collect();
        let (seen, info) = self.seen(py)?;
        let (mut rewards, mut ends) = (vec![0.0; past.len()], vec![false; past.len()]);
        if self.rules.is_asked() {
            for (at, (reward, end)) in rewards.iter_mut().zip(&mut ends).enumerate() {
                let before = before.as_ref().map(|before| Self::part(before, at));
                let before = before.transpose()?;
                let after = Self::part(&seen, at)?;
                (*reward, *end) = self.rules.judge(py, before.as_ref(), &after)?;
            }
        }
        let numpy = py.import("numpy")?;
        let rewards = numpy.call_method1("array", (rewards, "float64"))?;
        let flags = |flags: Vec<bool>| numpy.call_method1("array", (flags, "bool"));
        Ok((seen, rewards, flags(ends)?, flags(past)?, info))
    }

    /// Does nothing: there is nothing to close.
    ///
    /// >>> gametape.VectorEnv(gametape.World.from_toml(open("heat.toml").read()), 2).close()
    #[allow(clippy::unused_self)] // It is a method of the interface.
    const fn close(&self) {}

    /// The number of copies.
    #[getter]
    fn num_envs(&mut self) -> usize {
        let singles = self
            .singles
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        singles.len()
    }

    /// The world.
    #[getter]
    fn world(&self) -> World {
        World {
            inner: Arc::clone(&self.world),
        }
    }

    /// The space of the observations of all copies. It needs gymnasium.
    #[getter]
    fn observation_space<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.num_envs();
        observations(py, &self.arrays, Some(count))
    }

    /// The space of the observations of one copy. It needs gymnasium.
    #[getter]
    fn single_observation_space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        observations(py, &self.arrays, None)
    }

    /// The space of the actions of one copy. It needs gymnasium.
    #[getter]
    fn single_action_space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        actions(py, &self.world)
    }

    fn __repr__(&mut self) -> String {
        format!("<VectorEnv of {} worlds>", self.num_envs())
    }
}

/// Refuses a list with another length than the number of copies.
fn same(given: usize, copies: usize, what: &str) -> Result<(), Failure> {
    if given == copies {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "there are {given} {what}, and {copies} worlds"
    )))
}
