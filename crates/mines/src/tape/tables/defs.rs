//! What tables there are.

use gametape_core::table::{Lane, TableDef};

use super::columns::{BOARD, BOARD_EVENTS, COUNTERS, CURSOR, MOUSE_EVENTS};
use super::facts::GAME;
use crate::Game;

/// What every game has.
pub(in crate::tape) fn defs() -> Vec<TableDef> {
    vec![
        GAME.def(),
        MOUSE_EVENTS.def(),
        BOARD_EVENTS.def(),
        CURSOR.def(),
        BOARD.def(),
        COUNTERS.def(),
    ]
}

/// Those of this one.
pub(in crate::tape) fn of(game: &Game<'_>) -> Vec<TableDef> {
    let mut tables = defs();
    for table in &mut tables {
        if table.lane == Lane::Grid {
            table.shape = vec![game.board.cols.into(), game.board.rows.into()];
        }
    }
    tables
}
