//! Orientations: three unit vectors in the API, the smallest three components of a quaternion in .butter.

use crate::model::Vec3;

/// A quaternion: x, y, z, w.
pub type Quaternion = [f32; 4];

/// √½ and √2 truncated as in the format: exact values would give other bits.
#[allow(clippy::approx_constant)]
pub(super) const HALF_SQRT: f64 = 0.707_106_78;
#[allow(clippy::approx_constant)]
pub(super) const SQRT: f64 = 1.414_213_56;

/// If a quaternion's largest component is larger than the others by this, it is still the largest after
/// packing. Packing moves one component by half a step, and the other by what half a step in three
/// components amounts to (0.0028) and by [`UNIT`].
pub(super) const CLOSE: f32 = 0.003;

/// The tolerance for the squared length of a rotation to be 1; rounding leaves much less.
///
/// A code has length 1: the component that it leaves out takes the difference, which reaches the whole
/// tolerance if all four are about ½. If forward and up are almost parallel, no right angle defines a
/// basis, and the length of the quaternion may be further off.
pub(super) const UNIT: f32 = 0.000_1;

#[inline]
fn scale_to_one([x, y, z]: Vec3) -> Vec3 {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

#[inline]
fn cross([ax, ay, az]: Vec3, [bx, by, bz]: Vec3) -> Vec3 {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// The quaternion of a basis; `left` is not needed. NaN if the vectors are zero or parallel.
///
/// Every step is in f32 and in the reference's order, for the same bits (`formats/butter.md`, checked
/// against 2,000 measured values).
#[inline]
#[must_use]
pub fn from_basis(forward: Vec3, up: Vec3) -> Quaternion {
    let forward = scale_to_one(scale_to_one(forward));
    let [m20, m21, m22] = forward;
    let [m00, m01, m02] = scale_to_one(cross(up, forward));
    let [m10, m11, m12] = cross(forward, [m00, m01, m02]);
    let trace = m00 + m11 + m22;
    if trace > 0.0 {
        let s = (trace + 1.0).sqrt();
        let k = 0.5 / s;
        [(m12 - m21) * k, (m20 - m02) * k, (m01 - m10) * k, s * 0.5]
    } else if m00 >= m11 && m00 >= m22 {
        let s = (1.0 + m00 - m11 - m22).sqrt();
        let k = 0.5 / s;
        [0.5 * s, (m01 + m10) * k, (m02 + m20) * k, (m12 - m21) * k]
    } else if m11 > m22 {
        let s = (1.0 + m11 - m00 - m22).sqrt();
        let k = 0.5 / s;
        [(m10 + m01) * k, 0.5 * s, (m21 + m12) * k, (m20 - m02) * k]
    } else {
        let s = (1.0 + m22 - m00 - m11).sqrt();
        let k = 0.5 / s;
        [(m20 + m02) * k, (m21 + m12) * k, 0.5 * s, (m01 - m10) * k]
    }
}

/// The forward, left and up vectors of a rotation.
#[inline]
#[must_use]
pub fn to_basis([x, y, z, w]: Quaternion) -> [Vec3; 3] {
    let forward = [
        2.0 * (x * z + w * y),
        2.0 * (y * z - w * x),
        1.0 - 2.0 * (x * x + y * y),
    ];
    let up = [
        2.0 * (x * y - w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z + w * x),
    ];
    [forward, cross(up, forward), up]
}

/// The index of the component with the largest magnitude, and whether it is negative. The first wins ties.
#[inline]
fn largest(q: Quaternion) -> (usize, bool) {
    let mut best = (0, false);
    let mut max = 0.0;
    for (at, component) in q.into_iter().enumerate() {
        if component.abs() > max {
            max = component.abs();
            best = (at, component < 0.0);
        }
    }
    best
}

/// The three components other than `dropped`, in order.
#[inline]
const fn others([x, y, z, w]: Quaternion, dropped: usize) -> Vec3 {
    match dropped {
        0 => [y, z, w],
        1 => [x, z, w],
        2 => [x, y, w],
        _ => [x, y, z],
    }
}

#[inline]
fn pack(dropped: usize, [a, b, c]: [u32; 3]) -> u32 {
    dropped as u32 | a << 2 | b << 12 | c << 22
}

/// Packs the smallest three as the reference does: ten bits each, truncated.
#[inline]
#[must_use]
pub fn to_smallest3(q: Quaternion) -> u32 {
    let (dropped, negative) = largest(q);
    let sign = if negative { -1.0 } else { 1.0 };
    pack(
        dropped,
        others(q, dropped).map(|component| {
            let scaled = (f64::from(component * sign) + HALF_SQRT) / SQRT * 1023.0;
            // Neither clamped nor masked: converted to 32 bits and then to 16. Values out of range and NaN
            // give 0.
            if scaled.abs() < 2_147_483_648.0 {
                u32::from(scaled as i32 as u16)
            } else {
                0
            }
        }),
    )
}

/// Packs the smallest three, each component rounded to the nearest step and clamped to ten bits.
///
/// [`from_smallest3`] of the result packs to the same result, so repeated reading and writing does not
/// drift.
#[inline]
#[must_use]
pub fn to_smallest3_nearest(q: Quaternion) -> u32 {
    let (dropped, negative) = largest(q);
    let packed = nearest(q, dropped, negative);
    let max = q.get(dropped).map_or(0.0, |component| component.abs());
    let tie = others(q, dropped)
        .into_iter()
        .any(|component| component.abs() + CLOSE > max);
    let norm: f32 = q.iter().map(|component| component * component).sum();
    if tie || !is_unit(norm) {
        settle_odd(packed, norm)
    } else {
        packed
    }
}

/// Whether the squared length of a rotation is 1, within [`UNIT`]; false for NaN.
fn is_unit(norm: f32) -> bool {
    (norm - 1.0).abs() < UNIT
}

/// Like [`settle`]; 0 for quaternions that are no rotation.
#[cold]
pub(super) fn settle_odd(packed: u32, norm: f32) -> u32 {
    if norm.is_nan() { 0 } else { settle(packed) }
}

#[inline]
fn nearest(q: Quaternion, dropped: usize, negative: bool) -> u32 {
    const STEP: f32 = (1023.0 / SQRT) as f32;
    let sign = if negative { -1.0 } else { 1.0 };
    pack(
        dropped,
        others(q, dropped).map(|component| {
            // The cast turns NaN and negative numbers into 0.
            (((component * sign + HALF_SQRT as f32) * STEP + 0.5) as u32).min(1023)
        }),
    )
}

/// If two components are almost equally large, rounding can make another one the largest. Returns the code
/// that reading and packing no longer changes; if several codes lead to each other, the least of them.
fn settle(mut packed: u32) -> u32 {
    for _ in 0..4 {
        let next = packed_again(packed);
        if next == packed {
            return packed;
        }
        packed = next;
    }
    let mut least = packed;
    let mut next = packed_again(packed);
    for _ in 0..8 {
        if next == packed {
            break;
        }
        least = least.min(next);
        next = packed_again(next);
    }
    least
}

/// Reads a rotation, converts it to a basis and packs it again, as rewriting a recording does.
fn packed_again(packed: u32) -> u32 {
    let [forward, _, up] = to_basis(from_smallest3(packed));
    let again = from_basis(forward, up);
    let (dropped, negative) = largest(again);
    nearest(again, dropped, negative)
}

/// The values of the ten-bit numbers.
static STEPS: [f32; 1024] = {
    let mut steps = [0.0; 1024];
    let mut n = 0;
    while n < 1024 {
        #[allow(clippy::indexing_slicing)]
        {
            steps[n] = ((n as f32 / 1023.0) as f64 * SQRT - HALF_SQRT) as f32;
        }
        n += 1;
    }
    steps
};

/// The component whose ten bits start at this bit of a code.
#[inline(always)]
pub(super) fn step(packed: u32, shift: u32) -> f32 {
    let step = STEPS.get((packed >> shift & 0x3FF) as usize);
    step.copied().unwrap_or_default()
}

/// Unpacks the smallest three. (A code that no rotation has leaves nothing for the dropped component: it is
/// 0.)
#[inline]
#[must_use]
pub fn from_smallest3(packed: u32) -> Quaternion {
    let [a, b, c] = [2, 12, 22].map(|shift| step(packed, shift));
    let dropped = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    match packed & 3 {
        0 => [dropped, a, b, c],
        1 => [a, dropped, b, c],
        2 => [a, b, dropped, c],
        _ => [a, b, c, dropped],
    }
}

/// The rotation `a` after `b`, as System.Numerics multiplies.
#[inline]
#[must_use]
pub fn multiply([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion) -> Quaternion {
    let [cx, cy, cz] = cross([ax, ay, az], [bx, by, bz]);
    let dot = ax * bx + ay * by + az * bz;
    [
        ax * bw + bx * aw + cx,
        ay * bw + by * aw + cy,
        az * bw + bz * aw + cz,
        aw * bw - dot,
    ]
}

/// The inverse rotation, as System.Numerics inverts.
#[inline]
#[must_use]
pub fn inverse([x, y, z, w]: Quaternion) -> Quaternion {
    let scale = 1.0 / (x * x + y * y + z * z + w * w);
    [-x * scale, -y * scale, -z * scale, w * scale]
}

/// The angle between two rotations in degrees.
#[inline]
#[must_use]
pub fn angle(a: Quaternion, b: Quaternion) -> f32 {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    let dot = (ax * bx + ay * by + az * bz + aw * bw).abs().min(1.0);
    if dot > 1.0 - 1e-6 {
        0.0
    } else {
        dot.acos() * 2.0 * 57.295_78
    }
}
