//! Packing and unpacking four orientations at once: the four poses of a player.

use wide::{f32x4, i32x4};

use super::rotation::{CLOSE, HALF_SQRT, SQRT, UNIT, settle_odd, step};
use crate::model::{Pose, Vec3};

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
fn scale_to_one([x, y, z]: Vectors) -> Vectors {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

#[inline(always)]
fn cross([ax, ay, az]: Vectors, [bx, by, bz]: Vectors) -> Vectors {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// [`from_basis`](super::from_basis) and [`to_smallest3_nearest`](super::to_smallest3_nearest) for four
/// poses at once: the same operations in the same order, so the same bits.
// The coordinates and components are known by these names.
#[allow(clippy::many_single_char_names)]
#[inline]
pub fn pack4(poses: [&Pose; 4]) -> [u32; 4] {
    let (forward, up) = (poses.map(|pose| &pose.forward), poses.map(|pose| &pose.up));
    let one = f32x4::splat(1.0);
    let half = f32x4::splat(0.5);
    let forward = scale_to_one(scale_to_one(lanes(forward)));
    let right = scale_to_one(cross(lanes(up), forward));
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

/// [`to_smallest3_nearest`](super::to_smallest3_nearest) for four rotations at once, with the same bits.
// The components are known by these names.
#[allow(clippy::many_single_char_names)]
#[inline(always)]
pub(super) fn smallest4([x, y, z, w]: [f32x4; 4]) -> [u32; 4] {
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

/// [`from_smallest3`](super::from_smallest3) and [`to_basis`](super::to_basis) for four codes at once:
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
    use super::super::rotation::{from_basis, from_smallest3, to_basis, to_smallest3_nearest};
    use super::*;
    use proptest::prelude::*;

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
