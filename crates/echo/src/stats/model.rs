//! What the statistics of a match are: plain data.
//!
//! Times are milliseconds since the first frame, on a clock that never goes backwards; distances
//! are metres, speeds metres a second.

use compact_str::CompactString;
use serde::Serialize;

use super::json::{Counted, texts};
use crate::model::{Stats, TeamId};

/// What happened in a match, and what each player did.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MatchStats {
    /// Frames that the figures are of.
    pub frames: u64,
    /// From the first frame to the last, gaps included.
    pub duration_ms: u64,
    /// The same without gaps (see [`MAX_GAP_MS`](super::MAX_GAP_MS)).
    pub recorded_ms: u64,
    /// The median time between two frames; `None` below two frames.
    pub interval_ms: Option<u32>,
    /// Frames a second, as a mean over what was recorded.
    pub frames_per_second: Option<f64>,
    /// Sessions: more than one where the recording went on into another match.
    pub sessions: u64,
    /// The first session's id.
    pub session_id: CompactString,
    /// The first session's map.
    pub map: CompactString,
    /// The first session's type of match.
    pub match_type: CompactString,
    /// The first session is a private match.
    pub private: bool,
    /// Points of blue in the last frame.
    pub blue_points: f32,
    /// Points of orange in the last frame.
    pub orange_points: f32,
    /// Rounds blue has won by the last frame. A .butter knows those of the first frame only.
    pub blue_rounds: i32,
    /// Rounds orange has won by the last frame.
    pub orange_rounds: i32,
    /// What happened when.
    pub timeline: Timeline,
    /// Who had the disc while the match was being played.
    pub possession: Possession,
    /// The disc's way. Arena.
    pub disc: Option<DiscStats>,
    /// The payload's way. Combat.
    pub payload: Option<PayloadStats>,
    /// The players in the order in which they were first seen.
    pub players: Vec<PlayerStats>,
    /// Events and players that were left out because there are more of a kind than
    /// [`MAX_EVENTS`](super::MAX_EVENTS): no match has that many.
    pub left_out: u64,
}

/// What happened when.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Timeline {
    /// The score: in the first frame, and whenever it changed. Points of combat are not whole;
    /// of them every whole one is told.
    pub score: Vec<Score>,
    /// Goals. Arena.
    pub goals: Vec<Goal>,
    /// Rounds, in the order of time; those whose end was not recorded, too.
    pub rounds: Vec<Round>,
    /// Pauses, in the order of time; those whose end was not recorded, too.
    pub pauses: Vec<PauseSpan>,
    /// A team asks for a restart.
    pub restart_requests: Vec<RestartRequest>,
    /// The rules are changed. Private matches.
    pub rules_changes: Vec<RulesChange>,
    /// What the match was doing: in the first frame, and whenever it changed.
    pub status: Vec<StatusChange>,
    /// Players join, leave, and change teams. Those of the first frame are not listed.
    pub attendance: Vec<Attendance>,
}

/// The score from here on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Score {
    /// When.
    pub time_ms: u64,
    /// Seconds on the clock.
    pub clock: f32,
    /// Points of blue.
    pub blue: f32,
    /// Points of orange.
    pub orange: f32,
}

/// A goal: the points of a team rise.
///
/// Who made it and how is what the API's `last_score` says if that changes within a second before
/// or after, and names the same team (or a self goal, whose team is whichever the game likes).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Goal {
    /// When the points rose.
    pub time_ms: u64,
    /// In which frame, from 0.
    #[serde(rename = "step")]
    pub frame: u64,
    /// Seconds on the clock.
    pub clock: f32,
    /// Whose points rose.
    #[serde(serialize_with = "super::json::text")]
    pub team: TeamId,
    /// By how many.
    pub points: f32,
    /// How; `None` where `last_score` tells nothing of this goal, and so for the rest.
    pub goal_type: Option<CompactString>,
    /// Who threw.
    pub thrower: Option<CompactString>,
    /// Who assisted.
    pub assist: Option<CompactString>,
    /// Speed of the disc, m/s.
    pub disc_speed: Option<f32>,
    /// How far it was thrown, m.
    pub distance: Option<f32>,
}

/// A round: from the first frame in which it is on to the one in which it is over.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Round {
    /// When it began; the recording may have begun later.
    pub from_ms: u64,
    /// When it was over; `None` where the recording ends before.
    pub to_ms: Option<u64>,
    /// Points of blue at its end.
    pub blue: f32,
    /// Points of orange at its end.
    pub orange: f32,
}

/// A pause: from the request to the frame in which the match is unpaused.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PauseSpan {
    /// From when.
    pub from_ms: u64,
    /// Until when; `None` where the recording ends before.
    pub to_ms: Option<u64>,
    /// Who asked for it.
    #[serde(serialize_with = "super::json::text")]
    pub requested_by: TeamId,
    /// Who ended it.
    #[serde(serialize_with = "super::json::text")]
    pub ended_by: TeamId,
    /// Its last state: a request that came to nothing stays `paused_requested`.
    pub state: CompactString,
}

/// A team asks for a restart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RestartRequest {
    /// When.
    pub time_ms: u64,
    /// Who.
    #[serde(serialize_with = "super::json::text")]
    pub team: TeamId,
}

/// The rules are changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulesChange {
    /// When.
    pub time_ms: u64,
    /// By whom.
    pub by: CompactString,
}

/// The match does something else from here on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StatusChange {
    /// When.
    pub time_ms: u64,
    /// Seconds on the clock.
    pub clock: f32,
    /// As the API spells it.
    pub status: CompactString,
}

/// A player comes, goes or changes teams.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Attendance {
    /// When.
    pub time_ms: u64,
    /// Which of these.
    pub event: AttendanceEvent,
    /// The player's name.
    pub name: CompactString,
    /// The team: joined, left, or changed to.
    #[serde(serialize_with = "super::json::text")]
    pub team: TeamId,
    /// The player's account. Never serialized: user ids stay out of output.
    #[serde(skip)]
    pub userid: u64,
}

/// What a player did about being there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttendanceEvent {
    /// Came.
    Join,
    /// Went.
    Leave,
    /// Changed teams.
    Move,
}

/// Who had the disc, by the teams' `possession`, while the match was being played and not paused.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Possession {
    /// Time of play.
    pub playing_ms: u64,
    /// Blue alone.
    pub blue_ms: u64,
    /// Orange alone.
    pub orange_ms: u64,
    /// Neither, or both at once.
    pub none_ms: u64,
}

impl Possession {
    /// Shares of blue, orange and neither; they add up to 1. `None` without time of play.
    #[must_use]
    pub fn shares(&self) -> Option<[f64; 3]> {
        (self.playing_ms > 0).then(|| {
            [self.blue_ms, self.orange_ms, self.none_ms]
                .map(|part| part as f64 / self.playing_ms as f64)
        })
    }
}

/// The disc's way.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct DiscStats {
    /// m/s
    pub top_speed: f32,
    /// Metres; jumps left out (see [`MAX_DISC_SPEED`](super::MAX_DISC_SPEED)).
    pub distance: f64,
}

/// The payload's way.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct PayloadStats {
    /// Metres along its way in the last frame.
    pub distance: f32,
    /// The most it ever was.
    pub max_distance: f32,
    /// Checkpoints passed, the most it ever was.
    pub checkpoints: i32,
    /// m/s
    pub top_speed: f32,
    /// Time for which both teams stood at it.
    pub contested_ms: u64,
}

/// What a player did.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PlayerStats {
    /// The name that the game shows; several players may have the same one.
    pub name: CompactString,
    /// Account. Never serialized: user ids stay out of output.
    #[serde(skip)]
    pub userid: u64,
    /// The teams, in the order in which the player was in them.
    #[serde(serialize_with = "texts")]
    pub teams: Vec<TeamId>,
    /// Jersey, as last seen.
    pub number: i32,
    /// Level, as last seen.
    pub level: i32,
    /// Time in the match.
    pub present_ms: u64,
    /// How far the head moved, metres; jumps left out (see
    /// [`MAX_PLAYER_SPEED`](super::MAX_PLAYER_SPEED)).
    pub distance: f64,
    /// The highest speed, by the API's velocity; that of jumps left out.
    pub top_speed: f32,
    /// Distance by time in the match.
    pub average_speed: Option<f64>,
    /// Time with the player's `possession`.
    pub possession_ms: u64,
    /// Time with the disc in a hand. Arena.
    pub disc_held_ms: u64,
    /// Times the player was stunned.
    pub stunned: u64,
    /// Time for which the player was stunned.
    pub stunned_ms: u64,
    /// Least, mean and most of the ping; `None` where no frame tells one.
    pub ping: Option<Ping>,
    /// Ratio of packets lost, 0 to 1: mean over the frames.
    pub packet_loss: Option<f64>,
    /// What the game counts, in the player's last frame, added up where it began anew: after a
    /// rejoin, a restart, or in another session.
    #[serde(serialize_with = "counted")]
    pub stats: Stats,
}

fn counted<S: serde::Serializer>(stats: &Stats, serializer: S) -> Result<S::Ok, S::Error> {
    Counted(stats).serialize(serializer)
}

/// Pings of a player, in milliseconds, over all frames.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Ping {
    /// Least.
    pub min: i32,
    /// The sum by the number of frames, not rounded.
    pub mean: f64,
    /// Most.
    pub max: i32,
    /// Standard deviation.
    pub deviation: f64,
}
