//! A world that runs in memory.

use gametape_core::tape::{Error, Work};

use super::branch::Branch;
use super::record::RecordOptions;
use super::resume::Recorded;
use crate::engine::{EngineWorld, World};
use crate::replay::comparison::hash_of;
use crate::tape::{build, stopped};
use crate::{Commands, Hash, Simulation as _, write_frame, write_header};

/// A world that runs in memory, tick by tick. It keeps a recording if that is asked for.
///
/// ```
/// use gametape_murk::engine::World;
/// use gametape_murk::tools::Run;
/// use gametape_murk::{Commands, read, verify};
///
/// let world = World::from_toml(gametape_samples::murk::HEAT)?;
/// let mut run = Run::new(&world, true)?;
/// for _ in 0..10 {
///     run.step(Commands::default())?;
/// }
/// assert_eq!(run.tick(), 10);
/// let replay = read(run.recording().unwrap())?;
/// assert_eq!(verify(&replay, &mut world.build()?)?.frames, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Run {
    world: World,
    simulation: EngineWorld,
    tick: u64,
    recording: Option<Vec<u8>>,
    made: Recorded,
}

impl Run {
    /// Begins at tick 0. With `keep`, it keeps a recording.
    ///
    /// # Errors
    /// If the world can't be built.
    pub fn new(world: &World, keep: bool) -> Result<Self, Error> {
        let simulation = build(world, None)?;
        let recording = keep.then(|| write_header(&world.header())).transpose()?;
        Ok(Self {
            world: world.clone(),
            simulation,
            tick: 0,
            recording,
            made: Recorded::default(),
        })
    }

    /// Begins after the ticks of another recording, as [`record`](super::record()) does: with those frames,
    /// which have to replay; in a world with other parameters (`options.set`) with their commands only.
    ///
    /// # Errors
    /// Same as [`RecordOptions::chosen_world`]; if the other recording can't be replayed up to that
    /// tick; [`Error::Cancelled`].
    pub fn branch(
        branch: &Branch,
        options: RecordOptions,
        keep: bool,
        work: &Work<'_>,
    ) -> Result<Self, Error> {
        let options = RecordOptions {
            from: Some(branch.clone()),
            ..options
        };
        let mut run = Self::new(&options.chosen_world()?, keep)?;
        run.tick = if options.set.is_empty() {
            let last = branch.replayed(&mut run.simulation, work)?;
            if let Some(recording) = &mut run.recording {
                branch.each(|frame| {
                    let (tick, hash) = (frame.tick, frame.snapshot_hash);
                    recording.extend(write_frame(tick, frame.commands(), hash)?);
                    Ok(())
                })?;
            }
            last
        } else {
            branch.each(|frame| {
                work.done(frame.offset)?;
                run.make(frame.tick, frame.commands())
            })?
        };
        run.made = Recorded {
            branched_after: run.tick,
            ..Recorded::default()
        };
        Ok(run)
    }

    /// Makes the next tick.
    ///
    /// # Errors
    /// If the world can't continue.
    pub fn step(&mut self, commands: Commands<'_>) -> Result<(), Error> {
        let tick = self.tick.saturating_add(1);
        self.make(tick, commands)?;
        self.tick = tick;
        self.made.ticks += 1;
        self.made.commands += commands.len() as u64;
        self.made.count(&self.simulation, tick, commands);
        Ok(())
    }

    fn make(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), Error> {
        let stepped = self.simulation.step(tick, commands);
        stepped.map_err(|error| stopped(format!("tick {tick}: {error}")))?;
        if let Some(recording) = &mut self.recording {
            let hash = hash_of(&self.simulation, self.world.field_count());
            recording.extend(write_frame(tick, commands, hash)?);
        }
        Ok(())
    }

    /// Returns the last tick; 0 before the first.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the world.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world in its current state.
    #[must_use]
    pub const fn simulation(&self) -> &EngineWorld {
        &self.simulation
    }

    /// Returns the recording up to now, if it is kept.
    #[must_use]
    pub fn recording(&self) -> Option<&[u8]> {
        self.recording.as_deref()
    }

    /// Returns the hash of the state.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash(hash_of(&self.simulation, self.world.field_count()))
    }

    /// Returns what was made since the beginning of the run. It has no hash.
    #[must_use]
    pub const fn made(&self) -> &Recorded {
        &self.made
    }
}
