//! A game as tables.

mod columns;
mod course;
mod facts;
mod scan;
mod seek;

pub(super) use facts::stats;
pub(super) use scan::scan;
pub(super) use seek::Seeking;

use crate::Game;
use columns::{BOARD, BOARD_EVENTS, COUNTERS, CURSOR, MINES, MOUSE_EVENTS};
use facts::GAME;
use gametape_core::table::{Lane, TableDef};

/// The tables of every game.
pub(super) fn defs() -> Vec<TableDef> {
    vec![
        GAME.def(),
        MINES.def(),
        MOUSE_EVENTS.def(),
        BOARD_EVENTS.def(),
        CURSOR.def(),
        BOARD.def(),
        COUNTERS.def(),
    ]
}

/// The tables of this game, with the shape of its board.
pub(super) fn of(game: &Game<'_>) -> Vec<TableDef> {
    let mut tables = defs();
    for table in &mut tables {
        if table.lane == Lane::Grid {
            table.shape = vec![game.board.cols.into(), game.board.rows.into()];
        }
    }
    tables
}
