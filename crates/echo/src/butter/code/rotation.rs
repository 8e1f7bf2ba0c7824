//! Orientations: three unit vectors in the API, the smallest three components of a quaternion in .butter;
//! one at a time and four at once.

use std::ops::{Add, Mul, Sub};

use wide::{f32x4, i32x4};

use super::primitive::settle;
use crate::model::{Pose, Vec3};

/// A quaternion: x, y, z, w.
pub type Quaternion = [f32; 4];

/// √½ and √2 truncated as in the format: exact values would give other bits.
#[allow(clippy::approx_constant)]
const HALF_SQRT: f64 = 0.707_106_78;
#[allow(clippy::approx_constant)]
const SQRT: f64 = 1.414_213_56;

/// If a quaternion's largest component is larger than the others by this, it is still the largest after
/// packing. Packing moves one component by half a step, and the other by what half a step in three
/// components amounts to (0.0028) and by [`UNIT`].
const CLOSE: f32 = 0.003;

/// The tolerance for the squared length of a rotation to be 1; rounding leaves much less.
///
/// A code has length 1: the component that it leaves out takes the difference, which reaches the whole
/// tolerance if all four are about ½. If forward and up are almost parallel, no right angle defines a
/// basis, and the length of the quaternion may be further off.
const UNIT: f32 = 0.000_1;

#[inline]
fn scale_to_one([x, y, z]: Vec3) -> Vec3 {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

#[inline(always)]
fn cross<T>([ax, ay, az]: [T; 3], [bx, by, bz]: [T; 3]) -> [T; 3]
where
    T: Copy + Mul<Output = T> + Sub<Output = T>,
{
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

/// The code that reading and packing no longer changes; 0 for quaternions that are no rotation. If two
/// components are almost equally large, rounding can make another one the largest.
#[cold]
fn settle_odd(packed: u32, norm: f32) -> u32 {
    if norm.is_nan() {
        0
    } else {
        settle(packed, packed_again)
    }
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
fn step(packed: u32, shift: u32) -> f32 {
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
///
/// With `T` an `f32`, or four of them for four rotations at once.
#[inline(always)]
#[must_use]
pub fn multiply<T>([ax, ay, az, aw]: [T; 4], [bx, by, bz, bw]: [T; 4]) -> [T; 4]
where
    T: Copy + Add<Output = T> + Mul<Output = T> + Sub<Output = T>,
{
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
#[cfg(test)]
pub fn inverse([x, y, z, w]: Quaternion) -> Quaternion {
    let scale = 1.0 / (x * x + y * y + z * z + w * w);
    [-x * scale, -y * scale, -z * scale, w * scale]
}

type Vectors = [f32x4; 3];

#[inline(always)]
fn lanes(vectors: [&Vec3; 4]) -> Vectors {
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz], [dx, dy, dz]] = vectors;
    [
        f32x4::new([*ax, *bx, *cx, *dx]),
        f32x4::new([*ay, *by, *cy, *dy]),
        f32x4::new([*az, *bz, *cz, *dz]),
    ]
}

#[inline(always)]
fn scale_to_one4([x, y, z]: Vectors) -> Vectors {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// [`from_basis`] and [`to_smallest3_nearest`] for four
/// poses at once: the same operations in the same order, so the same bits.
// The coordinates and components are known by these names.
#[allow(clippy::many_single_char_names)]
#[inline]
pub fn pack4(poses: [&Pose; 4]) -> [u32; 4] {
    let (forward, up) = (poses.map(|pose| &pose.forward), poses.map(|pose| &pose.up));
    let one = f32x4::splat(1.0);
    let half = f32x4::splat(0.5);
    let forward = scale_to_one4(scale_to_one4(lanes(forward)));
    let right = scale_to_one4(cross(lanes(up), forward));
    let [m10, m11, m12] = cross(forward, right);
    let ([m00, m01, m02], [m20, m21, m22]) = (right, forward);

    let trace = m00 + m11 + m22;
    let by_w = trace.simd_gt(f32x4::ZERO);
    let by_x = m00.simd_ge(m11) & m00.simd_ge(m22);
    let by_y = m11.simd_gt(m22);
    let pick = |w: f32x4, x: f32x4, y: f32x4, z: f32x4| {
        by_w.bitselect(w, by_x.bitselect(x, by_y.bitselect(y, z)))
    };
    let root = pick(
        trace + one,
        one + m00 - m11 - m22,
        one + m11 - m00 - m22,
        one + m22 - m00 - m11,
    )
    .sqrt();
    let scale = half / root;
    let main = half * root;
    let [xy, xz, yz] = [m01 + m10, m02 + m20, m21 + m12].map(|sum| sum * scale);
    let [dx, dy, dz] = [m12 - m21, m20 - m02, m01 - m10].map(|difference| difference * scale);
    let x = pick(dx, main, xy, xz);
    let y = pick(dy, xy, main, yz);
    let z = pick(dz, xz, yz, main);
    let w = pick(main, dx, dy, dz);

    smallest4([x, y, z, w])
}

/// [`to_smallest3_nearest`] for four rotations at once, with the same bits.
// The components are known by these names.
#[allow(clippy::many_single_char_names)]
#[inline(always)]
pub fn smallest4([x, y, z, w]: [f32x4; 4]) -> [u32; 4] {
    const STEP: f32 = (1023.0 / SQRT) as f32;
    let one = f32x4::splat(1.0);
    // The component with the largest magnitude is dropped; the first wins ties. (With NaN, the choice does
    // not matter: the result is 0.)
    let (second, first) = (y.abs().simd_gt(x.abs()), x.abs().fast_max(y.abs()));
    let (third, second_max) = (z.abs().simd_gt(first), first.fast_max(z.abs()));
    let (fourth, max) = (w.abs().simd_gt(second_max), second_max.fast_max(w.abs()));
    let (from_second, from_third) = (second | third | fourth, third | fourth);
    let dropped = (from_second & one) + (from_third & one) + (fourth & one);
    let a = from_second.bitselect(x, y);
    let b = from_third.bitselect(y, z);
    let c = fourth.bitselect(z, w);
    let largest = fourth.bitselect(w, third.bitselect(z, second.bitselect(y, x)));
    let sign = largest & f32x4::splat(-0.0);
    let (offset, step) = (f32x4::splat(HALF_SQRT as f32), f32x4::splat(STEP));
    let number = |component: f32x4| {
        let number = ((component ^ sign) + offset) * step + f32x4::splat(0.5);
        let number = number.fast_max(f32x4::ZERO).fast_min(f32x4::splat(1023.0));
        number.fast_trunc_int()
    };
    let packed: i32x4 =
        dropped.fast_trunc_int() | number(a) << 2 | number(b) << 12 | number(c) << 22;
    let next = a.abs().fast_max(b.abs()).fast_max(c.abs());
    let ties = (next + f32x4::splat(CLOSE)).simd_gt(max);
    let norm = x * x + y * y + z * z + w * w;
    // NaN is within no tolerance.
    let unit = (norm - one).abs().simd_lt(f32x4::splat(UNIT));
    let odd = (ties | !unit).to_bitmask();
    let mut packed = packed.to_array().map(i32::cast_unsigned);
    if odd != 0 {
        settle4(&mut packed, odd, norm.to_array());
    }
    packed
}

/// Settles the codes whose bits are set.
#[cold]
#[inline(never)]
fn settle4(packed: &mut [u32; 4], odd: u32, norms: [f32; 4]) {
    for (lane, (packed, norm)) in packed.iter_mut().zip(norms).enumerate() {
        if odd >> lane & 1 == 1 {
            *packed = settle_odd(*packed, norm);
        }
    }
}

/// [`from_smallest3`] and [`to_basis`] for four codes at once:
/// forward, left and up.
// The coordinates and components are known by these names.
#[allow(clippy::many_single_char_names)]
#[inline(always)]
pub fn unpack4(packed: [u32; 4]) -> [[Vec3; 3]; 4] {
    let one = f32x4::splat(1.0);
    let two = f32x4::splat(2.0);
    // Written out code by code: an array of arrays would be stored to memory first.
    let [p, q, r, s] = packed;
    let of = |at: u32| f32x4::new([step(p, at), step(q, at), step(r, at), step(s, at)]);
    let [a, b, c] = [of(2), of(12), of(22)];
    let squared = one - a * a - b * b - c * c;
    let positive = squared.simd_gt(f32x4::ZERO);
    let dropped = positive.bitselect(squared, f32x4::ZERO).sqrt();
    let code = |packed: u32| (packed & 3) as f32;
    let index = f32x4::new([code(p), code(q), code(r), code(s)]);
    let first = index.simd_le(f32x4::ZERO);
    let second = index.simd_le(one);
    let third = index.simd_le(two);
    let x = first.bitselect(dropped, a);
    let y = first.bitselect(a, second.bitselect(dropped, b));
    let z = second.bitselect(b, third.bitselect(dropped, c));
    let w = third.bitselect(c, dropped);
    let forward = [
        two * (x * z + w * y),
        two * (y * z - w * x),
        one - two * (x * x + y * y),
    ];
    let up = [
        two * (x * y - w * z),
        one - two * (x * x + z * z),
        two * (y * z + w * x),
    ];
    let [forward, left, up] = [forward, cross(up, forward), up].map(vectors);
    let mut bases = [[[0.0; 3]; 3]; 4];
    let all = forward.into_iter().zip(left).zip(up);
    for (basis, ((forward, left), up)) in bases.iter_mut().zip(all) {
        *basis = [forward, left, up];
    }
    bases
}

/// The inverse of [`lanes`].
#[inline(always)]
fn vectors([x, y, z]: Vectors) -> [Vec3; 4] {
    let [[ax, bx, cx, dx], [ay, by, cy, dy], [az, bz, cz, dz]] =
        [x.to_array(), y.to_array(), z.to_array()];
    [[ax, ay, az], [bx, by, bz], [cx, cy, cz], [dx, dy, dz]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Unpacks a code and packs it again.
    fn again(code: u32) -> u32 {
        let [forward, _, up] = to_basis(from_smallest3(code));
        to_smallest3_nearest(from_basis(forward, up))
    }

    #[test]
    fn parallel_vectors_are_packed_the_same_again() {
        let forward = [3.319_483e-29, -1.243_172_8e-36, 2.030_654];
        let up = [-0.0, -3.189_617e-37, -12_394_871.0];
        // Its length is 1.0025, and z is larger than w by more than the steps of a code.
        let code = to_smallest3_nearest(from_basis(forward, up));
        assert_eq!(again(code), code);
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop_oneof![
            8 => [-1.0..1.0_f32, -1.0..1.0_f32, -1.0..1.0_f32],
            1 => Just([0.0; 3]),
            1 => prop::sample::select(vec![[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]),
            1 => any::<[f32; 3]>(),
        ]
    }

    #[test]
    fn four_at_once_are_read_as_one_at_a_time() {
        let mut code = 1_u32;
        for _ in 0..200_000 {
            let codes = [0; 4].map(|_: u32| {
                code = code.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                code ^ code >> 15
            });
            for (basis, code) in unpack4(codes).into_iter().zip(codes) {
                let alone = to_basis(from_smallest3(code));
                let bits = |basis: [Vec3; 3]| basis.map(|vector| vector.map(f32::to_bits));
                assert_eq!(bits(basis), bits(alone), "{code:08x}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn four_at_once_are_one_at_a_time(
            forward in [vector(), vector(), vector(), vector()],
            up in [vector(), vector(), vector(), vector()],
        ) {
            let mut poses = [Pose::default(); 4];
            for (pose, (forward, up)) in poses.iter_mut().zip(forward.into_iter().zip(up)) {
                *pose = Pose { forward, up, ..*pose };
            }
            let packed = pack4(poses.each_ref());
            for ((packed, forward), up) in packed.into_iter().zip(forward).zip(up) {
                prop_assert_eq!(packed, to_smallest3_nearest(from_basis(forward, up)));
            }
        }

        #[test]
        fn packing_again_gives_the_same_code(
            forward in vector(),
            up in vector(),
            off in vector(),
            parallel in 0_i32..10,
        ) {
            let almost = 10_f32.powi(-parallel);
            let mut near = forward;
            near.iter_mut().zip(off).for_each(|(to, off)| *to += off * almost);
            for up in [up, near] {
                let code = to_smallest3_nearest(from_basis(forward, up));
                // Code 0 is no rotation; it is read as three zero vectors.
                prop_assert!(code == 0 || again(code) == code, "{:08x} {:?} {:?}", code, forward, up);
            }
        }
    }
}
