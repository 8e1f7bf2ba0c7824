//! The levels, and the game modes with their known rules.

/// The level a game was played on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// 8 × 8, 10 mines.
    Beginner,
    /// 16 × 16, 40 mines.
    Intermediate,
    /// 30 × 16, 99 mines.
    Expert,
    /// Any other board.
    Custom,
}

impl Level {
    /// The property's value, 0 to 3.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The level of a property value.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Beginner,
            1 => Self::Intermediate,
            2 => Self::Expert,
            3 => Self::Custom,
            _ => return None,
        })
    }

    /// The level with these dimensions, or [`Level::Custom`] if no level has them.
    #[must_use]
    pub const fn of(cols: u8, rows: u8, mines: usize) -> Self {
        match (cols, rows, mines) {
            (8, 8, 10) => Self::Beginner,
            (16, 16, 40) => Self::Intermediate,
            (30, 16, 99) => Self::Expert,
            _ => Self::Custom,
        }
    }

    /// `beginner`, `intermediate`, `expert` or `custom`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Expert => "expert",
            Self::Custom => "custom",
        }
    }

    /// The lowest 3BV that the ranking accepts; `None` if the ranking has no such board.
    #[must_use]
    pub const fn ranking_min_bbbv(self) -> Option<u32> {
        match self {
            Self::Beginner => Some(2),
            Self::Intermediate => Some(30),
            Self::Expert => Some(100),
            Self::Custom => None,
        }
    }
}

/// The game modes of the specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Mode {
    Normal,
    Upk,
    Cheat,
    Density,
    Win7,
    CompetitiveSolvable,
    StrongSolvable,
    WeakSolvable,
    ToBeSolvable,
    StrongGuessable,
    WeakGuessable,
    ChordingRecursiveStandard,
    FlagRecursive,
    ChordingFlagRecursive,
}

impl Mode {
    /// Every mode, in the order of the codes.
    pub const ALL: [Self; 14] = [
        Self::Normal,
        Self::Upk,
        Self::Cheat,
        Self::Density,
        Self::Win7,
        Self::CompetitiveSolvable,
        Self::StrongSolvable,
        Self::WeakSolvable,
        Self::ToBeSolvable,
        Self::StrongGuessable,
        Self::WeakGuessable,
        Self::ChordingRecursiveStandard,
        Self::FlagRecursive,
        Self::ChordingFlagRecursive,
    ];

    /// The property's value, 0 to 13.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The mode of a property value.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The name in the specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Upk => "upk",
            Self::Cheat => "cheat",
            Self::Density => "density",
            Self::Win7 => "win7",
            Self::CompetitiveSolvable => "competitive_solvable",
            Self::StrongSolvable => "strong_solvable",
            Self::WeakSolvable => "weak_solvable",
            Self::ToBeSolvable => "to_be_solvable",
            Self::StrongGuessable => "strong_guessable",
            Self::WeakGuessable => "weak_guessable",
            Self::ChordingRecursiveStandard => "chording_recursive_standard",
            Self::FlagRecursive => "flag_recursive",
            Self::ChordingFlagRecursive => "chording_flag_recursive",
        }
    }

    /// The rules that the mode changes, and what is unknown about them.
    ///
    /// The specification names the modes and defines none of them. The modes from code 4 on come
    /// from EVF, whose specification explains most of them.
    #[must_use]
    pub const fn rules(self) -> ModeRules {
        let chords = "cells that a chord opens may chord in turn";
        let flags = "a flag may chord the numbers beside it, and a right press on a number may flag the \
                     cells that must be mines";
        let how_far = "how far this continues is not published";
        let when = "it is not published whether the recorded mines are those of the start or of the end: \
                    the board is checked as it is recorded";
        let unseen = "no public recording shows the mode";
        match self {
            Self::Normal => ModeRules::new("nothing", None),
            Self::Upk => ModeRules::new("the player knows the board", Some(unseen)),
            Self::Cheat => ModeRules::new(
                "the program helps the player",
                Some("how it helps is not published"),
            ),
            Self::Density => ModeRules::new(
                "ViennaSweeper's own mode",
                Some("what it changes is not published"),
            ),
            Self::Win7 => ModeRules::new("the first click finds an opening", Some(unseen)),
            Self::CompetitiveSolvable => ModeRules::new(
                "the board needs no guess, but guesses are allowed",
                Some("which deductions a board may require is not published"),
            ),
            Self::StrongSolvable => ModeRules::new(
                "the board needs no guess, and a click on a cell that could be a mine loses",
                Some(when),
            ),
            Self::WeakSolvable => ModeRules::new(
                "a necessary guess is always safe, any other guess loses",
                Some(when),
            ),
            Self::ToBeSolvable => ModeRules::new("a necessary guess is always safe", Some(when)),
            Self::StrongGuessable => ModeRules::new(
                "a guess that could be right is right, and no guess is necessary after it",
                Some(when),
            ),
            Self::WeakGuessable => {
                ModeRules::new("a guess that could be right is right", Some(when))
            }
            Self::ChordingRecursiveStandard => ModeRules {
                chords_go_on: true,
                ..ModeRules::new(chords, Some(how_far))
            },
            Self::FlagRecursive => ModeRules {
                flags_go_on: true,
                ..ModeRules::new(flags, Some(how_far))
            },
            Self::ChordingFlagRecursive => ModeRules {
                chords_go_on: true,
                flags_go_on: true,
                ..ModeRules::new(
                    "chords continue as in chording_recursive_standard, flags as in flag_recursive",
                    Some(how_far),
                )
            },
        }
    }
}

/// The rules that a game mode changes.
///
/// In every mode the recorded board is the one that is played: its numbers are true, an opened mine
/// ends the game, and the game is won when every safe cell is open. The audit checks endings
/// against these rules in every mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ModeRules {
    /// The change, as half a sentence.
    pub changes: &'static str,
    /// The unknown part of the change, as half a sentence; `None` if everything is known.
    pub unknown: Option<&'static str>,
    /// Cells that a click or a chord opens may in turn open their neighbours, if the number of
    /// flags around them equals their own number.
    pub chords_go_on: bool,
    /// A right click may open cells and set flags beyond the clicked cell: a new flag may open
    /// the neighbours of the numbers around it, and a number with exactly as many closed cells
    /// around it may flag them all.
    pub flags_go_on: bool,
}

impl ModeRules {
    const fn new(changes: &'static str, unknown: Option<&'static str>) -> Self {
        Self {
            changes,
            unknown,
            chords_go_on: false,
            flags_go_on: false,
        }
    }
}
