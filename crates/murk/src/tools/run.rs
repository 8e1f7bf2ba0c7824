//! A world that runs in memory, and the values in its states.

use std::borrow::Cow;

use gametape_core::tape::{Error, Work};

use super::record::{Branch, RecordOptions};
use super::resume::Recorded;
use crate::engine::{Checker, EngineWorld, Layout, World};
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

/// Cells of a state to look at: one, `heat@3,4`, or those of a whole field, `heat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    name: String,
    field: u32,
    cell: Option<Vec<i32>>,
}

impl Watch {
    /// Parses `FIELD@CELL`, with commas in the cell's coordinate; `FIELD` alone stands for all its
    /// cells. The field is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field or no such cell.
    pub fn parse(text: &str, world: &World, checker: &Checker) -> Result<Self, String> {
        let (name, cell) = match text.rsplit_once('@') {
            Some((name, cell)) => (name, Some(cell)),
            None => (text, None),
        };
        let whole = Self::field(name, world)?;
        let coord = |cell: &str| {
            let numbers = cell.split(',').map(|number| number.trim().parse().ok());
            numbers.collect::<Option<Vec<i32>>>()
        };
        let cell = cell.map(|cell| {
            let coord = coord(cell);
            let coord = coord.filter(|coord| checker.cell(coord).is_some());
            coord.ok_or_else(|| {
                format!("{cell:?} is not a cell of the world: its coordinate, with commas between")
            })
        });
        Ok(Self {
            name: text.to_owned(),
            cell: cell.transpose()?,
            ..whole
        })
    }

    /// Returns all cells of a field, which is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field.
    pub fn field(name: &str, world: &World) -> Result<Self, String> {
        let numbered = || name.parse().ok().filter(|at| *at < world.field_count());
        let field = world.field_number(name).or_else(numbered).ok_or_else(|| {
            let fields = world.fields.iter().map(|field| &*field.name);
            let fields: Vec<&str> = fields.take(32).collect();
            format!(
                "the world has no field {name:?}; it has {}",
                fields.join(", ")
            )
        })?;
        Ok(Self {
            name: name.to_owned(),
            field,
            cell: None,
        })
    }

    /// Returns its name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    const fn is_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Returns the values in a state, in the order of the cells.
    #[must_use]
    pub fn values<'w>(&self, world: &'w EngineWorld) -> &'w [f32] {
        let values = world.field(self.field).unwrap_or_default();
        let Some(cell) = &self.cell else {
            return values;
        };
        let components = self.components(world.checker());
        let start = world.checker().cell(cell).unwrap_or_default() * components;
        values.get(start..start + components).unwrap_or_default()
    }

    /// Returns the shape of [`Watch::array`]: an axis for each number of a cell's coordinate, and one more for the
    /// components if there are several. One number has none.
    #[must_use]
    pub fn shape(&self, layout: &Layout, checker: &Checker) -> Vec<usize> {
        let cells = if self.is_cell() { &[] } else { layout.shape() };
        let components = self.components(checker);
        let components = (components != 1).then_some(components);
        cells.iter().copied().chain(components).collect()
    }

    /// Returns the values in a state as an array, whose last axis changes the fastest. `layout` is that of the
    /// world's space. Places without a cell are NaN.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    /// use gametape_murk::tools::Watch;
    ///
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let (checker, layout) = (world.checker()?, world.space.layout());
    /// let gradient = Watch::field("gradient", &world)?;
    /// assert_eq!(gradient.shape(&layout, &checker), [16, 16, 2]);
    /// assert_eq!(gradient.array(&layout, &world.build()?).len(), 16 * 16 * 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn array<'w>(&self, layout: &Layout, world: &'w EngineWorld) -> Cow<'w, [f32]> {
        let values = self.values(world);
        if self.is_cell() {
            return Cow::Borrowed(values);
        }
        layout.array(values, self.components(world.checker()))
    }

    fn components(&self, checker: &Checker) -> usize {
        checker.components(self.field).unwrap_or(1) as usize
    }
}
