//! Reading a packed frame: all of it, the parts that a caller requests, or skipping it.

use gametape_core::ByteReader;

use super::packed::{
    BONE_MASK, KEYFRAME, Layout, NORMAL, Packed, PackedBones, PackedPause, PackedPayload,
    PackedPlayer, PackedPose, PackedScore, PackedStats,
};
use crate::butter::code::primitive::{Of, read_fixed, skip_fixed, text, three};
use crate::limits::Limits;
use crate::rule::Rule;

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

impl PackedStats {
    const SIZE: usize = 14;

    fn read(input: &mut ByteReader<'_>) -> Result<Self, Rule> {
        const WHAT: &str = "stats";
        Ok(Self {
            counts: input.array().of(WHAT)?,
            possession_time: input.u16_le().of(WHAT)?,
            stuns: input.u16_le().of(WHAT)?,
        })
    }
}

impl PackedPose {
    fn read(input: &mut ByteReader<'_>, what: &'static str) -> Result<Self, Rule> {
        Ok(Self {
            position: three(input, what)?,
            rotation: input.u32_le().of(what)?,
        })
    }
}

/// The size of a player's poses in bytes, by the mask of stored poses.
static POSES_SIZE: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        #[allow(clippy::indexing_slicing)]
        {
            let (positions, rotations) = (bits & 0x55, bits & 0xAA);
            sizes[bits] = (positions.count_ones() * 6 + rotations.count_ones() * 4) as u8;
        }
        bits += 1;
    }
    sizes
};

#[inline(always)]
fn poses_size(bits: u8) -> usize {
    let size = POSES_SIZE.get(usize::from(bits));
    size.copied().unwrap_or_default().into()
}

impl PackedPlayer {
    /// Reads the requested parts and skips the rest.
    #[inline(always)]
    fn read(
        &mut self,
        input: &mut ByteReader<'_>,
        layout: Layout,
        parts: Parts,
    ) -> Result<(), Rule> {
        const WHAT: &str = "a player";
        [self.index, self.playerid, self.state] = input.array().of(WHAT)?;
        if self.index > layout.players {
            return Err(Rule::PlayerIndex {
                index: self.index,
                players: layout.players.into(),
            });
        }
        let has = layout.player_included(self.state);
        if has.stats {
            if parts.has(Parts::STATS) {
                self.stats = PackedStats::read(input)?;
            } else {
                input.take(PackedStats::SIZE).of(WHAT)?;
            }
        }
        if has.ping {
            self.ping = input.u16_le().of(WHAT)?;
            self.loss = input.u16_le().of(WHAT)?;
        }
        if has.holding {
            self.holding = input.array().of(WHAT)?;
        }
        if has.velocity {
            self.velocity = three(input, WHAT)?;
        }
        self.pose_bits = input.u8().of(WHAT)?;
        if parts.is_all() {
            let mut bits = self.pose_bits;
            for pose in &mut self.poses {
                if bits & 1 != 0 {
                    pose.position = three(input, "a pose")?;
                }
                if bits & 2 != 0 {
                    pose.rotation = input.u32_le().of("a pose")?;
                }
                bits >>= 2;
            }
        } else {
            self.read_poses(input, parts)?;
        }
        if layout.loadout() {
            self.loadout = input.u8().of(WHAT)?;
        }
        Ok(())
    }

    /// Reads the requested poses.
    #[inline(always)]
    fn read_poses(&mut self, input: &mut ByteReader<'_>, parts: Parts) -> Result<(), Rule> {
        const WHAT: &str = "a pose";
        let poses = input.take(poses_size(self.pose_bits)).of(WHAT)?;
        if !parts.has_poses() {
            return Ok(());
        }
        for (at, pose) in self.poses.iter_mut().enumerate() {
            if !parts.has(Parts::position(at).with(Parts::rotation(at))) {
                continue;
            }
            // The size of the poses stored before this one.
            let before = self.pose_bits & ((1 << (2 * at)) - 1);
            let mut input = ByteReader::new(poses);
            input.take(poses_size(before)).of(WHAT)?;
            let bits = self.pose_bits >> (2 * at);
            if bits & 1 != 0 {
                pose.position = three(&mut input, WHAT)?;
            }
            if bits & 2 != 0 {
                pose.rotation = input.u32_le().of(WHAT)?;
            }
        }
        Ok(())
    }

    /// Skips a player.
    #[inline(always)]
    fn skip(input: &mut ByteReader<'_>, layout: Layout) -> Result<(), Rule> {
        const WHAT: &str = "a player";
        let [index, _, state] = input.array().of(WHAT)?;
        if index > layout.players {
            return Err(Rule::PlayerIndex {
                index,
                players: layout.players.into(),
            });
        }
        let has = layout.player_included(state);
        let size = usize::from(has.stats) * PackedStats::SIZE
            + usize::from(has.ping) * 4
            + usize::from(has.holding) * 2
            + usize::from(has.velocity) * 6;
        input.take(size).of(WHAT)?;
        let poses = poses_size(input.u8().of(WHAT)?);
        input
            .take(poses + usize::from(layout.loadout()))
            .of("a pose")?;
        Ok(())
    }
}

impl Packed {
    /// Reads the frame at the start of `input`.
    pub fn read(&mut self, input: &mut ByteReader<'_>, layout: Layout) -> Result<(), Rule> {
        self.read_session(input, layout)?;
        self.read_teams(input, layout, Parts::ALL)?;
        self.read_bones(input)
    }

    /// Like [`Packed::read`], for these parts only. Players and bones of other parts are meaningless.
    /// Faults may be reported in other words.
    pub fn read_parts(
        &mut self,
        input: &mut ByteReader<'_>,
        layout: Layout,
        parts: Parts,
    ) -> Result<(), Rule> {
        self.read_session(input, layout)?;
        if parts.has(Parts::PLAYERS) {
            self.read_teams(input, layout, parts)?;
        } else {
            skip_teams(input, layout)?;
        }
        if parts.has(Parts::BONES) {
            self.read_bones(input)
        } else {
            skip_bones(input)
        }
    }

    #[inline(always)]
    fn read_session(&mut self, input: &mut ByteReader<'_>, layout: Layout) -> Result<(), Rule> {
        const WHAT: &str = "the frame";
        let marker = input.array().of(WHAT)?;
        self.keyframe = match marker {
            KEYFRAME => true,
            NORMAL => false,
            found => return Err(Rule::Marker { found }),
        };
        self.time = if self.keyframe {
            input.i64_le().of("the time")?
        } else {
            input.u16_le().of("the time")?.into()
        };
        self.clock = input.u32_le().of("the clock")?;
        self.bits = input.u8().of(WHAT)?;
        let has = layout.included(self.bits);
        if has.status {
            self.status = input.u8().of("the status")?;
        }
        if has.points {
            self.points = if layout.half_points() {
                [
                    input.u16_le().of("the points")?,
                    input.u16_le().of("the points")?,
                ]
            } else {
                let [blue, orange] = input.array().of("the points")?;
                [blue.into(), orange.into()]
            };
        }
        // Before version 3, the inputs come after the pause.
        if has.inputs && layout.version >= 3 {
            self.inputs = input.u8().of("the inputs")?;
        }
        if has.pause {
            let first = input.u8().of("the pause")?;
            let (flags, state) = if layout.short_pause {
                (first & 0x3F, first >> 6)
            } else {
                (first, input.u8().of("the pause")?)
            };
            self.pause = PackedPause {
                flags,
                state,
                paused_timer: input.u16_le().of("the pause")?,
                unpaused_timer: input.u16_le().of("the pause")?,
            };
        }
        if has.inputs && layout.version < 3 {
            self.inputs = input.u8().of("the inputs")?;
        }
        if has.score {
            let [flags, person, assist] = input.array().of("the last score")?;
            self.score = PackedScore {
                flags,
                person,
                assist,
                speed: input.u16_le().of("the last score")?,
                distance: input.u16_le().of("the last score")?,
            };
        }
        if has.throw {
            for half in &mut self.throw {
                *half = input.u16_le().of("the last throw")?;
            }
        }
        if has.vr {
            self.vr = PackedPose::read(input, "the VR player")?;
        }
        if has.disc {
            self.disc = PackedPose::read(input, "the disc")?;
            self.disc_velocity = three(input, "the disc")?;
        }
        if has.payload {
            let [contested, checkpoint, defenders] = input.array().of("the payload")?;
            self.payload = PackedPayload {
                contested,
                checkpoint,
                defenders,
                distance: input.u16_le().of("the payload")?,
                speed: input.u16_le().of("the payload")?,
            };
        }
        if has.rules {
            self.rules_at = input.i64_le().of("the rules")?;
            self.rules_by.clear();
            self.rules_by.extend_from_slice(text(input, "the rules")?);
        }
        Ok(())
    }

    #[inline(always)]
    fn read_teams(
        &mut self,
        input: &mut ByteReader<'_>,
        layout: Layout,
        parts: Parts,
    ) -> Result<(), Rule> {
        self.team_bits = input.u8().of("the teams")?;
        let mut at = 0;
        for (team, stats) in self.team_stats.iter_mut().enumerate() {
            if self.team_bits & 4 << team != 0 {
                *stats = PackedStats::read(input)?;
            }
            let count = input.u8().of("a team")?;
            if let Some(players) = self.team_players.get_mut(team) {
                *players = count;
            }
            for _ in 0..count {
                if let Some(player) = self.players.get_mut(at) {
                    player.read(input, layout, parts)?;
                } else {
                    let mut player = PackedPlayer::default();
                    player.read(input, layout, parts)?;
                    self.players.push(player);
                }
                at += 1;
            }
        }
        self.players.truncate(at);
        Ok(())
    }

    fn read_bones(&mut self, input: &mut ByteReader<'_>) -> Result<(), Rule> {
        const WHAT: &str = "the bones";
        self.bones.clear();
        self.bone_positions.clear();
        self.bone_rotations.clear();
        self.bone_bits = input.u8().of(WHAT)?;
        if !self.has_bones() {
            return Ok(());
        }
        for _ in 0..self.bone_players() {
            let [p0, p1, p2, r0, r1, r2] = input.array().of(WHAT)?;
            let bones = PackedBones {
                positions: u32::from_le_bytes([p0, p1, p2, 0]),
                rotations: u32::from_le_bytes([r0, r1, r2, 0]),
            };
            for _ in 0..(bones.positions & BONE_MASK).count_ones() {
                let mut position = [0; 3];
                for number in &mut position {
                    *number = read_fixed(input)?;
                }
                self.bone_positions.push(position);
            }
            for _ in 0..(bones.rotations & BONE_MASK).count_ones() {
                self.bone_rotations.push(input.u32_le().of(WHAT)?);
            }
            self.bones.push(bones);
        }
        Ok(())
    }
}

fn skip_teams(input: &mut ByteReader<'_>, layout: Layout) -> Result<(), Rule> {
    let bits = input.u8().of("the teams")?;
    for team in 0..3 {
        if bits & 4 << team != 0 {
            input.take(PackedStats::SIZE).of("stats")?;
        }
        for _ in 0..input.u8().of("a team")? {
            PackedPlayer::skip(input, layout)?;
        }
    }
    Ok(())
}

fn skip_bones(input: &mut ByteReader<'_>) -> Result<(), Rule> {
    const WHAT: &str = "the bones";
    let bits = input.u8().of(WHAT)?;
    if bits & 1 == 0 {
        return Ok(());
    }
    for _ in 0..bits >> 1 {
        let [p0, p1, p2, r0, r1, r2] = input.array().of(WHAT)?;
        let present = |mask: [u8; 4]| (u32::from_le_bytes(mask) & BONE_MASK).count_ones() as usize;
        skip_fixed(input, 3 * present([p0, p1, p2, 0]))?;
        input.take(4 * present([r0, r1, r2, 0])).of(WHAT)?;
    }
    Ok(())
}

/// Reads the frame at the start of `rest`, within the limit. Also returns the number of bytes that it takes
/// or that were looked at.
pub fn read_within(
    packed: &mut Packed,
    rest: &[u8],
    layout: Layout,
    limits: &Limits,
) -> (Result<(), Rule>, usize) {
    let most = usize::try_from(limits.max_frame_bytes).unwrap_or(usize::MAX);
    let window = rest.get(..most).unwrap_or(rest);
    let mut input = ByteReader::new(window);
    let read = match packed.read(&mut input, layout) {
        Err(Rule::Truncated { .. }) if window.len() < rest.len() => Err(Rule::Limit {
            what: "a frame",
            size: limits.max_frame_bytes + 1,
            limit: limits.max_frame_bytes,
        }),
        read => read,
    };
    (read, input.offset())
}
