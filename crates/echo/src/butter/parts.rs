//! What of a frame is wanted.

/// What of a frame is wanted. The rest is walked over: what a frame says of it means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts(u32);

impl Parts {
    /// Everything.
    pub const ALL: Self = Self(u32::MAX);
    /// Nothing but when it was recorded.
    pub const NONE: Self = Self(0);
    /// Status, clock, points, rounds and pause.
    pub const GAME: Self = Self(1);
    /// What the session says beside that and the parts below.
    pub const SESSION: Self = Self(1 << 1);
    pub const THROW: Self = Self(1 << 2);
    pub const DISC: Self = Self(1 << 3);
    pub const PAYLOAD: Self = Self(1 << 4);
    pub const BONES: Self = Self(1 << 5);
    /// Who is there, in which team; with the flags of a player, which stand beside that.
    pub const PLAYERS: Self = Self(1 << 6);
    // Of players that are wanted:
    /// Names, numbers and levels.
    pub const NAMES: Self = Self(1 << 7);
    /// Ping and packet loss.
    pub const CONNECTION: Self = Self(1 << 8);
    pub const HOLDING: Self = Self(1 << 9);
    pub const VELOCITY: Self = Self(1 << 10);
    pub const STATS: Self = Self(1 << 11);
    pub const LOADOUT: Self = Self(1 << 12);
    /// Where the head is; shifted by one each: body, left hand, right hand.
    const POSITION: u32 = 1 << 13;
    /// How the head is turned; shifted by one each: body, left hand, right hand.
    const ROTATION: u32 = 1 << 17;

    const fn of(bits: u32) -> Self {
        Self(bits & ((1 << 21) - 1))
    }

    /// Where one of the four poses of a player is.
    pub const fn position(pose: usize) -> Self {
        Self::of(Self::POSITION << pose)
    }

    /// How one of the four poses of a player is turned.
    pub const fn rotation(pose: usize) -> Self {
        Self::of(Self::ROTATION << pose)
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of these parts is wanted.
    #[inline(always)]
    pub const fn has(self, parts: Self) -> bool {
        self.0 & parts.0 != 0
    }

    #[inline(always)]
    pub const fn is_all(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether one of the poses of players is wanted.
    #[inline(always)]
    pub const fn has_poses(self) -> bool {
        self.0 & (15 * (Self::POSITION | Self::ROTATION)) != 0
    }

    /// Whether how one of them is turned is wanted.
    #[inline(always)]
    pub const fn has_rotations(self) -> bool {
        self.0 & (15 * Self::ROTATION) != 0
    }
}
