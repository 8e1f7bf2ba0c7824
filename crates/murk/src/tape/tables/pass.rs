//! The frames of a recording, as rows of several tables at once.

use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{Place, Scan, Scanning, TableDef, VisitEach, Visitors, Waiting};
use gametape_core::tape::{Error, Partial};

use super::clock::Clock;
use super::columns::{COMMANDS, COORD, OUTCOME, Submitted, TICKS, Tick, coord};
use super::defs::{grid, of};
use super::facts::RUN;
use super::grid::Grid;
use super::parameters::{PARAMETERS, parameters};
use super::replay::Checked;
use crate::engine::own::Kinds;
use crate::engine::{EngineWorld, World};
use crate::tape::opened::MurkTape;
use crate::tape::{info, world};
use crate::{Frame, Hash, Header, Stats};

/// A table whose rows are given.
struct Going {
    gives: Give,
    /// Whether a world is replayed for it.
    replays: bool,
    end: End,
}

/// Whether more rows are wanted.
enum End {
    Open,
    /// No more, and this was wrong up to there.
    At(Option<Error>),
}

/// What gives the rows of a table.
enum Give {
    Ticks,
    Commands,
    Changes(Changes),
    /// What all frames come to.
    Run(Box<Stats>),
    /// Those of the world, which are of no frame.
    Parameters,
    /// There are none.
    Nothing,
}

impl Going {
    fn new(tables: &[TableDef], table: &TableDef, world: Option<&World>, rows: &Waiting) -> Self {
        let (gives, replays, end) = match &*table.name {
            name if name == RUN.name => (Give::Run(Box::default()), false, End::Open),
            name if name == PARAMETERS.name => (Give::Parameters, false, End::At(None)),
            name if name == TICKS.name => (Give::Ticks, false, End::Open),
            name if name == COMMANDS.name => (Give::Commands, rows.needs(OUTCOME), End::Open),
            _ => match world.and_then(|world| grid(world, tables, table)) {
                Some(grid) => (Give::Changes(Changes::new(grid)), true, End::Open),
                None => (Give::Nothing, false, End::At(None)),
            },
        };
        Self {
            gives,
            replays: replays && world.is_some(),
            end,
        }
    }

    const fn is_open(&self) -> bool {
        matches!(self.end, End::Open)
    }

    /// Gives the rows of a frame, of a world behind it.
    fn frame(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        world: Option<&EngineWorld>,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let world = world.filter(|_| self.replays);
        match (&mut self.gives, world) {
            (Give::Ticks, _) => tick(frame, stamp, rows),
            (Give::Commands, world) => commands(frame, stamp, world, rows),
            (Give::Changes(changes), Some(world)) => changes.tick(world, stamp, rows),
            (Give::Run(stats), _) => {
                stats.push(frame);
                Ok(ControlFlow::Continue(()))
            }
            (Give::Changes(_), None) => Ok(ControlFlow::Continue(())),
            (Give::Parameters | Give::Nothing, _) => Ok(ControlFlow::Break(())),
        }
    }

    /// No more rows are wanted.
    fn end(&mut self, engine: Option<&mut Checked>) {
        let parted = engine.filter(|_| self.replays);
        self.end = End::At(parted.and_then(Checked::so_far));
    }
}

/// What gives the rows of tables, frame after frame.
pub(super) struct Pass {
    pub clock: Clock,
    header: Header<'static>,
    kinds: Kinds,
    /// Seconds a tick.
    dt: Option<f64>,
    world: Option<World>,
    engine: Option<Checked>,
    going: Vec<Going>,
}

impl Pass {
    /// Of these scans; they wait for rows.
    pub fn new(
        tape: &MurkTape,
        header: Header<'static>,
        scans: &[Scan],
    ) -> Result<(Self, Vec<Waiting>), Error> {
        let clock = Clock::of(tape, &header)?;
        let world = tape.replayed_in(&header)?;
        let tables = of(world.as_ref());
        let (mut going, mut waiting) = (Vec::new(), Vec::new());
        for scan in scans {
            let table = scan.find(&tables)?;
            let rows = Waiting::new(table, scan, clock.clocks())?;
            going.push(Going::new(&tables, table, world.as_ref(), &rows));
            waiting.push(rows);
        }
        let replays = going.iter().any(|going| going.replays);
        let of = world.as_ref().filter(|_| replays);
        let engine = of.map(|world| world::build(world, None)).transpose()?;
        let engine = engine.map(|engine| Checked::new(&header, engine));
        let pass = Self {
            clock,
            dt: tape.tick_length(&header)?,
            kinds: tape.kinds().clone(),
            header,
            engine: engine.transpose()?,
            world,
            going,
        };
        Ok((pass, waiting))
    }

    /// Whether a world is replayed.
    pub const fn replays(&self) -> bool {
        self.engine.is_some()
    }

    /// Whether the rows of more frames are wanted.
    pub fn is_open(&self) -> bool {
        self.going.iter().any(Going::is_open)
    }

    /// Gives the rows of a frame.
    pub fn frame(&mut self, frame: &Frame<'_>, rows: &mut [Scanning<'_>]) -> Result<(), Error> {
        let stamp = self.clock.stamp(frame.index, frame.tick);
        let engine = &mut self.engine;
        let each = self.going.iter_mut().zip(&*rows);
        for (going, rows) in each.filter(|(going, _)| going.is_open()) {
            // What is behind what is wanted is not made for it.
            if rows.place(stamp) == Place::Behind {
                going.end(engine.as_mut());
            }
        }
        let mut open = self.going.iter().filter(|going| going.is_open());
        if let Some(engine) = engine
            && open.any(|going| going.replays)
        {
            engine.tick(frame)?;
        }
        let each = self.going.iter_mut().zip(rows);
        for (going, rows) in each.filter(|(going, _)| going.is_open()) {
            let world = engine.as_ref().map(Checked::world);
            if going.frame(frame, stamp, world, rows)?.is_break() {
                going.end(engine.as_mut());
            }
        }
        Ok(())
    }

    /// Gives the rows that the whole recording tells, of so many bytes; `problem` is what is wrong with
    /// its end.
    pub fn end(
        mut self,
        bytes: u64,
        problem: impl Fn() -> Option<Error>,
        waiting: Vec<Waiting>,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let visitors = Visitors::new(visit);
        let mut ends = Vec::with_capacity(waiting.len());
        for (scan, (going, waiting)) in self.going.into_iter().zip(waiting).enumerate() {
            let mut visit = visitors.of(scan);
            let mut rows = waiting.go_on(&mut visit);
            match going.gives {
                Give::Run(stats) => {
                    let info = info::info(bytes, &self.header, &self.kinds, self.dt, Some(&stats));
                    let measured = info::measured(self.dt, &stats);
                    RUN.row(&[info.details, measured], &mut rows)?;
                }
                Give::Parameters => {
                    for row in self.world.iter().flat_map(parameters) {
                        if rows.row_of(&PARAMETERS, Clock::start(), &row)?.is_break() {
                            break;
                        }
                    }
                }
                Give::Ticks | Give::Commands | Give::Changes(_) | Give::Nothing => {}
            }
            let problem = match going.end {
                End::At(problem) => problem,
                End::Open => {
                    // Where both are, the end that is missing shows by itself: what the rows say does not.
                    let parted = self.engine.as_mut().filter(|_| going.replays);
                    let parted = parted.and_then(Checked::so_far);
                    parted.or_else(&problem)
                }
            };
            ends.push(rows.end(problem)?);
        }
        Ok(ends)
    }
}

fn tick(
    frame: &Frame<'_>,
    stamp: Stamp,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let row = Tick {
        hash: Hash(frame.snapshot_hash).to_string(),
        commands: frame.commands().len() as u64,
    };
    rows.row_of(&TICKS, stamp, &row)
}

fn commands(
    frame: &Frame<'_>,
    stamp: Stamp,
    world: Option<&EngineWorld>,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let outcomes = world.map(|world| world.receipts().outcomes());
    for (number, command) in frame.commands().into_iter().enumerate() {
        let payload = command.payload().ok();
        let coord = coord(payload.as_ref()).filter(|_| rows.needs(COORD));
        let row = Submitted {
            number: number as u64,
            coord: coord.map(|coord| text(coord.iter())).unwrap_or_default(),
            payload,
            command,
            outcome: outcomes.and_then(|outcomes| outcomes.get(number).copied()),
        };
        if rows.row_of(&COMMANDS, stamp, &row)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// `3,4`
fn text(coord: impl Iterator<Item = i32>) -> String {
    let numbers: Vec<String> = coord.map(|number| number.to_string()).collect();
    numbers.join(",")
}

/// What changes in a field of a world that is replayed.
struct Changes {
    grid: Grid,
    /// What was given last; nothing at first.
    shown: Vec<f32>,
}

impl Changes {
    const fn new(grid: Grid) -> Self {
        let shown = Vec::new();
        Self { grid, shown }
    }

    /// Gives the cells that changed; at the first tick all.
    fn tick(
        &mut self,
        world: &EngineWorld,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let grid = self.grid;
        // What is before the range is no change in it.
        if rows.place(stamp) == Place::Within {
            let given = grid.cells(world, &self.shown, |location, values| {
                grid.rows(location, values, |value| rows.row(stamp, value))
            })?;
            if given.is_break() {
                return Ok(given);
            }
        }
        self.shown.clear();
        self.shown.extend_from_slice(grid.values(world));
        Ok(ControlFlow::Continue(()))
    }
}
