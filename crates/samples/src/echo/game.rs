//! An invented match, frame by frame.

use std::time::Duration;

use compact_str::{CompactString, format_compact};
use fastrand::Rng;
use gametape_echo::{Bones, Frame, Game, Time};

use super::arena::ArenaMatch;
use super::combat::CombatMatch;

/// An invented match, frame by frame.
///
/// It is an iterator; [`Match::next_into`] reuses a frame and allocates almost nothing.
#[derive(Clone, Debug)]
pub struct Match {
    options: MatchOptions,
    rng: Rng,
    world: Course,
    /// The number of frames so far.
    made: u64,
    /// The time of the last frame in milliseconds since the start.
    at: i64,
    over: bool,
    sessionid: CompactString,
    sessionip: CompactString,
}

#[derive(Clone, Debug)]
enum Course {
    Arena(Box<ArenaMatch>),
    Combat(Box<CombatMatch>),
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
        // Addresses that are reserved for examples.
        let sessionip = format_compact!("203.0.113.{}", rng.u32(1..255));
        let world = if options.game == Game::Combat {
            Course::Combat(Box::new(CombatMatch::new(&mut rng, &options)))
        } else {
            Course::Arena(Box::new(ArenaMatch::new(&mut rng, &options)))
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

    /// Writes the next frame to `frame`, replacing its content but reusing its memory. Returns
    /// `false` when the match is over; `frame` is then unchanged.
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

    /// Advances to the next recorded moment; returns `false` when the match is over.
    fn step(&mut self) -> bool {
        let rate = i64::from(self.options.rate());
        let due = i64::try_from(self.made)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000)
            / rate;
        // The recorder sends its requests on time, and gets the answers a little later or earlier.
        let jitter = (1000 / rate / 4).min(4);
        let at = due.saturating_add(self.rng.i64(-jitter..=jitter));
        let at = at.max(self.at.saturating_add(1));
        let dt = (at - self.at) as f32 * 0.001;
        self.at = at;
        let goes_on = match &mut self.world {
            Course::Arena(arena) => arena.step(&mut self.rng, dt),
            Course::Combat(combat) => combat.step(&mut self.rng, dt),
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
            Course::Arena(arena) => {
                arena.write(session);
                arena.crowd()
            }
            Course::Combat(combat) => {
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

/// Sets `to` to `text`, without allocating if they are already equal.
fn set(to: &mut CompactString, text: &str) {
    if to != text {
        to.clear();
        to.push_str(text);
    }
}

/// The properties of a generated match.
#[derive(Clone, PartialEq, Eq, Debug)]
// The flags are independent of each other.
#[allow(clippy::struct_excessive_bools)]
pub struct MatchOptions {
    /// Decides everything that the other options leave open.
    pub seed: u64,
    /// Arena or combat; any other game is treated as arena.
    pub game: Game,
    /// The frame rate in Hz, 1 to 1000. Recorders use 10, 15, 30 or 60.
    pub rate_hz: u32,
    /// The number of frames. If a match ends before, another one begins in the same session. `None`
    /// means one whole match, however long it takes (about a quarter of an hour; see also
    /// [`MatchOptions::lasting`]).
    pub frames: Option<u64>,
    /// The number of players in each team, 1 to 16.
    pub players_per_team: u8,
    /// The number of spectators, 0 to 16.
    pub spectators: u8,
    /// Whether frames have the bones of every player.
    pub bones: bool,
    /// A private match: three rounds of five minutes instead of one of ten, and rules that may be
    /// changed.
    pub private: bool,
    /// The time of the first frame.
    pub start: Time,
    /// Whether players leave, others join, and spectators look in.
    pub joins: bool,
    /// Whether teams request pauses (arena only).
    pub pauses: bool,
}

impl Default for MatchOptions {
    /// A public arena match, 5 against 5, at 30 Hz, without bones, from start to end. People join
    /// and leave; there are no pauses.
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
    /// The same options with the number of frames that are recorded within `duration`.
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

    pub(super) fn rate(&self) -> u32 {
        self.rate_hz.clamp(1, 1000)
    }
}
