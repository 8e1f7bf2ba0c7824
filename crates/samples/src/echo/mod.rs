//! Invented matches: for tests, demonstrations and benchmarks, where no real recording is at hand
//! or none may be shown.
//!
//! A match is made from a seed, one frame after another, in memory that does not grow. The same
//! seed and options give the same frames on every platform: the arithmetic is additions,
//! multiplications, divisions and square roots only. (Another version of this crate may give
//! others.)
//!
//! What it imitates: numbers rounded and noisy as the game prints them, a recorder whose interval
//! jitters, players who fly, grab, throw, catch, stun and stand still, the course of a match
//! through its statuses, goals with their points, statistics and last score, pauses, people who
//! join and leave. What it does not: tactics. Nobody in it exists.
//!
//! ```
//! use gametape_samples::echo::{Match, MatchOptions};
//!
//! let options = MatchOptions { seed: 7, frames: Some(300), ..MatchOptions::default() };
//! let frames: Vec<_> = Match::new(options).collect();
//! assert_eq!(frames.len(), 300);
//! assert_eq!(frames[0].session.teams[1].players.len(), 5);
//! ```

mod actor;
mod arena;
mod combat;
mod crowd;
mod math;
mod roster;
mod skeleton;

use std::time::Duration;

use compact_str::{CompactString, format_compact};
use fastrand::Rng;

use self::arena::Arena;
use self::combat::Combat;
use gametape_echo::{Bones, Frame, Game, Time};

/// What kind of match [`Match`] makes.
#[derive(Clone, PartialEq, Eq, Debug)]
// Each is a question of its own.
#[allow(clippy::struct_excessive_bools)]
pub struct MatchOptions {
    /// Decides everything that the other options leave open.
    pub seed: u64,
    /// Arena or combat; anything else is taken as arena.
    pub game: Game,
    /// Frames a second, 1 to 1000. Recorders use 10, 15, 30 or 60.
    pub rate_hz: u32,
    /// How many frames. Where a match is over before, another begins in the same session. `None`:
    /// one whole match, however long it takes (about a quarter of an hour; see also
    /// [`MatchOptions::lasting`]).
    pub frames: Option<u64>,
    /// Players in each team, 1 to 16.
    pub players_per_team: u8,
    /// Spectators, 0 to 16.
    pub spectators: u8,
    /// With the bones of every player.
    pub bones: bool,
    /// A private match: three rounds of five minutes instead of one of ten, and rules that
    /// somebody may change.
    pub private: bool,
    /// When the first frame is recorded.
    pub start: Time,
    /// Players leave, others join, a spectator looks in.
    pub joins: bool,
    /// Teams ask for pauses. Arena.
    pub pauses: bool,
}

impl Default for MatchOptions {
    /// A public arena match, 5 against 5, at 30 Hz, without bones, from start to end; people join
    /// and leave, nobody pauses.
    fn default() -> Self {
        Self {
            seed: 0,
            game: Game::Arena,
            rate_hz: 30,
            frames: None,
            players_per_team: 5,
            spectators: 0,
            bones: false,
            private: false,
            // 2022-01-02 03:00:00.
            start: Time(1_641_092_400_000),
            joins: true,
            pauses: false,
        }
    }
}

impl MatchOptions {
    /// The same with as many frames as are recorded within `duration`.
    ///
    /// ```
    /// use gametape_samples::echo::MatchOptions;
    /// use std::time::Duration;
    ///
    /// let options = MatchOptions::default().lasting(Duration::from_hours(2));
    /// assert_eq!(options.frames, Some(216_000));
    /// ```
    #[must_use]
    pub fn lasting(mut self, duration: Duration) -> Self {
        let frames = duration.as_millis() * u128::from(self.rate()) / 1000;
        self.frames = Some(u64::try_from(frames).unwrap_or(u64::MAX));
        self
    }

    fn rate(&self) -> u32 {
        self.rate_hz.clamp(1, 1000)
    }
}

/// An invented match, frame after frame.
///
/// It is an iterator; [`Match::next_into`] reuses one frame and allocates next to nothing.
#[derive(Clone, Debug)]
pub struct Match {
    options: MatchOptions,
    rng: Rng,
    world: World,
    /// Frames made so far.
    made: u64,
    /// Milliseconds since the start at which the last frame was recorded.
    at: i64,
    over: bool,
    sessionid: CompactString,
    sessionip: CompactString,
}

#[derive(Clone, Debug)]
enum World {
    Arena(Box<Arena>),
    Combat(Box<Combat>),
}

impl Match {
    /// The match that `options` describe.
    #[must_use]
    pub fn new(options: MatchOptions) -> Self {
        let mut rng = Rng::with_seed(options.seed);
        let id = (rng.u64(..), rng.u64(..));
        let sessionid = format_compact!(
            "{:08X}-{:04X}-{:04X}-{:04X}-{:012X}",
            id.0 >> 32,
            id.0 >> 16 & 0xFFFF,
            id.0 & 0xFFFF,
            id.1 >> 48,
            id.1 & 0xFFFF_FFFF_FFFF
        );
        // Addresses that are set aside for examples.
        let sessionip = format_compact!("203.0.113.{}", rng.u32(1..255));
        let world = if options.game == Game::Combat {
            World::Combat(Box::new(Combat::new(&mut rng, &options)))
        } else {
            World::Arena(Box::new(Arena::new(&mut rng, &options)))
        };
        Self {
            options,
            rng,
            world,
            made: 0,
            at: 0,
            over: false,
            sessionid,
            sessionip,
        }
    }

    /// The next frame, into `frame`, of which nothing remains but its allocations. `false` where
    /// the match is over: `frame` is as it was.
    ///
    /// ```
    /// use gametape_echo::Frame;
    /// use gametape_samples::echo::{Match, MatchOptions};
    ///
    /// let mut game = Match::new(MatchOptions { frames: Some(2), ..MatchOptions::default() });
    /// let mut frame = Frame::default();
    /// assert!(game.next_into(&mut frame));
    /// assert!(game.next_into(&mut frame));
    /// assert!(!game.next_into(&mut frame));
    /// ```
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if self.over
            || self
                .options
                .frames
                .is_some_and(|frames| self.made >= frames)
        {
            return false;
        }
        if self.made > 0 && !self.step() {
            self.over = true;
            return false;
        }
        self.made += 1;
        self.write(frame);
        true
    }

    /// Goes on to the next recorded moment. `false` where the match is over.
    fn step(&mut self) -> bool {
        let rate = i64::from(self.options.rate());
        let due = i64::try_from(self.made)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000)
            / rate;
        // The recorder asks on time and gets its answer a little later or sooner.
        let jitter = (1000 / rate / 4).min(4);
        let at = due.saturating_add(self.rng.i64(-jitter..=jitter));
        let at = at.max(self.at.saturating_add(1));
        let dt = (at - self.at) as f32 * 0.001;
        self.at = at;
        let goes_on = match &mut self.world {
            World::Arena(arena) => arena.step(&mut self.rng, dt),
            World::Combat(combat) => combat.step(&mut self.rng, dt),
        };
        goes_on || self.options.frames.is_some()
    }

    fn write(&self, frame: &mut Frame) {
        frame.time = Time(self.options.start.0.saturating_add(self.at));
        let session = &mut frame.session;
        set(&mut session.sessionid, &self.sessionid);
        set(&mut session.sessionip, &self.sessionip);
        session.private_match = self.options.private;
        session.tournament_match = false;
        session.err_code = Some(0);
        session.err_description = None;
        session.unknown.clear();
        let crowd = match &self.world {
            World::Arena(arena) => {
                arena.write(session);
                arena.crowd()
            }
            World::Combat(combat) => {
                combat.write(session);
                combat.crowd()
            }
        };
        set(&mut session.client_name, &crowd.client_name);
        if self.options.bones {
            crowd.write_bones(frame.bones.get_or_insert_with(Bones::default));
        } else {
            frame.bones = None;
        }
    }
}

impl Iterator for Match {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}

/// `to` becomes `text`, without an allocation where it is so already.
fn set(to: &mut CompactString, text: &str) {
    if to != text {
        to.clear();
        to.push_str(text);
    }
}
