//! A player: plays real games through the engine and records them.
//!
//! No public recording shows a loss, an aborted game, a custom board, another mode than normal,
//! or most of the rarer events. This bot plays them: it solves boards by deduction, moves the
//! mouse as a hand does, and records through the same engine and writer that everybody uses.
//! Its recordings are the project's own test files and the demo's input; their version info
//! says that they are synthetic, their clone id is 0, and they carry no checksum.
//!
//! ```
//! use gametape_mines::rmv;
//! use gametape_samples::mines::{record, scenarios};
//!
//! let scenario = &scenarios()[0];
//! let bytes = rmv::write(&record(scenario, 7)?)?;
//! assert_eq!(bytes, rmv::write(&record(scenario, 7)?)?, "the same seed, the same game");
//! # Ok::<(), rmv::WriteError>(())
//! ```

mod boards;
mod hand;
pub mod person;
mod scenario;
mod session;
mod solver;
pub mod tamper;

pub use boards::{BoardSpec, board_for};
pub use scenario::{Finish, Habit, Scenario, scenarios};
pub use tamper::Tampering;

use person::{Hand, Release};
use std::borrow::Cow;

use gametape_mines::metrics::bbbv;
use gametape_mines::rmv::{self, ResultParts, WriteError};
use gametape_mines::{
    DeclaredSize, Encoding, Ending, Extensions, Game, Level, Minefield, PlayerFields, Text,
    Version, property,
};

/// What the recordings say of the program that made them.
pub const VERSION_INFO: &str = "gametape player: a synthetic recording, not played by a person";

/// Plays a scenario and records it; the same seed gives the same game.
///
/// # Errors
/// [`WriteError`] where the format can't hold the game, which no scenario of [`scenarios`] does.
pub fn record(scenario: &Scenario, seed: u64) -> Result<Game<'static>, WriteError> {
    record_by(scenario, seed, None)
}

/// [`record`], by hand and as a release does it, or by the bot.
fn record_by(
    scenario: &Scenario,
    seed: u64,
    by: Option<(Release, &[Hand])>,
) -> Result<Game<'static>, WriteError> {
    let mut rng = fastrand::Rng::with_seed(seed ^ scenario.salt());
    let (mut board, first) = board_for(&scenario.board, scenario.mode, &mut rng)?;
    if let Some((release, _)) = by {
        board.timestamp = release.day() + board.timestamp % 10_000_000;
    }
    let mut game = Game::new(scenario.version, board);
    let mut properties = game.properties.to_vec();
    let mut set = |at: usize, value: u8| {
        if let Some(property) = properties.get_mut(at) {
            *property = value;
        }
    };
    let field = Minefield::new(&game.board);
    let bbbv = bbbv(&field);
    set(property::MARKS, u8::from(scenario.marks));
    set(property::MODE, scenario.mode.code());
    set(property::NF, u8::from(scenario.habit == Habit::NoFlags));
    if scenario.version == Version::V2 {
        let [.., high, low] = bbbv.to_be_bytes();
        set(property::BBBV_LOW, low);
        set(property::BBBV_HIGH, high);
        set(property::SQUARE_SIZE, scenario.square_size);
    }
    game.properties = Cow::Owned(properties);
    if scenario.preflags {
        game.preflags = Some(boards::preflags(&field, first));
    }
    game.version_info = Text::from(VERSION_INFO);
    game.player = PlayerFields::new(["Synthetic Player", "gametape", "", ""])?;

    let hands = by.map_or(&[][..], |(_, hands)| hands);
    let played = session::play(scenario, &game, first, rng, hands)?;
    game.events = played.events;
    let ending = Ending {
        outcome: played.outcome,
        time_ms: game.events.last_time_ms(),
    };
    game.ending = Some(ending);
    game.tail = Cow::Owned(Game::canonical_tail(scenario.version, ending.time_ms).to_vec());
    encode(&mut game, scenario, ending, bbbv)?;
    if let Some((release, _)) = by {
        person::sign(&mut game, release, &mut fastrand::Rng::with_seed(!seed))?;
    }
    Ok(game)
}

/// What only one of the two versions says.
fn encode(
    game: &mut Game<'_>,
    scenario: &Scenario,
    ending: Ending,
    bbbv: u32,
) -> Result<(), WriteError> {
    match &mut game.encoding {
        Encoding::V1 { result } => {
            *result = Text::from(
                ResultParts {
                    level: Level::of(game.board.cols, game.board.rows, game.board.mines.len()),
                    ending,
                    name: "Synthetic Player",
                    nick: "gametape",
                    bbbv,
                    nf: scenario.habit == Habit::NoFlags,
                    timestamp: game.board.timestamp,
                }
                .write()?,
            );
        }
        Encoding::V2 { extensions, .. } => {
            *extensions = Extensions::new([
                ("clone_name", "gametape"),
                ("gametape_scenario", scenario.name),
            ])?;
            game.file_size = DeclaredSize::LessTwo;
        }
    }
    Ok(())
}

/// A small recording for examples, with a checksum's worth of filler behind it, so that offsets
/// are as in real files.
///
/// ```
/// let bytes = gametape_samples::mines::example();
/// assert!(gametape_mines::rmv::read(&bytes)?.ending.is_some());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[must_use]
pub fn example() -> Vec<u8> {
    let game = scenarios().first().map(|scenario| record(scenario, 1));
    let Some(Ok(mut game)) = game else {
        return Vec::new();
    };
    game.checksum = Cow::Borrowed(b"not a real checksu");
    rmv::write(&game).unwrap_or_default()
}
