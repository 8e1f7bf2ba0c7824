//! The largest error of a number, as the format and its writer imply.

use std::collections::HashMap;

use gametape_echo::butter::to_half;
use gametape_echo::{Frame, Vec3};

use super::walk::{Key, Pair, walk};

/// The step of a half at a number: the most that truncation removes.
pub fn quantum(number: f64) -> f64 {
    let number = number.abs();
    if number < 2.0_f64.powi(-14) {
        return 2.0_f64.powi(-24);
    }
    2.0_f64.powi(number.log2().floor() as i32 - 10)
}

/// Length of the difference of two vectors.
fn apart(a: Vec3, b: Vec3) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// The angle between two rotations, about in radians if it is small.
pub fn turned([forward, up]: [Vec3; 2], [forward2, up2]: [Vec3; 2]) -> f64 {
    apart(forward, forward2).max(apart(up, up2))
}

/// The angle between two quaternions in radians.
pub fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
    let dot: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(b))
        .sum();
    let norm = |q: [f32; 4]| q.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
    2.0 * (dot / norm(a) / norm(b)).abs().min(1.0).acos()
}

/// A step of a component of the smallest three.
const STEP: f64 = std::f64::consts::SQRT_2 / 1023.0;

/// The largest turn of a rotation whose components are off by `step`: three components directly, and the
/// fourth by up to three times that; the angle is twice that.
pub fn turn_bound(step: f64) -> f64 {
    2.0 * 12.0_f64.sqrt() * step
}

/// The API rounds its vectors: they are not exact rotations.
const ROUNDED_BASIS: f64 = 0.004;

/// Positions and velocities, which are stored in steps of 1/1024.
fn is_on_grid(name: &str) -> bool {
    name.ends_with("position") || name.ends_with("velocity")
}

/// The allowed errors in the frames of a file, by its writer.
#[derive(Default)]
pub struct Bounds {
    /// In the reference's files, the truncation that has added up since the keyframe.
    drift: HashMap<Key, f64>,
    pub worst: HashMap<&'static str, f64>,
}

impl Bounds {
    /// Checks a frame that we wrote: every field is within one step of the last stored value.
    /// `before` is the frame before as read, `None` for a keyframe.
    pub fn check_correct(&mut self, a: &Frame, b: &Frame, before: Option<&Frame>, what: &str) {
        let worst = &mut self.worst;
        walk(a, b, before, &mut |key, pair| {
            let (error, bound) = match pair {
                Pair::Same(same) => (f64::from(u8::from(!same)), 0.5),
                Pair::Float(a, b) => {
                    // A sum of floats.
                    (f64::from(a - b).abs(), f64::from(a.abs().max(1.0)) * 1e-6)
                }
                // The nearest is within half a step.
                Pair::Half(a, b) => (f64::from(a - b).abs(), quantum(a.into()) / 2.0),
                Pair::Difference { a, b, from } => {
                    // The reader adds in f32. If its sum is rounded, so is the difference.
                    let float = f64::from(a.abs().max(from.abs())) * 2.0_f64.powi(-22);
                    let off = (f64::from(a) - f64::from(b)).abs();
                    let difference = f64::from(a) - f64::from(from);
                    let bound = if is_on_grid(key.1) {
                        // Half a step of the grid; from 2 on, the steps of a half are larger.
                        let cut = if difference.abs() < 2.0 {
                            0.0
                        } else {
                            quantum(difference) / 2.0
                        };
                        0.5 / 1024.0 + cut + float
                    } else if key.1.ends_with("paused_timer") {
                        // It is not rounded below zero.
                        quantum(difference) + float
                    } else {
                        quantum(difference) / 2.0 + float
                    };
                    (off, bound)
                }
                Pair::Fixed { a, b, from } => {
                    // At most 2 m at a time.
                    let far = (f64::from(a - from).abs() - 2.0).max(0.0);
                    // A bone that moves by at most twelve steps is not updated.
                    (f64::from(a - b).abs(), 12.5 / 4096.0 * 1.01 + far)
                }
                Pair::Turn(a, b) => (turned(a, b), turn_bound(STEP / 2.0) + ROUNDED_BASIS),
                // Nor one that turns by at most 24, 24 and 8 steps. The float's arccosine is off by as
                // much.
                Pair::Quaternion(a, b) => {
                    let left_out = 2.0 * (STEP * 1216.0_f64.sqrt()).asin();
                    (angle(a, b), left_out + 0.001)
                }
            };
            let ratio = error / bound;
            let known = worst.entry(key.1).or_insert(0.0);
            *known = known.max(ratio);
            assert!(
                ratio <= 1.0,
                "{what}: {key:?} {pair:?}, off by {error:e}, allowed {bound:e}"
            );
        });
    }

    /// Checks a frame of the reference: truncation adds up from keyframe to keyframe, by at most a
    /// step per difference. `before` is the frame before as written, `None` for a keyframe.
    pub fn check_reference(
        &mut self,
        a: &Frame,
        b: &Frame,
        before: Option<&Frame>,
        what: &str,
        excused: &[&str],
    ) {
        if before.is_none() {
            self.drift.retain(|key, _| key.1 == "bone.position");
        }
        let (drift, worst) = (&mut self.drift, &mut self.worst);
        walk(a, b, before, &mut |key, pair| {
            let mut add = |step: f64| {
                let sum = drift.entry(key).or_insert(0.0);
                *sum += step;
                *sum
            };
            let (error, bound) = match pair {
                Pair::Same(same) => (f64::from(u8::from(!same)), 0.5),
                Pair::Float(a, b) => (f64::from(a - b).abs(), f64::from(a.abs().max(1.0)) * 1e-4),
                // Points that change by less are left out, frame after frame.
                Pair::Half(a, b) if key.1 == "points" => {
                    (f64::from(a - b).abs(), quantum(a.into()) + add(0.01))
                }
                Pair::Half(a, b) => (f64::from(a - b).abs(), quantum(a.into())),
                Pair::Difference { a, b, from } => {
                    let mut step = quantum(f64::from(a) - f64::from(from));
                    // Velocities that change by less are left out.
                    if key.1 == "player.velocity" {
                        step = step.max(0.01);
                    }
                    // Stats are left out if their bytes are the same, and with them the time that passed.
                    if key.1.ends_with("possession_time") && to_half(a) == to_half(from) {
                        step += f64::from(a - from).abs();
                    }
                    let float = f64::from(a.abs().max(from.abs())) * 2.0_f64.powi(-23);
                    ((f64::from(a) - f64::from(b)).abs(), add(step + float))
                }
                Pair::Fixed { a, b, from } => {
                    // A move of less than a millimetre is left out; other moves are truncated.
                    let far = (f64::from(a - from).abs() - 2.0).max(0.0);
                    (f64::from(a - b).abs(), add(0.001 + far))
                }
                Pair::Turn(a, b) => (turned(a, b), turn_bound(STEP) + ROUNDED_BASIS),
                // Adds up over the whole file, a degree per frame.
                Pair::Quaternion(a, b) => (angle(a, b), f64::INFINITY),
            };
            let ratio = error / bound;
            let known = worst.entry(key.1).or_insert(0.0);
            *known = known.max(ratio);
            if !excused.contains(&key.1) {
                assert!(
                    ratio <= 1.0,
                    "{what}: {key:?} {pair:?}, off by {error:e}, allowed {bound:e}"
                );
            }
        });
    }
}
