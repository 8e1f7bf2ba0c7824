//! Measuring how far something moved.

use crate::model::Vec3;

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
