//! The model of a recorded game, shared by both versions of RMV.
//!
//! Sections are kept in their stored form and interpreted only when accessed. So reading copies
//! nothing, and writing gives the same bytes, unknown parts included.

use std::borrow::Cow;

use crate::mode::Mode;
use crate::rmv::EventLog;
use crate::rmv::{Extensions, PlayerFields};
use crate::{Cells, Ending, Text, TextEncoding, TextRule};
use crate::{Level, V1_CELL_SIZE, Version, property};

/// A recorded game.
///
/// Read one with [`rmv::read`](crate::rmv::read), build one with [`Game::new`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<'a> {
    /// The version of the format, with the data that only this version has.
    pub encoding: Encoding<'a>,
    /// How `file_size` relates to the real size of the file.
    pub file_size: DeclaredSize,
    /// Free text that names the program that made the recording.
    pub version_info: Text<'a>,
    /// Name, nickname, country, token.
    pub player: PlayerFields<'a>,
    /// The board and its mines.
    pub board: Board<'a>,
    /// Flags placed before the game began. `None` if the section is missing (`preflagged_size` 0);
    /// real files write an empty section instead.
    pub preflags: Option<Cells<'a>>,
    /// The properties, one byte each; see the accessors of [`Game`].
    pub properties: Cow<'a, [u8]>,
    /// Mouse events and board events.
    pub events: EventLog<'a>,
    /// The termination event; `None` only in a recording that was cut off.
    pub ending: Option<Ending>,
    /// The bytes between the termination event and the checksum: five in every known file, none
    /// according to the specification. See [`Game::canonical_tail`].
    pub tail: Cow<'a, [u8]>,
    /// The checksum, 18 bytes in every known file. Its algorithm is not published, so only
    /// ViennaSweeper can verify it.
    pub checksum: Cow<'a, [u8]>,
}

/// A version of the format, with the data that only this version has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Encoding<'a> {
    /// RMV v1, ViennaSweeper up to 4.
    V1 {
        /// The result string: `\nLEVEL:Expert#SCORE:34.88#…#\n`.
        result: Text<'a>,
    },
    /// RMV v2, ViennaSweeper 5.
    V2 {
        /// The program that wrote the file: 0 is unspecified, 1 is ViennaSweeper.
        clone_id: u8,
        /// That program's major version.
        clone_major: u8,
        /// Named extra properties.
        extensions: Extensions<'a>,
    },
}

/// How the `file_size` field relates to the real size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclaredSize {
    /// The real size, as in every known v1 file.
    Exact,
    /// The real size minus 2, as in every known v2 file (the clone id and the major version are not
    /// counted).
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
    /// The mines, in row-major order in every known file.
    pub mines: Cells<'a>,
}

impl<'a> Game<'a> {
    /// A game on `board` with no events yet: normal mode, no question marks, the level that fits
    /// the board. A v2 game gets cells of 16 pixels and clone id 0.
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

    /// The version of the format in which this game is stored.
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

    /// Whether the recording declares itself a non-flagging game.
    #[must_use]
    pub fn declared_nf(&self) -> bool {
        self.property(property::NF) != 0
    }

    /// The game mode; `None` if no mode has the recorded number.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        Mode::from_code(self.property(property::MODE))
    }

    /// The recorded level; `None` if no level has the recorded number.
    #[must_use]
    pub fn declared_level(&self) -> Option<Level> {
        Level::from_code(self.property(property::LEVEL))
    }

    /// The recorded 3BV: a property in v2, `3BV` in the result string in v1.
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

    /// Side of a cell in pixels; 16 in v1.
    #[must_use]
    pub fn cell_size(&self) -> u8 {
        match self.version() {
            Version::V1 => V1_CELL_SIZE,
            Version::V2 => self
                .properties
                .get(property::CELL_SIZE)
                .copied()
                .unwrap_or(V1_CELL_SIZE),
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

    /// Decodes a text of this game; also returns the encoding that was used or guessed.
    #[must_use]
    pub fn decode<'t>(&self, text: &'t [u8]) -> (Cow<'t, str>, TextEncoding) {
        self.text_rule().decode(text)
    }

    /// The five bytes that real files have after the termination event: `00` and the time, in v1 as
    /// u32, in v2 as `FF` and u24.
    #[must_use]
    pub fn canonical_tail(version: Version, time_ms: u32) -> [u8; 5] {
        let [_, a, b, c] = time_ms.to_be_bytes();
        match version {
            Version::V1 => [0, 0, a, b, c],
            Version::V2 => [0, 0xFF, a, b, c],
        }
    }

    /// True if the result string's `NICK` may be a secret: tournament editions before 4.0 put the
    /// token there. `NICK` counts as public only if it differs from the token field and, in
    /// addition, the file names the home edition or the nickname field has the same value.
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
