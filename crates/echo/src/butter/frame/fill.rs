//! Between stored values and the session model: filling a frame from the reader's state, and the codes of a
//! session's values.

use compact_str::CompactString;

use super::packed::{Layout, PackedPayload, PackedScore};
use super::reference::{PauseState, StatsState};
use super::state::{Moving, PlayerState, ReaderState};
use super::unpack::Parts;
use crate::butter::code::primitive::{from_half, to_half_nearest};
use crate::butter::code::rotation;
use crate::butter::code::rotation::unpack4;
use crate::butter::header::{Header, HeaderPlayer, INVALID};
use crate::model::{
    Arm, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore, LastThrow,
    Loadout, Ordnance, Pause, PausedState, Payload, Player, Pose, Session, Stats, TacMod, Team,
    TeamId, Time, Vec3, Weapon, clock_display,
};

/// Codes of what a hand holds.
pub mod holding {
    pub const NONE: u8 = 255;
    pub const GEO: u8 = 254;
    pub const DISC: u8 = 253;
    pub const NULL: u8 = 252;
}

#[inline(always)]
fn pose(moving: &Moving) -> Pose {
    let basis = rotation::to_basis(rotation::from_smallest3(moving.rotation));
    posed(moving, basis)
}

#[inline(always)]
fn posed(moving: &Moving, basis: [Vec3; 3]) -> Pose {
    // The code of three zero vectors, which lobbies have. No rotation has this code.
    let known = moving.rotation != 0;
    let [forward, left, up] = if known { basis } else { [[0.0; 3]; 3] };
    Pose {
        position: moving.position,
        forward,
        left,
        up,
    }
}

/// Sets a text if it has changed; most texts never do.
fn set(text: &mut CompactString, bytes: &[u8]) {
    if text.as_bytes() != bytes {
        *text = CompactString::from_utf8_lossy(bytes);
    }
}

fn stats(state: &StatsState) -> Stats {
    let [
        assists,
        blocks,
        catches,
        goals,
        interceptions,
        passes,
        points,
        saves,
        steals,
        shots_taken,
    ] = state.counts.map(i32::from);
    Stats {
        possession_time: state.possession_time,
        points,
        saves,
        goals,
        stuns: state.stuns.into(),
        passes,
        catches,
        steals,
        blocks,
        interceptions,
        assists,
        shots_taken,
    }
}

fn pause(state: &PauseState) -> Pause {
    let team = |bits: u8| TeamId::from_code(bits & 3).unwrap_or(TeamId::None);
    let [paused_timer, unpaused_timer] = state.timers();
    Pause {
        paused_state: PausedState::from_code(state.state())
            .unwrap_or_else(|| PausedState::Other("unknown".into())),
        unpaused_team: team(state.flags() >> 4),
        paused_requested_team: team(state.flags() >> 2),
        unpaused_timer,
        paused_timer,
    }
}

fn last_score(score: &PackedScore, header: &Header) -> LastScore {
    let name = |index| {
        header
            .player(index)
            .map_or_else(|| INVALID.into(), HeaderPlayer::name)
    };
    LastScore {
        disc_speed: from_half(score.speed),
        team: TeamId::from_code(score.flags & 3).unwrap_or(TeamId::None),
        goal_type: GoalType::from_code(score.flags >> 3).unwrap_or(GoalType::Unknown),
        point_amount: if score.flags & 4 == 0 { 2 } else { 3 },
        distance_thrown: from_half(score.distance),
        person_scored: name(score.person),
        assist_scored: name(score.assist),
    }
}

fn holding_of_code(code: u8, header: &Header, layout: Layout) -> Option<Holding> {
    Some(match code {
        holding::NONE => Holding::None,
        holding::GEO => Holding::Geo,
        holding::DISC => Holding::Disc,
        // A number since package 1.3.4; before that, one of the header's players.
        index if layout.holding_is_index() => match header.player(index) {
            Some(player) => Holding::Number(player.userid),
            // Absent, as in combat.
            None if index == holding::NULL => return None,
            None => Holding::Number(0),
        },
        holding::NULL => return None,
        number => Holding::Number(number.into()),
    })
}

fn loadout_of_code(code: u8) -> Loadout {
    Loadout {
        weapon: Weapon::from_code(code & 3).unwrap_or(Weapon::Rocket),
        ordnance: Ordnance::from_code(code >> 2 & 3).unwrap_or(Ordnance::Stun),
        tac_mod: TacMod::from_code(code >> 4 & 3).unwrap_or(TacMod::Sensor),
        arm: Arm::from_code(code >> 6 & 1).unwrap_or(Arm::Left),
    }
}

/// Fills in a player.
fn fill_player(state: &PlayerState, header: &Header, layout: Layout, player: &mut Player) {
    fill_player_parts(state, header, layout, Parts::ALL, player);
}

/// Fills in the requested parts of a player.
#[inline(always)]
fn fill_player_parts(
    state: &PlayerState,
    header: &Header,
    layout: Layout,
    parts: Parts,
    player: &mut Player,
) {
    if parts.has(Parts::NAMES) {
        if let Some(known) = header.player(state.index) {
            set(&mut player.name, &known.name);
            player.number = known.number.into();
            player.level = known.level.into();
        } else {
            set(&mut player.name, INVALID.as_bytes());
            player.number = -1;
            player.level = -1;
        }
    }
    player.playerid = state.playerid.into();
    player.userid = state.userid;
    if parts.has(Parts::CONNECTION) {
        player.ping = state.ping.into();
        player.packetlossratio = state.loss;
    }
    let flag = |bit: u8| state.flags >> bit & 1 == 1;
    player.possession = flag(0);
    player.blocking = flag(1);
    player.stunned = flag(2);
    player.invulnerable = flag(3);
    player.is_emote_playing = flag(4);
    if parts.has(Parts::HOLDING) {
        let [left, right] = state.holding;
        player.holding_left = holding_of_code(left, header, layout);
        player.holding_right = holding_of_code(right, header, layout);
    }
    if parts.has(Parts::VELOCITY) {
        player.velocity = state.velocity;
    }
    if parts.has_rotations() {
        let [head, body, lhand, rhand] = &state.poses;
        let all = [head, body, lhand, rhand];
        let [at_head, at_body, at_lhand, at_rhand] = unpack4(all.map(|moving| moving.rotation));
        player.head = posed(head, at_head);
        player.body = posed(body, at_body);
        player.lhand = posed(lhand, at_lhand);
        player.rhand = posed(rhand, at_rhand);
    } else if parts.has_poses() {
        let poses = [
            &mut player.head,
            &mut player.body,
            &mut player.lhand,
            &mut player.rhand,
        ];
        for (at, (pose, moving)) in poses.into_iter().zip(&state.poses).enumerate() {
            if parts.has(Parts::position(at)) {
                pose.position = moving.position;
            }
        }
    }
    if parts.has(Parts::STATS) {
        player.stats = state.stats.as_ref().map(stats);
    }
    if parts.has(Parts::LOADOUT) {
        player.loadout = layout.loadout().then(|| loadout_of_code(state.loadout));
    }
}

/// Fills in the values that the header gives for all frames.
fn fill_header(session: &mut Session, header: &Header) {
    session.sessionid = header.session_id();
    session.sessionip = header.session_ip();
    session.client_name = CompactString::from_utf8_lossy(&header.client_name);
    session.match_type = header.match_type().into();
    session.map_name = header.map_name();
    session.private_match = header.private_match();
    session.total_round_count = header.total_round_count.into();
    session.blue_round_score = (header.round_scores & 15).into();
    session.orange_round_score = (header.round_scores >> 4).into();
}

impl ReaderState {
    /// Fills the requested values into a frame. `fresh` says that the frame may hold values of another
    /// file.
    pub fn fill(
        &self,
        header: &Header,
        layout: Layout,
        fresh: bool,
        parts: Parts,
        frame: &mut Frame,
    ) {
        if fresh {
            *frame = Frame::default();
            fill_header(&mut frame.session, header);
        }
        frame.time = Time(self.time);
        let session = &mut frame.session;
        if parts.has(Parts::SESSION) {
            self.fill_session(header, fresh, session);
        }
        if parts.has(Parts::GAME) {
            self.fill_game(layout, session);
        }
        if parts.has(Parts::THROW) {
            session.last_throw = self
                .throw
                .map(|halves| LastThrow::from_array(halves.map(from_half)));
        }
        if parts.has(Parts::DISC) {
            session.disc = self.disc.as_ref().map(|disc| Disc {
                pose: pose(&disc.moving),
                velocity: disc.velocity,
                bounce_count: 0,
            });
        }
        if parts.has(Parts::PAYLOAD) {
            session.payload = self.payload.map(|payload| Payload {
                contested: payload.contested != 0,
                payload_multiplier: 0.0,
                payload_checkpoint: payload.checkpoint.into(),
                payload_distance: from_half(payload.distance),
                payload_defenders: payload.defenders.into(),
                payload_speed: from_half(payload.speed),
            });
        }
        if parts.has(Parts::PLAYERS) {
            self.fill_teams(header, layout, parts, session);
        }
        match &self.bones.shown {
            // Bones of no player count as no bones, as in an .echoreplay.
            Some(bones) if !bones.is_empty() => {
                let shown = &mut frame.bones.get_or_insert_with(Bones::default).user_bones;
                shown.clone_from(bones);
            }
            _ => frame.bones = None,
        }
    }

    fn fill_game(&self, layout: Layout, session: &mut Session) {
        session.game_clock = self.clock;
        session.game_status = match GameStatus::from_code(self.status) {
            Some(status) => status,
            // Combat stores no status.
            None if layout.game == Game::Combat => GameStatus::Empty,
            None => GameStatus::Other("unknown".into()),
        };
        let [blue, orange] = self.points;
        session.blue_points = blue;
        session.orange_points = orange;
        let flags = self.pause.map_or(0, |pause| pause.flags());
        session.blue_team_restart_request = flags & 1 == 1;
        session.orange_team_restart_request = flags >> 1 & 1 == 1;
        session.pause = self.pause.as_ref().map(pause);
    }

    fn fill_session(&self, header: &Header, fresh: bool, session: &mut Session) {
        // The frame still holds the clock of the frame before.
        if fresh || session.game_clock.to_bits() != self.clock.to_bits() {
            session.game_clock_display = clock_display(self.clock);
        }
        let input = |bit: u8| f32::from(self.inputs >> bit & 1);
        session.inputs = Inputs {
            left_shoulder: input(0),
            right_shoulder: input(1),
            left_shoulder2: input(2),
            right_shoulder2: input(3),
        };
        session.last_score = self.score.as_ref().map(|score| last_score(score, header));
        session.player = self.vr.as_ref().map(pose);
        session.rules_changed_at = self.rules.as_ref().map(|(at, _)| *at);
        if let Some((_, by)) = &self.rules {
            set(session.rules_changed_by.get_or_insert_default(), by);
        } else {
            session.rules_changed_by = None;
        }
    }

    fn fill_teams(&self, header: &Header, layout: Layout, parts: Parts, session: &mut Session) {
        session.teams.resize_with(3, Team::default);
        let mut players = self.players.iter();
        let counts = self.team_players.iter().zip(&self.teams);
        for (at, (team, (&count, state))) in session.teams.iter_mut().zip(counts).enumerate() {
            team.possession = self.possession >> at & 1 == 1;
            team.stats = state.known().map(stats);
            team.players.resize_with(count.into(), Player::default);
            for (player, state) in team.players.iter_mut().zip(players.by_ref()) {
                if parts.is_all() {
                    fill_player(state, header, layout, player);
                } else {
                    fill_player_parts(state, header, layout, parts, player);
                }
            }
        }
    }
}

/// The flag bits and the code of a pause.
pub fn pause_bits(session: &Session) -> (u8, u8) {
    let mut flags = u8::from(session.blue_team_restart_request)
        | u8::from(session.orange_team_restart_request) << 1;
    let team = |team: &TeamId| team.code().unwrap_or(3);
    if let Some(pause) = &session.pause {
        flags |= team(&pause.paused_requested_team) << 2 | team(&pause.unpaused_team) << 4;
        // States without a code are stored as 5, unknown.
        (flags, pause.paused_state.code().unwrap_or(5))
    } else {
        (flags | 3 << 2 | 3 << 4, 0)
    }
}

/// Points as they are stored for this game.
pub fn points(session: &Session, layout: Layout) -> [u16; 2] {
    [session.blue_points, session.orange_points].map(|points| {
        if layout.half_points() {
            to_half_nearest(points)
        } else {
            // The cast clamps to 0 to 255.
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
    // Nobody, even if a player has this name.
    let index = |name: &str| match name {
        INVALID => 0,
        name => header.index_of_name(name),
    };
    Some(PackedScore {
        flags: score.team.code().unwrap_or(3)
            | u8::from(score.point_amount != 2) << 2
            | score.goal_type.code().unwrap_or(0) << 3,
        person: index(&score.person_scored),
        assist: index(&score.assist_scored),
        speed: to_half_nearest(score.disc_speed),
        distance: to_half_nearest(score.distance_thrown),
    })
}

pub fn payload(session: &Session) -> Option<PackedPayload> {
    let payload = session.payload.as_ref()?;
    Some(PackedPayload {
        contested: payload.contested.into(),
        checkpoint: payload.payload_checkpoint.clamp(0, 255) as u8,
        defenders: payload.payload_defenders.clamp(0, 255) as u8,
        distance: to_half_nearest(payload.payload_distance),
        speed: to_half_nearest(payload.payload_speed),
    })
}

/// The code of what a hand holds; that of `null` if it has no code.
pub fn holding_code(held: Option<&Holding>) -> u8 {
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

pub fn loadout_code(loadout: Option<&Loadout>) -> u8 {
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

/// The counts in the order of the format.
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
