//! Tests whether a simulation is deterministic: several runs with the same commands.

use gametape_core::text::Grouped;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Barrier, Mutex, PoisonError};

use crate::divergence::{Difference, Listed};
use crate::model::command::Commands;
use crate::replay::checkpoints::side_by_side;
use crate::replay::comparison::hash_of;
use crate::simulation::hash::State;
use crate::simulation::{Checkpoint, Simulation};

/// Runs that agreed at every tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InSync {
    /// The number of ticks whose states were compared.
    pub ticks: u64,
    /// How often each tick was made; 2 if a simulation went back.
    pub runs: usize,
    /// The hash of the last state.
    pub last_hash: u64,
}

/// Why runs are not in sync.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError<E: std::error::Error + 'static> {
    /// Two runs of the same commands have different states.
    #[error("tick {}: {}", Grouped(.0.tick), .0)]
    Desync(Box<Desync>),
    /// A simulation could not make a tick.
    #[error("tick {}, run {run}: {source}", Grouped(*tick))]
    Simulation {
        /// The number of the tick, as passed to the simulations.
        tick: u64,
        /// The number of the run.
        run: usize,
        /// The error of the simulation.
        source: E,
    },
}

/// The first tick at which two runs differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Desync {
    /// The number of the tick, as passed to the simulations.
    pub tick: u64,
    /// The run that differs from run 0.
    pub run: usize,
    /// The hash of run 0.
    pub hash: u64,
    /// The hash of the other run.
    pub other_hash: u64,
    /// The first values that differ, at most [`MAX_DIFFERENCES`]: `replayed` is the value of run 0,
    /// `recorded` of the other.
    pub differences: Vec<Difference>,
    /// The number of values that differ.
    pub count: u64,
}

/// The number of values that a [`Desync`] lists.
pub const MAX_DIFFERENCES: usize = 8;

impl std::fmt::Display for Desync {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "run {} differs from run 0 in {} value",
            self.run, self.count
        )?;
        f.write_str(match self.count {
            1 => ": ",
            _ => "s: ",
        })?;
        write!(f, "{}", Listed(&self.differences, self.count))
    }
}

/// Returns the values that differ between two states of one shape: the first ones, and the number
/// of all.
pub(crate) fn compare<S: Simulation + ?Sized>(
    simulation: &S,
    ours: &State,
    theirs: &State,
) -> (Vec<Difference>, u64) {
    let mut differences = Vec::new();
    let mut count = 0;
    for (field, (a, b)) in (0..).zip(ours.fields().zip(theirs.fields())) {
        for (element, (x, y)) in a.iter().zip(b).enumerate() {
            if x.to_bits() != y.to_bits() {
                count += 1;
                if differences.len() < MAX_DIFFERENCES {
                    differences.push(Difference::new(simulation, field, element, *x, *y));
                }
            }
        }
        count += a.len().abs_diff(b.len()) as u64;
    }
    (differences, count)
}

/// Runs the same ticks in several simulations at once, each on its own thread, and compares their
/// states after every tick.
///
/// The simulations must be in their initial state. `ticks` returns the number and the commands of
/// each tick, the same at each call.
///
/// # Errors
/// [`SyncError::Desync`] with the first tick and the values that differ.
pub fn sync_test<'c, S, I>(
    simulations: Vec<S>,
    ticks: impl Fn() -> I + Sync,
    field_count: u32,
) -> Result<InSync, SyncError<S::Error>>
where
    S: Simulation + Send,
    I: Iterator<Item = (u64, Commands<'c>)>,
{
    let runs = simulations.len();
    let shared = Shared {
        barrier: Barrier::new(runs),
        slots: (0..runs).map(|_| Mutex::new(RunSlot::default())).collect(),
    };
    let works = simulations
        .into_iter()
        .enumerate()
        .map(|(run, simulation)| {
            let (shared, ticks) = (&shared, &ticks);
            move || shared.run(run, simulation, ticks(), field_count)
        });
    let mut sync = None;
    for result in side_by_side(works) {
        sync = sync.or(result?);
    }
    Ok(InSync {
        runs,
        ..sync.unwrap_or(InSync {
            ticks: 0,
            runs,
            last_hash: crate::simulation::hash::OFFSET_BASIS,
        })
    })
}

#[derive(Default)]
struct RunSlot {
    hash: u64,
    failed: bool,
    ended: bool,
    state: Option<State>,
}

/// The shared result after each run has made its tick.
#[derive(Default)]
struct AllRuns {
    /// The first run that differs from run 0.
    odd: Option<usize>,
    failed: bool,
    ended: bool,
}

struct Shared {
    barrier: Barrier,
    slots: Vec<Mutex<RunSlot>>,
}

impl Shared {
    fn slot<T>(&self, run: usize, work: impl FnOnce(&mut RunSlot) -> T) -> Option<T> {
        let slot = self.slots.get(run)?;
        Some(work(
            &mut slot.lock().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    fn look(&self) -> AllRuns {
        let mut seen = AllRuns::default();
        let mut first = None;
        for run in 0..self.slots.len() {
            self.slot(run, |slot| {
                if slot.hash != *first.get_or_insert(slot.hash) {
                    seen.odd.get_or_insert(run);
                }
                seen.failed |= slot.failed;
                seen.ended |= slot.ended;
            });
        }
        seen
    }

    /// Makes one run. All runs meet twice in a tick: after their steps, and after all have read the
    /// result.
    fn run<'c, S: Simulation>(
        &self,
        run: usize,
        mut simulation: S,
        ticks: impl Iterator<Item = (u64, Commands<'c>)>,
        field_count: u32,
    ) -> Result<Option<InSync>, SyncError<S::Error>> {
        let mut done = 0;
        let mut last_hash = crate::simulation::hash::OFFSET_BASIS;
        let mut ticks = ticks;
        loop {
            let next = ticks.next();
            // A run that panics must meet the others as well, or they would wait forever.
            let made = catch_unwind(AssertUnwindSafe(|| match next {
                None => Ok(last_hash),
                Some((tick, commands)) => simulation
                    .step(tick, commands)
                    .map(|()| hash_of(&simulation, field_count))
                    .map_err(|source| SyncError::Simulation { tick, run, source }),
            }));
            let hash = match &made {
                Ok(Ok(hash)) => *hash,
                _ => last_hash,
            };
            self.slot(run, |slot| {
                slot.hash = hash;
                slot.failed = !matches!(made, Ok(Ok(_)));
                slot.ended = next.is_none();
            });
            self.barrier.wait();
            // Every run sees the same slots, so all leave together.
            let AllRuns { odd, failed, ended } = self.look();
            if odd.is_some() && !failed {
                self.slot(run, |slot| {
                    slot.state = Some(State::of(&simulation, field_count));
                });
            }
            self.barrier.wait();
            match made {
                Ok(made) => drop(made?),
                Err(panic) => resume_unwind(panic),
            }
            if failed {
                return Ok(None);
            }
            if let Some(odd) = odd {
                let tick = next.map_or(0, |(tick, _)| tick);
                return if run == 0 {
                    Err(self.desync(&simulation, tick, odd))
                } else {
                    Ok(None)
                };
            }
            if ended {
                return Ok(Some(InSync {
                    ticks: done,
                    runs: self.slots.len(),
                    last_hash,
                }));
            }
            done += 1;
            last_hash = hash;
        }
    }

    fn desync<S: Simulation>(&self, simulation: &S, tick: u64, odd: usize) -> SyncError<S::Error> {
        let take = |run| {
            self.slot(run, |slot| (slot.hash, slot.state.take()))
                .unwrap_or_default()
        };
        let (hash, ours) = take(0);
        let (other_hash, theirs) = take(odd);
        let (differences, count) = compare(
            simulation,
            &ours.unwrap_or_default(),
            &theirs.unwrap_or_default(),
        );
        SyncError::Desync(Box::new(Desync {
            tick,
            run: odd,
            hash,
            other_hash,
            differences,
            count,
        }))
    }
}

/// Runs a simulation, goes back after every `span` ticks to where they began, and makes them again,
/// as netcode does when it rolls back. The states must be the same.
///
/// # Errors
/// [`SyncError::Desync`]: run 0 is the first time, run 1 the second.
pub fn rollback_test<'c, S: Checkpoint>(
    simulation: &mut S,
    ticks: impl IntoIterator<Item = (u64, Commands<'c>)>,
    field_count: u32,
    span: usize,
) -> Result<InSync, SyncError<S::Error>> {
    let failed = |tick, run| move |source| SyncError::Simulation { tick, run, source };
    let mut done = 0;
    let mut last_hash = crate::simulation::hash::OFFSET_BASIS;
    let mut ticks = ticks.into_iter().peekable();
    while let Some(&(start, _)) = ticks.peek() {
        let saved = simulation.checkpoint();
        let window: Vec<(u64, Commands<'c>)> = ticks.by_ref().take(span.max(1)).collect();
        let mut states = Vec::with_capacity(window.len());
        for &(tick, commands) in &window {
            simulation.step(tick, commands).map_err(failed(tick, 0))?;
            states.push(State::of(simulation, field_count));
        }
        simulation.restore(&saved).map_err(failed(start, 1))?;
        for (&(tick, commands), first) in window.iter().zip(&states) {
            simulation.step(tick, commands).map_err(failed(tick, 1))?;
            let second = State::of(simulation, field_count);
            let (hash, other_hash) = (first.hash(), second.hash());
            if *first != second {
                let (differences, count) = compare(simulation, first, &second);
                return Err(SyncError::Desync(Box::new(Desync {
                    tick,
                    run: 1,
                    hash,
                    other_hash,
                    differences,
                    count,
                })));
            }
            last_hash = hash;
            done += 1;
        }
    }
    Ok(InSync {
        ticks: done,
        runs: 2,
        last_hash,
    })
}
