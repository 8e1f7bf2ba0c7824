//! The tolerance of comparisons.

use crate::field::{Field, Kept};

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
