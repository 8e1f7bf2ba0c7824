//! Recordings that make false claims about themselves.

use gametape_mines::metrics::bbbv;
use gametape_mines::rmv::EventLog;
use gametape_mines::{
    Board, Cell, Encoding, Event, Extensions, Game, Level, Minefield, Mode, MouseAction,
    MouseEvent, PlayerFields, Text, Version, property,
};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::{Habit, play_on, scenarios, with_result};

use super::remake::Forgery;
use super::remake::{mouse_of, remake};

pub(super) const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "no-flag-claim",
        code: "rmv.nf",
        make: |game, _| has_flags(game).then(|| claiming_no_flags(game)),
    },
    Forgery {
        name: "no-flag-claim-of-the-result-string",
        code: "rmv.nf",
        make: |game, _| {
            let mut forged = game.clone().into_owned();
            with_result(&mut forged, "NF", "1");
            (has_flags(game) && forged != *game).then_some(forged)
        },
    },
    Forgery {
        name: "no-flag-claim-with-a-flag-taken-off",
        code: "rmv.nf",
        make: flag_taken_off,
    },
    Forgery {
        name: "no-flag-claim-with-preflags",
        code: "rmv.nf-preflags",
        make: |game, _| preflagged(&claiming_no_flags(game)),
    },
    Forgery {
        name: "no-flag-claim-with-preflags-of-a-known-board",
        code: "rmv.nf-preflags",
        make: |game, _| {
            let mut forged = claiming_no_flags(game);
            set(&mut forged, property::MODE, Mode::Upk.code());
            preflagged(&forged)
        },
    },
    Forgery {
        name: "3bv-below-the-least",
        code: "rmv.rank-3bv",
        make: easy_board,
    },
    Forgery {
        name: "date-taken-out",
        code: "rmv.date-missing",
        make: |game, _| Some(made_at(game, 0)),
    },
    Forgery {
        name: "date-in-1970",
        code: "rmv.date-early",
        make: |game, rng| Some(made_at(game, rng.u32(1..31_536_000))),
    },
    Forgery {
        name: "date-before-the-release",
        code: "rmv.date-early",
        // 2001 to 2007, before the first release.
        make: |game, rng| {
            is_vienna(game).then(|| made_at(game, rng.u32(980_000_000..1_190_000_000)))
        },
    },
    Forgery {
        name: "date-in-the-future",
        code: "rmv.date-future",
        // 2096 or later.
        make: |game, rng| Some(made_at(game, rng.u32(4_000_000_000..))),
    },
    Forgery {
        name: "release-without-the-format",
        code: "rmv.release-field",
        make: |game, _| of_release(game, Version::V2, "4.0.0"),
    },
    Forgery {
        name: "release-without-a-token",
        code: "rmv.release-field",
        make: |game, _| {
            let mut forged = of_release(game, Version::V1, "3.0.2")?;
            forged.properties.to_mut().truncate(property::UTF8);
            forged.player = PlayerFields::new(["Synthetic Player", "gametape", "", ""]).ok()?;
            Some(forged)
        },
    },
    Forgery {
        name: "release-without-the-utf8-property",
        code: "rmv.release-field",
        make: |game, _| {
            let mut forged = of_release(game, Version::V1, "3.0.2")?;
            let properties = forged.properties.to_mut();
            properties.truncate(property::UTF8);
            properties.push(1);
            forged.player = PlayerFields::new([game.player.name()]).ok()?;
            Some(forged)
        },
    },
    Forgery {
        name: "release-with-another-format",
        code: "rmv.release-unusual",
        make: |game, _| of_release(game, Version::V1, "5.0.0"),
    },
    Forgery {
        name: "release-left-out",
        code: "rmv.release-missing",
        make: |game, _| {
            let mut forged = game.clone().into_owned();
            forged.version_info = Text::from("Vienna Minesweeper - Home Edition");
            is_vienna(game).then_some(forged)
        },
    },
    Forgery {
        name: "major-version-of-another-release",
        code: "rmv.release-unusual",
        make: |game, _| {
            let mut forged = game.clone().into_owned();
            let Encoding::V2 { clone_major, .. } = &mut forged.encoding else {
                return None;
            };
            *clone_major += 1;
            is_vienna(game).then_some(forged)
        },
    },
    Forgery {
        name: "clone-id-of-another-program",
        code: "rmv.release-clone",
        make: |game, _| {
            let mut forged = game.clone().into_owned();
            let Encoding::V2 {
                clone_id,
                extensions,
                ..
            } = &mut forged.encoding
            else {
                return None;
            };
            *clone_id = 0;
            *extensions = Extensions::new([("clone_name", "another")]).ok()?;
            is_vienna(game).then_some(forged)
        },
    },
];

fn is_vienna(game: &Game<'_>) -> bool {
    game.version_info.as_bytes().starts_with(b"Vienna")
}

/// Whether the player placed flags.
fn has_flags(game: &Game<'_>) -> bool {
    let is_flag =
        |event: Event| matches!(event, Event::Board(board) if board.face.name() == "flag");
    game.events.iter().any(is_flag)
}

fn set(game: &mut Game<'_>, at: usize, value: u8) {
    if let Some(property) = game.properties.to_mut().get_mut(at) {
        *property = value;
    }
}

fn claiming_no_flags(game: &Game<'_>) -> Game<'static> {
    let mut forged = game.clone().into_owned();
    set(&mut forged, property::NF, 1);
    with_result(&mut forged, "NF", "1");
    forged
}

/// Eight ticks of Windows: times that are later by this amount are on the same grid.
const WHOLE_TICKS_MS: u32 = 125;

/// Inserts a right click that sets a flag and one that removes it, immediately before a left click.
fn flag_taken_off(game: &Game<'_>, _: &mut fastrand::Rng) -> Option<Game<'static>> {
    use MouseAction::{LeftDown, RightDown, RightUp};
    if game.marks() || has_flags(game) {
        return None;
    }
    let mut mouse = mouse_of(game);
    let at = mouse.windows(2).position(|pair| match pair {
        [before, event] => {
            let free = before.buttons.0 == 0;
            free && event.action == LeftDown && before.x == event.x && before.y == event.y
        }
        _ => false,
    })?;
    let before: MouseEvent = *mouse.get(at)?;
    let click = [RightDown, RightUp, RightDown, RightUp];
    let clicks = (0..).zip(click).map(|(n, action)| MouseEvent {
        action,
        time_ms: before.time_ms + n * WHOLE_TICKS_MS,
        reduced: false,
        ..before
    });
    let behind = at + 1;
    for later in mouse.iter_mut().skip(behind) {
        later.time_ms += 4 * WHOLE_TICKS_MS;
    }
    mouse.splice(behind..behind, clicks).for_each(drop);
    let forged = remake(&claiming_no_flags(game), &mouse)?;
    has_flags(&forged).then_some(forged)
}

/// The same game with flags on some of the mines from the beginning; only for a game without flags.
fn preflagged(game: &Game<'_>) -> Option<Game<'static>> {
    if has_flags(game) || game.board.mines.is_empty() {
        return None;
    }
    let mut forged = game.clone().into_owned();
    forged.preflags = Some(game.board.mines.iter().step_by(2).collect());
    remake(&forged, &mouse_of(game))
}

fn made_at(game: &Game<'_>, timestamp: u32) -> Game<'static> {
    let mut forged = game.clone().into_owned();
    forged.board.timestamp = timestamp;
    with_result(&mut forged, "TIMESTAMP", &timestamp.to_string());
    forged
}

/// A game of ViennaSweeper with another release in its version info.
fn of_release(game: &Game<'_>, version: Version, release: &str) -> Option<Game<'static>> {
    let info = std::str::from_utf8(game.version_info.as_bytes()).ok()?;
    let (before, old) = info.split_once(" - Release ")?;
    // 2.2 writes SCORE in its own way.
    if old.starts_with("2.") {
        return None;
    }
    let mut forged = game.clone().into_owned();
    forged.version_info = Text::from(format!("{before} - Release {release}"));
    (is_vienna(game) && game.version() == version).then_some(forged)
}

/// A board of the same level whose mines are close together, played to the end without a flag.
fn easy_board(game: &Game<'_>, rng: &mut fastrand::Rng) -> Option<Game<'static>> {
    let Board { cols, rows, .. } = game.board;
    let level = Level::of(cols, rows, game.board.mines.len());
    let least = level.ranking_min_bbbv()?;
    let mut at: Vec<Cell> = game.board.mines.iter().collect();
    let all = (0..cols).flat_map(|col| (0..rows).map(move |row| Cell::new(col, row)));
    // Column by column from the left, as many as necessary.
    for corner in all {
        if at.contains(&corner) {
            continue;
        }
        let last = at.iter_mut().max_by_key(|cell| (cell.col, cell.row))?;
        if (last.col, last.row) < (corner.col, corner.row) {
            break;
        }
        *last = corner;
        let field = Minefield::new(&board(game, &at)?);
        if bbbv(&field) < least {
            return played(game, &at, &field, rng);
        }
    }
    None
}

fn board(game: &Game<'_>, mines: &[Cell]) -> Option<Board<'static>> {
    let mut mines = mines.to_vec();
    mines.sort_unstable_by_key(|cell| (cell.row, cell.col));
    let Board { cols, rows, .. } = game.board;
    Board::new(cols.into(), rows.into(), mines, game.board.timestamp).ok()
}

/// The game as played by a person with other mines, without flags.
fn played(
    game: &Game<'_>,
    mines: &[Cell],
    field: &Minefield,
    rng: &mut fastrand::Rng,
) -> Option<Game<'static>> {
    let mut forged = game.clone().into_owned();
    forged.board = board(game, mines)?;
    forged.preflags = Some([].into_iter().collect());
    forged.events = EventLog::empty(game.version());
    let bbbv = bbbv(field);
    if game.version() == Version::V2 {
        let [.., high, low] = bbbv.to_be_bytes();
        set(&mut forged, property::BBBV_LOW, low);
        set(&mut forged, property::BBBV_HIGH, high);
    }
    with_result(&mut forged, "3BV", &bbbv.to_string());
    let mut scenario = scenarios().into_iter().next()?;
    scenario.version = game.version();
    scenario.habit = Habit::NoFlags;
    let release = release_of(game);
    let hand = Hand::of(release, rng.u64(..));
    let safe: Vec<Cell> = field.cells().filter(|&cell| !field.is_mine(cell)).collect();
    let first = *rng.choice(&safe)?;
    let rng = fastrand::Rng::with_seed(rng.u64(..));
    let played = play_on(&scenario, &forged, first, rng, &[hand]).ok()?;
    forged.events = played;
    remake(&forged, &mouse_of(&forged))
}

/// The release whose clock the game uses.
fn release_of(game: &Game<'_>) -> Release {
    let info = String::from_utf8_lossy(game.version_info.as_bytes());
    let named = |name: &str| info.contains(&format!(" - Release {name}"));
    match game.version() {
        Version::V2 => Release::R5_0,
        Version::V1 if named("2.2") => Release::R2_2,
        Version::V1 if named("3.0.2") => Release::R3_0_2,
        Version::V1 if named("3.0") => Release::R3_0,
        Version::V1 => Release::R4_0,
    }
}
