//! How far two recordings may be apart.

use crate::field::{Field, Kept};

/// How far two frames may be apart and still be the same.
///
/// Numbers may differ by [`relative`](Self::relative) of the value, or of its change since the
/// frame before (a .butter stores either, as a half float), whichever is larger, and
/// [`absolute`](Self::absolute) on top.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Part of a number, or of its change.
    pub relative: f32,
    /// In the number's unit, on top of `relative`.
    pub absolute: f32,
    /// The same for a coordinate of a position or a velocity, but of bones: metres, m/s.
    pub coordinate: f32,
    /// Rotations may be this far apart, in degrees.
    pub rotation_deg: f32,
    /// Each coordinate of a bone may be this far apart, in metres.
    pub bone_metres: f32,
    /// Bones may be turned this far apart, in degrees.
    pub bone_deg: f32,
    /// The clock may be this far apart, in seconds.
    pub clock_seconds: f32,
    /// What a .butter does not keep for each frame is not looked at.
    pub kept_only: bool,
}

impl Tolerance {
    /// Not at all: every member has to be equal.
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

    /// The quantum of a .butter that takes differences against what a reader reconstructs.
    ///
    /// - A half float is cut off after 10 bits, as the reference does: 2⁻¹⁰ of the value, or of its
    ///   change. (The nearest is off by half of that: [`Tolerance::NEAREST`].) What a change of the
    ///   frame before left over, and the arithmetic of 32-bit floats, is below 2⁻¹⁴.
    /// - A writer may take the nearest 1/1024 m, or m/s, of what the API prints in thousandths: a
    ///   coordinate is off by half of that.
    /// - Of a quaternion three components are stored, each cut off by at most √2/1023. The fourth
    ///   follows from them; where all four are alike that adds up to 0.55°. Bases of thousandths
    ///   are off by 0.1° themselves.
    /// - A bone is left where it is until it is further than 12/4096 m from there in a coordinate, of which
    ///   half of 1/4096 m is rounding. It may be turned by 24, 24 and 8 of the steps of √2/1023 that are
    ///   stored of a turn, 5.53°, before that is said.
    /// - The clock is a sum of 32-bit differences.
    ///
    /// What has no code there (a goal of type `[NO GOAL]`, a letter beyond ASCII) is taken to be
    /// the same as what stands for it.
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

    /// [`Tolerance::BUTTER`] between two of them: a bone may be left where it is in either, to this
    /// side or to that. (The rest is rounded to the same steps in both.)
    pub const TWO_BUTTERS: Self = Self {
        bone_metres: 2.0 * Self::BUTTER.bone_metres,
        bone_deg: 2.0 * Self::BUTTER.bone_deg,
        ..Self::BUTTER
    };

    /// [`Tolerance::BUTTER`] of halves that are the nearest, as correct mode writes them.
    pub const NEAREST: Self = Self {
        relative: 1.0 / 2048.0,
        ..Self::BUTTER
    };

    /// True where fields of this kind are looked at.
    pub(crate) const fn looks_at(&self, field: Field) -> bool {
        !(self.kept_only && matches!(field.kept(), Kept::Once | Kept::Nothing))
    }

    /// How far a number may be off.
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
