//! Encoding: from the session model to packed frames, as differences from the reader's
//! state.

use super::bones;
use super::fill::{
    counts, flags, holding_code, inputs, loadout_code, pause_bits, payload, points, score,
};
use super::packed::{
    Layout, Packed, PackedPause, PackedPlayer, PackedPose, PackedStats, bit, state as player_bit,
};
use super::reference::{Dialect, PauseState, StatsState, Sum, TeamState};
use super::state::{DiscState, Identity, Moving, PlayerState, ReaderState};
use crate::butter::code::difference::{
    absolute, clock_difference, difference, difference_above_zero, differences, is_zero,
    is_zero_half,
};
use crate::butter::code::primitive::{from_half, to_half_nearest};
use crate::butter::code::rotation::pack4;
use crate::butter::header::{Header, ascii};
use crate::model::{Bones, Frame, Game, Pause, Player, PlayerBones, Pose, Session, Stats};

/// The pose of a disc that is not there.
static NOWHERE: Pose = Pose {
    position: [0.0; 3],
    forward: [0.0; 3],
    left: [0.0; 3],
    up: [0.0; 3],
};

/// The players of a team that can be stored: their count is a byte.
fn stored(players: &[Player]) -> &[Player] {
    players.get(..255).unwrap_or(players)
}

/// Head, body, left hand, right hand.
const fn poses(player: &Player) -> [&Pose; 4] {
    [&player.head, &player.body, &player.lhand, &player.rhand]
}

/// Stats, clamped to what the format can store.
fn fitted(stats: &Stats) -> StatsState {
    StatsState {
        counts: counts(stats).map(|count| count.clamp(0, 255) as u8),
        possession_time: stats.possession_time,
        stuns: stats.stuns.clamp(0, 65_535) as u16,
    }
}

/// Stats as differences.
fn stats(stats: &Stats, from: Option<&StatsState>) -> PackedStats {
    let (now, known) = (fitted(stats), from.copied().unwrap_or_default());
    let mut packed = PackedStats::default();
    let all = packed.counts.iter_mut().zip(now.counts);
    for ((delta, count), known) in all.zip(known.counts) {
        *delta = count.wrapping_sub(known);
    }
    packed.stuns = now.stuns.wrapping_sub(known.stuns);
    packed.possession_time = difference(stats.possession_time, known.possession_time);
    packed
}

/// Like [`stats`]; `None` if nothing has changed.
fn changed_stats(now: &Stats, from: Option<&StatsState>) -> Option<PackedStats> {
    let packed = stats(now, from);
    let changed =
        packed.stuns != 0 || !is_zero_half(packed.possession_time) || packed.counts != [0; 10];
    (changed || from.is_none()).then_some(packed)
}

/// Encodes frames so that every kind of reader reads them right. Differences are taken from the reader's
/// state, and little but zero differences is left out. Bones of keyframes are absolute. A keyframe is
/// written where a difference could not express the change.
#[derive(Debug)]
pub struct Encoder {
    layout: Layout,
    state: ReaderState,
    packed: Packed,
}

impl Encoder {
    pub fn new(header: &Header) -> Self {
        Self {
            layout: Layout::of(header),
            state: ReaderState::default(),
            packed: Packed::default(),
        }
    }

    /// Whether a frame has to be a keyframe because a reader would misread a difference.
    pub fn must_start(&self, frame: &Frame) -> bool {
        let session = &frame.session;
        self.falls_below_zero(session)
            || self.loses_stats(session)
            || self.loses_parts(session)
            || self.leaves_stats_open(session)
    }

    /// Whether a timer of a pause is below 0 while the last keyframe says 0. Readers would take such a
    /// keyframe for one of the reference. No game is known to do that.
    fn falls_below_zero(&self, session: &Session) -> bool {
        let timers = |pause: &Pause| [pause.paused_timer, pause.unpaused_timer];
        let is_below = |timer: f32| from_half(difference(timer, 0.0)) < 0.0;
        let state = self.state.pause.as_ref();
        let pause = session.pause.as_ref();
        state.is_some_and(PauseState::stays_above_zero)
            && pause.is_some_and(|pause| timers(pause).into_iter().any(is_below))
    }

    /// Whether a team or a player has lost its stats: stats that are not stored stay as they were.
    fn loses_stats(&self, session: &Session) -> bool {
        let state = &self.state;
        let had_stats = |player: &Player| {
            let mut known = state.players.iter();
            known.any(|known| known.userid == player.userid && known.stats.is_some())
        };
        let mut teams = state.teams.iter().enumerate();
        teams.any(|(at, state)| {
            let team = session.teams.get(at);
            state.known().is_some() && team.is_none_or(|team| team.stats.is_none())
        }) || (session.teams.iter().take(3))
            .flat_map(|team| stored(&team.players))
            .any(|player| player.stats.is_none() && had_stats(player))
    }

    /// Whether a part of the session is gone, or the disc is back; the reference's reader fails on such a
    /// difference.
    fn loses_parts(&self, session: &Session) -> bool {
        let state = &self.state;
        match self.layout.game {
            Game::Arena => {
                let stored_rules =
                    session.rules_changed_at.is_some() || session.rules_changed_by.is_some();
                state.disc.is_some() != session.disc.is_some()
                    || state.score.is_some() && session.last_score.is_none()
                    || state.rules.is_some() && !stored_rules
            }
            Game::Combat => state.payload.is_some() && session.payload.is_none(),
            Game::Other => false,
        }
    }

    /// Whether the frame stores stats of a team that a reader could understand in two ways, not knowing the
    /// writer.
    fn leaves_stats_open(&self, session: &Session) -> bool {
        let mut teams = self.state.teams.iter().zip(&session.teams);
        teams.any(|(state, team)| {
            let known = state.known().filter(|_| state.is_quiet());
            let known = known.zip(team.stats.as_ref());
            let delta = known.and_then(|(known, now)| changed_stats(now, Some(known)));
            delta.is_some_and(|delta| {
                let players = stored(&team.players);
                let stats = players.iter().filter_map(|player| player.stats.as_ref());
                let sum: Sum = stats.map(fitted).collect();
                let (_, doubt) = state.read(&delta, players.len() as u8, Some(&sum), None);
                doubt.is_some()
            })
        })
    }

    /// Writes a frame. The header has its players; `indices` holds the index of each.
    pub fn push(
        &mut self,
        frame: &Frame,
        keyframe: bool,
        header: &Header,
        indices: &[u8],
        out: &mut Vec<u8>,
    ) {
        let keyframe = keyframe || !self.state.started;
        self.pack(frame, keyframe, header, indices);
        self.packed.write(self.layout, out);
        // A player that the header lacks is written with index 0: this function can't refuse a frame.
        let applied = self
            .state
            .apply(&self.packed, self.layout, header, Some(Dialect::Exact));
        debug_assert!(applied.is_ok());
        // Any dialect but the reference's will do, and no doubt is left.
        debug_assert!(self.state.doubts.iter().all(Option::is_none));
    }

    fn pack(&mut self, frame: &Frame, keyframe: bool, header: &Header, indices: &[u8]) {
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
        // In combat, values without a code are read as empty.
        let uncoded = u8::from(self.layout.game == Game::Combat);
        packed.status = session.game_status.code().unwrap_or(uncoded);
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
        let throw = session
            .last_throw
            .unwrap_or_default()
            .to_array()
            .map(to_half_nearest);
        if keyframe || state.throw != Some(throw) {
            packed.throw = throw;
            bits |= bit::THROW;
        }
        let vr = session.player.as_ref().unwrap_or(&NOWHERE);
        let disc_pose = session.disc.as_ref().map_or(vr, |disc| &disc.pose);
        let [vr_rotation, disc_rotation, ..] = pack4([vr, disc_pose, vr, vr]);
        let from = state.vr.as_ref().filter(|_| !keyframe);
        if let Some(pose) = pack_moving(vr, vr_rotation, from) {
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
                let pose = pack_moving(&disc.pose, disc_rotation, from.map(|from| &from.moving));
                let [velocity] = match from {
                    Some(_) => differences([&disc.velocity], [&known.velocity]),
                    None => absolute([&disc.velocity]),
                };
                if pose.is_some() || !is_zero(velocity) {
                    packed.disc = pose.unwrap_or_else(|| unmoved(&known));
                    packed.disc_velocity = velocity;
                    bits |= bit::DISC;
                }
            }
            if header.private_match()
                && let (at, by) = (session.rules_changed_at, &session.rules_changed_by)
                && (at.is_some() || by.is_some())
            {
                let rules = (
                    at.unwrap_or_default(),
                    ascii(by.as_deref().unwrap_or_default()),
                );
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
        self.pack_teams(session, keyframe, indices);
        self.pack_bones(frame.bones.as_ref(), keyframe);
    }

    /// Makes room for the players and packs the rotations of their poses. This is a loop of its own,
    /// because a processor can then work on the next rotation while the roots and quotients of the last are
    /// computed.
    fn pack_rotations(&mut self, session: &Session) {
        let teams = session.teams.iter().take(3);
        let teams = teams.map(|team| stored(&team.players));
        let players = &mut self.packed.players;
        players.resize(teams.clone().map(<[_]>::len).sum(), PackedPlayer::default());
        let mut packs = players.iter_mut();
        for team in teams {
            for (player, to) in team.iter().zip(packs.by_ref()) {
                let rotations = pack4(poses(player));
                for (pose, rotation) in to.poses.iter_mut().zip(rotations) {
                    pose.rotation = rotation;
                }
            }
        }
    }

    fn pack_teams(&mut self, session: &Session, keyframe: bool, mut indices: &[u8]) {
        self.pack_rotations(session);
        let (state, packed) = (&self.state, &mut self.packed);
        packed.team_bits = 0;
        let mut place = 0;
        for at in 0..3 {
            let team = session.teams.get(at);
            if team.is_some_and(|team| team.possession) && at < 2 {
                packed.team_bits |= 1 << at;
            }
            let known = state.teams.get(at).filter(|_| !keyframe);
            let delta = team.and_then(|team| {
                let now = team.stats.as_ref()?;
                let from = known.and_then(TeamState::known);
                if known.is_some_and(|known| known.has_to_be_stored(team.players.len())) {
                    return Some(stats(now, from));
                }
                changed_stats(now, from)
            });
            if let (Some(delta), Some(packed_stats)) = (delta, packed.team_stats.get_mut(at)) {
                *packed_stats = delta;
                packed.team_bits |= 4 << at;
            }
            let players = team.map_or(&[][..], |team| &team.players);
            let stored = stored(players);
            let here = indices.split_off(..players.len().min(indices.len()));
            let packs = packed.players.iter_mut().skip(place);
            for (at, (to, player)) in packs.zip(stored).enumerate() {
                let index = here.and_then(|here| here.get(at)).copied();
                let index = index.unwrap_or_default();
                self.layout
                    .pack_player(player, index, state, place + at, keyframe, to);
            }
            place += stored.len();
            if let Some(count) = packed.team_players.get_mut(at) {
                *count = stored.len() as u8;
            }
        }
    }

    fn pack_bones(&mut self, bones: Option<&Bones>, keyframe: bool) {
        let packed = &mut self.packed;
        packed.bones.clear();
        packed.bone_positions.clear();
        packed.bone_rotations.clear();
        packed.bone_bits = 0;
        let Some(bones) = bones.filter(|bones| !bones.user_bones.is_empty()) else {
            return;
        };
        let count = bones.user_bones.len().min(127);
        packed.bone_bits = 1 | (count as u8) << 1;
        let known = self
            .state
            .bones
            .shown
            .as_deref()
            .filter(|known| !keyframe && known.len() == count)
            .unwrap_or_default();
        let start = PlayerBones::default();
        for (at, bones) in bones.user_bones.iter().take(count).enumerate() {
            let known = known.get(at).unwrap_or(&start);
            let masks = bones::pack(
                bones,
                known,
                keyframe,
                &mut packed.bone_positions,
                &mut packed.bone_rotations,
            );
            packed.bones.push(masks);
        }
    }
}

/// A disc of which only the velocity changes.
fn unmoved(known: &DiscState) -> PackedPose {
    PackedPose {
        position: [0; 3],
        rotation: known.moving.rotation,
    }
}

/// A pose as a difference; `None` if nothing has changed.
fn pack_moving(pose: &Pose, rotation: u32, from: Option<&Moving>) -> Option<PackedPose> {
    let known = from.copied().unwrap_or_default();
    let [position] = match from {
        Some(_) => differences([&pose.position], [&known.position]),
        None => absolute([&pose.position]),
    };
    let packed = PackedPose { position, rotation };
    let changed = !is_zero(packed.position) || packed.rotation != known.rotation;
    (changed || from.is_none()).then_some(packed)
}

/// A pause with its timers as differences; `None` if nothing has changed.
fn pack_pause(session: &Session, from: Option<&PauseState>) -> Option<PackedPause> {
    let (flags, state) = pause_bits(session);
    let timers = session
        .pause
        .as_ref()
        .map_or([0.0; 2], |pause| [pause.paused_timer, pause.unpaused_timer]);
    let known = from.copied().unwrap_or_default();
    let [paused, unpaused] = timers;
    let [paused_before, unpaused_before] = known.timers();
    let packed = PackedPause {
        flags,
        state,
        paused_timer: difference_above_zero(paused, paused_before),
        unpaused_timer: difference_above_zero(unpaused, unpaused_before),
    };
    let still = is_zero_half(packed.paused_timer | packed.unpaused_timer);
    let changed = (flags, state) != (known.flags(), known.state()) || !still;
    (changed || from.is_none()).then_some(packed)
}

impl Layout {
    /// The bits of the points as a reader has them.
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
        index: u8,
        state: &ReaderState,
        place: usize,
        keyframe: bool,
        packed: &mut PackedPlayer,
    ) {
        const NEW: PlayerState = PlayerState::NEW;
        packed.index = index;
        packed.playerid = player.playerid as u8;
        let who = Identity {
            index,
            playerid: packed.playerid,
            userid: if index == 0 { 0 } else { player.userid },
        };
        let from: Option<&PlayerState> = if keyframe {
            None
        } else {
            state.previous(place, who)
        };
        let known = from.unwrap_or(&NEW);
        let mut bits = flags(player);
        let delta = player
            .stats
            .as_ref()
            .and_then(|now| changed_stats(now, known.stats.as_ref()));
        if let Some(delta) = delta {
            packed.stats = delta;
            bits |= player_bit::STATS;
        }
        let ping = player.ping.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        packed.ping = ping.wrapping_sub(known.ping).cast_unsigned();
        packed.loss = difference(player.packetlossratio, known.loss);
        packed.holding = [
            holding_code(player.holding_left.as_ref()),
            holding_code(player.holding_right.as_ref()),
        ];
        let holding_changed = self.game == Game::Arena && packed.holding != known.holding;
        if from.is_none() || packed.ping != 0 || !is_zero_half(packed.loss) || holding_changed {
            bits |= player_bit::PING;
        }
        let [head, body, lhand, rhand] = poses(player).map(|pose| &pose.position);
        let now = [&player.velocity, head, body, lhand, rhand];
        let [velocity, positions @ ..] = if from.is_some() {
            let before = known.poses.each_ref().map(|moving| &moving.position);
            let [head, body, lhand, rhand] = before;
            differences(now, [&known.velocity, head, body, lhand, rhand])
        } else {
            absolute(now)
        };
        packed.velocity = velocity;
        if !is_zero(packed.velocity) {
            bits |= player_bit::VELOCITY;
        }
        packed.state = bits;
        let mut pose_bits = 0;
        let all = known.poses.iter().zip(&mut packed.poses);
        for (at, ((known, packed), position)) in all.zip(positions).enumerate() {
            packed.position = position;
            let moved = from.is_none() || !is_zero(position);
            let turned = from.is_none() || packed.rotation != known.rotation;
            pose_bits |= (u8::from(moved) | u8::from(turned) << 1) << (at * 2);
        }
        packed.pose_bits = pose_bits;
        packed.loadout = loadout_code(player.loadout.as_ref());
    }
}
