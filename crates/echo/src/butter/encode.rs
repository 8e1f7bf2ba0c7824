//! From the session model to stored frames: differences from what a reader has.

use super::fill::holding;
use super::fixed;
use super::half::{from_half, to_half};
use super::header::Header;
use super::layout::{Layout, bit, state as player_bit};
use super::packed::{
    Halves, Packed, PackedBones, PackedPause, PackedPayload, PackedPlayer, PackedPose, PackedScore,
    PackedStats,
};
use super::roster::ascii;
use super::rotation;
use super::state::{Dialect, DiscState, Moving, PauseState, PlayerState, State, StatsState};
use crate::model::{
    Bones, Frame, Game, Holding, Loadout, Pause, PausedState, Player, PlayerBones, Pose, Session,
    Stats, TeamId, Vec3,
};

/// The largest finite half.
const MAX_HALF: u16 = 0x7BFF;

/// The difference of a value from what a reader has, as a half.
///
/// Where the sum that a reader makes of it is rounded, the difference of that sum counts: a
/// recording that is read and written once more stays as it is.
#[inline]
fn difference(value: f32, from: f32) -> u16 {
    let mut half = finite(to_half(value - from));
    for _ in 0..3 {
        let again = to_half((from + from_half(half)) - from);
        if again == half {
            break;
        }
        half = again;
    }
    half
}

/// Never infinity or NaN, which no later difference would lead back from.
#[inline]
const fn finite(half: u16) -> u16 {
    match half & 0x7FFF {
        0..=MAX_HALF => half,
        0x7C00 => half & 0x8000 | MAX_HALF,
        _ => 0,
    }
}

#[inline]
fn differences(value: Vec3, from: Vec3) -> Halves {
    let ([x, y, z], [fx, fy, fz]) = (value, from);
    [
        difference(x, fx),
        difference(y, fy),
        difference(z, fz),
    ]
}

/// Zero, of whatever sign.
#[inline]
pub const fn is_zero_half(half: u16) -> bool {
    half << 1 == 0
}

#[inline]
pub const fn is_zero([a, b, c]: Halves) -> bool {
    is_zero_half(a | b | c)
}

/// The difference of the clock, in the way of [`difference`].
fn clock_difference(value: f32, from: f32) -> f32 {
    let mut delta = value - from;
    for _ in 0..3 {
        let again = (from + delta) - from;
        if again.to_bits() == delta.to_bits() {
            break;
        }
        delta = again;
    }
    delta
}

fn rotation_of(pose: &Pose) -> u32 {
    rotation::to_smallest3_nearest(rotation::from_basis(pose.forward, pose.up))
}

/// The flag bits and the code of a pause.
pub fn pause_bits(session: &Session) -> (u8, u8) {
    let mut flags = u8::from(session.blue_team_restart_request)
        | u8::from(session.orange_team_restart_request) << 1;
    let team = |team: &TeamId| team.code().unwrap_or(3);
    if let Some(pause) = &session.pause {
        flags |= team(&pause.paused_requested_team) << 2 | team(&pause.unpaused_team) << 4;
        (flags, paused_state(pause))
    } else {
        (flags | 3 << 2 | 3 << 4, 0)
    }
}

fn paused_state(pause: &Pause) -> u8 {
    match &pause.paused_state {
        PausedState::Other(_) => 5,
        known => known.code().unwrap_or(5),
    }
}

/// Points as the game's kind stores them.
pub fn points(session: &Session, layout: Layout) -> [u16; 2] {
    [session.blue_points, session.orange_points].map(|points| {
        if layout.half_points() {
            finite(to_half(points))
        } else {
            // A cast keeps within 0 to 255.
            u16::from(points as u8)
        }
    })
}

pub fn inputs(session: &Session) -> u8 {
    let inputs = &session.inputs;
    [
        inputs.left_shoulder,
        inputs.right_shoulder,
        inputs.left_shoulder2,
        inputs.right_shoulder2,
    ]
    .into_iter()
    .enumerate()
    .map(|(at, value)| u8::from(value != 0.0) << at)
    .sum()
}

pub fn score(session: &Session, header: &Header) -> Option<PackedScore> {
    let score = session.last_score.as_ref()?;
    Some(PackedScore {
        flags: score.team.code().unwrap_or(3)
            | u8::from(score.point_amount != 2) << 2
            | score.goal_type.code().unwrap_or(0) << 3,
        person: header.index_of_name(&score.person_scored),
        assist: header.index_of_name(&score.assist_scored),
        speed: to_half(score.disc_speed),
        distance: to_half(score.distance_thrown),
    })
}

pub fn payload(session: &Session) -> Option<PackedPayload> {
    let payload = session.payload.as_ref()?;
    Some(PackedPayload {
        contested: payload.contested.into(),
        checkpoint: payload.payload_checkpoint.clamp(0, 255) as u8,
        defenders: payload.payload_defenders.clamp(0, 255) as u8,
        distance: to_half(payload.payload_distance),
        speed: to_half(payload.payload_speed),
    })
}

/// What a hand holds; `null` for what has no code.
pub fn held(held: Option<&Holding>) -> u8 {
    match held {
        None | Some(Holding::Other(_)) => holding::NULL,
        Some(Holding::None) => holding::NONE,
        Some(Holding::Geo) => holding::GEO,
        Some(Holding::Disc) => holding::DISC,
        Some(Holding::Number(number)) => u8::try_from(*number)
            .ok()
            .filter(|number| *number < holding::NULL)
            .unwrap_or(holding::NULL),
    }
}

pub fn loadout(loadout: Option<&Loadout>) -> u8 {
    loadout.map_or(0, |loadout| {
        loadout.weapon.code().unwrap_or(0)
            | loadout.ordnance.code().unwrap_or(0) << 2
            | loadout.tac_mod.code().unwrap_or(0) << 4
            | loadout.arm.code().unwrap_or(0) << 6
    })
}

pub fn flags(player: &Player) -> u8 {
    u8::from(player.possession)
        | u8::from(player.blocking) << 1
        | u8::from(player.stunned) << 2
        | u8::from(player.invulnerable) << 3
        | u8::from(player.is_emote_playing) << 4
}

/// Counts in the order of the format.
pub const fn counts(stats: &Stats) -> [i32; 10] {
    [
        stats.assists,
        stats.blocks,
        stats.catches,
        stats.goals,
        stats.interceptions,
        stats.passes,
        stats.points,
        stats.saves,
        stats.steals,
        stats.shots_taken,
    ]
}

/// Stats as differences; `None` where nothing has changed.
fn stats(stats: &Stats, from: Option<&StatsState>) -> Option<PackedStats> {
    let known = from.copied().unwrap_or_default();
    let mut packed = PackedStats::default();
    let all = packed.counts.iter_mut().zip(counts(stats));
    for ((delta, count), known) in all.zip(known.counts) {
        *delta = (count.clamp(0, 255) as u8).wrapping_sub(known);
    }
    packed.stuns = (stats.stuns.clamp(0, 65_535) as u16).wrapping_sub(known.stuns);
    packed.possession_time = difference(stats.possession_time, known.possession_time);
    let changed = packed.stuns != 0
        || !is_zero_half(packed.possession_time)
        || packed.counts != [0; 10];
    (changed || from.is_none()).then_some(packed)
}

/// Writes frames so that readers of every kind read them right: differences from what a reader
/// has, zero differences left out and nothing else, bones of keyframes absolute.
#[derive(Debug)]
pub struct Encoder {
    layout: Layout,
    state: State,
    packed: Packed,
}

impl Encoder {
    pub fn new(header: &Header) -> Self {
        Self {
            layout: Layout::of(header),
            state: State::default(),
            packed: Packed::default(),
        }
    }

    /// Writes a frame. The header has its players.
    pub fn push(&mut self, frame: &Frame, keyframe: bool, header: &Header, out: &mut Vec<u8>) {
        let keyframe = keyframe || !self.state.started;
        self.pack(frame, keyframe, header);
        self.packed.write(self.layout, out);
        // A player that the header lacks is written as index 0: nothing here can be refused.
        let applied = self
            .state
            .apply(&self.packed, self.layout, header, Dialect::Exact);
        debug_assert!(applied.is_ok());
    }

    fn pack(&mut self, frame: &Frame, keyframe: bool, header: &Header) {
        let (state, packed) = (&self.state, &mut self.packed);
        let session = &frame.session;
        packed.keyframe = keyframe;
        packed.time = if keyframe {
            frame.time.0
        } else {
            frame.time.0.saturating_sub(state.time).clamp(0, 65_535)
        };
        let from = if keyframe { 0.0 } else { state.clock };
        packed.clock = clock_difference(session.game_clock, from).to_bits();
        let mut bits = 0;
        packed.status = session.game_status.code().unwrap_or_default();
        packed.points = points(session, self.layout);
        packed.inputs = inputs(session);
        let points_stored = self.layout.game != Game::Other;
        let points_changed =
            points_stored && self.layout.points(packed.points) != state.points.map(f32::to_bits);
        if keyframe
            || packed.status != state.status
            || packed.inputs != state.inputs
            || points_changed
        {
            bits |= bit::STATUS;
        }
        if let Some(pause) = pack_pause(session, state.pause.as_ref().filter(|_| !keyframe)) {
            packed.pause = pause;
            bits |= bit::PAUSE;
        }
        let throw = session.last_throw.unwrap_or_default().to_array().map(to_half);
        if keyframe || state.throw != Some(throw) {
            packed.throw = throw;
            bits |= bit::THROW;
        }
        let vr = session.player.unwrap_or_default();
        if let Some(pose) = pack_moving(&vr, state.vr.as_ref().filter(|_| !keyframe)) {
            packed.vr = pose;
            bits |= bit::VR;
        }
        if self.layout.game == Game::Arena {
            let score = score(session, header);
            if let Some(score) = score.filter(|_| keyframe || score != state.score) {
                packed.score = score;
                bits |= bit::SCORE;
            }
            if let Some(disc) = &session.disc {
                let from = state.disc.as_ref().filter(|_| !keyframe);
                let known = from.copied().unwrap_or_default();
                let pose = pack_moving(&disc.pose, from.map(|from| &from.moving));
                let velocity = differences(disc.velocity, known.velocity);
                if pose.is_some() || !is_zero(velocity) {
                    packed.disc = pose.unwrap_or_else(|| unmoved(&known));
                    packed.disc_velocity = velocity;
                    bits |= bit::DISC;
                }
            }
            if session.private_match
                && let (at, by) = (session.rules_changed_at, &session.rules_changed_by)
                && (at.is_some() || by.is_some())
            {
                let rules = (at.unwrap_or_default(), ascii(by.as_deref().unwrap_or_default()));
                if keyframe || state.rules.as_ref() != Some(&rules) {
                    (packed.rules_at, packed.rules_by) = rules;
                    bits |= bit::RULES;
                }
            }
        }
        if self.layout.game == Game::Combat {
            let payload = payload(session);
            if let Some(payload) = payload.filter(|_| keyframe || payload != state.payload) {
                packed.payload = payload;
                bits |= bit::PAYLOAD;
            }
        }
        packed.bits = bits;
        self.pack_teams(session, keyframe, header);
        self.pack_bones(frame.bones.as_ref(), keyframe);
    }

    fn pack_teams(&mut self, session: &Session, keyframe: bool, header: &Header) {
        let (state, packed) = (&self.state, &mut self.packed);
        packed.team_bits = 0;
        packed.players.clear();
        for at in 0..3 {
            let team = session.teams.get(at);
            if team.is_some_and(|team| team.possession) && at < 2 {
                packed.team_bits |= 1 << at;
            }
            let known = state.team_stats.get(at).and_then(Option::as_ref);
            let delta = team
                .and_then(|team| team.stats.as_ref())
                .and_then(|now| stats(now, known.filter(|_| !keyframe)));
            if let (Some(delta), Some(packed_stats)) = (delta, packed.team_stats.get_mut(at)) {
                *packed_stats = delta;
                packed.team_bits |= 4 << at;
            }
            let before = packed.players.len();
            // A count is a byte.
            for player in team.into_iter().flat_map(|team| team.players.iter().take(255)) {
                let mut to = PackedPlayer::default();
                self.layout.pack_player(player, state, keyframe, header, &mut to);
                packed.players.push(to);
            }
            if let Some(count) = packed.team_players.get_mut(at) {
                *count = (packed.players.len() - before) as u8;
            }
        }
    }

    fn pack_bones(&mut self, bones: Option<&Bones>, keyframe: bool) {
        let packed = &mut self.packed;
        packed.bones.clear();
        packed.bone_positions.clear();
        packed.bone_rotations.clear();
        packed.bone_bits = 0;
        let Some(bones) = bones else { return };
        let count = bones.user_bones.len().min(127);
        packed.bone_bits = 1 | (count as u8) << 1;
        let known = self
            .state
            .bones
            .as_deref()
            .filter(|known| !keyframe && known.len() == count)
            .unwrap_or_default();
        let start = PlayerBones::default();
        for (at, bones) in bones.user_bones.iter().take(count).enumerate() {
            let known = known.get(at).unwrap_or(&start);
            let mut masks = PackedBones::default();
            for (at, (now, from)) in bones.positions.iter().zip(&known.positions).enumerate() {
                let ([x, y, z], [fx, fy, fz]) = (*now, *from);
                let delta = [x - fx, y - fy, z - fz].map(|d| i32::from(fixed::to_fixed(d)));
                if delta != [0; 3] {
                    masks.positions |= 1 << at;
                    packed.bone_positions.push(delta);
                }
            }
            for (at, (&now, &from)) in bones.rotations.iter().zip(&known.rotations).enumerate() {
                if let Some(delta) = turn(now, from) {
                    masks.rotations |= 1 << at;
                    packed.bone_rotations.push(delta);
                }
            }
            packed.bones.push(masks);
        }
    }
}

/// The rotation from one quaternion to another; `None` where it is less than half a step.
fn turn(now: rotation::Quaternion, from: rotation::Quaternion) -> Option<u32> {
    let norm: f32 = now.iter().map(|component| component * component).sum();
    // What is no rotation can't be stored.
    if !(norm > 1e-6 && norm.is_finite()) {
        return None;
    }
    let scale = 1.0 / norm.sqrt();
    let now = now.map(|component| component * scale);
    let packed = rotation::to_smallest3_nearest(rotation::multiply(now, rotation::inverse(from)));
    (!rotation::is_nothing(packed)).then_some(packed)
}

/// A disc that only its velocity changes.
fn unmoved(known: &DiscState) -> PackedPose {
    PackedPose {
        position: [0; 3],
        rotation: known.moving.rotation,
    }
}

/// A pose as a difference; `None` where nothing has changed.
fn pack_moving(pose: &Pose, from: Option<&Moving>) -> Option<PackedPose> {
    let known = from.copied().unwrap_or_default();
    let packed = PackedPose {
        position: differences(pose.position, known.position),
        rotation: rotation_of(pose),
    };
    let changed = !is_zero(packed.position) || packed.rotation != known.rotation;
    (changed || from.is_none()).then_some(packed)
}

/// A pause with its timers as differences; `None` where nothing has changed.
fn pack_pause(session: &Session, from: Option<&PauseState>) -> Option<PackedPause> {
    let (flags, state) = pause_bits(session);
    let timers = session
        .pause
        .as_ref()
        .map_or([0.0; 2], |pause| [pause.paused_timer, pause.unpaused_timer]);
    let known = from.copied().unwrap_or_default();
    let [paused, unpaused] = timers;
    let [paused_before, unpaused_before] = known.timers;
    let packed = PackedPause {
        flags,
        state,
        paused_timer: difference(paused, paused_before),
        unpaused_timer: difference(unpaused, unpaused_before),
    };
    let still = is_zero_half(packed.paused_timer | packed.unpaused_timer);
    let changed = (flags, state) != (known.flags, known.state) || !still;
    (changed || from.is_none()).then_some(packed)
}

impl Layout {
    /// The bits of points as a reader has them.
    fn points(self, packed: [u16; 2]) -> [u32; 2] {
        packed.map(|points| {
            if self.half_points() {
                from_half(points).to_bits()
            } else {
                f32::from(points).to_bits()
            }
        })
    }

    #[inline]
    fn pack_player(
        self,
        player: &Player,
        state: &State,
        keyframe: bool,
        header: &Header,
        packed: &mut PackedPlayer,
    ) {
        packed.index = header.index_of(player).unwrap_or_default();
        packed.playerid = player.playerid as u8;
        let userid = if packed.index == 0 { 0 } else { player.userid };
        let from: Option<&PlayerState> = if keyframe {
            None
        } else {
            state.previous(userid)
        };
        let known = from.copied().unwrap_or_default();
        let mut bits = flags(player);
        let delta = player
            .stats
            .as_ref()
            .and_then(|now| stats(now, known.stats.as_ref()));
        if let Some(delta) = delta {
            packed.stats = delta;
            bits |= player_bit::STATS;
        }
        let ping = player.ping.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        packed.ping = ping.wrapping_sub(known.ping).cast_unsigned();
        packed.loss = difference(player.packetlossratio, known.loss);
        packed.holding = [
            held(player.holding_left.as_ref()),
            held(player.holding_right.as_ref()),
        ];
        let holding_changed = self.game == Game::Arena && packed.holding != known.holding;
        if from.is_none() || packed.ping != 0 || !is_zero_half(packed.loss) || holding_changed {
            bits |= player_bit::PING;
        }
        packed.velocity = differences(player.velocity, known.velocity);
        if !is_zero(packed.velocity) {
            bits |= player_bit::VELOCITY;
        }
        packed.state = bits;
        let poses = [&player.head, &player.body, &player.lhand, &player.rhand];
        let mut pose_bits = 0;
        let all = poses.into_iter().zip(&known.poses).zip(&mut packed.poses);
        for (at, ((pose, known), packed)) in all.enumerate() {
            packed.position = differences(pose.position, known.position);
            packed.rotation = rotation_of(pose);
            let moved = from.is_none() || !is_zero(packed.position);
            let turned = from.is_none() || packed.rotation != known.rotation;
            pose_bits |= (u8::from(moved) | u8::from(turned) << 1) << (at * 2);
        }
        packed.pose_bits = pose_bits;
        packed.loadout = loadout(player.loadout.as_ref());
    }
}
