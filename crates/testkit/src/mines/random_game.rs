//! Random games for property tests and fuzz checks, recorded without the library's engine.
//!
//! ```
//! use gametape_mines::{rmv, Version};
//! use gametape_testkit::mines::random_game;
//!
//! let game = random_game(Version::V1, &mut fastrand::Rng::with_seed(7));
//! assert_eq!(rmv::read(&rmv::write(&game)?)?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;

use gametape_mines::metrics::bbbv;
use gametape_mines::rmv::{EventLog, ResultParts};
use gametape_mines::{
    Board, Cell, DeclaredSize, Encoding, Ending, Game, Level, Minefield, MouseEvent, Outcome,
    PlayerFields, Text, Version, property,
};

use super::hand_play::hand_play;
use super::remake::ended;
use super::simulator::{Simulator, stream};

/// A random game: a board, played by a random hand.
pub fn random_game(version: Version, rng: &mut fastrand::Rng) -> Game<'static> {
    let blank = blank(version, rng);
    let mouse = hand_play(&blank, rng);
    recorded(&blank, &mouse).expect("the hand stays where the format can store it")
}

/// The recording of these mouse events on the board of `game`, with its preflags and its claims. The board
/// events, the ending and the tail are those of the [`Simulator`], not of the library's engine. Button states
/// stay as they are.
///
/// `None` if the format cannot store the game.
fn recorded(game: &Game<'_>, mouse: &[MouseEvent]) -> Option<Game<'static>> {
    let mut simulator = Simulator::of(game);
    let mut log = EventLog::empty(game.version());
    for event in stream(&mut simulator, mouse) {
        log.push_shortest(event).ok()?;
    }
    let mut game = game.clone().into_owned();
    // So that it is filled in.
    game.tail = Cow::Owned(Game::canonical_tail(game.version(), 0).to_vec());
    Some(ended(game, log, simulator.outcome()))
}

/// A game on a random board that has not begun, in the form of a release of ViennaSweeper: 3.0.2 for v1.
fn blank(version: Version, rng: &mut fastrand::Rng) -> Game<'static> {
    let mut game = Game::new(version, random_board(rng));
    let bbbv = bbbv(&Minefield::new(&game.board));
    let properties = game.properties.to_mut();
    match version {
        Version::V1 => properties.truncate(property::UTF8),
        Version::V2 => {
            let [.., high, low] = bbbv.to_be_bytes();
            properties[property::BBBV_LOW] = low;
            properties[property::BBBV_HIGH] = high;
            properties[property::CELL_SIZE] = rng.choice([16, 16, 24, 9, 1]).unwrap_or(16);
        }
    }
    let (info, player) = match version {
        Version::V1 => (
            "Vienna Minesweeper - Home Edition - Release 3.0.2",
            &["Synthetic Player"][..],
        ),
        Version::V2 => (
            "Vienna Minesweeper - Release 5.0.0b4",
            &["Synthetic Player", "gametape", "", ""][..],
        ),
    };
    game.version_info = Text::from(info);
    game.player = PlayerFields::new(player).expect("short fields");
    game.checksum = Cow::Owned((0..18).map(|_| rng.u8(..)).collect());
    if rng.u8(..8) == 0 {
        let mines = game.board.mines.iter();
        game.preflags = Some(mines.filter(|_| rng.bool()).collect());
    }
    match &mut game.encoding {
        Encoding::V1 { result } => {
            let parts = ResultParts {
                level: Level::of(game.board.cols, game.board.rows, game.board.mines.len()),
                ending: Ending {
                    outcome: Outcome::Other,
                    time_ms: 0,
                },
                name: "Synthetic Player",
                nick: "gametape",
                bbbv,
                nf: false,
                timestamp: game.board.timestamp,
            };
            *result = Text::from(parts.write().expect("short fields"));
        }
        Encoding::V2 {
            clone_id,
            clone_major,
            ..
        } => {
            (*clone_id, *clone_major) = (1, 5);
            game.file_size = DeclaredSize::LessTwo;
        }
    }
    game
}

fn random_board(rng: &mut fastrand::Rng) -> Board<'static> {
    let (cols, rows, mines) = match rng.u8(..8) {
        0..=2 => (8, 8, 10),
        3 => (16, 16, 40),
        4 => (30, 16, 99),
        _ => {
            let (cols, rows) = (rng.u8(1..=12), rng.u8(1..=12));
            let cells = usize::from(cols) * usize::from(rows);
            (cols, rows, rng.usize(0..=cells / 4))
        }
    };
    let all = (0..rows).flat_map(|row| (0..cols).map(move |col| Cell::new(col, row)));
    let mut mines = rng.choose_multiple(all, mines);
    mines.sort_unstable_by_key(|cell| (cell.row, cell.col));
    let timestamp = rng.u32(1_750_000_000..1_751_000_000);
    Board::new(cols.into(), rows.into(), mines, timestamp).expect("the mines are on the board")
}
