//! What stands in a frame, by the version of the format and the game.

use super::header::Header;
use crate::model::Game;

/// Bits of the inclusion byte of version 3.
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

/// Bits of a player's state byte of version 3.
pub mod state {
    /// Possession, blocking, stunned, invulnerable, emote.
    pub const FLAGS: u8 = 0x1F;
    pub const STATS: u8 = 1 << 5;
    pub const PING: u8 = 1 << 6;
    pub const VELOCITY: u8 = 1 << 7;
}

/// What a frame holds, besides what it always holds.
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

/// What a player holds, besides what it always holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct PlayerIncluded {
    pub stats: bool,
    pub ping: bool,
    pub holding: bool,
    pub velocity: bool,
}

/// How the frames of a chunk are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// 1 to 3.
    pub version: u8,
    /// What is played on the header's map.
    pub game: Game,
    /// Pauses are 5 bytes, the state in the top bits of the first: versions 1 and 2, and the
    /// reference's packages 1.3.2 and 1.3.3, which wrote version 3.
    pub short_pause: bool,
    /// Players of the header: what an index of a player can be.
    pub players: u8,
}

impl Layout {
    /// The layout that a header tells; early version 3 can only be told by trying.
    pub fn of(header: &Header) -> Self {
        Self {
            version: header.version,
            game: header.map_name().game(),
            short_pause: header.version < 3,
            players: u8::try_from(header.players.len()).unwrap_or(u8::MAX),
        }
    }

    /// Early version 3.
    pub const fn early(self) -> Self {
        Self {
            short_pause: true,
            ..self
        }
    }

    /// What holding means a player by: the user id of one of the header's players, not a number.
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

    /// Points are halves: combat of version 3.
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

    /// Which bits of the state byte are flags of the player: version 3 added the emote.
    pub const fn flags(self) -> u8 {
        if self.version < 3 { 0x0F } else { state::FLAGS }
    }

    /// Players carry a loadout byte.
    pub const fn loadout(self) -> bool {
        self.version >= 2 && matches!(self.game, Game::Combat)
    }
}
