//! The rows of a game's tables.

use std::ops::ControlFlow;

use gametape_core::Clocks;
use gametape_core::table::{Scan, Scanning, Table, Visit};
use gametape_core::tape::{Error, Partial};

use super::columns::{BOARD, BOARD_EVENTS, COUNTERS, CURSOR, MOUSE_EVENTS, Mouse, Square};
use super::course::{Happening, Showing, course, events, stamp};
use super::defs::of;
use crate::{Cell, Event, Game, Minefield};

/// Scans the rows of a table other than the facts. `problem` is what is wrong with the game's file,
/// if anything.
pub(in crate::tape) fn scan<'v>(
    game: &Game<'_>,
    problem: Option<Error>,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let tables = of(game);
    let table = scan.find(&tables)?;
    let mut rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
    let played = match &*table.name {
        "mouse_events" => mouse(game, &MOUSE_EVENTS, &mut rows),
        "cursor" => mouse(game, &CURSOR, &mut rows),
        "board_events" => board_events(game, &mut rows),
        "board" => board(game, &mut rows),
        _ => counters(game, &mut rows),
    };
    played?;
    rows.end(problem)
}

fn mouse(game: &Game<'_>, table: &Table<Mouse>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    for (stamp, event) in events(game) {
        if let Event::Mouse(event) = event {
            let row = Mouse::of(game, event);
            if rows.row_of(table, stamp, &row)?.is_break() {
                break;
            }
        }
    }
    Ok(())
}

fn board_events(game: &Game<'_>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    for (stamp, event) in events(game) {
        if let Event::Board(event) = event
            && rows.row_of(&BOARD_EVENTS, stamp, &event)?.is_break()
        {
            break;
        }
    }
    Ok(())
}

fn board(game: &Game<'_>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    let mut showing = Showing::new(game);
    let put = |rows: &mut Scanning<'_>, stamp, showing: &Showing, cell: Cell| {
        match showing.faces(cell) {
            Some(faces) => rows.row_of(&BOARD, stamp, &Square::new(cell, faces)),
            // Recorded changes of squares outside of the board have no rows.
            None => Ok(ControlFlow::Continue(())),
        }
    };
    for cell in Minefield::new(&game.board).cells() {
        if put(rows, stamp(0, 0), &showing, cell)?.is_break() {
            return Ok(());
        }
    }
    course(game, |stamp, happening| {
        showing.take(&happening);
        if matches!(happening, Happening::Event(_)) {
            for cell in showing.new_squares() {
                if put(rows, stamp, &showing, *cell)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

fn counters(game: &Game<'_>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    let mut showing = Showing::new(game);
    let first = rows.row_of(&COUNTERS, stamp(0, 0), &showing.counters())?;
    if first.is_break() {
        return Ok(());
    }
    let mut changed = false;
    course(game, |stamp, happening| {
        changed |= showing.take(&happening);
        // The effect of a mouse event and its time form a single row.
        if changed && matches!(happening, Happening::Event(_)) {
            changed = false;
            return rows.row_of(&COUNTERS, stamp, &showing.counters());
        }
        Ok(ControlFlow::Continue(()))
    })
}
