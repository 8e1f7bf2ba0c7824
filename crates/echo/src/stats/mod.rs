//! Statistics of a match: its timeline, and what each player did.
//!
//! Frames are pushed in order; memory grows with players and events, not with frames. The content of a
//! frame (who has the disc, who is stunned, whether the match is being played) counts as valid until the
//! next frame. If that comes after more than [`MAX_GAP_MS`] or lies in the past, the time between counts as
//! not recorded.
//!
//! ```
//! use gametape_echo::{Frame, Team, Time, stats::StatsBuilder};
//! let mut frame = Frame::default();
//! frame.session.teams = vec![Team::default(); 3];
//! let mut stats = StatsBuilder::default();
//! for ms in [0, 33, 67, 100] {
//!     frame.time = Time(ms);
//!     stats.push(&frame);
//! }
//! let stats = stats.finish();
//! assert_eq!((stats.frames, stats.duration_ms, stats.interval_ms), (4, 100, Some(33)));
//! ```

mod model;
mod roster;
mod timeline;

pub use model::{
    DiscStats, Goal, Join, JoinEvent, MatchStats, PauseSpan, PayloadStats, Ping, PlayerStats,
    Possession, RestartRequest, Round, RulesChange, Score, StatusChange, Timeline,
};

use compact_str::CompactString;

use crate::course::Course;
use crate::model::{Frame, Game, Session, Vec3};
use roster::Roster;
use timeline::{GoalFinder, Tracker};

/// A longer time than this between two frames counts as not recorded: 5 s.
pub const MAX_GAP_MS: u32 = 5_000;

/// A head that moves further than a metre between two frames, and faster than this, in m/s, has jumped
/// (into the tube, to the spawn), which is no distance travelled. Boosts and launches stay well below.
pub const MAX_PLAYER_SPEED: f32 = 50.0;

/// The same for the disc, which returns to the middle after a goal.
pub const MAX_DISC_SPEED: f32 = 150.0;

/// The number of events of a kind, and of players, that are kept; more are counted.
pub const MAX_EVENTS: usize = 10_000;

/// The position of a frame among the others.
#[derive(Clone, Copy, Debug)]
struct FrameStep {
    /// The ordinal of the frame, from 0.
    pub frame: u64,
    /// Time since the first frame.
    pub now_ms: u64,
    /// Time since the frame before, if that was recorded without a gap.
    pub passed_ms: Option<u32>,
    /// The session differs from that of the frame before, or this is the first frame.
    pub new_session: bool,
}

/// Keeps an event, or counts it if there are too many.
fn keep<T>(list: &mut Vec<T>, event: T, left_out: &mut u64) {
    if list.len() < MAX_EVENTS {
        list.push(event);
    } else {
        *left_out += 1;
    }
}

/// A path from position to position.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    last: Option<Vec3>,
    metres: f64,
}

impl Track {
    /// Adds a position, `passed_ms` after the one before; `None` if that time is unknown. Jumps are left
    /// out: moves of more than a metre that are faster than `max_speed`.
    fn push(&mut self, position: &Vec3, passed_ms: Option<u32>, max_speed: f32) {
        if let (Some(last), Some(ms)) = (&self.last, passed_ms) {
            let moved = distance(last, position);
            if moved <= f64::from(max_speed) * f64::from(ms) / 1000.0 || moved <= 1.0 {
                self.metres += moved;
            }
        }
        self.last = Some(*position);
    }

    /// Interrupts the path: the next position is no continuation.
    const fn lose(&mut self) {
        self.last = None;
    }

    /// The total length in metres.
    const fn distance(&self) -> f64 {
        self.metres
    }
}

fn distance(a: &Vec3, b: &Vec3) -> f64 {
    let squares: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
        .sum();
    squares.sqrt()
}

/// The higher speed. NaN and speeds above `limit` are ignored.
fn faster(speed: f32, velocity: &Vec3, limit: f32) -> f32 {
    let squares: f32 = velocity.iter().map(|part| part * part).sum();
    let found = squares.sqrt();
    if found > speed && found <= limit {
        found
    } else {
        speed
    }
}

/// Computes [`MatchStats`] frame by frame.
#[derive(Clone, Debug, Default)]
pub struct StatsBuilder {
    stats: MatchStats,
    /// The number of intervals of each length, 0 to [`MAX_GAP_MS`].
    intervals: Vec<u32>,
    before: Option<StatsBefore>,
    course: Course,
    tracker: Tracker,
    goals: GoalFinder,
    roster: Roster,
    disc: Track,
}

/// Values of the frame before.
#[derive(Clone, Debug)]
struct StatsBefore {
    session_id: CompactString,
    /// While the match is being played, the team that has the disc.
    playing: Option<Owner>,
    contested: bool,
}

/// The owner of the disc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Blue,
    Orange,
    None,
}

impl StatsBuilder {
    /// Creates statistics of no frames.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next frame.
    pub fn push(&mut self, frame: &Frame) {
        let session = &frame.session;
        let step = self.step(frame);
        if step.frame == 0 {
            self.stats.session_id.clone_from(&session.sessionid);
            self.stats.map = session.map_name.as_str().into();
            self.stats.match_type.clone_from(&session.match_type);
            self.stats.private = session.private_match;
        }
        self.stats.sessions += u64::from(step.new_session);
        self.stats.blue_points = session.blue_points;
        self.stats.orange_points = session.orange_points;
        self.stats.blue_rounds = session.blue_round_score;
        self.stats.orange_rounds = session.orange_round_score;

        self.share(step.passed_ms);
        self.disc(session, step);
        self.payload(session, step.passed_ms);
        let out = &mut self.stats;
        self.tracker
            .push(session, step, &mut out.timeline, &mut out.left_out);
        self.goals
            .push(session, step, &mut out.timeline.goals, &mut out.left_out);
        self.roster
            .push(session, step, &mut out.timeline.joins, &mut out.left_out);
        self.remember(frame, step);
    }

    /// The statistics so far, without figures that need all frames.
    #[cfg(feature = "tape")]
    pub(crate) const fn so_far(&self) -> &MatchStats {
        &self.stats
    }

    /// Whether the last goal may still be described.
    #[cfg(feature = "tape")]
    pub(crate) fn is_goal_open(&self) -> bool {
        self.goals
            .is_open(self.stats.duration_ms, &self.stats.timeline.goals)
    }

    /// Returns the statistics of all frames.
    #[must_use]
    pub fn finish(mut self) -> MatchStats {
        self.tracker
            .finish(&mut self.stats.timeline, &mut self.stats.left_out);
        self.stats.interval_ms = median(&self.intervals);
        let intervals: u64 = self.intervals.iter().map(|&count| u64::from(count)).sum();
        self.stats.frames_per_s = (self.stats.recorded_ms > 0)
            .then(|| intervals as f64 * 1000.0 / self.stats.recorded_ms as f64);
        if let Some(disc) = &mut self.stats.disc {
            disc.distance = self.disc.distance();
        }
        self.stats.players = self.roster.finish();
        self.stats
    }

    fn step(&mut self, frame: &Frame) -> FrameStep {
        let number = self.stats.frames;
        self.stats.frames += 1;
        let passed = self.course.frame(frame);
        let Some(before) = &self.before else {
            return FrameStep {
                frame: number,
                now_ms: 0,
                passed_ms: None,
                new_session: true,
            };
        };
        // Time that runs backwards stands still here.
        self.stats.duration_ms = self.course.duration_ms();
        let passed_ms = passed
            .ms
            .and_then(|ms| u32::try_from(ms).ok())
            .filter(|&ms| ms <= MAX_GAP_MS);
        if let Some(ms) = passed_ms {
            self.stats.recorded_ms = self.stats.recorded_ms.saturating_add(ms.into());
            if self.intervals.is_empty() {
                self.intervals = vec![0; MAX_GAP_MS as usize + 1];
            }
            if let Some(count) = self.intervals.get_mut(ms as usize) {
                *count = count.saturating_add(1);
            }
        }
        FrameStep {
            frame: number,
            now_ms: self.stats.duration_ms,
            passed_ms,
            new_session: before.session_id != frame.session.sessionid,
        }
    }

    /// Adds the time since the frame before to the owner of the disc.
    fn share(&mut self, passed_ms: Option<u32>) {
        let (Some(ms), Some(owner)) = (passed_ms, self.before.as_ref().and_then(|b| b.playing))
        else {
            return;
        };
        let share = &mut self.stats.possession;
        share.playing_ms += u64::from(ms);
        *match owner {
            Owner::Blue => &mut share.blue_ms,
            Owner::Orange => &mut share.orange_ms,
            Owner::None => &mut share.none_ms,
        } += u64::from(ms);
    }

    fn disc(&mut self, session: &Session, step: FrameStep) {
        let Some(disc) = &session.disc else {
            self.disc.lose();
            return;
        };
        let passed = step.passed_ms.filter(|_| !step.new_session);
        self.disc.push(&disc.pose.position, passed, MAX_DISC_SPEED);
        let stats = self.stats.disc.get_or_insert_default();
        stats.top_speed = faster(stats.top_speed, &disc.velocity, MAX_DISC_SPEED);
    }

    fn payload(&mut self, session: &Session, passed_ms: Option<u32>) {
        let contested = self.before.as_ref().is_some_and(|before| before.contested);
        if contested {
            let stats = self.stats.payload.get_or_insert_default();
            stats.contested_ms += u64::from(passed_ms.unwrap_or(0));
        }
        if let Some(payload) = &session.payload
            && session.map_name.game() == Game::Combat
        {
            let stats = self.stats.payload.get_or_insert_default();
            stats.distance = payload.payload_distance;
            stats.max_distance = stats.max_distance.max(payload.payload_distance);
            stats.checkpoints = stats.checkpoints.max(payload.payload_checkpoint);
            stats.top_speed = stats.top_speed.max(payload.payload_speed);
        }
    }

    fn remember(&mut self, frame: &Frame, step: FrameStep) {
        let session = &frame.session;
        let playing = session.is_played().then(|| {
            let has = |team: usize| session.teams.get(team).is_some_and(|team| team.possession);
            match (has(0), has(1)) {
                (true, false) => Owner::Blue,
                (false, true) => Owner::Orange,
                _ => Owner::None,
            }
        });
        let contested = session
            .payload
            .is_some_and(|payload| payload.contested && session.map_name.game() == Game::Combat);
        match &mut self.before {
            Some(before) => {
                before.playing = playing;
                before.contested = contested;
                if step.new_session {
                    before.session_id.clone_from(&session.sessionid);
                }
            }
            None => {
                self.before = Some(StatsBefore {
                    session_id: session.sessionid.clone(),
                    playing,
                    contested,
                });
            }
        }
    }
}

/// The (lower) median of values, given the number of values of each size.
fn median(counts: &[u32]) -> Option<u32> {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mut left = total.checked_sub(1)? / 2;
    for (value, &count) in counts.iter().enumerate() {
        if left < u64::from(count) {
            return Some(value as u32);
        }
        left -= u64::from(count);
    }
    None
}
