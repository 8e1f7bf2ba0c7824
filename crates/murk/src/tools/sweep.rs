//! Runs of a world with many parameters and seeds.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use gametape_core::tape::{Error, Work};
use gametape_core::text::Grouped;

use super::commands::Commands;
use super::run::Run;
use crate::checkpoints::side_by_side;
use crate::engine::World;
use crate::engine::own::Kinds;
use crate::tape::{stopped, unwritable};

/// Runs of a world with each combination of values of some parameters, each with every seed.
///
/// ```
/// use gametape_core::tape::{Error, Work};
/// use gametape_murk::engine::World;
/// use gametape_murk::engine::own::Kinds;
/// use gametape_murk::tools::{Commands, Measure, Sweep};
///
/// let world = World::from_toml(gametape_samples::murk::WEATHER)?;
/// let mean = Measure::parse("pressure.mean", &world, &world.checker()?)?;
/// let sweep = Sweep {
///     world,
///     kinds: Kinds::new(),
///     grid: vec![("dt".into(), vec!["0.05".into(), "0.1".into()])],
///     seeds: vec![1, 2, 3],
///     ticks: 20,
///     commands: Commands::none(),
/// };
/// let runs = sweep.run(&|run| Ok::<_, Error>(mean.of(run.simulation())), &Work::default())?;
/// assert_eq!(runs.len(), 6);
/// assert_eq!((sweep.values(5), sweep.seed(5)), (vec!["0.1"], 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The world.
    pub world: World,
    /// The kinds of propagators that the world may have beside the stock ones.
    pub kinds: Kinds,
    /// Parameters with their values, both as [`World::with_parameter`] takes them. The values of
    /// the last one change the fastest.
    pub grid: Vec<(String, Vec<String>)>,
    /// The seeds, as [`World::with_seed`] takes them; the world's own if there are none. They
    /// change faster than the parameters.
    pub seeds: Vec<u64>,
    /// The number of ticks of each run.
    pub ticks: u64,
    /// The commands of each run.
    pub commands: Commands,
}

/// The end of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swept<T> {
    /// The ticks that failed and left the state as it was.
    pub failed_ticks: u64,
    /// The number of commands that could not be applied.
    pub rejected: u64,
    /// The result of the measurement.
    pub measured: T,
}

impl Sweep {
    /// The maximum number of runs.
    pub const MOST_RUNS: usize = 10_000_000;

    /// Returns the number of runs; `None` if there are too many to count.
    #[must_use]
    pub fn runs(&self) -> Option<usize> {
        self.combinations()?.checked_mul(self.seeds.len().max(1))
    }

    fn combinations(&self) -> Option<usize> {
        let mut counts = self.grid.iter().map(|(_, values)| values.len());
        counts.try_fold(1_usize, usize::checked_mul)
    }

    /// Returns the values of the parameters in a run, in the order of the grid.
    #[must_use]
    pub fn values(&self, run: usize) -> Vec<&str> {
        self.combination(run.checked_div(self.seeds.len().max(1)).unwrap_or(0))
    }

    fn combination(&self, at: usize) -> Vec<&str> {
        let mut rest = at;
        let mut values: Vec<&str> = self
            .grid
            .iter()
            .rev()
            .filter_map(|(_, values)| {
                let at = rest.checked_rem(values.len())?;
                rest = rest.checked_div(values.len())?;
                values.get(at).map(String::as_str)
            })
            .collect();
        values.reverse();
        values
    }

    /// Returns the seed of a run.
    #[must_use]
    pub fn seed(&self, run: usize) -> u64 {
        let seed = run.checked_rem(self.seeds.len());
        let seed = seed.and_then(|at| self.seeds.get(at));
        seed.copied().unwrap_or(self.world.seed)
    }

    /// Names a run by its values and its seed: `dt=0.05, seed 3`.
    #[must_use]
    pub fn named(&self, run: usize) -> String {
        let names = self.grid.iter().map(|(name, _)| name);
        let values = names.zip(self.values(run));
        let values = values.map(|(name, value)| format!("{name}={value}, "));
        format!("{}seed {}", values.collect::<String>(), self.seed(run))
    }

    fn world_of(&self, values: &[&str]) -> Result<World, Error> {
        let names = self.grid.iter().map(|(name, _)| &**name);
        let set = names.zip(values.iter().copied());
        let world = self.world.with_parameters(set, &self.kinds);
        world.map_err(unwritable)
    }

    /// Makes all runs, on all cores, and measures each at its end. The results are in the order of the runs.
    /// All worlds are checked before the first run begins. The progress is the number of runs.
    ///
    /// # Errors
    /// If a world is not valid, or can't continue (the run is named then); errors of the measurement; if the work is
    /// cancelled.
    pub fn run<T, E>(
        &self,
        measure: &(impl Fn(&Run) -> Result<T, E> + Sync),
        work: &Work<'_>,
    ) -> Result<Vec<Swept<T>>, E>
    where
        T: Send,
        E: From<Error> + Send,
    {
        let runs = self.runs().filter(|runs| *runs <= Self::MOST_RUNS);
        let (Some(runs), Some(combinations)) = (runs, self.combinations()) else {
            let limit = Grouped(Self::MOST_RUNS as u64);
            return Err(unwritable(format!("a sweep has at most {limit} runs")).into());
        };
        self.commands.within(0, self.ticks).map_err(Error::from)?;
        parallel(combinations, |at| {
            work.wanted()?;
            self.world_of(&self.combination(at))?;
            Ok::<_, E>(())
        })?;
        let done = AtomicU64::new(0);
        parallel(runs, |run| {
            let world = self.world_of(&self.values(run))?;
            let mut running = Run::new(&world.with_seed(self.seed(run)), false)?;
            for tick in 1..=self.ticks {
                work.wanted()?;
                let stepped = running.step(self.commands.of(tick));
                stepped.map_err(|error| stopped(format!("{}: {error}", self.named(run))))?;
            }
            let measured = measure(&running)?;
            work.done(done.fetch_add(1, Ordering::Relaxed) + 1)?;
            let made = running.made();
            Ok(Swept {
                failed_ticks: made.failed_ticks,
                rejected: made.rejected,
                measured,
            })
        })
    }
}

/// Calls a function with each number up to `count`, on all cores. Returns the results in order, or the first error
/// by that order: what comes before it is always done.
fn parallel<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    // The number of the first error so far.
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let results = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    side_by_side((0..threads.min(count)).map(|_| {
        || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count || at > failed.load(Ordering::Relaxed) {
                    break;
                }
                let result = work(at);
                if result.is_err() {
                    failed.fetch_min(at, Ordering::Relaxed);
                }
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.push((at, result));
            }
        }
    }));
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::parallel;

    #[test]
    fn the_first_error_is_always_the_same() {
        for _ in 0..500 {
            let found = parallel(64, |at| if at % 8 == 3 { Err(at) } else { Ok(at) });
            assert_eq!(found, Err(3));
        }
        assert_eq!(parallel(3, Ok::<_, ()>), Ok(vec![0, 1, 2]));
    }
}
