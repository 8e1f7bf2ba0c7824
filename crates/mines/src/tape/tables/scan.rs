//! The rows of a game's tables.

use std::collections::HashSet;
use std::ops::ControlFlow;

use gametape_core::Clocks;
use gametape_core::table::{Scan, Scans, Table, TableDef, Visit};
use gametape_core::tape::{Error, Partial, Work};

use super::columns::{BOARD, BOARD_EVENTS, COUNTERS, CURSOR, CellRow, MINES, MOUSE_EVENTS, Mouse};
use super::course::{Happening, Showing, course, events, stamp};
use super::facts::{Facts, GAME, mines};
use crate::{Cell, Event, Game, Minefield};

/// Scans the rows of tables, one after the other: a game fits in memory, and its events are read
/// again in less time than it takes to store their rows. `problem` is the problem of the game's
/// file, if it has one.
pub(in crate::tape) fn scan(
    game: &Game<'_>,
    tables: &[TableDef],
    scans: &[Scan],
    problem: impl Fn() -> Option<Error>,
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    let mut running = Scans::new(tables, scans, Clocks::TIMES)?;
    for (at, scan) in scans.iter().enumerate() {
        let mut giving = Giving {
            at,
            scans: &mut running,
            work,
            visit,
        };
        work.wanted()?;
        match &*scan.table {
            "mouse_events" => giving.mouse(game, &MOUSE_EVENTS),
            "cursor" => giving.mouse(game, &CURSOR),
            "board_events" => giving.board_events(game),
            "board" => giving.board(game),
            "counters" => giving.counters(game),
            "mines" => giving.mines(game),
            _ => giving.facts(game, scan),
        }?;
    }
    running.end(visit, |_| problem())
}

/// A scan whose rows are given now.
struct Giving<'s, 'v> {
    at: usize,
    scans: &'s mut Scans,
    work: &'s Work<'s>,
    visit: &'s mut Visit<'v>,
}

/// Events after which cancellation is checked.
const EVERY: u64 = 4096;

impl Giving<'_, '_> {
    /// Adds a row to the scan; breaks if no more rows are wanted.
    #[inline]
    fn row<T>(
        &mut self,
        table: &Table<T>,
        stamp: gametape_core::Stamp,
        row: &T::Row<'_>,
    ) -> Result<ControlFlow<()>, Error>
    where
        T: gametape_core::table::Rows,
    {
        let Some(rows) = self.scans.get_mut(self.at) else {
            return Ok(ControlFlow::Break(()));
        };
        if !rows.row_of(table, stamp, row) {
            return Ok(ControlFlow::Break(()));
        }
        if stamp.step.is_multiple_of(EVERY) {
            self.work.wanted()?;
        }
        // Another scan may go on.
        let _ = self.scans.give(self.visit)?;
        Ok(match self.scans.get(self.at) {
            Some(rows) if !rows.is_over() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
    }

    fn facts(&mut self, game: &Game<'_>, scan: &Scan) -> Result<(), Error> {
        let facts = Facts::new(game, scan.secrets);
        self.row(&GAME, stamp(0, 0), &facts).map(drop)
    }

    fn mines(&mut self, game: &Game<'_>) -> Result<(), Error> {
        for mine in mines(&game.board) {
            if self.row(&MINES, stamp(0, 0), &mine)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn mouse(&mut self, game: &Game<'_>, table: &Table<Mouse>) -> Result<(), Error> {
        for (stamp, event) in events(game) {
            if let Event::Mouse(event) = event
                && self.row(table, stamp, &Mouse::of(game, event))?.is_break()
            {
                break;
            }
        }
        Ok(())
    }

    fn board_events(&mut self, game: &Game<'_>) -> Result<(), Error> {
        for (stamp, event) in events(game) {
            if let Event::Board(event) = event
                && self.row(&BOARD_EVENTS, stamp, &event)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }

    fn cells(
        &mut self,
        stamp: gametape_core::Stamp,
        showing: &Showing,
        cells: impl Iterator<Item = Cell>,
    ) -> Result<ControlFlow<()>, Error> {
        for cell in cells {
            // Recorded changes of cells outside of the board have no rows.
            if let Some(faces) = showing.faces(cell)
                && self
                    .row(&BOARD, stamp, &CellRow::new(cell, faces))?
                    .is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn board(&mut self, game: &Game<'_>) -> Result<(), Error> {
        let mut showing = Showing::new(game);
        if game.events.is_empty() {
            let all = Minefield::new(&game.board).cells();
            return self.cells(stamp(0, 0), &showing, all).map(drop);
        }
        let mut given = HashSet::new();
        course(game, |stamp, happening| {
            showing.take(&happening);
            if !matches!(happening, Happening::Event(_)) {
                return Ok(ControlFlow::Continue(()));
            }
            if stamp.step == 0 {
                // A cell has one row a step: the first says what holds after the first event.
                return self.cells(stamp, &showing, Minefield::new(&game.board).cells());
            }
            given.clear();
            let new = showing.new_cells().iter().copied();
            let new = new.filter(|cell| given.insert(*cell));
            self.cells(stamp, &showing, new)
        })
    }

    fn counters(&mut self, game: &Game<'_>) -> Result<(), Error> {
        let mut showing = Showing::new(game);
        if game.events.is_empty() {
            return self
                .row(&COUNTERS, stamp(0, 0), &showing.counters())
                .map(drop);
        }
        // The first row says what holds after the first event.
        let mut changed = true;
        course(game, |stamp, happening| {
            changed |= showing.take(&happening);
            // The effect of a mouse event and its time form a single row.
            if changed && matches!(happening, Happening::Event(_)) {
                changed = false;
                return self.row(&COUNTERS, stamp, &showing.counters());
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}
