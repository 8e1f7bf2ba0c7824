//! A frame in its stored form: every number as its bits, without interpretation; and the layout, which
//! depends on the version of the format and on the game.
//!
//! Reading and writing a frame gives the same bytes, whatever it contains.

use crate::butter::code::primitive::{Halves, write_fixed};
use crate::butter::header::Header;
use crate::model::{BONES, Game};

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

/// The first bytes of a keyframe.
pub const KEYFRAME: [u8; 2] = [0xFC, 0xFE];
/// The first bytes of any other frame.
pub const NORMAL: [u8; 2] = [0xFE, 0xFE];

/// A difference of the position, and a rotation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedPose {
    pub position: Halves,
    pub rotation: u32,
}

/// A pause.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedPause {
    pub flags: u8,
    pub state: u8,
    pub paused_timer: u16,
    pub unpaused_timer: u16,
}

/// The last goal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedScore {
    /// Team, points, goal type.
    pub flags: u8,
    pub person: u8,
    pub assist: u8,
    pub speed: u16,
    pub distance: u16,
}

/// The payload of combat.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedPayload {
    pub contested: u8,
    pub checkpoint: u8,
    pub defenders: u8,
    pub distance: u16,
    pub speed: u16,
}

/// Differences in the stats of a player or a team.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedStats {
    /// Assists, blocks, catches, goals, interceptions, passes, points, saves, steals, shots.
    pub counts: [u8; 10],
    pub possession_time: u16,
    pub stuns: u16,
}

/// A player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedPlayer {
    pub index: u8,
    pub playerid: u8,
    pub state: u8,
    pub stats: PackedStats,
    pub ping: u16,
    pub loss: u16,
    pub holding: [u8; 2],
    pub velocity: Halves,
    pub pose_bits: u8,
    /// Head, body, left hand, right hand.
    pub poses: [PackedPose; 4],
    pub loadout: u8,
}

/// The bones of a player: masks of the positions and rotations that are stored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedBones {
    pub positions: u32,
    pub rotations: u32,
}

/// A frame in its stored form. A part that its bits don't include keeps its old value here.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Packed {
    pub keyframe: bool,
    /// Milliseconds: since 1970 in a keyframe, since the frame before in others.
    pub time: i64,
    /// The bits of an f32.
    pub clock: u32,
    pub bits: u8,
    pub status: u8,
    pub points: [u16; 2],
    pub inputs: u8,
    pub pause: PackedPause,
    pub score: PackedScore,
    pub throw: [u16; 13],
    pub vr: PackedPose,
    pub disc: PackedPose,
    pub disc_velocity: Halves,
    pub payload: PackedPayload,
    pub rules_at: i64,
    pub rules_by: Vec<u8>,
    pub team_bits: u8,
    pub team_stats: [PackedStats; 3],
    pub team_players: [u8; 3],
    pub players: Vec<PackedPlayer>,
    pub bone_bits: u8,
    pub bones: Vec<PackedBones>,
    /// The differences of positions, for all players in order.
    pub bone_positions: Vec<[i32; 3]>,
    pub bone_rotations: Vec<u32>,
}

/// The bits that a mask of bones may have.
pub(super) const BONE_MASK: u32 = (1 << BONES) - 1;

impl PackedStats {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.counts);
        out.extend_from_slice(&self.possession_time.to_le_bytes());
        out.extend_from_slice(&self.stuns.to_le_bytes());
    }
}

impl PackedPose {
    fn write(&self, out: &mut Vec<u8>) {
        write_halves(&self.position, out);
        out.extend_from_slice(&self.rotation.to_le_bytes());
    }
}

fn write_halves(halves: &[u16], out: &mut Vec<u8>) {
    for half in halves {
        out.extend_from_slice(&half.to_le_bytes());
    }
}

impl PackedPlayer {
    #[inline]
    fn write(&self, layout: Layout, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.index, self.playerid, self.state]);
        let has = layout.player_included(self.state);
        if has.stats {
            self.stats.write(out);
        }
        if has.ping {
            write_halves(&[self.ping, self.loss], out);
        }
        if has.holding {
            out.extend_from_slice(&self.holding);
        }
        if has.velocity {
            write_halves(&self.velocity, out);
        }
        out.push(self.pose_bits);
        let mut bits = self.pose_bits;
        for pose in &self.poses {
            if bits & 1 != 0 {
                write_halves(&pose.position, out);
            }
            if bits & 2 != 0 {
                out.extend_from_slice(&pose.rotation.to_le_bytes());
            }
            bits >>= 2;
        }
        if layout.loadout() {
            out.push(self.loadout);
        }
    }
}

impl Packed {
    /// The number of players that the bone byte claims.
    pub const fn bone_players(&self) -> usize {
        (self.bone_bits >> 1) as usize
    }

    /// Whether the frame has bones.
    pub const fn has_bones(&self) -> bool {
        self.bone_bits & 1 == 1
    }

    /// Writes the frame.
    pub fn write(&self, layout: Layout, out: &mut Vec<u8>) {
        if self.keyframe {
            out.extend_from_slice(&KEYFRAME);
            out.extend_from_slice(&self.time.to_le_bytes());
        } else {
            out.extend_from_slice(&NORMAL);
            out.extend_from_slice(&(self.time as u16).to_le_bytes());
        }
        out.extend_from_slice(&self.clock.to_le_bytes());
        out.push(self.bits);
        let has = layout.included(self.bits);
        if has.status {
            out.push(self.status);
        }
        if has.points {
            if layout.half_points() {
                write_halves(&self.points, out);
            } else {
                out.extend(self.points.map(|points| points as u8));
            }
        }
        if has.inputs && layout.version >= 3 {
            out.push(self.inputs);
        }
        if has.pause {
            if layout.short_pause {
                out.push(self.pause.flags & 0x3F | self.pause.state << 6);
            } else {
                out.extend_from_slice(&[self.pause.flags, self.pause.state]);
            }
            write_halves(&[self.pause.paused_timer, self.pause.unpaused_timer], out);
        }
        if has.inputs && layout.version < 3 {
            out.push(self.inputs);
        }
        if has.score {
            out.extend_from_slice(&[self.score.flags, self.score.person, self.score.assist]);
            write_halves(&[self.score.speed, self.score.distance], out);
        }
        if has.throw {
            write_halves(&self.throw, out);
        }
        if has.vr {
            self.vr.write(out);
        }
        if has.disc {
            self.disc.write(out);
            write_halves(&self.disc_velocity, out);
        }
        if has.payload {
            let payload = &self.payload;
            out.extend_from_slice(&[payload.contested, payload.checkpoint, payload.defenders]);
            write_halves(&[payload.distance, payload.speed], out);
        }
        if has.rules {
            out.extend_from_slice(&self.rules_at.to_le_bytes());
            out.extend_from_slice(&self.rules_by);
            out.push(0);
        }
        out.push(self.team_bits);
        let mut players = self.players.iter();
        for (team, (stats, &count)) in self.team_stats.iter().zip(&self.team_players).enumerate() {
            if self.team_bits & 4 << team != 0 {
                stats.write(out);
            }
            out.push(count);
            for player in players.by_ref().take(count.into()) {
                player.write(layout, out);
            }
        }
        self.write_bones(out);
    }

    fn write_bones(&self, out: &mut Vec<u8>) {
        out.push(self.bone_bits);
        let mut positions = self.bone_positions.iter();
        let mut rotations = self.bone_rotations.iter();
        for bones in &self.bones {
            for mask in [bones.positions, bones.rotations] {
                let [a, b, c, _] = mask.to_le_bytes();
                out.extend_from_slice(&[a, b, c]);
            }
            let count = (bones.positions & BONE_MASK).count_ones() as usize;
            for position in positions.by_ref().take(count) {
                for &number in position {
                    write_fixed(number, out);
                }
            }
            let count = (bones.rotations & BONE_MASK).count_ones() as usize;
            for rotation in rotations.by_ref().take(count) {
                out.extend_from_slice(&rotation.to_le_bytes());
            }
        }
    }
}
