//! Records games: chooses the player and fills in the rest of the file.

use std::borrow::Cow;

use gametape_mines::metrics::bbbv;
use gametape_mines::rmv::{ResultParts, WriteError};
use gametape_mines::{
    DeclaredSize, Encoding, Ending, Extensions, Game, Level, Minefield, PlayerFields, Text,
    Version, property,
};

use super::boards::{self, board_for};
use super::person::{Hand, Release};
use super::scenario::{Habit, Scenario};
use super::session;

/// The version info of recordings by the bot.
pub const VERSION_INFO: &str = "gametape player: a synthetic recording, not played by a person";

/// Lets the bot play a scenario and records the game. The same seed gives the same game.
///
/// # Errors
/// [`WriteError`] if the format cannot store the game, which does not happen for any of
/// [`scenarios`](super::scenarios).
pub fn record(scenario: &Scenario, seed: u64) -> Result<Game<'static>, WriteError> {
    record_by(scenario, seed, None)
}

/// Like [`record`]; the game is played either by hand in the files of a release, or by the bot.
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
        set(property::CELL_SIZE, scenario.cell_size);
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
        sign(&mut game, release, &mut fastrand::Rng::with_seed(!seed))?;
    }
    Ok(game)
}

/// Fills in what only one of the two versions has.
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

/// Plays a scenario by hand and records it in the form of a release. Several hands play one part of
/// the board each. The same seed gives the same game.
///
/// # Errors
/// [`WriteError`] if the format cannot store the game.
pub fn play(
    scenario: &Scenario,
    release: Release,
    hands: &[Hand],
    seed: u64,
) -> Result<Game<'static>, WriteError> {
    let scenario = Scenario {
        version: release.version(),
        ..scenario.clone()
    };
    record_by(&scenario, seed, Some((release, hands)))
}

/// Fills in the rest of a file of this release.
fn sign(game: &mut Game<'_>, release: Release, rng: &mut fastrand::Rng) -> Result<(), WriteError> {
    game.version_info = Text::from(release.version_info());
    let checksum: Vec<u8> = (0..18).map(|_| rng.u8(..)).collect();
    game.checksum = Cow::Owned(checksum);
    if !release.is_new() {
        game.player = PlayerFields::new(["Synthetic Player"])?;
        game.properties.to_mut().truncate(4);
    }
    if let Encoding::V2 {
        clone_id,
        clone_major,
        extensions,
    } = &mut game.encoding
    {
        (*clone_id, *clone_major) = (1, 5);
        *extensions = Extensions::default();
        game.file_size = DeclaredSize::LessTwo;
    }
    if release == Release::R2_2
        && let Some(ending) = game.ending
    {
        let ms = ending.time_ms + 1000;
        let score = format!("{}.{:02}", ms / 1000, ms / 10 % 100);
        with_result(game, "SCORE", &score);
    }
    Ok(())
}

/// Replaces the value of a key in the result string, if there is one.
pub fn with_result(game: &mut Game<'_>, key: &str, value: &str) {
    let Encoding::V1 { result } = &mut game.encoding else {
        return;
    };
    let parts = result.as_bytes().split(|&byte| byte == b'#').map(|pair| {
        let (feed, bare) = match pair.strip_prefix(b"\n") {
            Some(bare) => (&b"\n"[..], bare),
            None => (&b""[..], pair),
        };
        let is_it = bare
            .strip_prefix(key.as_bytes())
            .is_some_and(|rest| rest.starts_with(b":"));
        if is_it {
            [feed, key.as_bytes(), b":", value.as_bytes()].concat()
        } else {
            pair.to_vec()
        }
    });
    *result = Text(Cow::Owned(parts.collect::<Vec<_>>().join(&b'#')));
}
