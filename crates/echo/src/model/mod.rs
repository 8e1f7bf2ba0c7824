//! The session model: the response to one request to the game's API.
//!
//! Units are those of the API: metres, metres a second, seconds, and degrees where a name ends in `_deg`.
//! Members have the API's names.

mod spelling;
mod text;
mod time;
mod unknown;

use compact_str::CompactString;

use crate::members::{self, last_throw_members, stats_members};

pub(crate) use spelling::{SpelledTime, read as read_time};
pub use text::{
    Arm, Game, GameStatus, GoalType, Holding, Map, Ordnance, PausedState, TacMod, TeamId, Weapon,
};
pub use time::{ParseTimeError, Time};
pub(crate) use unknown::UnknownMembers;
pub use unknown::{Missing, Object, Unknown, UnknownMember};

/// Three coordinates.
pub type Vec3 = [f32; 3];

/// The number of a player's bones.
pub const BONES: usize = 23;

/// One frame of a recording: the session in the API's response, and its time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frame {
    /// When it was recorded.
    pub time: Time,
    /// The response of `/session`.
    pub session: Session,
    /// The response of `/player_bones`, if it was recorded and has bones.
    pub bones: Option<Bones>,
}

impl Frame {
    /// The members that this model does not know: of the session, and of the bones.
    pub(crate) fn unknown(&self) -> [&[Unknown]; 2] {
        let of_bones = self.bones.as_ref().map_or(&[][..], |bones| &bones.unknown);
        [&self.session.unknown, of_bones]
    }
}

/// The response of `/session`.
// As many as the API has.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Session {
    /// The match id: 32 hexadecimal digits in groups of 8-4-4-4-12.
    pub sessionid: CompactString,
    /// The address of the game server.
    pub sessionip: CompactString,
    /// The name of the player on whose machine the API runs.
    pub client_name: CompactString,
    /// `Echo_Arena`, `Echo_Arena_Private`, `Echo_Combat`, …
    pub match_type: CompactString,
    /// The map.
    pub map_name: Map,
    /// Whether the match is private; its players may change the rules.
    pub private_match: bool,
    /// Whether the match is part of a tournament. A .butter does not store it.
    pub tournament_match: bool,
    /// The phase of the match.
    pub game_status: GameStatus,
    /// Seconds on the clock.
    pub game_clock: f32,
    /// The clock as the game shows it, `mm:ss.cc`.
    pub game_clock_display: CompactString,
    /// The points of the blue team; in combat not whole.
    pub blue_points: f32,
    /// The points of the orange team; in combat not whole.
    pub orange_points: f32,
    /// The number of rounds that the blue team won.
    pub blue_round_score: i32,
    /// The number of rounds that the orange team won.
    pub orange_round_score: i32,
    /// The number of rounds of the match.
    pub total_round_count: i32,
    /// Team and player (by their indices) that possess the disc; `[-1, -1]` for none.
    pub possession: Option<[i32; 2]>,
    /// The inputs of the player on whose machine the API runs; 0 to 1.
    pub inputs: Inputs,
    /// Whether blue requests a restart.
    pub blue_team_restart_request: bool,
    /// Whether orange requests a restart.
    pub orange_team_restart_request: bool,
    /// Pauses.
    pub pause: Option<Pause>,
    /// The last goal. Arena.
    pub last_score: Option<LastScore>,
    /// The last throw of the disc, as the game analyses it, if it does.
    pub last_throw: Option<LastThrow>,
    /// The pose of the player's playspace.
    pub player: Option<VrPlayer>,
    /// The disc. Arena.
    pub disc: Option<Disc>,
    /// The payload. Combat.
    pub payload: Option<Payload>,
    /// The player who last changed the rules. Private matches.
    pub rules_changed_by: Option<CompactString>,
    /// When the rules were changed, in the game's own count.
    pub rules_changed_at: Option<i64>,
    /// Blue, orange, spectators.
    pub teams: Vec<Team>,
    /// 0 means success.
    pub err_code: Option<i32>,
    /// The API's description of an error.
    pub err_description: Option<CompactString>,
    /// Members that this model does not know, kept as they are spelled.
    pub unknown: Vec<Unknown>,
    /// Members that the answer lacks.
    pub missing: Missing,
}

/// Triggers and grips of the client; 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Inputs {
    /// `left_shoulder_pressed`
    pub left_shoulder: f32,
    /// `right_shoulder_pressed`
    pub right_shoulder: f32,
    /// `left_shoulder_pressed2`
    pub left_shoulder2: f32,
    /// `right_shoulder_pressed2`
    pub right_shoulder2: f32,
}

/// The state of pauses.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pause {
    /// Whether the match is paused.
    pub paused_state: PausedState,
    /// The team that ended the pause.
    pub unpaused_team: TeamId,
    /// The team that requested it.
    pub paused_requested_team: TeamId,
    /// Seconds until play continues.
    pub unpaused_timer: f32,
    /// Seconds of the pause.
    pub paused_timer: f32,
}

/// The last goal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LastScore {
    /// Speed of the disc, m/s.
    pub disc_speed: f32,
    /// The team that scored.
    pub team: TeamId,
    /// The kind of goal.
    pub goal_type: GoalType,
    /// 2 or 3.
    pub point_amount: i32,
    /// Metres.
    pub distance_thrown: f32,
    /// The name of the scorer; `[INVALID]` for none.
    pub person_scored: CompactString,
    /// The name of the assisting player; `[INVALID]` for none.
    pub assist_scored: CompactString,
}

/// The last throw, as the game analyses it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LastThrow {
    /// m/s
    pub arm_speed: f32,
    /// m/s
    pub total_speed: f32,
    /// Degrees.
    pub off_axis_spin_deg: f32,
    /// m/s lost.
    pub wrist_throw_penalty: f32,
    /// Turns a second.
    pub rot_per_sec: f32,
    /// m/s
    pub pot_speed_from_rot: f32,
    /// m/s
    pub speed_from_arm: f32,
    /// m/s
    pub speed_from_movement: f32,
    /// m/s
    pub speed_from_wrist: f32,
    /// Degrees.
    pub wrist_align_to_throw_deg: f32,
    /// Degrees.
    pub throw_align_to_movement_deg: f32,
    /// m/s lost.
    pub off_axis_penalty: f32,
    /// m/s lost.
    pub throw_move_penalty: f32,
}

macro_rules! array {
    ($(
        $name:literal: number ($member:ident) in $unit:literal,
        $doc:literal $(, $attr:ident $value:tt)*;
    )*) => {
        /// The names of the members of [`LastThrow`], in the order of [`LastThrow::to_array`].
        pub const THROW_MEMBERS: [&str; 13] = [$($name),*];

        impl LastThrow {
            /// Returns the members in the order of .butter.
            #[must_use]
            pub const fn to_array(self) -> [f32; 13] {
                [$(self.$member),*]
            }

            /// Creates a throw from its members in the order of .butter.
            #[must_use]
            pub const fn from_array([$($member),*]: [f32; 13]) -> Self {
                Self { $($member),* }
            }
        }
    };
}

last_throw_members! { array }

/// A position, and an orientation as three unit vectors.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pose {
    /// Metres. The member is `position` for heads, bodies and the disc, `pos` for hands, and `vr_position`.
    /// .butter's reference writes both `pos` and `position` for players, one of them `null`.
    pub position: Vec3,
    /// The direction it faces.
    pub forward: Vec3,
    /// To its left. A .butter stores the other two and computes this one.
    pub left: Vec3,
    /// Upwards.
    pub up: Vec3,
}

/// The member `player`: the playspace of the client, a pose.
pub type VrPlayer = Pose;

/// The disc of an arena.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Disc {
    /// Its position and orientation.
    pub pose: Pose,
    /// m/s
    pub velocity: Vec3,
    /// Bounces since it was thrown.
    pub bounce_count: i32,
}

/// The payload of combat.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Payload {
    /// Whether both teams stand at it.
    pub contested: bool,
    /// Speed for the number of attackers at it.
    pub payload_multiplier: f32,
    /// Checkpoints passed.
    pub payload_checkpoint: i32,
    /// Metres along its way.
    pub payload_distance: f32,
    /// Defenders at it.
    pub payload_defenders: i32,
    /// m/s
    pub payload_speed: f32,
}

/// A team or the spectators.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Team {
    /// `team`: its name.
    pub name: CompactString,
    /// Whether it possesses the disc.
    pub possession: bool,
    /// The sums over its players; spectators have none.
    pub stats: Option<Stats>,
    /// Its players in the order of the API; empty if it names none.
    pub players: Vec<Player>,
}

/// The counts of a player or a team.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Seconds.
    pub possession_time: f32,
    /// Points scored; in the arena a goal gives 2 or 3.
    pub points: i32,
    /// Shots at the own goal that were stopped.
    pub saves: i32,
    /// Goals scored, whatever the points.
    pub goals: i32,
    /// Opponents stunned.
    pub stuns: i32,
    /// Passes.
    pub passes: i32,
    /// Passes caught.
    pub catches: i32,
    /// Discs taken from an opponent.
    pub steals: i32,
    /// Punches blocked.
    pub blocks: i32,
    /// Passes of the opponents caught.
    pub interceptions: i32,
    /// Goals of others that they helped to score.
    pub assists: i32,
    /// Shots at the goal.
    pub shots_taken: i32,
}

/// A player of a team, or a spectator.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Player {
    /// The name shown in the game. Two players may share one; `userid` distinguishes them.
    pub name: CompactString,
    /// The number within the match.
    pub playerid: i32,
    /// The user id.
    pub userid: u64,
    /// The jersey number; 0 for a few frames after joining.
    pub number: i32,
    /// The level; 0 for a few frames after joining.
    pub level: i32,
    /// Milliseconds.
    pub ping: i32,
    /// 0 to 1.
    pub packetlossratio: f32,
    /// Whether the player possesses the disc.
    pub possession: bool,
    /// Whether the player blocks.
    pub blocking: bool,
    /// Whether the player is stunned. [`Stats::stuns`] counts the opponents that the player stunned.
    pub stunned: bool,
    /// Whether the player can't be stunned.
    pub invulnerable: bool,
    /// Whether the player shows an emote.
    pub is_emote_playing: bool,
    /// The content of the left hand. Arena.
    pub holding_left: Option<Holding>,
    /// The content of the right hand. Arena.
    pub holding_right: Option<Holding>,
    /// m/s
    pub velocity: Vec3,
    /// The pose of the head.
    pub head: Pose,
    /// The pose of the body.
    pub body: Pose,
    /// The left hand.
    pub lhand: Pose,
    /// The right hand.
    pub rhand: Pose,
    /// The player's stats; spectators may have none.
    pub stats: Option<Stats>,
    /// The player's equipment. Combat.
    pub loadout: Option<Loadout>,
    /// Members that the answer lacks.
    pub missing: Missing,
}

impl Player {
    /// The pose of the head; `None` if the answer lacks it.
    pub(crate) const fn known_head(&self) -> Option<&Pose> {
        const BIT: u64 = members::bit(members::PLAYER, "head");
        if self.missing.has(BIT) {
            None
        } else {
            Some(&self.head)
        }
    }

    /// The ping in milliseconds; `None` if the answer lacks it, as those until 2020 do.
    #[must_use]
    pub const fn ping(&self) -> Option<i32> {
        const BIT: u64 = members::bit(members::PLAYER, "ping");
        if self.missing.has(BIT) {
            None
        } else {
            Some(self.ping)
        }
    }
}

/// A player's equipment in combat: `Weapon`, `Ordnance`, `TacMod`, `Arm`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loadout {
    /// The weapon: one of the four of combat, or another text.
    pub weapon: Weapon,
    /// The ordnance: one of the four of combat, or another text.
    pub ordnance: Ordnance,
    /// The tac-mod: one of the four of combat, or another text.
    pub tac_mod: TacMod,
    /// The arm with the tac-mod.
    pub arm: Arm,
}

/// The response of `/player_bones`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bones {
    /// One entry per player, in the order of the teams.
    pub user_bones: Vec<PlayerBones>,
    /// Members that this model does not know, kept as they are spelled.
    pub unknown: Vec<Unknown>,
}

/// The skeleton of a player, relative to the player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayerBones {
    /// `bone_t`: metres.
    pub positions: [Vec3; BONES],
    /// `bone_o`: quaternions x, y, z, w.
    pub rotations: [[f32; 4]; BONES],
}

impl Default for PlayerBones {
    fn default() -> Self {
        Self {
            positions: [[0.0; 3]; BONES],
            rotations: [[0.0, 0.0, 0.0, 1.0]; BONES],
        }
    }
}

impl Session {
    /// The game's clock in seconds; `None` if the answer lacks it, as some of combat do.
    #[must_use]
    pub const fn clock(&self) -> Option<f32> {
        const BIT: u64 = members::bit(members::SESSION, "game_clock");
        if self.missing.has(BIT) {
            None
        } else {
            Some(self.game_clock)
        }
    }

    /// Returns all players with the index of their team, blue first.
    pub fn players(&self) -> impl Iterator<Item = (usize, &Player)> {
        self.teams
            .iter()
            .enumerate()
            .flat_map(|(team, t)| t.players.iter().map(move |player| (team, player)))
    }

    /// Whether the match is being played: the disc is in play, and nobody has paused.
    pub(crate) fn is_played(&self) -> bool {
        let in_play = matches!(
            self.game_status,
            GameStatus::Playing | GameStatus::SuddenDeath
        );
        let stands = |pause: &Pause| match &pause.paused_state {
            PausedState::Unpaused | PausedState::None | PausedState::PausedRequested => false,
            PausedState::Paused | PausedState::Unpausing | PausedState::Pausing => true,
            // A .butter has no code for a request, which stops nothing.
            PausedState::Other(text) => text != "unknown",
        };
        in_play && !self.pause.as_ref().is_some_and(stands)
    }

    /// Returns the player with this user id, in any team.
    #[must_use]
    pub fn player_by_userid(&self, userid: u64) -> Option<&Player> {
        self.players()
            .map(|(_, player)| player)
            .find(|player| player.userid == userid)
    }
}

/// Whether a name is one: the API calls nobody `[INVALID]`.
pub(crate) fn is_somebody(name: &str) -> bool {
    !matches!(name, "" | "[INVALID]")
}

/// Formats the clock as the game shows it: minutes, seconds, hundredths, truncated.
#[must_use]
pub fn clock_display(seconds: f32) -> CompactString {
    let hundredths = (f64::from(seconds.max(0.0)) * 100.0) as u64;
    compact_str::format_compact!(
        "{:02}:{:02}.{:02}",
        hundredths / 6000,
        hundredths / 100 % 60,
        hundredths % 100
    )
}

macro_rules! counts {
    (
        "possession_time": number $time:tt in $seconds:literal,
        $of_time:literal $(, $a:ident $v:tt)*;
        $($name:literal: whole ($count:ident), $doc:literal $(, $attr:ident $value:tt)*;)*
    ) => {
        /// The names of the counts in the API, in the order of [`counts()`].
        pub(crate) const COUNT_NAMES: [&str; COUNTS] = [$($name),*];

        /// The number of counts.
        pub(crate) const COUNTS: usize = [$($name),*].len();

        /// Returns all numbers except the time of possession.
        pub(crate) const fn counts(stats: &Stats) -> [i32; COUNTS] {
            [$(stats.$count),*]
        }

        /// The inverse of [`counts()`].
        pub(crate) const fn from_counts(possession_time: f32, counts: [i32; COUNTS]) -> Stats {
            let [$($count),*] = counts;
            Stats { possession_time, $($count),* }
        }
    };
}

stats_members! { counts }
