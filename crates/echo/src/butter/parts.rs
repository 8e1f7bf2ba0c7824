//! The parts of a frame that a caller requests.

/// A set of requested parts of a frame. The other parts are skipped, and their values in the frame are
/// meaningless.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts(u32);

impl Parts {
    /// Everything.
    pub const ALL: Self = Self(u32::MAX);
    /// Nothing but the time.
    pub const NONE: Self = Self(0);
    /// Status, clock, points, rounds and pause.
    pub const GAME: Self = Self(1);
    /// The session, except for the parts listed here.
    pub const SESSION: Self = Self(1 << 1);
    pub const THROW: Self = Self(1 << 2);
    pub const DISC: Self = Self(1 << 3);
    pub const PAYLOAD: Self = Self(1 << 4);
    pub const BONES: Self = Self(1 << 5);
    /// The players of each team, with their flags, which are stored next to the index.
    pub const PLAYERS: Self = Self(1 << 6);
    // Parts of the requested players:
    /// Names, numbers and levels.
    pub const NAMES: Self = Self(1 << 7);
    /// Ping and packet loss.
    pub const CONNECTION: Self = Self(1 << 8);
    pub const HOLDING: Self = Self(1 << 9);
    pub const VELOCITY: Self = Self(1 << 10);
    pub const STATS: Self = Self(1 << 11);
    pub const LOADOUT: Self = Self(1 << 12);
    /// The position of the head; shifted by one each: body, left hand, right hand.
    const POSITION: u32 = 1 << 13;
    /// The rotation of the head; shifted by one each: body, left hand, right hand.
    const ROTATION: u32 = 1 << 17;

    const fn of(bits: u32) -> Self {
        Self(bits & ((1 << 21) - 1))
    }

    /// The position of one of a player's four poses.
    pub const fn position(pose: usize) -> Self {
        Self::of(Self::POSITION << pose)
    }

    /// The rotation of one of a player's four poses.
    pub const fn rotation(pose: usize) -> Self {
        Self::of(Self::ROTATION << pose)
    }

    /// The union of two sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of these parts is requested.
    #[inline(always)]
    pub const fn has(self, parts: Self) -> bool {
        self.0 & parts.0 != 0
    }

    #[inline(always)]
    pub const fn is_all(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether any pose of players is requested.
    #[inline(always)]
    pub const fn has_poses(self) -> bool {
        self.0 & (15 * (Self::POSITION | Self::ROTATION)) != 0
    }

    /// Whether the rotation of any pose is requested.
    #[inline(always)]
    pub const fn has_rotations(self) -> bool {
        self.0 & (15 * Self::ROTATION) != 0
    }
}
