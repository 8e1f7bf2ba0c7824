//! The versions of the format, the levels, and the positions of a recording's properties.

/// The two versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// `file_type` 1.
    V1,
    /// `file_type` 2.
    V2,
}

impl Version {
    /// 1 or 2, as stored in `file_type`.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
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

/// Positions of the properties. The first four are the same in both versions.
pub mod property {
    /// Whether question marks were enabled.
    pub const MARKS: usize = 0;
    /// Whether the game was a non-flagging game.
    pub const NF: usize = 1;
    /// The game mode.
    pub const MODE: usize = 2;
    /// The code of the level, 0 to 3.
    pub const LEVEL: usize = 3;
    /// v1 only, since ViennaSweeper 4.0.0: whether texts are UTF-8.
    pub const UTF8: usize = 4;
    /// v2 only: the low 8 bits of the 3BV.
    pub const BBBV_LOW: usize = 4;
    /// v2 only: the high 8 bits of the 3BV.
    pub const BBBV_HIGH: usize = 5;
    /// v2 only: the side of a cell in pixels.
    pub const CELL_SIZE: usize = 6;
}

/// The side of a cell in v1 recordings, which do not store it: ViennaSweeper's cells were 16
/// pixels wide.
pub const V1_CELL_SIZE: u8 = 16;
