//! The arithmetic of the generator: only additions, multiplications, divisions and square roots,
//! whose results IEEE 754 defines to the last bit. There are no sines and no powers, because these
//! differ between platforms, and a seed must give the same match everywhere.

use fastrand::Rng;
use gametape_echo::Vec3;

pub(super) fn add([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> Vec3 {
    [ax + bx, ay + by, az + bz]
}

pub(super) fn sub([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> Vec3 {
    [ax - bx, ay - by, az - bz]
}

pub(super) fn scale([x, y, z]: Vec3, by: f32) -> Vec3 {
    [x * by, y * by, z * by]
}

pub(super) fn dot([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> f32 {
    ax * bx + ay * by + az * bz
}

pub(super) fn cross([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> Vec3 {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

pub(super) fn length(v: Vec3) -> f32 {
    dot(v, v).sqrt()
}

/// The unit vector in the direction of `v`; `other` if `v` is too short to have a direction.
pub(super) fn unit_or(v: Vec3, other: Vec3) -> Vec3 {
    let length = length(v);
    if length < 1e-3 {
        other
    } else {
        scale(v, 1.0 / length)
    }
}

/// The point at the fraction `by` of the way from `a` to `b`.
pub(super) fn mix(a: Vec3, b: Vec3, by: f32) -> Vec3 {
    add(a, scale(sub(b, a), by))
}

/// The fraction of a distance that is covered in `dt` seconds at `rate` per second: like `1 -
/// exp(-rate·dt)`, but without the exponential.
pub(super) fn ease(rate: f32, dt: f32) -> f32 {
    rate * dt / (1.0 + rate * dt)
}

/// Rounds a number in the same way as the game rounds positions, directions and velocities: to a
/// whole multiple of the `f32` nearest to 0.001. Printed, it shows the error of the last bits
/// (`-1.7870001`).
pub(super) fn thousandths(value: f32) -> f32 {
    // A truncating cast is a single instruction, whereas `round` is a call.
    let whole = (value * 1000.0 + 0.5_f32.copysign(value)) as i32;
    whole as f32 * 0.001
}

pub(super) fn rounded([x, y, z]: Vec3) -> Vec3 {
    [thousandths(x), thousandths(y), thousandths(z)]
}

/// A uniformly distributed number from `low` to `high`.
pub(super) fn between(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.f32()
}

/// A random point in a box around the origin.
pub(super) fn within(rng: &mut Rng, [x, y, z]: Vec3) -> Vec3 {
    [
        between(rng, -x, x),
        between(rng, -y, y),
        between(rng, -z, z),
    ]
}

/// Whether an event with a mean interval of `seconds` happens within `dt`.
pub(super) fn once_in(rng: &mut Rng, seconds: f32, dt: f32) -> bool {
    rng.f32() * seconds < dt
}

/// An orientation: three orthogonal unit vectors with `left` = `up` × `forward`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    pub forward: Vec3,
    pub left: Vec3,
    pub up: Vec3,
}

impl Basis {
    /// Upright, looking along the arena.
    pub(super) const AHEAD: Self = Self {
        forward: [0.0, 0.0, 1.0],
        left: [1.0, 0.0, 0.0],
        up: [0.0, 1.0, 0.0],
    };

    /// Turns the direction towards `aim` and the top towards `top`, by the fraction `by`; both are
    /// unit vectors. A single call turns by at most a quarter turn.
    pub(super) fn turn(&mut self, aim: Vec3, top: Vec3, by: f32) {
        // A direction behind is reached by way of a side.
        let aim = if dot(aim, self.forward) > 0.0 {
            aim
        } else if dot(aim, self.left) < 0.0 {
            scale(self.left, -1.0)
        } else {
            self.left
        };
        let forward = unit_or(mix(self.forward, aim, by), self.forward);
        let mut left = cross(mix(self.up, top, by), forward);
        if dot(left, left) < 0.05 {
            // Looking straight up or down, where `top` has no effect.
            left = sub(self.left, scale(forward, dot(self.left, forward)));
        }
        let left = unit_or(left, self.left);
        if dot(left, forward).abs() > 1e-4 {
            return;
        }
        *self = Self {
            forward,
            left,
            up: cross(forward, left),
        };
    }

    /// Converts a vector with components along left, up and forward of this basis.
    pub(super) fn place(&self, [left, up, forward]: Vec3) -> Vec3 {
        add(
            scale(self.left, left),
            add(scale(self.up, up), scale(self.forward, forward)),
        )
    }
}

/// A point that moves around a circle. Its coordinates are a cosine and a sine, computed by
/// rotation with the half-angle tangent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    pub x: f32,
    pub y: f32,
    /// In radians per second.
    rate: f32,
}

impl Wave {
    /// Starts at a random point of the circle.
    pub(super) fn new(rng: &mut Rng, rate: f32) -> Self {
        let [x, y, _] = unit_or(
            [between(rng, -1.0, 1.0), between(rng, -1.0, 1.0), 0.0],
            [1.0, 0.0, 0.0],
        );
        Self { x, y, rate }
    }

    pub(super) fn step(&mut self, dt: f32) {
        let t = self.rate * dt * 0.5;
        let whole = 1.0 / (1.0 + t * t);
        let (cos, sin) = ((1.0 - t * t) * whole, 2.0 * t * whole);
        let (x, y) = (self.x * cos - self.y * sin, self.x * sin + self.y * cos);
        // Without this correction, rounding would move the point off the circle within hours.
        let correct = 1.5 - 0.5 * (x * x + y * y);
        (self.x, self.y) = (x * correct, y * correct);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_stays_one_whatever_it_is_turned_to() {
        let mut rng = Rng::with_seed(7);
        let mut basis = Basis::AHEAD;
        for step in 0..200_000 {
            let mut aim = unit_or(within(&mut rng, [1.0; 3]), [0.0, 0.0, 1.0]);
            if step % 5 == 0 {
                aim = scale(basis.forward, -1.0);
            } else if step % 7 == 0 {
                aim = [0.0, -1.0, 0.0];
            }
            basis.turn(aim, [0.0, 1.0, 0.0], rng.f32());
            for v in [basis.forward, basis.left, basis.up] {
                assert!((length(v) - 1.0).abs() < 1e-3, "{basis:?}");
            }
            assert!(dot(basis.forward, basis.left).abs() < 1e-3);
            let left = cross(basis.up, basis.forward);
            assert!(length(sub(left, basis.left)) < 1e-3);
        }
    }

    #[test]
    fn numbers_show_the_noise_of_the_game() {
        // As written in a real frame.
        for (value, shown) in [
            (-1.787_f32, "-1.7870001"),
            (34.439, "34.439003"),
            (-0.893, "-0.89300007"),
            (0.162, "0.162"),
        ] {
            let parsed: f32 = shown.parse().unwrap();
            assert_eq!(thousandths(value).to_bits(), parsed.to_bits(), "{shown}");
        }
    }

    #[test]
    fn a_wave_stays_on_its_circle_for_hours() {
        let mut wave = Wave::new(&mut Rng::with_seed(1), 9.0);
        for _ in 0..1_000_000 {
            wave.step(0.1);
        }
        assert!((wave.x * wave.x + wave.y * wave.y - 1.0).abs() < 1e-4);
    }
}
