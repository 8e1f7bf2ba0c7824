//! Games that are made from other games: handed in again, mirrored, slowed down, played on a known
//! board.
//!
//! ```
//! use gametape_samples::mines::{record, scenarios};
//! use gametape_testkit::mines::twins;
//!
//! let [game, other] = [7, 8].map(|seed| record(&scenarios()[0], seed));
//! let (game, other) = (game?, other?);
//! for twin in twins() {
//!     assert_ne!(twin.of(&game, &other, 1).as_ref(), Some(&game), "{}", twin.name);
//! }
//! # Ok::<(), gametape_mines::rmv::WriteError>(())
//! ```

use std::borrow::Cow;

use gametape_mines::rmv;
use gametape_mines::{
    Board, Cell, Cells, Event, Game, MouseAction, MouseEvent, PlayerFields, Version, property,
};
use gametape_samples::mines::{Finish, Habit, play_on, scenarios, with_result};

use super::remake::{mouse_of, remake};

/// A way to make a recording from another one.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// Its name.
    pub name: &'static str,
    /// The code of the relation that is found if both are in one folder.
    pub code: &'static str,
    make: fn(&Game<'_>, &Game<'_>, &mut fastrand::Rng) -> Option<Game<'static>>,
}

impl Twin {
    /// Makes the twin from a valid game and, if two are needed, from another one. The same seed
    /// gives the same twin. `None` if the game is not suitable.
    #[must_use]
    pub fn of(&self, game: &Game<'_>, other: &Game<'_>, seed: u64) -> Option<Game<'static>> {
        (self.make)(game, other, &mut fastrand::Rng::with_seed(seed))
    }
}

/// All twins.
pub fn twins() -> impl Iterator<Item = Twin> {
    TWINS.iter().copied()
}

const GAME: &str = "rmv.same-game";
const PATH: &str = "rmv.same-path";

const TWINS: &[Twin] = &[
    Twin {
        name: "renamed",
        code: GAME,
        make: |game, _, _| renamed(game, "Somebody Else"),
    },
    Twin {
        name: "dated-anew",
        code: GAME,
        make: |game, _, rng| {
            let mut game = game.clone().into_owned();
            let later = game.board.timestamp.checked_add(rng.u32(86_400..864_000))?;
            dated(&mut game, later);
            Some(game)
        },
    },
    Twin {
        name: "in-the-other-version",
        code: GAME,
        make: |game, _, _| {
            let to = match game.version() {
                Version::V1 => Version::V2,
                Version::V2 => Version::V1,
            };
            rmv::convert(game, to).ok().map(|(game, _)| game)
        },
    },
    Twin {
        name: "other-moves",
        code: GAME,
        make: |game, _, rng| {
            let mut mouse = mouse_of(game);
            // Button events stay.
            mouse.retain(|event| event.action != MouseAction::Move || rng.u8(..) > 20);
            remake(game, &mouse)
        },
    },
    Twin {
        name: "shifted-times",
        code: PATH,
        make: |game, _, rng| {
            let by = rng.u32(20..200);
            with_mouse(game, |event| MouseEvent {
                time_ms: event.time_ms + if event.time_ms > 0 { by } else { 0 },
                ..event
            })
        },
    },
    Twin {
        name: "slowed-down",
        code: PATH,
        make: |game, _, rng| slowed(game, 1.02 + rng.f64()),
    },
    Twin {
        name: "shifted-path",
        code: PATH,
        make: shifted,
    },
    Twin {
        name: "jittered-path",
        code: PATH,
        make: |game, _, rng| jittered(game, rng),
    },
    Twin {
        name: "larger-cells",
        code: PATH,
        make: |game, _, rng| scaled(game, rng.u8(17..48)),
    },
    Twin {
        name: "mirrored",
        code: PATH,
        make: |game, _, _| turned(game, Turn::LEFT_TO_RIGHT),
    },
    Twin {
        name: "rotated",
        code: PATH,
        make: |game, _, rng| {
            let turn = if game.board.cols == game.board.rows {
                *rng.choice(&[Turn::HALF, Turn::QUARTER, Turn::DIAGONAL])?
            } else {
                // A board that is not square keeps its orientation, because its level requires it.
                Turn::HALF
            };
            turned(game, turn)
        },
    },
    Twin {
        name: "a-few-clicks-changed",
        code: PATH,
        make: |game, _, rng| waved(game, rng),
    },
    Twin {
        name: "all-at-once",
        code: PATH,
        make: |game, _, rng| {
            let game = turned(game, Turn::HALF)?;
            let game = slowed(&game, 1.1)?;
            let game = waved(&game, rng)?;
            let mut game = renamed(&game, "Somebody Else")?;
            game.board.timestamp = game.board.timestamp.checked_add(100_000)?;
            let timestamp = game.board.timestamp;
            dated(&mut game, timestamp);
            Some(game)
        },
    },
    Twin {
        name: "borrowed-checksum",
        code: "rmv.same-checksum",
        make: |game, other, _| {
            let mut other = other.clone().into_owned();
            let is_mixed = game.checksum.iter().any(|byte| *byte != 0);
            other.checksum = Cow::Owned(game.checksum.to_vec());
            is_mixed.then_some(other)
        },
    },
    Twin {
        name: "known-board",
        code: "rmv.same-board",
        make: |game, _, rng| played_again(game, rng),
    },
    Twin {
        name: "known-board-mirrored",
        code: "rmv.same-board",
        make: |game, _, rng| played_again(&turned(game, Turn::HALF)?, rng),
    },
    Twin {
        name: "in-two-games-at-once",
        code: "rmv.two-at-once",
        make: |game, other, _| {
            let length = game.ending?.time_ms / 1000;
            let mut other = other.clone().into_owned();
            other.player = game.player.clone().into_owned();
            named_in_result(&mut other);
            // One second before the game ends.
            let at = game.board.timestamp.checked_add(length.checked_sub(1)?)?;
            dated(&mut other, at);
            (length > 1).then_some(other)
        },
    },
];

/// The same game with another player.
fn renamed(game: &Game<'_>, name: &str) -> Option<Game<'static>> {
    let mut game = game.clone().into_owned();
    let fields: Vec<Vec<u8>> = game.player.iter().map(<[u8]>::to_vec).collect();
    let fields = fields.into_iter().enumerate().map(|(at, field)| match at {
        0 | 1 => name.as_bytes().to_vec(),
        _ => field,
    });
    game.player = PlayerFields::new(fields).ok()?;
    named_in_result(&mut game);
    Some(game)
}

fn named_in_result(game: &mut Game<'_>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (name, nick) = (text(game.player.name()), text(game.player.nickname()));
    with_result(game, "NAME", &name);
    with_result(game, "NICK", &nick);
}

fn dated(game: &mut Game<'_>, timestamp: u32) {
    game.board.timestamp = timestamp;
    with_result(game, "TIMESTAMP", &timestamp.to_string());
}

/// The same game with a change of each mouse event.
fn with_mouse(
    game: &Game<'_>,
    change: impl FnMut(MouseEvent) -> MouseEvent,
) -> Option<Game<'static>> {
    let mouse: Vec<MouseEvent> = mouse_of(game).into_iter().map(change).collect();
    remake(game, &mouse)
}

fn slowed(game: &Game<'_>, factor: f64) -> Option<Game<'static>> {
    with_mouse(game, |event| MouseEvent {
        time_ms: (f64::from(event.time_ms) * factor) as u32,
        ..event
    })
}

/// The whole path shifted by so few pixels that every click stays in its cell.
fn shifted(game: &Game<'_>, _: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Game<'static>> {
    let size = i32::from(game.cell_size());
    let mouse = mouse_of(game);
    let clicks = mouse
        .iter()
        .filter(|event| event.action != MouseAction::Move);
    let inside = |at: fn(&MouseEvent) -> i32| {
        let offsets = clicks.clone().map(move |event| at(event).rem_euclid(size));
        let (least, most) = (offsets.clone().min()?, offsets.max()?);
        Some(-least..=size - 1 - most)
    };
    let (x, y) = (inside(|event| event.x)?, inside(|event| event.y)?);
    let (dx, dy) = (rng.i32(x), rng.i32(y));
    if (dx, dy) == (0, 0) {
        return None;
    }
    with_mouse(game, |event| MouseEvent {
        x: event.x + dx,
        y: event.y + dy,
        ..event
    })
}

/// Every event moved within its cell.
fn jittered(game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Game<'static>> {
    let size = game.cell_size();
    with_mouse(game, |event| {
        let (col, row) = event.cell(size);
        let mut near = |at: i32, cell: i32| {
            let first = cell * i32::from(size);
            (at + rng.i32(-2..=2)).clamp(first, first + i32::from(size) - 1)
        };
        MouseEvent {
            x: near(event.x, col),
            y: near(event.y, row),
            ..event
        }
    })
}

/// The same path on cells of another size, which only version 2 has.
fn scaled(game: &Game<'_>, size: u8) -> Option<Game<'static>> {
    if game.version() == Version::V1 || game.cell_size() == size {
        return None;
    }
    let old = game.cell_size();
    let mut larger = game.clone().into_owned();
    *larger.properties.to_mut().get_mut(property::CELL_SIZE)? = size;
    let to = |at: i32| {
        // A position within a cell stays in that cell.
        let (cell, within) = (at.div_euclid(old.into()), at.rem_euclid(old.into()));
        cell * i32::from(size) + within * i32::from(size) / i32::from(old)
    };
    let mouse: Vec<MouseEvent> = mouse_of(game)
        .into_iter()
        .map(|event| MouseEvent {
            x: to(event.x),
            y: to(event.y),
            ..event
        })
        .collect();
    remake(&larger, &mouse)
}

/// Inserts a few right clicks that change nothing in the end.
fn waved(game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Game<'static>> {
    const CLICKS: usize = 3;
    let mouse = mouse_of(game);
    let free = mouse.iter().enumerate();
    let free = free.filter(|(_, event)| event.action == MouseAction::Move && event.buttons.0 == 0);
    let at = rng.choose_multiple(free.map(|(at, _)| at), CLICKS);
    // With question marks, a flag first becomes one.
    let times = if game.marks() { 3 } else { 2 };
    let mut waved = Vec::new();
    for (place, event) in mouse.into_iter().enumerate() {
        waved.push(event);
        if at.contains(&place) {
            for action in [MouseAction::RightDown, MouseAction::RightUp].repeat(times) {
                waved.push(MouseEvent { action, ..event });
            }
        }
    }
    (at.len() == CLICKS).then(|| remake(game, &waved))?
}

/// A symmetry of the board: rows and columns are exchanged first, then mirrored.
#[derive(Clone, Copy)]
struct Turn {
    swaps: bool,
    left_right: bool,
    up_down: bool,
}

impl Turn {
    const LEFT_TO_RIGHT: Self = Self::new(false, true, false);
    const HALF: Self = Self::new(false, true, true);
    const QUARTER: Self = Self::new(true, true, false);
    const DIAGONAL: Self = Self::new(true, false, false);

    const fn new(swaps: bool, left_right: bool, up_down: bool) -> Self {
        Self {
            swaps,
            left_right,
            up_down,
        }
    }

    /// The new position of a point in a field that has this width and height afterwards.
    fn of(self, (x, y): (i32, i32), (width, height): (i32, i32)) -> (i32, i32) {
        let (x, y) = if self.swaps { (y, x) } else { (x, y) };
        (
            if self.left_right { width - 1 - x } else { x },
            if self.up_down { height - 1 - y } else { y },
        )
    }
}

/// The board and the path, turned.
fn turned(game: &Game<'_>, turn: Turn) -> Option<Game<'static>> {
    let mut other = game.clone().into_owned();
    let (cols, rows) = (game.board.cols, game.board.rows);
    let (cols, rows) = if turn.swaps {
        (rows, cols)
    } else {
        (cols, rows)
    };
    let board = (i32::from(cols), i32::from(rows));
    let cells = |cells: &Cells<'_>| {
        let mut turned: Vec<Cell> = cells
            .iter()
            .map(|cell| {
                let (col, row) = turn.of((cell.col.into(), cell.row.into()), board);
                Cell::new(col as u8, row as u8)
            })
            .collect();
        turned.sort_unstable_by_key(|cell| (cell.row, cell.col));
        turned
    };
    let mines = cells(&game.board.mines);
    other.board = Board::new(cols.into(), rows.into(), mines, game.board.timestamp).ok()?;
    other.preflags = game
        .preflags
        .as_ref()
        .map(|flags| cells(flags).into_iter().collect());
    let size = i32::from(game.cell_size());
    let pixels = (board.0 * size, board.1 * size);
    let mouse: Vec<MouseEvent> = mouse_of(game)
        .into_iter()
        .map(|event| {
            let (x, y) = turn.of((event.x, event.y), pixels);
            MouseEvent { x, y, ..event }
        })
        .collect();
    remake(&other, &mouse)
}

/// The same board, played by another hand.
fn played_again(game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Game<'static>> {
    let first = game.events.iter().find_map(|event| match event {
        Event::Mouse(mouse) => Some(mouse.cell(game.cell_size())),
        _ => None,
    })?;
    let first = Cell::new(u8::try_from(first.0).ok()?, u8::try_from(first.1).ok()?);
    let mut scenario = scenarios()
        .into_iter()
        .find(|scenario| scenario.version == game.version() && scenario.finish == Finish::Win)?;
    scenario.habit = Habit::NoFlags;
    scenario.cell_size = game.cell_size();
    let rng = fastrand::Rng::with_seed(rng.u64(..));
    let played = play_on(&scenario, game, first, rng, &[]).ok()?;
    let mut again = game.clone().into_owned();
    again.events = played;
    let mut again = remake(game, &mouse_of(&again))?;
    again.checksum.to_mut().reverse();
    dated(&mut again, game.board.timestamp.checked_add(86_400)?);
    Some(again)
}
