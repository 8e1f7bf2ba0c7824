//! The versions of the format, and the positions of a recording's properties.

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
