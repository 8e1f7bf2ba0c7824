//! Bones: a skeleton that breathes, sways and moves its arms.

use fastrand::Rng;
use gametape_echo::{PlayerBones, Vec3};

use super::math::{Wave, add, dot, ease, mix, scale, sub};

/// The rest position of a bone relative to the head (in metres: left, up, forward), how far
/// breathing and swaying move it, and how much of a hand's movement it follows (negative: the right
/// hand).
struct Rest(Vec3, f32, f32, f32);

/// From the pelvis up, along the left arm, along the right arm, and down the legs.
const REST: [Rest; 23] = [
    Rest([0.0, -0.72, -0.04], 0.002, 0.010, 0.0),
    Rest([0.0, -0.60, -0.05], 0.003, 0.012, 0.0),
    Rest([0.0, -0.46, -0.06], 0.005, 0.014, 0.0),
    Rest([0.0, -0.32, -0.06], 0.008, 0.016, 0.0),
    Rest([0.0, -0.14, -0.03], 0.007, 0.012, 0.0),
    Rest([0.0, 0.0, 0.0], 0.004, 0.006, 0.0),
    Rest([0.06, -0.18, -0.02], 0.008, 0.014, 0.05),
    Rest([0.19, -0.20, -0.03], 0.008, 0.016, 0.15),
    Rest([0.26, -0.42, 0.02], 0.006, 0.020, 0.55),
    Rest([0.27, -0.36, 0.24], 0.004, 0.020, 1.0),
    Rest([0.28, -0.36, 0.32], 0.004, 0.020, 1.0),
    Rest([-0.06, -0.18, -0.02], 0.008, 0.014, -0.05),
    Rest([-0.19, -0.20, -0.03], 0.008, 0.016, -0.15),
    Rest([-0.26, -0.42, 0.02], 0.006, 0.020, -0.55),
    Rest([-0.27, -0.36, 0.24], 0.004, 0.020, -1.0),
    Rest([-0.28, -0.36, 0.32], 0.004, 0.020, -1.0),
    Rest([0.10, -0.76, -0.04], 0.001, 0.020, 0.0),
    Rest([0.11, -0.94, 0.02], 0.001, 0.040, 0.0),
    Rest([0.11, -1.08, -0.06], 0.001, 0.060, 0.0),
    Rest([-0.10, -0.76, -0.04], 0.001, 0.020, 0.0),
    Rest([-0.11, -0.94, 0.02], 0.001, 0.040, 0.0),
    Rest([-0.11, -1.08, -0.06], 0.001, 0.060, 0.0),
    Rest([0.0, 0.09, 0.02], 0.004, 0.006, 0.0),
];

/// The rest positions of the hands, in the same coordinates.
pub(super) const LEFT_HAND: Vec3 = [0.28, -0.36, 0.30];
pub(super) const RIGHT_HAND: Vec3 = [-0.28, -0.36, 0.30];

#[derive(Clone, Debug)]
pub(super) struct Skeleton {
    breath: Wave,
    sway: Wave,
    twist: Wave,
    arms: [Vec3; 2],
}

impl Skeleton {
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self {
            breath: Wave::new(rng, 1.6),
            sway: Wave::new(rng, 2.9),
            twist: Wave::new(rng, 0.7),
            arms: [[0.0; 3]; 2],
        }
    }

    /// Advances by `dt`, with the hands at these positions relative to the head.
    pub(super) fn step(&mut self, dt: f32, left: Vec3, right: Vec3) {
        for wave in [&mut self.breath, &mut self.sway, &mut self.twist] {
            wave.step(dt);
        }
        let by = ease(12.0, dt);
        let [left_arm, right_arm] = &mut self.arms;
        for (arm, hand, rest) in [(left_arm, left, LEFT_HAND), (right_arm, right, RIGHT_HAND)] {
            // Hands may reach further than the arms of a skeleton.
            let [x, y, z] = sub(hand, rest).map(|by| by.clamp(-0.5, 0.5));
            *arm = mix(*arm, [x, y, z], by);
        }
    }

    /// Writes the current pose.
    pub(super) fn write(&self, bones: &mut PlayerBones) {
        let [left, right] = self.arms;
        let mut phase = 0.0;
        let places = bones.positions.iter_mut().zip(&mut bones.rotations);
        for ((position, rotation), Rest(rest, breath, sway, arm)) in places.zip(&REST) {
            // Each bone follows the previous one with a small delay.
            phase += 0.07;
            let breath = (self.breath.x + phase * self.breath.y) * breath;
            let (swing, turn) = (
                self.sway.x * (1.0 - phase),
                self.twist.y + phase * self.sway.y,
            );
            let follow = if *arm < 0.0 {
                scale(right, -arm)
            } else {
                scale(left, *arm)
            };
            let [x, y, z] = add(*rest, follow);
            *position = [x + swing * sway, y + breath, z + turn * sway];
            // A small additional rotation, as a normalised quaternion.
            let [fx, fy, fz] = follow;
            let turn = [
                0.15 * self.sway.y + phase * 0.2 - fy,
                0.25 * self.twist.x + fx,
                0.1 * swing + fz * 0.5,
            ];
            let [qx, qy, qz] = turn;
            let by = 1.0 / (1.0 + dot(turn, turn)).sqrt();
            *rotation = [qx * by, qy * by, qz * by, by];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_stay_close_and_move_smoothly() {
        let mut rng = Rng::with_seed(3);
        let mut skeleton = Skeleton::new(&mut rng);
        let (mut last, mut now) = (PlayerBones::default(), PlayerBones::default());
        skeleton.write(&mut last);
        for frame in 0..3000 {
            // The arms move as far as they can.
            let hand = if frame % 60 < 30 { [2.0; 3] } else { [-2.0; 3] };
            skeleton.step(1.0 / 60.0, hand, LEFT_HAND);
            skeleton.write(&mut now);
            for (a, b) in last.positions.iter().zip(&now.positions) {
                assert!(b.iter().all(|at| at.abs() <= 1.2), "{b:?}");
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.2));
            }
            for [x, y, z, w] in now.rotations {
                assert!((x * x + y * y + z * z + w * w - 1.0).abs() < 1e-5);
            }
            last = now;
        }
    }
}
