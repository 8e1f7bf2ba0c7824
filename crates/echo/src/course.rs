//! The time of a recording: by the wall clock, unless that was changed while the game ran on.

use crate::model::{Frame, GameStatus, Session, Time};

/// Clocks are changed by this much, or by a multiple: half an hour. (An hour: summer time. Half a day: a clock
/// of 12 hours. A day: a date that does not advance at midnight.)
const HALF_HOUR_MS: i64 = 1_800_000;
/// A day, in half hours.
const DAY: i64 = 48;
/// At most so much passes from one frame to the next if the clock was changed between them.
const NEXT_MS: i64 = 5_000;
/// The game clock may differ from the time that passed by so much.
const SLACK_MS: i64 = 2_000;

/// Follows the time from frame to frame.
///
/// A frame that stands after a later one keeps its time; where time goes back further than a few seconds,
/// and nothing explains it, it stands still.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Course {
    before: Option<Before>,
    /// The latest time since the first frame.
    furthest: i64,
}

#[derive(Clone, Copy, Debug)]
struct Before {
    time: Time,
    now: i64,
    clock: Option<f32>,
}

/// A step of the time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Passed {
    /// Milliseconds since the first frame: negative for a frame that was recorded before it.
    pub now: i64,
    /// Milliseconds since the latest frame before; `None` for the first frame, and where time goes back.
    pub ms: Option<u64>,
    /// How far the wall clock goes back, if not by a known change.
    pub back: Option<u64>,
    /// The milliseconds by which the wall clock was changed.
    pub changed: Option<i64>,
}

impl Course {
    /// Continues a recording that starts at a time.
    #[cfg(feature = "tape")]
    pub const fn from(start: Time) -> Self {
        let before = Before {
            time: start,
            now: 0,
            clock: None,
        };
        Self {
            before: Some(before),
            furthest: 0,
        }
    }

    /// Adds a frame.
    pub fn frame(&mut self, frame: &Frame) -> Passed {
        self.push(frame.time, running(&frame.session))
    }

    /// Adds a frame by its time and the game clock, if that runs.
    pub fn push(&mut self, time: Time, clock: Option<f32>) -> Passed {
        let Some(before) = self.before else {
            self.before = Some(Before {
                time,
                now: 0,
                clock,
            });
            return Passed {
                now: 0,
                ms: None,
                back: None,
                changed: None,
            };
        };
        let wall = time.0.saturating_sub(before.time.0);
        let game = before.clock.zip(clock).and_then(game_ms);
        let change = if (0..HALF_HOUR_MS - SLACK_MS).contains(&wall) {
            None
        } else {
            change(wall, game)
        };
        let passed = match (change, game) {
            (Some(change), _) => wall.saturating_sub(change).max(0),
            // The game ran on: the clock was set.
            (None, Some(game)) if wall < 0 => game,
            // A frame among others in the wrong order.
            _ if wall >= -NEXT_MS => wall,
            _ => self.furthest.saturating_sub(before.now),
        };
        let now = before.now.saturating_add(passed);
        let ms = u64::try_from(now.saturating_sub(self.furthest)).ok();
        self.furthest = self.furthest.max(now);
        self.before = Some(Before { time, now, clock });
        let is_back = wall < 0 && change.is_none();
        let ran_on = game.is_some();
        Passed {
            now,
            ms: ms.filter(|_| !is_back || ran_on),
            back: is_back.then(|| wall.unsigned_abs()),
            changed: change,
        }
    }

    /// Milliseconds from the first frame to the latest.
    pub const fn duration_ms(&self) -> u64 {
        self.furthest.unsigned_abs()
    }
}

/// The game clock in seconds, while it runs.
pub(crate) fn running(session: &Session) -> Option<f32> {
    let runs = session.game_status == GameStatus::Playing && session.is_played();
    session.clock().filter(|clock| runs && clock.is_finite())
}

/// The milliseconds that a clock has lost from one frame to the next; `None` if it did something else.
fn game_ms((before, now): (f32, f32)) -> Option<i64> {
    let ms = ((f64::from(before) - f64::from(now)) * 1_000.0).round() as i64;
    (1..=NEXT_MS).contains(&ms).then_some(ms)
}

/// The change of the wall clock that explains why it went on by `wall`, though a moment passed; by the game
/// clock, if that is known.
fn change(wall: i64, game: Option<i64>) -> Option<i64> {
    // Without the game clock, time that is missing is missing.
    let passed = match game {
        Some(game) => game,
        None if wall < 0 => 0,
        None => return None,
    };
    let off = wall.saturating_sub(passed);
    let halves = match game {
        Some(_) => off
            .saturating_add(HALF_HOUR_MS / 2)
            .div_euclid(HALF_HOUR_MS),
        None => off.div_euclid(HALF_HOUR_MS),
    };
    let change = halves.checked_mul(HALF_HOUR_MS)?;
    let rest = wall.saturating_sub(change);
    let fits = match game {
        Some(game) => rest.saturating_sub(game).unsigned_abs() <= SLACK_MS.unsigned_abs(),
        None => (0..=NEXT_MS).contains(&rest),
    };
    let usual = halves != 0 && (halves.abs() <= DAY || halves % DAY == 0);
    (usual && fits).then_some(change)
}
