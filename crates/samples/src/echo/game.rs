//! An invented match, frame by frame.

use compact_str::{CompactString, format_compact};
use fastrand::Rng;
use gametape_echo::{Bones, Frame, Game, Time};

use super::arena::Arena;
use super::combat::Combat;
use super::options::MatchOptions;

/// An invented match, frame by frame.
///
/// It is an iterator; [`Match::next_into`] reuses a frame and allocates almost nothing.
#[derive(Clone, Debug)]
pub struct Match {
    options: MatchOptions,
    rng: Rng,
    world: World,
    /// The number of frames so far.
    made: u64,
    /// The time of the last frame in milliseconds since the start.
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
        // Addresses that are reserved for examples.
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

/// Sets `to` to `text`, without allocating if they are already equal.
fn set(to: &mut CompactString, text: &str) {
    if to != text {
        to.clear();
        to.push_str(text);
    }
}
