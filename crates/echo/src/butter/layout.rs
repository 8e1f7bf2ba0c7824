//! The layout of a frame, which depends on the version of the format and on the game.

use super::header::Header;
use crate::model::Game;

/// Bits of version 3's byte that says which parts a frame includes.
pub mod bit {
    pub const STATUS: u8 = 1;
    pub const PAUSE: u8 = 1 << 1;
    pub const SCORE: u8 = 1 << 2;
    pub const THROW: u8 = 1 << 3;
    pub const VR: u8 = 1 << 4;
    pub const DISC: u8 = 1 << 5;
    pub const PAYLOAD: u8 = 1 << 6;
    pub const RULES: u8 = 1 << 7;
}

/// Bits of version 3's state byte of a player.
pub mod state {
    /// Possession, blocking, stunned, invulnerable, emote.
    pub const FLAGS: u8 = 0x1F;
    pub const STATS: u8 = 1 << 5;
    pub const PING: u8 = 1 << 6;
    pub const VELOCITY: u8 = 1 << 7;
}

/// The optional parts that a frame includes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Included {
    pub status: bool,
    pub points: bool,
    pub inputs: bool,
    pub pause: bool,
    pub score: bool,
    pub throw: bool,
    pub vr: bool,
    pub disc: bool,
    pub payload: bool,
    pub rules: bool,
}

/// The optional parts that a player includes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct PlayerIncluded {
    pub stats: bool,
    pub ping: bool,
    pub holding: bool,
    pub velocity: bool,
}

/// The layout of a chunk's frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The version, 1 to 3.
    pub version: u8,
    /// The game that is played on the header's map.
    pub game: Game,
    /// Whether pauses are 5 bytes, with the state in the top bits of the first. So it is in versions 1 and
    /// 2, and in version 3 as the reference's packages 1.3.2 and 1.3.3 wrote it.
    pub short_pause: bool,
    /// The number of players in the header, and so the largest index of a player.
    pub players: u8,
}

impl Layout {
    /// The layout that a header implies. Early version 3 can only be recognised by trying.
    pub fn of(header: &Header) -> Self {
        Self {
            version: header.version,
            game: header.map_name().game(),
            short_pause: header.version < 3,
            players: u8::try_from(header.players.len()).unwrap_or(u8::MAX),
        }
    }

    /// Whether this is early version 3.
    pub const fn early(self) -> Self {
        Self {
            short_pause: true,
            ..self
        }
    }

    /// Whether a held player is stored as the index of a header player. Later versions store the number
    /// within the match.
    pub const fn holding_is_index(self) -> bool {
        self.short_pause
    }

    #[inline]
    pub fn included(self, bits: u8) -> Included {
        let has = |bit: u8| bits & bit != 0;
        if self.version < 3 {
            Included {
                status: has(1),
                points: has(1 << 1),
                pause: has(1 << 2),
                inputs: has(1 << 3),
                score: has(1 << 4),
                throw: has(1 << 5),
                vr: has(1 << 6),
                disc: has(1 << 7),
                payload: false,
                rules: false,
            }
        } else {
            Included {
                status: has(bit::STATUS),
                points: has(bit::STATUS) && !matches!(self.game, Game::Other),
                inputs: has(bit::STATUS),
                pause: has(bit::PAUSE),
                score: has(bit::SCORE),
                throw: has(bit::THROW),
                vr: has(bit::VR),
                disc: has(bit::DISC),
                payload: has(bit::PAYLOAD),
                rules: has(bit::RULES),
            }
        }
    }

    /// Whether points are halves: so they are in combat of version 3.
    pub const fn half_points(self) -> bool {
        self.version >= 3 && matches!(self.game, Game::Combat)
    }

    #[inline]
    pub fn player_included(self, bits: u8) -> PlayerIncluded {
        let has = |bit: u8| bits & bit != 0;
        let velocity = has(state::VELOCITY);
        match self.version {
            1 => PlayerIncluded {
                stats: has(1 << 4),
                ping: has(1 << 5),
                holding: has(1 << 6),
                velocity,
            },
            2 => PlayerIncluded {
                stats: has(1 << 4),
                ping: has(1 << 5),
                holding: has(1 << 6) && !matches!(self.game, Game::Combat),
                velocity,
            },
            _ => PlayerIncluded {
                stats: has(state::STATS),
                ping: has(state::PING),
                holding: has(state::PING) && matches!(self.game, Game::Arena),
                velocity,
            },
        }
    }

    /// The bits of the state byte that are flags of the player. Version 3 added the emote.
    pub const fn flags(self) -> u8 {
        if self.version < 3 { 0x0F } else { state::FLAGS }
    }

    /// Whether players have a loadout byte.
    pub const fn loadout(self) -> bool {
        self.version >= 2 && matches!(self.game, Game::Combat)
    }
}
