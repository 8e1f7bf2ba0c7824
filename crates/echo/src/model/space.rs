//! Where things are, and how they lie.

/// Three coordinates.
pub type Vec3 = [f32; 3];

/// A position and an orientation as three unit vectors.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pose {
    /// Metres; `position` of heads, bodies and the disc, `pos` of hands, `vr_position`. The reference
    /// of .butter writes both `pos` and `position` of players, one of them `null`.
    pub position: Vec3,
    /// Where it looks.
    pub forward: Vec3,
    /// To its left.
    pub left: Vec3,
    /// Upwards.
    pub up: Vec3,
}
