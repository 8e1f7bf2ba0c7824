//! Thresholds, the position of a frame in time, and the distance that something moved.

use crate::model::Vec3;

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
pub(super) struct Step {
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
pub(super) fn keep<T>(list: &mut Vec<T>, event: T, left_out: &mut u64) {
    if list.len() < MAX_EVENTS {
        list.push(event);
    } else {
        *left_out += 1;
    }
}

/// A path from position to position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Track {
    last: Option<Vec3>,
    metres: f64,
}

impl Track {
    /// Adds a position, `passed_ms` after the one before; `None` if that time is unknown. Jumps are left
    /// out: moves of more than a metre that are faster than `max_speed`.
    pub(super) fn push(&mut self, position: &Vec3, passed_ms: Option<u32>, max_speed: f32) {
        if let (Some(last), Some(ms)) = (&self.last, passed_ms) {
            let moved = distance(last, position);
            if moved <= f64::from(max_speed) * f64::from(ms) / 1000.0 || moved <= 1.0 {
                self.metres += moved;
            }
        }
        self.last = Some(*position);
    }

    /// Interrupts the path: the next position is no continuation.
    pub(super) const fn lose(&mut self) {
        self.last = None;
    }

    /// The total length in metres.
    pub(super) const fn distance(&self) -> f64 {
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
pub(super) fn faster(speed: f32, velocity: &Vec3, limit: f32) -> f32 {
    let squares: f32 = velocity.iter().map(|part| part * part).sum();
    let found = squares.sqrt();
    if found > speed && found <= limit {
        found
    } else {
        speed
    }
}
