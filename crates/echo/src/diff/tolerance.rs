//! How far frames may be apart, and what that allowed.

use crate::field::{Field, Kept};
use crate::model::Pose;

/// How far two frames may be apart and still count as equal.
///
/// Numbers may differ by [`relative`](Self::relative) times the value or its change since the frame before,
/// whichever is larger (a .butter stores either, as a half float), plus [`absolute`](Self::absolute).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// A part of a number or of its change.
    pub relative: f32,
    /// Added to `relative`, in the number's unit.
    pub absolute: f32,
    /// For coordinates of positions and velocities, except those of bones, in metres or m/s.
    pub coordinate: f32,
    /// For rotations, in degrees.
    pub rotation_deg: f32,
    /// For each coordinate of a bone, in metres.
    pub bone_metres: f32,
    /// For the rotation of a bone, in degrees.
    pub bone_deg: f32,
    /// For the clock, in seconds.
    pub clock_seconds: f32,
    /// Values that a .butter does not keep for each frame are skipped.
    pub kept_only: bool,
}

impl Tolerance {
    /// No tolerance: every member has to be equal.
    pub const EXACT: Self = Self {
        relative: 0.0,
        absolute: 0.0,
        coordinate: 0.0,
        rotation_deg: 0.0,
        bone_metres: 0.0,
        bone_deg: 0.0,
        clock_seconds: 0.0,
        kept_only: false,
    };

    /// The rounding error of a .butter whose writer takes differences from the reader's state.
    ///
    /// - A half float is truncated after 10 bits, as the reference does it: 2⁻¹⁰ of the value or of its
    ///   change. (The nearest half is off by half of that: [`Tolerance::NEAREST`].) The remainder of the
    ///   change before, and the arithmetic of 32-bit floats, add less than 2⁻¹⁴.
    /// - A writer may round the API's thousandths to the nearest 1/1024 m, or m/s: a coordinate is off by
    ///   half of that.
    /// - Three components of a quaternion are stored, each truncated by at most √2/1023. The fourth is
    ///   computed from them; if all four are about equal, this adds up to 0.55°. Bases of thousandths are off
    ///   by 0.1° themselves.
    /// - A bone is not updated until it is more than 12/4096 m away in a coordinate, of which half of
    ///   1/4096 m is rounding. A turn is not updated until it exceeds 24, 24 and 8 steps of √2/1023, which is
    ///   5.53°.
    /// - The clock is a sum of 32-bit differences.
    ///
    /// A value without a code (a goal of type `[NO GOAL]`, a letter beyond ASCII) counts as equal to the
    /// value that replaces it.
    pub const BUTTER: Self = Self {
        relative: 1.0 / 1024.0,
        absolute: 1.0 / 16_384.0,
        coordinate: 1.0 / 2048.0 + 1.0 / 16_384.0,
        rotation_deg: 0.65,
        bone_metres: 12.5 / 4096.0 + 1.0 / 1_048_576.0,
        bone_deg: 5.6,
        clock_seconds: 1.0 / 8192.0,
        kept_only: true,
    };

    /// [`Tolerance::BUTTER`] between two .butter files: a bone may be out of date in either, in opposite
    /// directions. (Everything else is rounded to the same steps in both.)
    pub const TWO_BUTTERS: Self = Self {
        bone_metres: 2.0 * Self::BUTTER.bone_metres,
        bone_deg: 2.0 * Self::BUTTER.bone_deg,
        ..Self::BUTTER
    };

    /// [`Tolerance::BUTTER`] for the nearest halves, which gametape writes.
    pub const NEAREST: Self = Self {
        relative: 1.0 / 2048.0,
        ..Self::BUTTER
    };

    /// Whether fields of this kind are compared.
    pub(crate) const fn looks_at(&self, field: Field) -> bool {
        !(self.kept_only && matches!(field.kept(), Kept::Once | Kept::Nothing))
    }

    /// The largest allowed difference of a number.
    pub(crate) fn bound(&self, field: Field, value: f32, before: Option<f32>) -> f32 {
        match field {
            Field::GameClock => self.clock_seconds,
            Field::BonePosition => self.bone_metres,
            _ => {
                let change = before.map_or(0.0, |before| (value - before).abs());
                let absolute = match field {
                    Field::HeadPosition
                    | Field::BodyPosition
                    | Field::HandPosition
                    | Field::DiscPosition
                    | Field::PlayspacePosition
                    | Field::PlayerVelocity
                    | Field::DiscVelocity => self.coordinate,
                    _ => self.absolute,
                };
                let relative = match field {
                    // The nearest half may lead below 0, where no timer is.
                    Field::PauseTimer => 2.0 * self.relative,
                    _ => self.relative,
                };
                relative * value.abs().max(change) + absolute
            }
        }
    }
}

/// Differences between two recordings that are not counted because of the [`Tolerance`](super::Tolerance).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allowed {
    /// Numbers that are apart, and the largest distance, in the unit of the field.
    pub rounded: Vec<(Field, f32)>,
    /// Fields that a .butter does not keep.
    pub not_compared: Vec<Field>,
    /// Fields with values that have no code in a .butter, such as a goal of type `[NO GOAL]`.
    pub uncoded: Vec<Field>,
}

impl Allowed {
    /// Whether there is nothing of the kind.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rounded.is_empty() && self.not_compared.is_empty() && self.uncoded.is_empty()
    }
}

/// Collects what is allowed. Nearly every number of a .butter comes here, hence the arrays, which are
/// indexed by [`Field`].
#[derive(Clone, Debug)]
pub(super) struct Allowing {
    apart: [f32; Field::COUNT],
    not_compared: [bool; Field::COUNT],
    uncoded: [bool; Field::COUNT],
}

impl Default for Allowing {
    fn default() -> Self {
        Self {
            apart: [0.0; Field::COUNT],
            not_compared: [false; Field::COUNT],
            uncoded: [false; Field::COUNT],
        }
    }
}

impl Allowing {
    #[inline]
    pub fn apart(&mut self, field: Field, apart: f32) {
        if let Some(largest) = self.apart.get_mut(field as usize) {
            *largest = largest.max(apart);
        }
    }

    pub fn not_compared(&mut self, field: Field) {
        mark(&mut self.not_compared, field);
    }

    pub fn uncoded(&mut self, field: Field) {
        mark(&mut self.uncoded, field);
    }

    pub fn finish(&self) -> Allowed {
        let apart = Field::ALL.iter().copied().zip(self.apart);
        Allowed {
            rounded: apart.filter(|(_, apart)| *apart > 0.0).collect(),
            not_compared: marked(&self.not_compared),
            uncoded: marked(&self.uncoded),
        }
    }
}

fn mark(marks: &mut [bool], field: Field) {
    if let Some(mark) = marks.get_mut(field as usize) {
        *mark = true;
    }
}

fn marked(marks: &[bool]) -> Vec<Field> {
    let fields = Field::ALL.iter().zip(marks);
    let marked = fields.filter(|(_, mark)| **mark);
    marked.map(|(field, _)| *field).collect()
}

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
