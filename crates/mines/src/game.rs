//! The model of a recorded game, shared by both versions of RMV.
//!
//! Sections are kept in their stored form and typed when they are looked at, so that reading
//! copies nothing and writing gives the same bytes, unknown parts included.

use std::borrow::Cow;

use crate::fields::{Extensions, PlayerFields};
use crate::rmv::EventLog;
use crate::{Cells, Ending, Text, TextEncoding, TextRule};

/// A recorded game.
///
/// Read one with [`rmv::read`](crate::rmv::read), build one with [`Game::new`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<'a> {
    /// Which of the two encodings, and what only that one holds.
    pub encoding: Encoding<'a>,
    /// How `file_size` relates to the real size of the file.
    pub file_size: DeclaredSize,
    /// Free text that names the program.
    pub version_info: Text<'a>,
    /// Name, nickname, country, token.
    pub player: PlayerFields<'a>,
    /// The board and its mines.
    pub board: Board<'a>,
    /// Flags placed before the game began. `None` where the section is left out
    /// (`preflagged_size` 0); real files write an empty section instead.
    pub preflags: Option<Cells<'a>>,
    /// One byte a property; see the accessors of [`Game`].
    pub properties: Cow<'a, [u8]>,
    /// Mouse events and board events.
    pub events: EventLog<'a>,
    /// The termination event; `None` only in a game that was cut.
    pub ending: Option<Ending>,
    /// What stands between the termination event and the checksum: five bytes in every known
    /// file, none by the specification. See [`Game::canonical_tail`].
    pub tail: Cow<'a, [u8]>,
    /// 18 bytes in every known file. Its algorithm is unpublished: nobody but ViennaSweeper
    /// can verify it.
    pub checksum: Cow<'a, [u8]>,
}

/// A version of the format, and what only that version holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Encoding<'a> {
    /// RMV v1, ViennaSweeper up to 4.
    V1 {
        /// The result string: `\nLEVEL:Expert#SCORE:34.88#…#\n`.
        result: Text<'a>,
    },
    /// RMV v2, ViennaSweeper 5.
    V2 {
        /// The program that wrote the file; 0 unspecified, 1 ViennaSweeper.
        clone_id: u8,
        /// That program's major version.
        clone_major: u8,
        /// Named extra properties.
        extensions: Extensions<'a>,
    },
}

/// The two versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// `file_type` 1.
    V1,
    /// `file_type` 2.
    V2,
}

impl Version {
    /// 1 or 2, as `file_type` holds it.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

/// How the `file_size` field relates to the real size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredSize {
    /// The real size: every known v1 file.
    Exact,
    /// The real size less 2: every known v2 file (clone id and major version are not counted).
    LessTwo,
    /// Some other number; only a lenient reader accepts it.
    Other(u32),
}

/// The board: its size, its mines, and when it was generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board<'a> {
    /// Unix time in seconds.
    pub timestamp: u32,
    /// Columns, at least 1.
    pub cols: u8,
    /// Rows, at least 1.
    pub rows: u8,
    /// The mines; row-major in every known file.
    pub mines: Cells<'a>,
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
    /// Every mode, in the order of its code.
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

    /// The specification's name.
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

    /// What the mode changes, and what of that is not known.
    ///
    /// The specification names the modes and defines none of them. Those from 4 on it takes over
    /// from EVF, whose specification says what most of them mean.
    #[must_use]
    pub const fn rules(self) -> ModeRules {
        let chords = "a square that a chord opens may chord in turn";
        let flags = "a flag may chord the numbers beside it, and a right press on a number flag the \
                     squares that have to be mines";
        let how_far = "how far that goes is not published";
        let when = "whether the recorded mines are those of the beginning or of the end is not \
                    published: the board is checked as it is recorded";
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
                "the board needs no guess, and a guess is allowed",
                Some("which deductions a board may ask for is not published"),
            ),
            Self::StrongSolvable => ModeRules::new(
                "the board needs no guess, and a click that could have met a mine loses",
                Some(when),
            ),
            Self::WeakSolvable => ModeRules::new(
                "a guess that has to be made is free, any other one loses",
                Some(when),
            ),
            Self::ToBeSolvable => ModeRules::new("a guess that has to be made is free", Some(when)),
            Self::StrongGuessable => ModeRules::new(
                "a guess that could be right is, and none has to be made after it",
                Some(when),
            ),
            Self::WeakGuessable => ModeRules::new("a guess that could be right is", Some(when)),
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
                    "chords go on as in chording_recursive_standard, flags as in flag_recursive",
                    Some(how_far),
                )
            },
        }
    }
}

/// What a game mode changes.
///
/// Every mode is played on the recorded board: its numbers are true, a mine that opens ends the
/// game, and it is won when every safe square is open. An ending is checked against that in
/// every mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ModeRules {
    /// What it changes, as half a sentence.
    pub changes: &'static str,
    /// What of that is not known, as half a sentence; `None` where nothing is.
    pub unknown: Option<&'static str>,
    /// Squares that a click or a chord opens may open their neighbours, where as many flags are
    /// around them as their numbers say.
    pub chords_go_on: bool,
    /// The right button may do the same for the numbers around a new flag, and flag the squares
    /// around a number that is as high as they are many.
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

/// The level a game was played on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// 8 × 8, 10 mines.
    Beginner,
    /// 16 × 16, 40 mines.
    Intermediate,
    /// 30 × 16, 99 mines.
    Expert,
    /// Anything else.
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

    /// The level with these dimensions, [`Level::Custom`] if none has them.
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

    /// The least 3BV the ranking accepts; `None` where the ranking has no such board.
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

/// Positions of the properties; the first four are common to both versions.
pub mod property {
    /// Whether question marks were enabled.
    pub const MARKS: usize = 0;
    /// Whether the game was a non-flagging game.
    pub const NF: usize = 1;
    /// The game mode.
    pub const MODE: usize = 2;
    /// The level.
    pub const LEVEL: usize = 3;
    /// v1 only, since ViennaSweeper 4.0.0: texts are UTF-8.
    pub const UTF8: usize = 4;
    /// v2 only: low 8 bits of the 3BV.
    pub const BBBV_LOW: usize = 4;
    /// v2 only: high 8 bits of the 3BV.
    pub const BBBV_HIGH: usize = 5;
    /// v2 only: side of a square in pixels.
    pub const SQUARE_SIZE: usize = 6;
}

/// v1 recordings have no square size: ViennaSweeper's squares were 16 pixels wide.
pub const V1_SQUARE_SIZE: u8 = 16;

impl<'a> Game<'a> {
    /// A game on `board` with nothing played yet: normal mode, no marks, the level that fits
    /// the board, an empty event log. v2 gets squares of 16 pixels and clone id 0.
    ///
    /// ```
    /// use gametape_mines::{rmv, Board, Cell, Ending, Game, Outcome, Version};
    /// let board = Board::new(8, 8, [Cell::new(0, 0)], 1_700_000_000)?;
    /// let mut game = Game::new(Version::V2, board);
    /// game.ending = Some(Ending { outcome: Outcome::Other, time_ms: 0 });
    /// let bytes = rmv::write(&game)?;
    /// assert_eq!(rmv::read(&bytes)?, game);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(version: Version, board: Board<'a>) -> Self {
        let level = Level::of(board.cols, board.rows, board.mines.len()).code();
        let (encoding, properties) = match version {
            Version::V1 => (
                Encoding::V1 {
                    result: Text::default(),
                },
                vec![0, 0, 0, level, 1],
            ),
            Version::V2 => (
                Encoding::V2 {
                    clone_id: 0,
                    clone_major: 0,
                    extensions: Extensions::default(),
                },
                vec![0, 0, 0, level, 0, 0, 16],
            ),
        };
        Self {
            encoding,
            file_size: DeclaredSize::Exact,
            version_info: Text::default(),
            player: PlayerFields::default(),
            board,
            preflags: Some(Cells::default()),
            properties: Cow::Owned(properties),
            events: EventLog::empty(version),
            ending: None,
            tail: Cow::Borrowed(&[]),
            checksum: Cow::Borrowed(&[]),
        }
    }

    /// The version of the format this game is held in.
    #[must_use]
    pub const fn version(&self) -> Version {
        match self.encoding {
            Encoding::V1 { .. } => Version::V1,
            Encoding::V2 { .. } => Version::V2,
        }
    }

    fn property(&self, at: usize) -> u8 {
        self.properties.get(at).copied().unwrap_or(0)
    }

    /// Whether question marks were enabled.
    #[must_use]
    pub fn marks(&self) -> bool {
        self.property(property::MARKS) != 0
    }

    /// Whether the recording calls itself a non-flagging game.
    #[must_use]
    pub fn declared_nf(&self) -> bool {
        self.property(property::NF) != 0
    }

    /// The game mode; `None` for a number that no mode has.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        Mode::from_code(self.property(property::MODE))
    }

    /// The level as recorded; `None` for a number that no level has.
    #[must_use]
    pub fn declared_level(&self) -> Option<Level> {
        Level::from_code(self.property(property::LEVEL))
    }

    /// The 3BV as recorded: in v2 a property, in v1 the result string's `3BV`.
    #[must_use]
    pub fn declared_bbbv(&self) -> Option<u32> {
        match &self.encoding {
            Encoding::V1 { result } => {
                crate::rmv::ResultString::parse(result.as_bytes()).number("3BV")
            }
            Encoding::V2 { .. } => (self.properties.len() > property::BBBV_HIGH).then(|| {
                u32::from(self.property(property::BBBV_LOW))
                    | u32::from(self.property(property::BBBV_HIGH)) << 8
            }),
        }
    }

    /// Side of a square in pixels; 16 in v1.
    #[must_use]
    pub fn square_size(&self) -> u8 {
        match self.version() {
            Version::V1 => V1_SQUARE_SIZE,
            Version::V2 => self
                .properties
                .get(property::SQUARE_SIZE)
                .copied()
                .unwrap_or(V1_SQUARE_SIZE),
        }
    }

    /// The encoding that the format promises for this game's texts.
    #[must_use]
    pub fn text_rule(&self) -> TextRule {
        match self.version() {
            Version::V1 if self.property(property::UTF8) == 0 => TextRule::Undefined,
            _ => TextRule::Utf8,
        }
    }

    /// A text of this game as Unicode, and the encoding that was used or guessed.
    #[must_use]
    pub fn decode<'t>(&self, text: &'t [u8]) -> (Cow<'t, str>, TextEncoding) {
        self.text_rule().decode(text)
    }

    /// The five bytes real files hold behind the termination event: `00` and the time, in v1
    /// as u32, in v2 as `FF` and u24.
    #[must_use]
    pub fn canonical_tail(version: Version, time_ms: u32) -> [u8; 5] {
        let [_, a, b, c] = time_ms.to_be_bytes();
        match version {
            Version::V1 => [0, 0, a, b, c],
            Version::V2 => [0, 0xFF, a, b, c],
        }
    }

    /// True where the result string's `NICK` may be a secret: tournament editions before 4.0
    /// put the token there. It is shown only if it is not the token field's, and the file says
    /// it is the home edition or the nickname field repeats it.
    #[must_use]
    pub fn nick_may_be_token(&self, nick: &[u8]) -> bool {
        let home = self
            .version_info
            .as_bytes()
            .windows(12)
            .any(|w| w == b"Home Edition");
        let token = self.player.token();
        !nick.is_empty() && (nick == token || !(home || self.player.nickname() == nick))
    }

    /// The same game, independent of the buffer it was read from.
    #[must_use]
    pub fn into_owned(self) -> Game<'static> {
        Game {
            encoding: match self.encoding {
                Encoding::V1 { result } => Encoding::V1 {
                    result: result.into_owned(),
                },
                Encoding::V2 {
                    clone_id,
                    clone_major,
                    extensions,
                } => Encoding::V2 {
                    clone_id,
                    clone_major,
                    extensions: extensions.into_owned(),
                },
            },
            file_size: self.file_size,
            version_info: self.version_info.into_owned(),
            player: self.player.into_owned(),
            board: Board {
                mines: self.board.mines.into_owned(),
                ..self.board
            },
            preflags: self.preflags.map(Cells::into_owned),
            properties: Cow::Owned(self.properties.into_owned()),
            events: self.events.into_owned(),
            ending: self.ending,
            tail: Cow::Owned(self.tail.into_owned()),
            checksum: Cow::Owned(self.checksum.into_owned()),
        }
    }
}
