//! The rows of a recording's tables.

use std::ops::ControlFlow;

use gametape_core::table::{Place, Scan, Scanning, TableDef, VisitEach, Visitors};
use gametape_core::tape::{Error, Partial};
use gametape_core::{At, InputStream, Stamp};

use super::clock::Clock;
use super::columns::{COMMANDS, COORD, OUTCOME, Submitted, TICKS, Tick, coord};
use super::defs::{grid, of};
use super::facts::RUN;
use super::grid::Grid;
use super::parameters::{PARAMETERS, parameters};
use super::replay::Checked;
use crate::engine::{EngineWorld, World};
use crate::tape::opened::MurkTape;
use crate::tape::{beside, info, world};
use crate::{Frame, Hash, Reader};

/// A table whose rows are given.
struct Going<'v> {
    gives: Give,
    /// Whether a world is replayed for it.
    replays: bool,
    rows: Scanning<'v>,
    end: End,
}

/// Whether more rows are wanted.
enum End {
    Open,
    /// No more, and this was wrong up to there.
    At(Option<Error>),
}

/// What gives the rows of a frame.
enum Give {
    Ticks,
    Commands,
    Changes(Changes),
    /// They are none of frames.
    Nothing,
}

impl Going<'_> {
    const fn is_open(&self) -> bool {
        matches!(self.end, End::Open)
    }

    /// Gives the rows of a frame, of a world behind it.
    fn frame(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        world: Option<&EngineWorld>,
    ) -> Result<ControlFlow<()>, Error> {
        let world = world.filter(|_| self.replays);
        match (&mut self.gives, world) {
            (Give::Ticks, _) => tick(frame, stamp, &mut self.rows),
            (Give::Commands, world) => commands(frame, stamp, world, &mut self.rows),
            (Give::Changes(changes), Some(world)) => changes.tick(world, stamp, &mut self.rows),
            (Give::Changes(_), None) => Ok(ControlFlow::Continue(())),
            (Give::Nothing, _) => Ok(ControlFlow::Break(())),
        }
    }

    /// No more rows are wanted.
    fn end(&mut self, engine: Option<&mut Checked<'_>>) {
        let parted = engine.filter(|_| self.replays);
        self.end = End::At(parted.and_then(Checked::so_far));
    }
}

/// The rows of tables, in one pass.
pub(in crate::tape) fn scan_each<'v>(
    tape: &MurkTape,
    scans: &[Scan],
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let clock = Clock::of(tape, &header)?;
    let world = tape.replayed_in(&header)?;
    let tables = of(world.as_ref());
    let visitors = Visitors::new(visit);
    let mut visits: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
    let mut going = Vec::with_capacity(scans.len());
    for (scan, visit) in scans.iter().zip(&mut visits) {
        let table = scan.find(&tables)?;
        let rows = Scanning::new(table, scan, clock.clocks(), visit)?;
        going.push(begin(tape, &tables, table, world.as_ref(), rows)?);
    }
    let replays = going.iter().any(|going| going.replays);
    let of = world.as_ref().filter(|_| replays);
    let mut engine = of.map(|world| world::build(world, None)).transpose()?;
    let engine = engine.as_mut().map(|engine| Checked::new(&header, engine));
    let mut engine = engine.transpose()?;
    if engine.is_none() {
        // Where all of them start.
        let mut froms = going.iter().map(|going| going.rows.from());
        let from = froms.next().flatten();
        skip(
            tape,
            &mut reader,
            clock,
            from.filter(|_| froms.all(|other| other == from)),
        )?;
    }
    frames(&mut reader, clock, engine.as_mut(), &mut going)?;
    let ends = going.into_iter().map(|going| {
        let problem = match going.end {
            End::At(problem) => problem,
            End::Open => {
                // Where both are, the end that is missing shows by itself: what the rows say does not.
                let parted = engine.as_mut().filter(|_| going.replays);
                let parted = parted.and_then(Checked::so_far);
                parted.or_else(|| reader.findings().problem())
            }
        };
        going.rows.end(problem)
    });
    ends.collect()
}

/// Gives the rows of frames, as long as any are wanted.
fn frames(
    reader: &mut Reader<InputStream>,
    clock: Clock,
    mut engine: Option<&mut Checked<'_>>,
    tables: &mut [Going<'_>],
) -> Result<(), Error> {
    while tables.iter().any(Going::is_open) {
        let Some(frame) = reader.next_frame()? else {
            return Ok(());
        };
        let stamp = clock.stamp(frame.index, frame.tick);
        for going in tables.iter_mut().filter(|going| going.is_open()) {
            // What is behind what is wanted is not made for it.
            if going.rows.place(stamp) == Place::Behind {
                going.end(engine.as_deref_mut());
            }
        }
        let mut open = tables.iter().filter(|going| going.is_open());
        if let Some(engine) = engine.as_deref_mut()
            && open.any(|going| going.replays)
        {
            engine.tick(&frame)?;
        }
        for going in tables.iter_mut().filter(|going| going.is_open()) {
            let world = engine.as_deref().map(Checked::world);
            if going.frame(&frame, stamp, world)?.is_break() {
                going.end(engine.as_deref_mut());
            }
        }
    }
    Ok(())
}

/// Begins with a table: what is none of frames is given.
fn begin<'v>(
    tape: &MurkTape,
    tables: &[TableDef],
    table: &TableDef,
    world: Option<&World>,
    mut rows: Scanning<'v>,
) -> Result<Going<'v>, Error> {
    let (gives, replays, end) = match &*table.name {
        name if name == RUN.name => {
            let (stats, read) = tape.counted()?;
            let dt = tape.tick_length(&read.value)?;
            let info = info::info(tape.input.size(), &read.value, dt, Some(&stats));
            RUN.row(&[info.details, info::measured(dt, &stats)], &mut rows)?;
            (Give::Nothing, false, End::At(read.problem))
        }
        name if name == PARAMETERS.name => {
            for row in world.iter().flat_map(|world| parameters(world)) {
                if rows.row_of(&PARAMETERS, Clock::start(), &row)?.is_break() {
                    break;
                }
            }
            (Give::Nothing, false, End::At(None))
        }
        name if name == TICKS.name => (Give::Ticks, false, End::Open),
        name if name == COMMANDS.name => (Give::Commands, rows.needs(OUTCOME), End::Open),
        _ => match world.and_then(|world| grid(world, tables, table)) {
            Some(grid) => (Give::Changes(Changes::new(grid)), true, End::Open),
            None => (Give::Nothing, false, End::At(None)),
        },
    };
    Ok(Going {
        gives,
        replays: replays && world.is_some(),
        rows,
        end,
    })
}

/// Goes to the last frame before a range, where an index beside the recording leads there.
fn skip(
    tape: &MurkTape,
    reader: &mut Reader<InputStream>,
    clock: Clock,
    from: Option<At>,
) -> Result<(), Error> {
    let Some((from, index)) = from.zip(beside::fitting(tape.path(), &tape.input)) else {
        return Ok(());
    };
    // Where ticks go back, what is wanted can be anywhere.
    if !index.ticks_rise() && !matches!(from, At::Step(_)) {
        return Ok(());
    }
    let is_before = |stamp| from.order(stamp).is_some_and(std::cmp::Ordering::is_lt);
    let before = index.partition_point(|entry| is_before(clock.stamp(entry.frame, entry.tick)));
    let last = before.ok().and_then(|before| before.checked_sub(1));
    let entry = last.and_then(|last| index.entry(last).ok().flatten());
    // An index that can't be read, or that leads to anything else, is as good as none.
    if let Some(entry) = entry
        && index.read(&tape.input, entry).is_ok()
    {
        reader.go(entry.frame, entry.offset)?;
    }
    Ok(())
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
