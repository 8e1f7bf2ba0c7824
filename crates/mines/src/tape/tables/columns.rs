//! The tables of a game except the facts, column by column.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use crate::metrics::Clicks;
use crate::{BoardEvent, Cell, Face, Game, MouseAction, MouseEvent};

use Kind::{Bool, Int, Text, Uint};

const ACTIONS: [&str; 7] = [
    MouseAction::Move.name(),
    MouseAction::LeftDown.name(),
    MouseAction::LeftUp.name(),
    MouseAction::RightDown.name(),
    MouseAction::RightUp.name(),
    MouseAction::MiddleDown.name(),
    MouseAction::MiddleUp.name(),
];
const FACES: [&str; 16] = [
    Face::Pressed.name(),
    Face::PressedQuestion.name(),
    Face::Closed.name(),
    Face::Question.name(),
    Face::Flag.name(),
    Face::Open.name(),
    Face::Number(0).name(),
    Face::Number(1).name(),
    Face::Number(2).name(),
    Face::Number(3).name(),
    Face::Number(4).name(),
    Face::Number(5).name(),
    Face::Number(6).name(),
    Face::Number(7).name(),
    Face::Number(8).name(),
    Face::Blast.name(),
];

/// A mouse event, with the size of the board and of its cells.
pub(super) struct Mouse {
    event: MouseEvent,
    board: [u8; 2],
    cell_size: u8,
}

impl Rows for Mouse {
    type Row<'a> = Self;
}

impl Mouse {
    pub fn of(game: &Game<'_>, event: MouseEvent) -> Self {
        Self {
            event,
            board: [game.board.cols, game.board.rows],
            cell_size: game.cell_size(),
        }
    }

    /// The cell under the cursor; `None` outside of the board.
    fn cell(&self) -> Option<[u8; 2]> {
        let (col, row) = self.event.cell(self.cell_size);
        let [cols, rows] = self.board;
        let on = |at: i32, most: u8| u8::try_from(at).ok().filter(|at| *at < most);
        Some([on(col, cols)?, on(row, rows)?])
    }
}

const X: Field<Mouse> = Field::<Mouse>::new(
    "x",
    Int,
    "From the board's left edge; negative to the left of it.",
    |row| row.event.x.into(),
)
.unit("px");
const Y: Field<Mouse> = Field::<Mouse>::new(
    "y",
    Int,
    "From the board's top edge; negative above it.",
    |row| row.event.y.into(),
)
.unit("px");
const COL: Field<Mouse> = Field::<Mouse>::new(
    "col",
    Uint,
    "The column of the cell under the cursor; missing beside the board.",
    |row| row.cell().map(|[col, _]| col).into(),
);
const ROW: Field<Mouse> = Field::<Mouse>::new(
    "row",
    Uint,
    "The row of the cell under the cursor; missing beside the board.",
    |row| row.cell().map(|[_, row]| row).into(),
);
const LEFT: Field<Mouse> = Field::<Mouse>::new(
    "left",
    Bool,
    "Whether the left button is down from now on.",
    |row| row.event.buttons.left().into(),
);
const RIGHT: Field<Mouse> = Field::<Mouse>::new(
    "right",
    Bool,
    "Whether the right button is down from now on.",
    |row| row.event.buttons.right().into(),
);
const MIDDLE: Field<Mouse> = Field::<Mouse>::new(
    "middle",
    Bool,
    "Whether the middle button is down from now on.",
    |row| row.event.buttons.middle().into(),
);

pub(super) const MOUSE_EVENTS: Table<Mouse> = Table {
    name: "mouse_events",
    lane: Lane::Events,
    doc: "What the player did with the mouse.",
    fields: &[
        Field::<Mouse>::new(
            "action",
            Text,
            "`move`, or a button that went down or up: `lmb_down`, `rmb_up`, `mmb_down` and so on.",
            |row| row.event.action.name().into(),
        )
        .values(&ACTIONS),
        X,
        Y,
        COL,
        ROW,
        LEFT,
        RIGHT,
        MIDDLE,
        Field::<Mouse>::new(
            "buttons",
            Uint,
            "The buttons as the file has them: bits for left, right, middle, and whatever else.",
            |row| row.event.buttons.0.into(),
        ),
        Field::<Mouse>::new(
            "reduced",
            Bool,
            "Whether it is stored as a move from the event before.",
            |row| row.event.reduced.into(),
        ),
    ],
};

pub(super) const CURSOR: Table<Mouse> = Table {
    name: "cursor",
    lane: Lane::State,
    doc: "Where the cursor is, and which buttons are down.",
    fields: &[X, Y, COL, ROW, LEFT, RIGHT, MIDDLE],
};

impl Rows for BoardEvent {
    type Row<'a> = Self;
}

pub(super) const BOARD_EVENTS: Table<BoardEvent> = Table {
    name: "board_events",
    lane: Lane::Events,
    doc: "What the board did, as the recording says.",
    fields: &[
        Field::<BoardEvent>::new("col", Uint, "The column of the cell, from 0.", |row| {
            row.cell.col.into()
        })
        .key(),
        Field::<BoardEvent>::new("row", Uint, "The row of the cell, from 0.", |row| {
            row.cell.row.into()
        })
        .key(),
        Field::<BoardEvent>::new(
            "face",
            Text,
            "What the cell shows from now on: `closed`, `pressed`, `flag`, `qm`, `open_3`, `open_blast` and so on.",
            |row| row.face.name().into(),
        )
        .values(&FACES),
    ],
};

/// Rows of mines.
pub(super) struct Mines;

impl Rows for Mines {
    type Row<'a> = Cell;
}

pub(super) const MINES: Table<Mines> = Table {
    name: "mines",
    lane: Lane::Facts,
    doc: "The mines of the board. One that is listed outside of the board has no row.",
    fields: &[
        Field::<Mines>::new("col", Uint, "The column, from 0.", |row| row.col.into()).key(),
        Field::<Mines>::new("row", Uint, "The row, from 0.", |row| row.row.into()).key(),
    ],
};

/// A cell with the face that the recording shows and the one that the rules give.
pub(super) struct CellRow {
    cell: Cell,
    recorded: Face,
    rules: Face,
}

impl Rows for CellRow {
    type Row<'a> = Self;
}

impl CellRow {
    pub const fn new(cell: Cell, [recorded, rules]: [Face; 2]) -> Self {
        Self {
            cell,
            recorded,
            rules,
        }
    }
}

pub(super) const BOARD: Table<CellRow> = Table {
    name: "board",
    lane: Lane::Grid,
    doc: "The cells: what the recording says that they show, and what the rules give.",
    fields: &[
        Field::<CellRow>::new("col", Uint, "The column, from 0.", |row| {
            row.cell.col.into()
        })
        .key(),
        Field::<CellRow>::new("row", Uint, "The row, from 0.", |row| row.cell.row.into()).key(),
        Field::<CellRow>::new(
            "recorded",
            Text,
            "What it shows, as the recording says.",
            |row| row.recorded.name().into(),
        )
        .values(&FACES),
        Field::<CellRow>::new(
            "rules",
            Text,
            "What it shows by the rules of the game, played with the recorded mouse: of what a click does, as soon as the recording has its event of the cell, at the latest with the next mouse event.",
            |row| row.rules.name().into(),
        )
        .values(&FACES),
    ],
};

/// The counters on a player's screen.
pub(super) struct Counters {
    pub clicks: Clicks,
    pub mines: u32,
    pub flags: u32,
    pub time_ms: u32,
}

impl Rows for Counters {
    type Row<'a> = Self;
}

pub(super) const COUNTERS: Table<Counters> = Table {
    name: "counters",
    lane: Lane::State,
    doc: "What is counted while the game goes on; by the rules, where they and the recording part.",
    fields: &[
        Field::<Counters>::new(
            "mines_left",
            Int,
            "Mines less the flags on the board, as the recording says.",
            |row| (i64::from(row.mines) - i64::from(row.flags)).into(),
        ),
        Field::<Counters>::new("clock", Uint, "Whole seconds that were played.", |row| {
            (row.time_ms / 1000).into()
        })
        .unit("s"),
        Field::<Counters>::new("solved_bbbv", Uint, "3BV that is solved.", |row| {
            row.clicks.solved_bbbv.into()
        }),
        Field::<Counters>::new("opened", Uint, "Cells that are open.", |row| {
            row.clicks.opened.into()
        })
        .unit("cells"),
        Field::<Counters>::new("clicks", Uint, "All clicks.", |row| {
            row.clicks.total().into()
        }),
        Field::<Counters>::new("left_clicks", Uint, "Left clicks.", |row| {
            row.clicks.left.into()
        }),
        Field::<Counters>::new("right_clicks", Uint, "Right clicks.", |row| {
            row.clicks.right.into()
        }),
        Field::<Counters>::new("double_clicks", Uint, "Chords.", |row| {
            row.clicks.double.into()
        }),
        Field::<Counters>::new(
            "effective_clicks",
            Uint,
            "Clicks that changed the board.",
            |row| row.clicks.effective().into(),
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_known_name() {
        let actions = (0..=u8::MAX).filter_map(MouseAction::from_code);
        assert!(actions.map(MouseAction::name).eq(ACTIONS));
        let faces = (0..=u8::MAX).filter_map(Face::from_code);
        assert!(faces.map(Face::name).eq(FACES));
    }
}
