//! The frames of a recording, as rows of several tables at once.

use std::ops::ControlFlow;

use gametape_core::table::{Position, Scan, Scanning, Scans, TableDef, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{At, Stamp};

use super::defs::{
    COMMANDS, COORD, CommandRow, Grid, OUTCOME, REPLAYED_HASH, TICKS, TickRow, coord, grid, of,
};
use super::facts::{FIRST_COUNTED, PARAMETERS, RUN, RunFacts, parameters};
use super::replay::CheckedWorld;
use crate::engine::own::Kinds;
use crate::engine::{EngineWorld, World};
use crate::tape::error::stopped;
use crate::tape::opened::MurkTape;
use crate::tape::steps::Clock;
use crate::tape::world;
use crate::{Frame, Hash, Header, Stats};

/// A table whose rows are read.
struct TableReading {
    source: RowSource,
    /// Whether a world is replayed for it.
    replays: bool,
    /// The reason why the replay of its world ended before the recording.
    lost: Option<Error>,
    rows: RestOfRows,
}

/// The further rows of a table.
enum RestOfRows {
    Wanted,
    /// No more rows are wanted; with the problem of the replay up to there.
    Unwanted(Option<Error>),
}

/// The source of a table's rows.
enum RowSource {
    Ticks,
    Commands,
    Changes(Changes),
    /// Facts, and the statistics of all frames.
    Run(Box<Stats>),
    /// The parameters of the world, which belong to no frame.
    Parameters,
    /// There are no rows.
    Nothing,
}

impl TableReading {
    fn new(tables: &[TableDef], table: &TableDef, world: Option<&World>, rows: &Scanning) -> Self {
        let (source, replays, over) = match &*table.name {
            name if name == RUN.name => {
                let mut counted = FIRST_COUNTED..RUN.fields.len();
                let counts = counted.any(|column| rows.needs(column));
                (RowSource::Run(Box::default()), false, !counts)
            }
            name if name == PARAMETERS.name => (RowSource::Parameters, false, true),
            name if name == TICKS.name => (RowSource::Ticks, rows.needs(REPLAYED_HASH), false),
            name if name == COMMANDS.name => (RowSource::Commands, rows.needs(OUTCOME), false),
            _ => match world.and_then(|world| grid(world, tables, table)) {
                Some(grid) => (RowSource::Changes(Changes::new(grid)), true, false),
                None => (RowSource::Nothing, false, true),
            },
        };
        Self {
            source,
            replays: replays && world.is_some(),
            lost: None,
            rows: if over {
                RestOfRows::Unwanted(None)
            } else {
                RestOfRows::Wanted
            },
        }
    }

    const fn is_open(&self) -> bool {
        matches!(self.rows, RestOfRows::Wanted)
    }

    /// Adds the rows of a frame, given the world after it. Returns whether later rows are needed.
    fn frame(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        engine: Option<&CheckedWorld>,
        rows: &mut Scanning,
    ) -> Result<bool, Error> {
        let engine = engine.filter(|_| self.replays);
        let world = engine.map(CheckedWorld::world);
        Ok(match (&mut self.source, world) {
            (RowSource::Ticks, _) => tick(frame, stamp, engine, rows),
            (RowSource::Commands, world) => commands(frame, stamp, world, rows),
            (RowSource::Changes(changes), Some(world)) => return changes.tick(world, stamp, rows),
            (RowSource::Run(stats), _) => {
                stats.push(frame);
                true
            }
            (RowSource::Changes(_), None) => true,
            (RowSource::Parameters | RowSource::Nothing, _) => false,
        })
    }

    /// Ends the table: no more rows are wanted.
    fn end(&mut self, engine: Option<&mut CheckedWorld>) {
        let problem = self.problem(engine);
        self.rows = RestOfRows::Unwanted(problem);
    }

    /// Returns the problem of the replay so far.
    fn problem(&mut self, engine: Option<&mut CheckedWorld>) -> Option<Error> {
        let replay = engine.filter(|_| self.replays);
        (self.lost.take()).or_else(|| replay.and_then(CheckedWorld::so_far))
    }
}

/// Goes on without a world that can't be replayed further: what a tick has recorded does not depend on it.
///
/// # Errors
/// The reason, if any other table needs the world.
fn without_world(
    readings: &mut [TableReading],
    mut engine: Option<&mut CheckedWorld>,
    reason: Error,
) -> Result<(), Error> {
    let needs = |reading: &TableReading| reading.replays && reading.is_open();
    let alone =
        |reading: &TableReading| !needs(reading) || matches!(reading.source, RowSource::Ticks);
    if !readings.iter().all(alone) {
        return Err(reason);
    }
    for reading in readings.iter_mut().filter(|reading| needs(reading)) {
        let parted = reading.problem(engine.as_deref_mut());
        reading.lost = Some(parted.unwrap_or_else(|| stopped(reason.to_string())));
        reading.replays = false;
    }
    Ok(())
}

/// Makes the rows of tables, frame by frame.
pub(super) struct Pass {
    pub clock: Clock,
    header: Header<'static>,
    kinds: Kinds,
    /// Seconds per tick.
    dt: Option<f64>,
    world: Option<World>,
    engine: Option<CheckedWorld>,
    readings: Vec<TableReading>,
    scans: Scans,
}

impl Pass {
    pub fn new(tape: &MurkTape, header: Header<'static>, scans: &[Scan]) -> Result<Self, Error> {
        let clock = Clock::of(tape, &header)?;
        let world = tape.replayed_in(&header)?;
        let tables = of(world.as_ref());
        let running = Scans::new(&tables, scans, clock.clocks())?;
        let mut readings = Vec::new();
        for (scan, rows) in scans.iter().zip(running.iter()) {
            let table = scan.find(&tables)?;
            readings.push(TableReading::new(&tables, table, world.as_ref(), rows));
        }
        let replays = readings.iter().any(|reading| reading.replays);
        let of = world.as_ref().filter(|_| replays);
        let built = of.map(|world| CheckedWorld::new(&header, world::build(world, None)?));
        let engine = match built.transpose() {
            Ok(engine) => engine,
            Err(reason) => {
                without_world(&mut readings, None, reason)?;
                None
            }
        };
        Ok(Self {
            clock,
            dt: tape.tick_length(&header)?,
            kinds: tape.kinds().clone(),
            header,
            engine,
            world,
            readings,
            scans: running,
        })
    }

    /// Returns whether a world is replayed.
    pub const fn replays(&self) -> bool {
        self.engine.is_some()
    }

    /// Returns whether the rows of more frames are wanted.
    pub fn is_open(&self) -> bool {
        self.readings.iter().any(TableReading::is_open)
    }

    /// Returns the moment at which all scans start, if it is the same.
    pub fn from(&self) -> Option<At> {
        let mut froms = self.scans.iter().map(Scanning::from);
        let from = froms.next().flatten();
        from.filter(|_| froms.all(|other| other == from))
    }

    /// Adds the rows of a frame, and passes full batches to the visitor.
    pub fn frame(&mut self, frame: &Frame<'_>, visit: &mut Visit<'_>) -> Result<(), Error> {
        let stamp = self.clock.stamp(frame.index, frame.tick);
        let engine = &mut self.engine;
        let each = self.readings.iter_mut().zip(self.scans.iter());
        for (reading, rows) in each.filter(|(reading, _)| reading.is_open()) {
            // Nothing is replayed for a table whose range has ended.
            if rows.position(stamp) == Position::After {
                reading.end(engine.as_mut());
            }
        }
        let mut open = self.readings.iter().filter(|reading| reading.is_open());
        if let Some(engine) = engine
            && open.any(|reading| reading.replays)
            && let Err(reason) = engine.tick(frame)
        {
            without_world(&mut self.readings, Some(engine), reason)?;
        }
        let each = self.readings.iter_mut().zip(self.scans.iter_mut());
        for (reading, rows) in each.filter(|(reading, _)| reading.is_open()) {
            if !reading.frame(frame, stamp, engine.as_ref(), rows)? {
                reading.end(engine.as_mut());
            }
        }
        let _ = self.scans.give(visit)?;
        Ok(())
    }

    /// Passes all rows so far to the visitor.
    pub fn give_all(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.scans.give_all(visit)
    }

    /// Ends the pass, with the rows that belong to the whole recording. `problem` is the problem at
    /// the recording's end.
    pub fn end(
        mut self,
        problem: impl Fn() -> Option<Error>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        for (reading, rows) in self.readings.iter().zip(self.scans.iter_mut()) {
            match &reading.source {
                RowSource::Run(stats) => {
                    let run = RunFacts::new(&self.header, &self.kinds, self.dt, stats);
                    rows.row_of(&RUN, Clock::start(), &run);
                }
                RowSource::Parameters => {
                    for row in self.world.iter().flat_map(parameters) {
                        if !rows.row_of(&PARAMETERS, Clock::start(), &row) {
                            break;
                        }
                    }
                }
                RowSource::Ticks
                | RowSource::Commands
                | RowSource::Changes(_)
                | RowSource::Nothing => {}
            }
        }
        let (mut readings, mut engine) = (self.readings, self.engine);
        self.scans.end(visit, |at| {
            let reading = readings.get_mut(at)?;
            if let RestOfRows::Unwanted(problem) = &mut reading.rows {
                return problem.take();
            }
            // If there are both, a missing end shows by itself; a wrong replay does not.
            reading.problem(engine.as_mut()).or_else(&problem)
        })
    }
}

fn tick(
    frame: &Frame<'_>,
    stamp: Stamp,
    engine: Option<&CheckedWorld>,
    rows: &mut Scanning,
) -> bool {
    // The state before the range is not hashed.
    let engine = engine.filter(|_| rows.position(stamp) == Position::Within);
    let row = TickRow {
        hash: Hash(frame.snapshot_hash).to_string(),
        commands: frame.commands().len() as u64,
        replayed_hash: engine.map(|engine| Hash(engine.hash()).to_string()),
    };
    rows.row_of(&TICKS, stamp, &row)
}

fn commands(
    frame: &Frame<'_>,
    stamp: Stamp,
    world: Option<&EngineWorld>,
    rows: &mut Scanning,
) -> bool {
    let outcomes = world.map(|world| world.receipts().outcomes());
    for (number, command) in frame.commands().into_iter().enumerate() {
        let payload = command.payload().ok();
        let coord = coord(payload.as_ref()).filter(|_| rows.needs(COORD));
        let row = CommandRow {
            number: number as u64,
            coord: coord.map(|coord| text(coord.iter())).unwrap_or_default(),
            payload,
            command,
            outcome: outcomes.and_then(|outcomes| outcomes.get(number).copied()),
        };
        if !rows.row_of(&COMMANDS, stamp, &row) {
            return false;
        }
    }
    true
}

/// `3,4`
fn text(coord: impl Iterator<Item = i32>) -> String {
    let numbers: Vec<String> = coord.map(|number| number.to_string()).collect();
    numbers.join(",")
}

/// The changes of a field in a world that is replayed.
struct Changes {
    grid: Grid,
    /// The values of the previous tick; empty at first.
    shown: Vec<f32>,
}

impl Changes {
    const fn new(grid: Grid) -> Self {
        let shown = Vec::new();
        Self { grid, shown }
    }

    /// Adds the cells that changed; at the first tick, all cells.
    fn tick(
        &mut self,
        world: &EngineWorld,
        stamp: Stamp,
        rows: &mut Scanning,
    ) -> Result<bool, Error> {
        let grid = self.grid;
        // A change before the range is not a change in the range.
        if rows.position(stamp) == Position::Within {
            let flow = grid.cells(world, &self.shown, |location, values| {
                grid.rows(location, values, |value| Ok(flow(rows.row(stamp, value))))
            })?;
            if flow.is_break() {
                return Ok(false);
            }
        }
        self.shown.clear();
        self.shown.extend_from_slice(grid.values(world));
        Ok(true)
    }
}

fn flow(goes_on: bool) -> ControlFlow<()> {
    if goes_on {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}
