//! The games that the bot can play.

use gametape_mines::{Mode, Version};

use super::boards::BoardSpec;

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Finish {
    /// A win; guesses are lucky if guessing is necessary.
    Win,
    /// A loss by a click on a mine, when about this share of the board is open.
    Loss(f32),
    /// A loss by a chord with a misplaced flag.
    ChordLoss,
    /// The player leaves when about this share of the board is open.
    Abort(f32),
}

/// The style of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Habit {
    /// Only left clicks.
    NoFlags,
    /// Flags, and chords with both buttons in all their orders.
    Chords,
    /// Chords with the middle button.
    MiddleButton,
}

/// A kind of game.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::struct_excessive_bools)] // Independent switches, not a state.
pub struct Scenario {
    /// Its name, and the name of its file in the demo.
    pub name: &'static str,
    /// The version in which it is recorded.
    pub version: Version,
    /// The board.
    pub board: BoardSpec,
    /// The recorded mode, which also decides how the board is generated.
    pub mode: Mode,
    /// Whether question marks are enabled and used.
    pub marks: bool,
    /// Whether some mines are flagged before the game.
    pub preflags: bool,
    /// The size of a cell in pixels; 16 in v1.
    pub cell_size: u8,
    /// The style of play.
    pub habit: Habit,
    /// The end of the game.
    pub finish: Finish,
    /// Whether there are drags, wasted clicks, misflags, and movements outside of the board.
    pub clumsy: bool,
    /// Whether to write the rare codes that other programs may write: 14 for the mine that ends the
    /// game, and v1's timestamp events.
    pub old_codes: bool,
}

impl Scenario {
    const fn new(name: &'static str, version: Version, board: BoardSpec) -> Self {
        Self {
            name,
            version,
            board,
            mode: Mode::Normal,
            marks: false,
            preflags: false,
            cell_size: 16,
            habit: Habit::Chords,
            finish: Finish::Win,
            clumsy: false,
            old_codes: false,
        }
    }

    /// A value that makes different scenarios play different games from the same seed.
    pub(super) fn salt(&self) -> u64 {
        self.name.bytes().fold(0, |salt, byte| {
            salt.wrapping_mul(131).wrapping_add(u64::from(byte))
        })
    }
}

/// Every kind of game: wins, losses, aborted games, all modes, all event codes.
#[must_use]
pub fn scenarios() -> Vec<Scenario> {
    use Version::{V1, V2};
    let v1 = |name, board| Scenario::new(name, V1, board);
    let v2 = |name, board| Scenario::new(name, V2, board);
    let mut all = vec![
        v2("beginner-win", BoardSpec::BEGINNER),
        v2("intermediate-win", BoardSpec::INTERMEDIATE),
        v2("expert-win", BoardSpec::EXPERT),
        v1("v1-beginner-win", BoardSpec::BEGINNER),
        v1("v1-expert-win", BoardSpec::EXPERT),
        Scenario {
            habit: Habit::NoFlags,
            ..v2("no-flags", BoardSpec::INTERMEDIATE)
        },
        Scenario {
            habit: Habit::MiddleButton,
            ..v2("middle-button", BoardSpec::INTERMEDIATE)
        },
        Scenario {
            marks: true,
            clumsy: true,
            cell_size: 24,
            ..v2("question-marks", BoardSpec::INTERMEDIATE)
        },
        Scenario {
            clumsy: true,
            ..v2("clumsy", BoardSpec::EXPERT)
        },
        Scenario {
            preflags: true,
            cell_size: 32,
            ..v2("preflags", BoardSpec::BEGINNER)
        },
        Scenario {
            finish: Finish::Loss(0.4),
            ..v2("loss", BoardSpec::INTERMEDIATE)
        },
        Scenario {
            finish: Finish::ChordLoss,
            ..v2("loss-by-chord", BoardSpec::INTERMEDIATE)
        },
        Scenario {
            finish: Finish::Loss(0.2),
            old_codes: true,
            ..v1("v1-loss-old-codes", BoardSpec::BEGINNER)
        },
        Scenario {
            finish: Finish::Abort(0.5),
            ..v2("aborted", BoardSpec::EXPERT)
        },
        Scenario {
            finish: Finish::Abort(0.0),
            ..v1("v1-aborted-at-once", BoardSpec::EXPERT)
        },
        v2("ring-of-eight", BoardSpec::Ring),
        v2("custom-wide", BoardSpec::random(255, 3, 60)),
        v2("custom-dense", BoardSpec::random(12, 12, 60)),
        v2("custom-one-cell", BoardSpec::random(1, 1, 0)),
    ];
    let modes = [
        ("mode-upk", Mode::Upk),
        ("mode-cheat", Mode::Cheat),
        ("mode-density", Mode::Density),
        ("mode-win7", Mode::Win7),
        ("mode-competitive-solvable", Mode::CompetitiveSolvable),
        ("mode-strong-solvable", Mode::StrongSolvable),
        ("mode-weak-solvable", Mode::WeakSolvable),
        ("mode-to-be-solvable", Mode::ToBeSolvable),
        ("mode-strong-guessable", Mode::StrongGuessable),
        ("mode-weak-guessable", Mode::WeakGuessable),
        ("mode-chording-recursive", Mode::ChordingRecursiveStandard),
        ("mode-flag-recursive", Mode::FlagRecursive),
        ("mode-chording-flag-recursive", Mode::ChordingFlagRecursive),
    ];
    all.extend(modes.map(|(name, mode)| Scenario {
        mode,
        ..v2(name, BoardSpec::BEGINNER)
    }));
    all
}
