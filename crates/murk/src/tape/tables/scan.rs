//! The rows of a recording's tables.

use std::ops::ControlFlow;

use gametape_core::table::{Place, Scan, Scanning, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{At, InputStream, Stamp};

use super::clock::Clock;
use super::columns::{COMMANDS, COORD, OUTCOME, Submitted, TICKS, Tick, coord};
use super::defs::{grid, of};
use super::grid::Grid;
use super::parameters::{PARAMETERS, parameters};
use super::replay::Checked;
use crate::engine::EngineWorld;
use crate::tape::opened::MurkTape;
use crate::tape::{beside, world};
use crate::{Frame, Hash, Reader};

/// What gives the rows of a frame.
enum Give {
    Ticks,
    Commands,
    Changes(Changes),
}

impl Give {
    fn rows(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        world: Option<&mut Checked<'_>>,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let world = world.map(|world| world.tick(frame)).transpose()?;
        match (self, world) {
            (Self::Ticks, _) => tick(frame, stamp, rows),
            (Self::Commands, world) => commands(frame, stamp, world, rows),
            (Self::Changes(changes), Some(world)) => changes.tick(world, stamp, rows),
            (Self::Changes(_), None) => Ok(ControlFlow::Continue(())),
        }
    }
}

/// The rows of a table, facts aside.
pub(in crate::tape) fn scan<'v>(
    tape: &MurkTape,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let clock = Clock::of(tape, &header)?;
    let world = tape.replayed_in(&header)?;
    let tables = of(world.as_ref());
    let table = scan.find(&tables)?;
    let mut rows = Scanning::new(table, scan, clock.clocks(), visit)?;
    if table.name == PARAMETERS.name {
        for row in world.iter().flat_map(parameters) {
            if rows.row_of(&PARAMETERS, Clock::start(), &row)?.is_break() {
                break;
            }
        }
        return rows.end(None);
    }
    let replays = match &*table.name {
        name if name == TICKS.name => false,
        name if name == COMMANDS.name => rows.needs(OUTCOME),
        _ => true,
    };
    let of = world.as_ref().filter(|_| replays);
    let mut engine = of.map(|world| world::build(world, None)).transpose()?;
    let engine = engine.as_mut().map(|engine| Checked::new(&header, engine));
    let mut engine = engine.transpose()?;
    if engine.is_none() {
        skip(tape, &mut reader, clock, rows.from())?;
    }
    let mut give = match &*table.name {
        name if name == TICKS.name => Give::Ticks,
        name if name == COMMANDS.name => Give::Commands,
        _ => match of.and_then(|world| grid(world, &tables, table)) {
            Some(grid) => Give::Changes(Changes::new(grid)),
            None => return rows.end(None),
        },
    };
    while let Some(frame) = reader.next_frame()? {
        let stamp = clock.stamp(frame.index, frame.tick);
        let behind = rows.place(stamp) == Place::Behind;
        if behind
            || give
                .rows(&frame, stamp, engine.as_mut(), &mut rows)?
                .is_break()
        {
            return rows.end(engine.and_then(Checked::finish));
        }
    }
    // Where both are, the end that is missing shows by itself: what the rows say does not.
    let parted = engine.and_then(Checked::finish);
    rows.end(parted.or_else(|| reader.findings().problem()))
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
