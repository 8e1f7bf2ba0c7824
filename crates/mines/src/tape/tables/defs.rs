//! The definitions of the tables.

use gametape_core::table::{Lane, TableDef};

use super::columns::{BOARD, BOARD_EVENTS, COUNTERS, CURSOR, MINES, MOUSE_EVENTS};
use super::facts::GAME;
use crate::Game;

/// The tables of every game.
pub(in crate::tape) fn defs() -> Vec<TableDef> {
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
pub(in crate::tape) fn of(game: &Game<'_>) -> Vec<TableDef> {
    let mut tables = defs();
    for table in &mut tables {
        if table.lane == Lane::Grid {
            table.shape = vec![game.board.cols.into(), game.board.rows.into()];
        }
    }
    tables
}
