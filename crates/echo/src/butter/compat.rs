//! As the reference writes: bit for bit, its faults included.
//!
//! Differences are taken between the values themselves, so truncation adds up until the next
//! keyframe; a part is left out where the bytes of its difference are those of the frame before;
//! bones of keyframes differ from the frame before. For readers that know nothing else.

use super::fixed;
use super::half::to_half;
use super::header::{Header, INVALID};
use super::layout::{Layout, bit, state as player_bit};
use super::packed::{
    Halves, Packed, PackedBones, PackedPause, PackedPlayer, PackedPose, PackedScore, PackedStats,
};
use super::roster::ascii;
use super::rotation;
use super::values::{counts, flags, held, inputs, loadout, pause_bits, payload, points, score};
use crate::model::{BONES, Bones, Frame, Game, Player, PlayerBones, Pose, Session, Stats, Vec3};

/// What the bytes of the frame before are compared with.
#[derive(Clone, PartialEq, Debug)]
struct Last {
    pause: PackedPause,
    score: Option<PackedScore>,
    throw: [u16; 13],
    vr: PackedPose,
    disc: Option<(PackedPose, Halves)>,
    /// By user id.
    poses: Vec<(u64, [PackedPose; 4])>,
}

/// Writes frames as the reference does.
#[derive(Debug)]
pub struct CompatEncoder {
    layout: Layout,
    packed: Packed,
    /// The frame before, in this chunk or not.
    before: Option<Frame>,
    /// What the frame before in this chunk packed.
    last: Option<Last>,
}

fn halves([x, y, z]: Vec3, [fx, fy, fz]: Vec3) -> Halves {
    [to_half(x - fx), to_half(y - fy), to_half(z - fz)]
}

fn pack_pose(pose: &Pose, from: Option<&Pose>) -> PackedPose {
    PackedPose {
        position: halves(pose.position, from.map_or([0.0; 3], |from| from.position)),
        rotation: rotation::to_smallest3(rotation::from_basis(pose.forward, pose.up)),
    }
}

fn poses(player: &Player) -> [&Pose; 4] {
    [&player.head, &player.body, &player.lhand, &player.rhand]
}

/// A stats difference; counts are cut to bytes, stuns don't go down.
fn pack_stats(stats: &Stats, from: Option<&Stats>) -> PackedStats {
    let known = from.copied().unwrap_or_default();
    let mut packed = PackedStats {
        counts: [0; 10],
        possession_time: to_half(stats.possession_time - known.possession_time),
        stuns: stats.stuns.wrapping_sub(known.stuns).clamp(0, 65_535) as u16,
    };
    let all = packed.counts.iter_mut().zip(counts(stats));
    for ((delta, count), known) in all.zip(counts(&known)) {
        *delta = count.wrapping_sub(known) as u8;
    }
    packed
}

/// Included where the stats themselves, as bytes, have changed.
fn stats_changed(stats: &Stats, from: Option<&Stats>) -> bool {
    from.is_none_or(|from| pack_stats(stats, None) != pack_stats(from, None))
}

impl CompatEncoder {
    pub fn new(header: &Header) -> Self {
        Self {
            layout: Layout::of(header),
            packed: Packed::default(),
            before: None,
            last: None,
        }
    }

    /// Writes a frame. The header has its players.
    pub fn push(&mut self, frame: &Frame, keyframe: bool, header: &Header, out: &mut Vec<u8>) {
        if keyframe {
            self.last = None;
        }
        let before = self.before.take();
        let from = before.as_ref().filter(|_| !keyframe);
        self.packed.keyframe = keyframe || before.is_none();
        self.pack(frame, from, header);
        self.pack_bones(
            frame.bones.as_ref(),
            before.as_ref().and_then(|before| before.bones.as_ref()),
        );
        self.packed.write(self.layout, out);
        let mut kept = before.unwrap_or_default();
        kept.clone_from(frame);
        self.before = Some(kept);
    }

    fn pack(&mut self, frame: &Frame, from: Option<&Frame>, header: &Header) {
        let packed = &mut self.packed;
        let session = &frame.session;
        let known = from.map(|from| &from.session);
        packed.time = match from {
            None => frame.time.0,
            // A number of 16 bits, and cut to one.
            Some(from) => frame.time.0.wrapping_sub(from.time.0) & 0xFFFF,
        };
        packed.clock = (session.game_clock - known.map_or(0.0, |known| known.game_clock)).to_bits();
        packed.status = session.game_status.code().unwrap_or_default();
        packed.points = points(session, self.layout);
        packed.inputs = inputs(session);
        let arena = self.layout.game == Game::Arena;
        let now = Last {
            pause: pack_pause(session, known),
            score: score(session, header).filter(|_| arena),
            throw: session
                .last_throw
                .unwrap_or_default()
                .to_array()
                .map(to_half),
            vr: pack_pose(
                &session.player.unwrap_or_default(),
                known.map(|known| known.player.unwrap_or_default()).as_ref(),
            ),
            disc: session.disc.as_ref().filter(|_| arena).map(|disc| {
                let known = known.and_then(|known| known.disc).unwrap_or_default();
                let pose = pack_pose(&disc.pose, Some(&known.pose));
                (pose, halves(disc.velocity, known.velocity))
            }),
            poses: Vec::new(),
        };
        let last = self.last.as_ref();
        let mut bits = 0;
        let status_changed = known.is_none_or(|known| {
            known.game_status != session.game_status
                || known.blue_points.to_bits() != session.blue_points.to_bits()
                || known.orange_points.to_bits() != session.orange_points.to_bits()
                || inputs(known) != inputs(session)
        });
        let mut include = |included: bool, bit: u8| bits |= if included { bit } else { 0 };
        include(status_changed, bit::STATUS);
        include(last.is_none_or(|last| last.pause != now.pause), bit::PAUSE);
        include(
            now.score.is_some() && last.is_none_or(|last| last.score != now.score),
            bit::SCORE,
        );
        include(last.is_none_or(|last| last.throw != now.throw), bit::THROW);
        include(last.is_none_or(|last| last.vr != now.vr), bit::VR);
        include(
            now.disc.is_some() && last.is_none_or(|last| last.disc != now.disc),
            bit::DISC,
        );
        let payload_now = payload(session).filter(|_| self.layout.game == Game::Combat);
        include(
            payload_now.is_some() && known.is_none_or(|known| payload(known) != payload_now),
            bit::PAYLOAD,
        );
        let rules = |session: &Session| {
            (
                session.rules_changed_at.unwrap_or_default(),
                ascii(session.rules_changed_by.as_deref().unwrap_or(INVALID)),
            )
        };
        include(
            arena
                && session.private_match
                && known.is_none_or(|known| rules(known) != rules(session)),
            bit::RULES,
        );
        packed.bits = bits;
        packed.pause = now.pause;
        packed.score = now.score.unwrap_or_default();
        packed.throw = now.throw;
        packed.vr = now.vr;
        (packed.disc, packed.disc_velocity) = now.disc.unwrap_or_default();
        packed.payload = payload_now.unwrap_or_default();
        (packed.rules_at, packed.rules_by) = rules(session);
        let poses = self.pack_teams(session, known, header);
        self.last = Some(Last { poses, ..now });
    }

    fn pack_teams(
        &mut self,
        session: &Session,
        known: Option<&Session>,
        header: &Header,
    ) -> Vec<(u64, [PackedPose; 4])> {
        let packed = &mut self.packed;
        packed.team_bits = 0;
        packed.players.clear();
        let mut all = Vec::new();
        for at in 0..3 {
            let team = session.teams.get(at);
            if team.is_some_and(|team| team.possession) && at < 2 {
                packed.team_bits |= 1 << at;
            }
            let stats = team.and_then(|team| team.stats.as_ref());
            let from = known
                .and_then(|known| known.teams.get(at))
                .and_then(|team| team.stats.as_ref());
            if let (Some(stats), Some(to)) = (stats, packed.team_stats.get_mut(at))
                && stats_changed(stats, from)
            {
                *to = pack_stats(stats, from);
                packed.team_bits |= 4 << at;
            }
            let before = packed.players.len();
            for player in team
                .into_iter()
                .flat_map(|team| team.players.iter().take(255))
            {
                let from = known.and_then(|known| known.player_by_userid(player.userid));
                let last = self.last.as_ref().and_then(|last| {
                    let found = last.poses.iter().find(|(id, _)| *id == player.userid);
                    found.map(|(_, poses)| poses)
                });
                let to = pack_player(self.layout, player, from, last, header);
                all.push((player.userid, to.poses));
                packed.players.push(to);
            }
            if let Some(count) = packed.team_players.get_mut(at) {
                *count = (packed.players.len() - before) as u8;
            }
        }
        all
    }

    fn pack_bones(&mut self, bones: Option<&Bones>, before: Option<&Bones>) {
        let packed = &mut self.packed;
        packed.bones.clear();
        packed.bone_positions.clear();
        packed.bone_rotations.clear();
        packed.bone_bits = 0;
        let Some(bones) = bones else { return };
        let count = bones.user_bones.len().min(127);
        packed.bone_bits = 1 | (count as u8) << 1;
        let before = before
            .map(|before| before.user_bones.as_slice())
            .filter(|before| before.len() == bones.user_bones.len())
            .unwrap_or_default();
        let start = PlayerBones::default();
        for (at, bones) in bones.user_bones.iter().take(count).enumerate() {
            let known = before.get(at).unwrap_or(&start);
            let mut masks = PackedBones::default();
            for at in 0..BONES {
                let (Some(&[x, y, z]), Some(&[fx, fy, fz])) =
                    (bones.positions.get(at), known.positions.get(at))
                else {
                    continue;
                };
                let delta = [x - fx, y - fy, z - fz];
                let [dx, dy, dz] = delta;
                if (dx * dx + dy * dy + dz * dz).sqrt() > 0.001 {
                    masks.positions |= 1 << at;
                    let numbers = delta.map(|d| i32::from(fixed::to_fixed(d)));
                    packed.bone_positions.push(numbers);
                }
                let (Some(&now), Some(&from)) = (bones.rotations.get(at), known.rotations.get(at))
                else {
                    continue;
                };
                if rotation::angle(now, from) > 1.0 {
                    masks.rotations |= 1 << at;
                    let turn = rotation::multiply(now, rotation::inverse(from));
                    packed.bone_rotations.push(rotation::to_smallest3(turn));
                }
            }
            packed.bones.push(masks);
        }
    }
}

/// Timers of keyframes are 0, those of other frames differences.
fn pack_pause(session: &Session, known: Option<&Session>) -> PackedPause {
    let (flags, state) = pause_bits(session);
    let timers = |session: &Session| {
        session
            .pause
            .as_ref()
            .map_or([0.0; 2], |pause| [pause.paused_timer, pause.unpaused_timer])
    };
    let [paused, unpaused] = timers(session);
    let [paused_timer, unpaused_timer] = known.map_or([0; 2], |known| {
        let [paused_before, unpaused_before] = timers(known);
        [
            to_half(paused - paused_before),
            to_half(unpaused - unpaused_before),
        ]
    });
    PackedPause {
        flags,
        state,
        paused_timer,
        unpaused_timer,
    }
}

fn pack_player(
    layout: Layout,
    player: &Player,
    from: Option<&Player>,
    last: Option<&[PackedPose; 4]>,
    header: &Header,
) -> PackedPlayer {
    let mut packed = PackedPlayer {
        // The reference looks players up by name.
        index: header.index_of_name(&player.name),
        playerid: player.playerid as u8,
        holding: [
            held(player.holding_left.as_ref()),
            held(player.holding_right.as_ref()),
        ],
        loadout: loadout(player.loadout.as_ref()),
        velocity: halves(player.velocity, from.map_or([0.0; 3], |from| from.velocity)),
        ..PackedPlayer::default()
    };
    let mut bits = flags(player);
    let known = from.and_then(|from| from.stats.as_ref());
    if let Some(stats) = player.stats.as_ref()
        && stats_changed(stats, known)
    {
        packed.stats = pack_stats(stats, known);
        bits |= player_bit::STATS;
    }
    let (ping, loss) = from.map_or((0, 0.0), |from| (from.ping, from.packetlossratio));
    packed.ping = player.ping.wrapping_sub(ping) as u16;
    packed.loss = to_half(player.packetlossratio - loss);
    let same = from.is_some_and(|from| {
        from.ping == player.ping
            && (player.packetlossratio - from.packetlossratio).abs() < f32::from_bits(1)
            && (layout.game != Game::Arena
                || (from.holding_left == player.holding_left
                    && from.holding_right == player.holding_right))
    });
    if !same {
        bits |= player_bit::PING;
    }
    let [x, y, z] = player.velocity;
    let [fx, fy, fz] = from.map_or([0.0; 3], |from| from.velocity);
    let (dx, dy, dz) = (x - fx, y - fy, z - fz);
    if dx * dx + dy * dy + dz * dz > 0.0001 {
        bits |= player_bit::VELOCITY;
    }
    packed.state = bits;
    let before = from.map(poses);
    let all = poses(player).into_iter().zip(&mut packed.poses);
    for (at, (pose, to)) in all.enumerate() {
        *to = pack_pose(pose, before.and_then(|before| before.get(at).copied()));
        let last = last.and_then(|last| last.get(at));
        let moved = last.is_none_or(|last| last.position != to.position);
        let turned = last.is_none_or(|last| last.rotation != to.rotation);
        packed.pose_bits |= (u8::from(moved) | u8::from(turned) << 1) << (at * 2);
    }
    packed
}
