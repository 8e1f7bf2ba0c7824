//! One world that an agent steps.

use std::sync::Arc;
use std::time::Instant;

use gametape::core::tape;
use gametape::murk::engine::{EngineWorld, Outcome, World};
use gametape::murk::tape::{MurkError, time_of};
use gametape::murk::{Checkpoint, CommandBuf, Commands, Simulation as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Failure;

/// How many ticks of a step are made.
#[derive(Clone, Copy)]
pub struct Ticks {
    made: u64,
    of: u64,
}

impl Ticks {
    pub const fn none_of(of: u64) -> Self {
        Self { made: 0, of }
    }

    pub const fn are_made(&self) -> bool {
        self.made >= self.of
    }
}

/// A world that is stepped and begun again.
pub struct Single {
    world: Arc<World>,
    seed: u64,
    simulation: EngineWorld,
    /// The state before the first tick.
    start: <EngineWorld as Checkpoint>::State,
    tick: u64,
    /// The outcomes of the last commands.
    outcomes: Vec<&'static str>,
    /// Why one of the last ticks failed.
    failure: Option<String>,
}

impl Single {
    pub fn new(world: &Arc<World>, seed: u64) -> Result<Self, Failure> {
        let simulation = build(&world.with_seed(seed))?;
        Ok(Self {
            world: Arc::clone(world),
            seed,
            start: simulation.checkpoint(),
            simulation,
            tick: 0,
            outcomes: Vec::new(),
            failure: None,
        })
    }

    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub const fn tick(&self) -> u64 {
        self.tick
    }

    pub const fn simulation(&self) -> &EngineWorld {
        &self.simulation
    }

    /// Begins again.
    pub fn reset(&mut self, seed: u64) -> Result<(), Failure> {
        // A world that could not continue is built anew, too.
        if seed != self.seed || self.simulation.restore(&self.start).is_err() {
            *self = Self::new(&self.world, seed)?;
        }
        self.tick = 0;
        self.outcomes.clear();
        self.failure = None;
        Ok(())
    }

    /// Makes the ticks of a step, of which `made` are made already, until this moment. The first tick has the
    /// commands. Returns how many are made.
    pub fn step(
        &mut self,
        commands: &CommandBuf,
        Ticks { made, of }: Ticks,
        until: Instant,
    ) -> Result<Ticks, Failure> {
        if made == 0 {
            self.failure = None;
        }
        for made in made..of {
            let tick = self.tick.saturating_add(1);
            let commands = if made == 0 {
                commands.as_commands()
            } else {
                Commands::default()
            };
            let stepped = self.simulation.step(tick, commands);
            stepped.map_err(|error| stopped(tick, &error))?;
            self.tick = tick;
            if made == 0 {
                let outcomes = self.simulation.receipts().outcomes().iter();
                self.outcomes.clear();
                self.outcomes.extend(outcomes.copied().map(Outcome::name));
            }
            if let Some(failure) = self.simulation.failure() {
                self.failure = Some(failure.to_owned());
            }
            if Instant::now() >= until {
                return Ok(Ticks { made: made + 1, of });
            }
        }
        Ok(Ticks { made: of, of })
    }

    /// The facts that an agent learns beside the observation.
    pub fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item("tick", self.tick)?;
        info.set_item("time_ms", time_of(self.tick, self.world.dt).ms())?;
        info.set_item("outcomes", &self.outcomes)?;
        if let Some(failure) = &self.failure {
            info.set_item("failure", failure)?;
        }
        Ok(info)
    }
}

fn build(world: &World) -> Result<EngineWorld, Failure> {
    world
        .build()
        .map_err(|error| Failure::usage(error.to_string()))
}

fn stopped(tick: u64, error: &dyn std::error::Error) -> Failure {
    let message = format!("tick {tick}: {error}");
    Failure::of_world(tape::Error::from(MurkError::Simulation { message }))
}
