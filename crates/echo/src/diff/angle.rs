//! Angles between rotations.

use crate::model::Pose;

/// Whether the orientation consists of zeros: the API's response where there is none.
pub(crate) fn is_without(pose: &Pose) -> bool {
    let zero = |vector: &[f32; 3]| vector.iter().all(|part| *part == 0.0);
    zero(&pose.forward) && zero(&pose.up) && zero(&pose.left)
}

/// The angle between two bases, in degrees: 0 to 180, or NaN if a component is NaN.
///
/// A turn by θ moves the three vectors of a basis by 8·sin²(θ/2) in total, squared. Unlike the trace, this
/// is exact for the smallest angles.
pub(crate) fn between(a: &Pose, b: &Pose) -> f32 {
    let squares =
        squared(&a.forward, &b.forward) + squared(&a.left, &b.left) + squared(&a.up, &b.up);
    2.0 * arc_sine((squares / 8.0).sqrt()).to_degrees()
}

/// The angle between two quaternions of unit length, in degrees. Both signs are the same rotation.
pub(crate) fn between_quaternions(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let (mut apart, mut opposite) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        apart += (a - b) * (a - b);
        opposite += (a + b) * (a + b);
    }
    // |q − p| = 2·sin(θ/4)
    let squares: f32 = if opposite < apart { opposite } else { apart };
    4.0 * arc_sine(squares.sqrt() / 2.0).to_degrees()
}

fn squared(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    let ([ax, ay, az], [bx, by, bz]) = (*a, *b);
    (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)
}

/// The arc sine. Small angles, which are most, use its series, which is as exact and many times faster.
fn arc_sine(sine: f32) -> f32 {
    if sine < 0.1 {
        let square = sine * sine;
        sine * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0)))
    } else if sine >= 1.0 {
        // Vectors that are no basis may be further apart than any rotation of one.
        std::f32::consts::FRAC_PI_2
    } else {
        sine.asin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the orientation turned by so many degrees about the up axis.
    fn turned(degrees: f64) -> (Pose, [f32; 4]) {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (half_sin, half_cos) = (degrees / 2.0).to_radians().sin_cos();
        let pose = Pose {
            position: [0.0; 3],
            forward: [sin as f32, 0.0, cos as f32],
            left: [cos as f32, 0.0, -sin as f32],
            up: [0.0, 1.0, 0.0],
        };
        (pose, [0.0, half_sin as f32, 0.0, half_cos as f32])
    }

    #[test]
    fn a_turn_is_measured_from_the_smallest_to_the_largest() {
        let (base, quaternion) = turned(20.0);
        for degrees in [
            0.0, 0.001, 0.3, 1.0, 5.7, 11.4, 11.6, 89.0, 90.0, 135.0, 179.0,
        ] {
            let (other, turned) = turned(20.0 + degrees);
            let tolerance = 1e-4 + degrees * 1e-3;
            for found in [
                between(&base, &other),
                between_quaternions(&quaternion, &turned),
                between_quaternions(&quaternion, &turned.map(|part| -part)),
            ] {
                assert!(
                    (f64::from(found) - degrees).abs() < tolerance,
                    "{degrees} degrees, measured as {found}"
                );
            }
        }
        assert!(between(&base, &base) < 1e-9);
        let mut broken = base;
        broken.up = [f32::NAN; 3];
        assert!(between(&base, &broken).is_nan());
        broken.up = [1e30; 3];
        assert!((between(&base, &broken) - 180.0).abs() < 1e-9);
    }
}
