//! The statistics of a match as plain data, and their spelling in JSON.
//!
//! Times are milliseconds since the first frame, on a clock that never goes backwards; distances are
//! metres, speeds metres a second.

use std::fmt::Display;

use compact_str::CompactString;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::model::{COUNT_NAMES, Stats, TeamId, counts};

/// The statistics of a match and its players.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MatchStats {
    /// The number of frames.
    pub frames: u64,
    /// The time from the first frame to the last, including gaps.
    pub duration_ms: u64,
    /// The same without gaps (see [`MAX_GAP_MS`](super::MAX_GAP_MS)).
    pub recorded_ms: u64,
    /// The median time between two frames; `None` for fewer than two frames.
    pub interval_ms: Option<u32>,
    /// The mean number of frames a second, over the recorded time.
    pub frames_per_s: Option<f64>,
    /// The number of sessions. It is more than one if the recording continued into another match.
    pub sessions: u64,
    /// The first session's id.
    pub session_id: CompactString,
    /// The first session's map.
    pub map: CompactString,
    /// The first session's type of match.
    pub match_type: CompactString,
    /// Whether the first session is a private match.
    pub private: bool,
    /// Points of blue in the last frame.
    pub blue_points: f32,
    /// Points of orange in the last frame.
    pub orange_points: f32,
    /// Rounds that blue has won by the last frame. A .butter stores those of the first frame only.
    pub blue_rounds: i32,
    /// Rounds that orange has won by the last frame.
    pub orange_rounds: i32,
    /// The events of the match.
    pub timeline: Timeline,
    /// Possession of the disc while the match was being played.
    pub possession: Possession,
    /// The movement of the disc. Arena.
    pub disc: Option<DiscStats>,
    /// The movement of the payload. Combat.
    pub payload: Option<PayloadStats>,
    /// The players, in the order in which they were first seen.
    pub players: Vec<PlayerStats>,
    /// The number of events and players that were left out because there are more than
    /// [`MAX_EVENTS`](super::MAX_EVENTS) of a kind: no match has that many.
    pub left_out: u64,
}

/// The events of a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Timeline {
    /// The score in the first frame, and each change of it. In combat, points are not whole numbers; each
    /// change of the whole part is listed.
    pub score: Vec<Score>,
    /// Goals. Arena.
    pub goals: Vec<Goal>,
    /// Rounds, ordered by time, including those whose end was not recorded.
    pub rounds: Vec<Round>,
    /// Pauses, ordered by time, including those whose end was not recorded.
    pub pauses: Vec<PauseSpan>,
    /// Requests for a restart by a team.
    pub restart_requests: Vec<RestartRequest>,
    /// Changes of the rules. Private matches.
    pub rules_changes: Vec<RulesChange>,
    /// The status in the first frame, and each change of it.
    pub status: Vec<StatusChange>,
    /// Players who join, leave or change teams. Those of the first frame are not listed.
    pub joins: Vec<Join>,
}

/// The score from this time on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Score {
    /// The time of the change.
    pub time_ms: u64,
    /// Seconds on the clock.
    pub clock: Option<f32>,
    /// Points of blue.
    pub blue: f32,
    /// Points of orange.
    pub orange: f32,
}

/// A goal: the points of a team rise.
///
/// The scorer and other details come from the API's `last_score`, if it changes within a second before or
/// after and names the same team (or a self goal, for which the game may name either team).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Goal {
    /// When the points rose.
    pub time_ms: u64,
    /// The frame, from 0.
    #[serde(rename = "step")]
    pub frame: u64,
    /// Seconds on the clock.
    pub clock: Option<f32>,
    /// The team whose points rose.
    #[serde(serialize_with = "text")]
    pub team: TeamId,
    /// The number of points.
    pub points: f32,
    /// The goal type. It and the fields after it are `None` if `last_score` does not describe this goal.
    pub goal_type: Option<CompactString>,
    /// The player who threw.
    pub thrower: Option<CompactString>,
    /// The player who assisted.
    pub assist: Option<CompactString>,
    /// Speed of the disc, m/s.
    pub disc_speed: Option<f32>,
    /// The distance of the throw, m.
    pub distance: Option<f32>,
}

/// A round, from the first frame in which it is on to the first in which it is over.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Round {
    /// When it began, as far as recorded; it may have begun before the recording.
    pub from_ms: u64,
    /// When it was over; `None` if the recording ends before.
    pub to_ms: Option<u64>,
    /// The points of blue at its end.
    pub blue: f32,
    /// The points of orange at its end.
    pub orange: f32,
}

/// A pause, from the request to the frame in which the match continues.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PauseSpan {
    /// When it began.
    pub from_ms: u64,
    /// When it ended; `None` if the recording ends before.
    pub to_ms: Option<u64>,
    /// The team that requested it.
    #[serde(serialize_with = "text")]
    pub requested_by: TeamId,
    /// The team that ended it.
    #[serde(serialize_with = "text")]
    pub ended_by: TeamId,
    /// Its last state. A request that was not granted stays `paused_requested`.
    pub state: CompactString,
}

/// A team's request for a restart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RestartRequest {
    /// The time of the request.
    pub time_ms: u64,
    /// The team.
    #[serde(serialize_with = "text")]
    pub team: TeamId,
}

/// A change of the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulesChange {
    /// The time of the change.
    pub time_ms: u64,
    /// The name of the player who changed them.
    pub by: CompactString,
}

/// A change of the match's status.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StatusChange {
    /// The time of the change.
    pub time_ms: u64,
    /// Seconds on the clock.
    pub clock: Option<f32>,
    /// The status, as the API spells it.
    pub status: CompactString,
}

/// A player joins, leaves or changes teams.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Join {
    /// The time of the change.
    pub time_ms: u64,
    /// The kind of change.
    pub event: JoinEvent,
    /// The index of the player in [`MatchStats::players`].
    #[serde(skip)]
    pub person: usize,
    /// The player's name.
    pub name: CompactString,
    /// The team joined, left, or changed to.
    #[serde(serialize_with = "text")]
    pub team: TeamId,
    /// The player's user id. Never serialized: user ids are kept out of output.
    #[serde(skip)]
    pub userid: u64,
}

/// The action of a player in a [`Join`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinEvent {
    /// Joined.
    Join,
    /// Left.
    Leave,
    /// Changed teams.
    Move,
}

/// Possession of the disc by the teams' `possession`, while the match was being played and not paused.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Possession {
    /// The time of play.
    pub playing_ms: u64,
    /// Time of blue alone.
    pub blue_ms: u64,
    /// Time of orange alone.
    pub orange_ms: u64,
    /// Time of neither, or of both at once.
    pub none_ms: u64,
}

impl Possession {
    /// The shares of blue, orange and neither, which add up to 1. `None` without time of play.
    #[must_use]
    pub fn shares(&self) -> Option<[f64; 3]> {
        (self.playing_ms > 0).then(|| {
            [self.blue_ms, self.orange_ms, self.none_ms]
                .map(|part| part as f64 / self.playing_ms as f64)
        })
    }
}

/// The movement of the disc.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct DiscStats {
    /// In m/s.
    pub top_speed: f32,
    /// In metres, without jumps (see [`MAX_DISC_SPEED`](super::MAX_DISC_SPEED)).
    pub distance: f64,
}

/// The movement of the payload.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct PayloadStats {
    /// Metres along its path in the last frame.
    pub distance: f32,
    /// The largest value of it.
    pub max_distance: f32,
    /// The largest number of checkpoints passed.
    pub checkpoints: i32,
    /// In m/s.
    pub top_speed: f32,
    /// The time during which both teams stood at it.
    pub contested_ms: u64,
}

/// The statistics of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PlayerStats {
    /// The name that the game shows, as last seen. Several players may have the same name.
    pub name: CompactString,
    /// The other names that the account had, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_names: Vec<CompactString>,
    /// The user id. Never serialized: user ids are kept out of output.
    #[serde(skip)]
    pub userid: u64,
    /// The teams, in the order in which the player joined them.
    #[serde(serialize_with = "texts")]
    pub teams: Vec<TeamId>,
    /// The team, as last seen.
    #[serde(skip)]
    pub team: TeamId,
    /// The jersey number, as last seen.
    pub number: i32,
    /// The level, as last seen.
    pub level: i32,
    /// The time in the match.
    pub present_ms: u64,
    /// When the player was seen to be gone; `None` if it is there at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The distance travelled by the head, in metres, without jumps (see
    /// [`MAX_PLAYER_SPEED`](super::MAX_PLAYER_SPEED)). Spectators travel none.
    pub distance: f64,
    /// The highest speed, by the API's velocity, without jumps; 0 for spectators.
    pub top_speed: f32,
    /// The distance divided by the time in blue or orange; `None` for spectators.
    pub mean_speed: Option<f64>,
    /// The time with the player's `possession`. It and the times after it count while the match is being
    /// played, as those of the teams do.
    pub possession_ms: u64,
    /// The time with the disc in a hand. Arena.
    pub disc_held_ms: u64,
    /// The number of times the player was stunned.
    pub stunned: u64,
    /// The time during which the player was stunned.
    pub stunned_ms: u64,
    /// The ping; `None` if no frame has one.
    pub ping: Option<Ping>,
    /// The ratio of lost packets, 0 to 1: the mean over the frames.
    pub packet_loss: Option<f64>,
    /// The game's counts in the player's last frame. Counts that started again are added up: after a
    /// rejoin, a restart, or in another session. Counts that return within
    /// [`MAX_GAP_MS`](super::MAX_GAP_MS) did not start again.
    #[serde(serialize_with = "counted")]
    pub stats: Stats,
}

/// The pings of a player over all frames, in milliseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Ping {
    /// The least ping.
    pub min: i32,
    /// The mean ping, not rounded.
    pub mean: f64,
    /// The largest ping.
    pub max: i32,
    /// The standard deviation.
    pub deviation: f64,
}

/// A value, as the API spells it.
fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Values, as the API spells them.
fn texts<S: Serializer, T: Display>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

/// [`Stats`] with the API's names.
fn counted<S: Serializer>(stats: &Stats, serializer: S) -> Result<S::Ok, S::Error> {
    let counts = counts(stats);
    let mut map = serializer.serialize_map(Some(1 + counts.len()))?;
    map.serialize_entry("possession_time", &stats.possession_time)?;
    for (name, count) in COUNT_NAMES.iter().zip(counts) {
        map.serialize_entry(name, &count)?;
    }
    map.end()
}
