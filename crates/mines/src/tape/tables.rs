//! A game as tables.

use std::collections::BTreeMap;

use gametape_core::table::{
    Fact, FactTable, Field, Kind, Lane, Scan, Scanning, Table, TableDef, Tables, Value, Visit,
};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use crate::event::game_time;
use crate::metrics::{Clicks, Moment, moments};
use crate::{BoardEvent, Cell, Engine, Event, Face, Game, MouseEvent};

use Kind::{Bool, Float64, Int, Text, Uint};

/// The header and all statistics.
pub(super) const GAME: FactTable = FactTable {
    name: "game",
    doc: "The game: what its header says, and the statistics that players compare.",
    facts: &[
        Fact::new(
            "program",
            Text,
            "The program that recorded the game, and its version.",
        ),
        Fact::new("player_name", Text, "The player's name."),
        Fact::new("player_nickname", Text, "The player's nickname."),
        Fact::new(
            "player_country",
            Text,
            "The player's country, as the program has it.",
        ),
        Fact::new("player_token", Text, "The player's token for a ranking.").secret(),
        Fact::new("board_cols", Uint, "Columns of the board.").unit("squares"),
        Fact::new("board_rows", Uint, "Rows of the board.").unit("squares"),
        Fact::new("board_mines", Uint, "Mines on the board."),
        Fact::new(
            "board_preflags",
            Uint,
            "Flags that stood before the game began.",
        ),
        Fact::new(
            "generated",
            Text,
            "When the board was made, UTC (RFC 3339).",
        ),
        Fact::new("level", Text, "The level that the header declares."),
        Fact::new("mode", Text, "The mode of the game."),
        Fact::new("marks", Bool, "Whether question marks were on."),
        Fact::new(
            "nf",
            Bool,
            "Whether the header declares that no flags were used.",
        ),
        Fact::new("square_size", Uint, "The width of a square.").unit("px"),
        Fact::new(
            "declared_3bv",
            Uint,
            "The board's 3BV as the header declares it.",
        ),
        Fact::new(
            "outcome",
            Text,
            "How the game ended: `win`, `blast` or `other`.",
        ),
        Fact::new("text", Text, "How the header's text is encoded."),
        Fact::new(
            "file_size",
            Text,
            "Whether the size that the header declares is the file's.",
        ),
        Fact::new("checksum_bytes", Uint, "The size of the checksum.").unit("bytes"),
        Fact::new("clone_id", Uint, "Of version 2: the number of the program."),
        Fact::new(
            "clone_major",
            Uint,
            "Of version 2: the major version of the program.",
        ),
        Fact::new(
            "total_time_ms",
            Uint,
            "Time: that of the ending, else of the last mouse event.",
        )
        .of("time_ms")
        .unit("ms"),
        Fact::new(
            "bbbv",
            Uint,
            "3BV: the fewest left clicks that solve the board.",
        ),
        Fact::new("solved_bbbv", Uint, "3BV that was solved."),
        Fact::new("bbbv_per_s", Float64, "Solved 3BV a second.").unit("1/s"),
        Fact::new(
            "estimated_time_s",
            Float64,
            "The time that the whole board would have taken at this speed.",
        )
        .unit("s"),
        Fact::new(
            "zini",
            Uint,
            "ZiNi: the fewest clicks that the greedy algorithm finds, with flags.",
        ),
        Fact::new("hzini", Uint, "Human ZiNi: the same, openings first."),
        Fact::new(
            "openings",
            Uint,
            "Openings: fields of squares without a number.",
        ),
        Fact::new(
            "islands",
            Uint,
            "Islands: fields of numbers beside no opening.",
        ),
        Fact::new("left_clicks", Uint, "Left clicks."),
        Fact::new("right_clicks", Uint, "Right clicks."),
        Fact::new("double_clicks", Uint, "Chords."),
        Fact::new("clicks", Uint, "All clicks."),
        Fact::new("effective_clicks", Uint, "Clicks that changed the board."),
        Fact::new("ioe", Float64, "Index of efficiency: 3BV earned a click."),
        Fact::new(
            "correctness",
            Float64,
            "Clicks that changed the board, of all clicks.",
        ),
        Fact::new(
            "throughput",
            Float64,
            "3BV earned a click that changed the board.",
        ),
        Fact::new(
            "rqp",
            Float64,
            "Rapport qualité prix: the square of the time in seconds, a 3BV earned.",
        ),
        Fact::new(
            "qg",
            Float64,
            "The time in seconds to the power of 1.7, a 3BV earned.",
        ),
        Fact::new(
            "ios",
            Float64,
            "Index of speed: the logarithm of the 3BV earned by that of the time in seconds.",
        ),
        Fact::new(
            "stnb",
            Float64,
            "Speed as the level weighs it; missing on boards of no level.",
        ),
        Fact::new("zne", Float64, "ZiNi a click, of a won game."),
        Fact::new(
            "znt",
            Float64,
            "ZiNi a click that changed the board, of a won game.",
        ),
        Fact::new("path_px", Float64, "The way of the cursor.").unit("px"),
        Fact::new("flags", Uint, "Flags placed."),
        Fact::new("unflags", Uint, "Flags taken off."),
        Fact::new("misflags", Uint, "Flags placed on squares without a mine."),
        Fact::new("style", Text, "`NF` where no flag was placed, else `FL`."),
        Fact::new("wasted_clicks", Uint, "Clicks that changed nothing."),
        Fact::new(
            "wasted_left_clicks",
            Uint,
            "Left clicks that changed nothing.",
        ),
        Fact::new(
            "wasted_right_clicks",
            Uint,
            "Right clicks that changed nothing.",
        ),
        Fact::new("wasted_double_clicks", Uint, "Chords that changed nothing."),
        Fact::new(
            "one_and_a_half_clicks",
            Uint,
            "Chords whose right button had placed a flag just before.",
        ),
        Fact::new("mouse_events", Uint, "Mouse events."),
    ],
};

/// A mouse event, and the width of a square.
pub(super) struct Mouse {
    event: MouseEvent,
    board: [u8; 2],
    square_size: u8,
}

impl Tables for Mouse {
    type Row<'a> = Self;
}

impl Mouse {
    /// The square under the cursor; none beside the board.
    fn square(&self) -> Option<[u8; 2]> {
        let (col, row) = self.event.square(self.square_size);
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
    "The column of the square under the cursor; missing beside the board.",
    |row| row.square().map(|[col, _]| col).into(),
);
const ROW: Field<Mouse> = Field::<Mouse>::new(
    "row",
    Uint,
    "The row of the square under the cursor; missing beside the board.",
    |row| row.square().map(|[_, row]| row).into(),
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
        ),
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

impl Tables for BoardEvent {
    type Row<'a> = Self;
}

pub(super) const BOARD_EVENTS: Table<BoardEvent> = Table {
    name: "board_events",
    lane: Lane::Events,
    doc: "What the board did, as the recording says.",
    fields: &[
        Field::<BoardEvent>::new("col", Uint, "The column of the square, from 0.", |row| {
            row.cell.col.into()
        })
        .key(),
        Field::<BoardEvent>::new("row", Uint, "The row of the square, from 0.", |row| {
            row.cell.row.into()
        })
        .key(),
        Field::<BoardEvent>::new(
            "face",
            Text,
            "What the square shows from now on: `closed`, `pressed`, `flag`, `qm`, `open_3`, `open_blast` and so on.",
            |row| row.face.name().into(),
        ),
    ],
};

/// A square: what the recording says that it shows, and what the rules give.
pub(super) struct Square {
    cell: Cell,
    recorded: Face,
    rules: Face,
}

impl Tables for Square {
    type Row<'a> = Self;
}

pub(super) const BOARD: Table<Square> = Table {
    name: "board",
    lane: Lane::Grid,
    doc: "The squares: what the recording says that they show, and what the rules give.",
    fields: &[
        Field::<Square>::new("col", Uint, "The column, from 0.", |row| {
            row.cell.col.into()
        })
        .key(),
        Field::<Square>::new("row", Uint, "The row, from 0.", |row| row.cell.row.into()).key(),
        Field::<Square>::new(
            "recorded",
            Text,
            "What it shows, as the recording says.",
            |row| row.recorded.name().into(),
        ),
        Field::<Square>::new(
            "rules",
            Text,
            "What it shows by the rules of the game, played with the recorded mouse.",
            |row| row.rules.name().into(),
        ),
    ],
};

/// What a player's screen counts.
pub(super) struct Counters {
    clicks: Clicks,
    mines: u32,
    flags: u32,
    time_ms: u32,
}

impl Tables for Counters {
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
        Field::<Counters>::new("opened", Uint, "Squares that are open.", |row| {
            row.clicks.opened.into()
        })
        .unit("squares"),
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

/// What every game has.
pub(super) fn defs() -> Vec<TableDef> {
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
pub(super) fn of(game: &Game<'_>) -> Vec<TableDef> {
    let mut tables = defs();
    for table in &mut tables {
        if table.lane == Lane::Grid {
            table.shape = vec![game.board.cols.into(), game.board.rows.into()];
        }
    }
    tables
}

/// The rows of a table, facts aside, of a game with which this is wrong.
pub(super) fn scan<'v>(
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

/// The events, and when each is: a board event at the time of the mouse event that led to it.
fn events<'g>(game: &'g Game<'_>) -> impl Iterator<Item = (Stamp, Event)> + 'g {
    let mut time_ms = 0;
    (0..).zip(game.events.iter()).map(move |(step, event)| {
        if let Event::Mouse(mouse) = event {
            time_ms = mouse.time_ms;
        }
        (stamp(step, time_ms), event)
    })
}

fn stamp(step: u32, time_ms: u32) -> Stamp {
    Stamp {
        step: step.into(),
        tick: None,
        time: Some(game_time(time_ms)),
    }
}

fn mouse(game: &Game<'_>, table: &Table<Mouse>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    let board = [game.board.cols, game.board.rows];
    let square_size = game.square_size();
    for (stamp, event) in events(game) {
        if let Event::Mouse(event) = event {
            let row = Mouse {
                event,
                board,
                square_size,
            };
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
    let engine = Engine::of(game);
    let faces = engine.field().cells().map(|cell| {
        let face = engine.face(cell).unwrap_or(Face::Closed);
        ((cell.row, cell.col), [face; 2])
    });
    let mut faces: BTreeMap<(u8, u8), [Face; 2]> = faces.collect();
    let mut put = |stamp, change: &BoardEvent, which: usize| {
        let cell = change.cell;
        let Some(faces) = faces.get_mut(&(cell.row, cell.col)) else {
            return rows.row(stamp, |_| Value::Null);
        };
        if let Some(face) = faces.get_mut(which) {
            *face = change.face;
        }
        let [recorded, rules] = *faces;
        let row = Square {
            cell,
            recorded,
            rules,
        };
        rows.row_of(&BOARD, stamp, &row)
    };
    for cell in engine.field().cells() {
        let face = engine.face(cell).unwrap_or(Face::Closed);
        if put(stamp(0, 0), &BoardEvent { cell, face }, 0)?.is_break() {
            return Ok(());
        }
    }
    let moments = moments(game);
    let mut moments = moments.iter().peekable();
    for (stamp, event) in events(game) {
        if let Some(moment) = moments.next_if(|moment| u64::from(moment.step) == stamp.step) {
            for change in &moment.shown {
                if put(stamp, change, 1)?.is_break() {
                    return Ok(());
                }
            }
        }
        if let Event::Board(change) = event
            && put(stamp, &change, 0)?.is_break()
        {
            return Ok(());
        }
    }
    Ok(())
}

fn counters(game: &Game<'_>, rows: &mut Scanning<'_>) -> Result<(), Error> {
    let engine = Engine::of(game);
    let flagged = |face: Option<Face>| face == Some(Face::Flag);
    let mut flags: BTreeMap<(u8, u8), bool> = engine
        .field()
        .cells()
        .map(|cell| ((cell.row, cell.col), flagged(engine.face(cell))))
        .collect();
    let mut now = Counters {
        clicks: Clicks::default(),
        mines: engine.field().mines(),
        flags: flags.values().filter(|flag| **flag).count() as u32,
        time_ms: 0,
    };
    if rows.row_of(&COUNTERS, stamp(0, 0), &now)?.is_break() {
        return Ok(());
    }
    let moments = moments(game);
    let mut moments = moments.into_iter().peekable();
    for (stamp, event) in events(game) {
        let mut changed = false;
        let moment: Option<Moment> = moments.next_if(|moment| u64::from(moment.step) == stamp.step);
        if let Some(moment) = moment {
            now.clicks = moment.clicks;
            changed = true;
        }
        match event {
            Event::Mouse(mouse) => {
                changed |= mouse.time_ms / 1000 != now.time_ms / 1000;
                now.time_ms = mouse.time_ms;
            }
            Event::Board(BoardEvent { cell, face }) => {
                if let Some(flag) = flags.get_mut(&(cell.row, cell.col)) {
                    let is = face == Face::Flag;
                    changed |= *flag != is;
                    now.flags = now.flags + u32::from(is) - u32::from(*flag);
                    *flag = is;
                }
            }
            Event::Timestamp(_) => {}
        }
        if changed && rows.row_of(&COUNTERS, stamp, &now)?.is_break() {
            break;
        }
    }
    Ok(())
}
