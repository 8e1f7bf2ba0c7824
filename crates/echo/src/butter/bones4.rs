//! The bones of a player as they are stored: differences from where a reader has them, four rotations
//! at once.

use wide::{f32x4, i32x4};

use super::bones::set;
use super::fixed;
use super::packed::{BONE_MASK, PackedBones};
use super::rotation::Quaternion;
use super::rotation4::smallest4;
use crate::model::{BONES, PlayerBones, Vec3};

/// Adds the differences of a player's bones from where a reader has them; which there are. Of a keyframe
/// all positions are among them: so no reader takes them for differences from the frame before.
pub fn pack(
    now: &PlayerBones,
    from: &PlayerBones,
    keyframe: bool,
    positions: &mut Vec<[i32; 3]>,
    rotations: &mut Vec<u32>,
) -> PackedBones {
    let steps = steps(&now.positions, &from.positions);
    let moved = if keyframe { BONE_MASK } else { moved(&steps) };
    positions.extend(chosen(moved, &steps));
    let (codes, turned) = turns(&now.rotations, &from.rotations);
    rotations.extend(chosen(turned, &codes));
    PackedBones {
        positions: moved,
        rotations: turned,
    }
}

/// Those whose bits are set.
fn chosen<T: Copy>(bits: u32, all: &[T; BONES]) -> impl Iterator<Item = T> {
    set(bits).filter_map(|at| all.get(at).copied())
}

/// The differences of all positions, in steps.
fn steps(now: &[Vec3; BONES], from: &[Vec3; BONES]) -> [[i32; 3]; BONES] {
    let mut steps = [[0; 3]; BONES];
    let lanes = now.as_flattened().iter().zip(from.as_flattened());
    for (step, (now, from)) in steps.as_flattened_mut().iter_mut().zip(lanes) {
        *step = fixed::nearest(now - from);
    }
    steps
}

/// Which bones are further from where a reader has them than is put up with: what is asked is the
/// difference as it is stored, so that reading and writing again asks the same.
fn moved(steps: &[[i32; 3]; BONES]) -> u32 {
    /// Steps of 1/4096 m: three millimetres, nearly. The reference leaves out what moves by one from a
    /// frame to the next, and that adds up to centimetres.
    const STILL: i32 = 12;
    let mut bits = 0;
    for (at, [x, y, z]) in steps.iter().enumerate() {
        bits |= u32::from(x * x + y * y + z * z > STILL * STILL) << at;
    }
    bits
}

/// The turns of all rotations, and which are more than is put up with.
fn turns(now: &[Quaternion; BONES], from: &[Quaternion; BONES]) -> ([u32; BONES], u32) {
    let mut codes = [0; BONES];
    let mut bits = 0;
    let fours = now.chunks(4).zip(from.chunks(4));
    for (at, (codes, (now, from))) in codes.chunks_mut(4).zip(fours).enumerate() {
        let (four, turned) = turn4(filled(now), filled(from));
        for (code, turn) in codes.iter_mut().zip(four) {
            *code = turn;
        }
        bits |= turned << (4 * at);
    }
    (codes, bits & BONE_MASK)
}

/// Four of up to four: the others are not turned at all.
#[inline(always)]
fn filled(rotations: &[Quaternion]) -> [Quaternion; 4] {
    if let Ok(four) = rotations.try_into() {
        return four;
    }
    let mut four = [[0.0, 0.0, 0.0, 1.0]; 4];
    for (to, rotation) in four.iter_mut().zip(rotations) {
        *to = *rotation;
    }
    four
}

/// The turns that lead from four rotations to others, and which of them are to be stored: a bit each. Not
/// what a reader has as good as right, nor what is no rotation.
#[inline(always)]
fn turn4(now: [Quaternion; 4], from: [Quaternion; 4]) -> ([u32; 4], u32) {
    let one = f32x4::splat(1.0);
    let [x, y, z, w] = f32x4::transpose(now.map(f32x4::from));
    let norm = x * x + y * y + z * z + w * w;
    let rotates = norm.simd_gt(f32x4::splat(1e-6)) & norm.simd_le(f32x4::splat(f32::MAX));
    let scale = one / norm.sqrt();
    let now = [x, y, z, w].map(|component| component * scale);
    let [x, y, z, w] = f32x4::transpose(from.map(f32x4::from));
    let scale = one / (x * x + y * y + z * z + w * w);
    let back = [-x * scale, -y * scale, -z * scale, w * scale];
    let codes = smallest4(multiply4(now, back));
    let turned = rotates.to_bitmask() & !still4(codes);
    (codes, turned)
}

/// [`multiply`](super::multiply) of each of four, to the bit.
// Components have these names.
#[allow(clippy::many_single_char_names)]
#[inline(always)]
fn multiply4([ax, ay, az, aw]: [f32x4; 4], [bx, by, bz, bw]: [f32x4; 4]) -> [f32x4; 4] {
    let [cx, cy, cz] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    let dot = ax * bx + ay * by + az * bz;
    [
        ax * bw + bx * aw + cx,
        ay * bw + by * aw + cy,
        az * bw + bz * aw + cz,
        aw * bw - dot,
    ]
}

/// Which of four packed rotations turn by less than three degrees. The reference leaves out what turns by
/// one from a frame to the next, and that adds up to tens.
#[inline(always)]
fn still4(codes: [u32; 4]) -> u32 {
    /// The square of the sine of half of them, in the squares of half a step: 2,046 of these are √2. Sums
    /// of three odd squares are eight apart, and none is as near as rounding.
    const STILL: f32 = 1434.2;
    let codes = i32x4::new(codes.map(u32::cast_signed));
    let squared = |shift: u32| {
        let number: i32x4 = codes >> shift & i32x4::splat(0x3FF);
        let odd = (number + number - i32x4::splat(1023)).round_float();
        odd * odd
    };
    let small = (squared(2) + squared(12) + squared(22)).simd_lt(f32x4::splat(STILL));
    // The component that is left out is w.
    let least: i32x4 = codes & i32x4::splat(3);
    small.to_bitmask() & least.round_float().simd_gt(f32x4::splat(2.5)).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::super::rotation::{from_smallest3, inverse, multiply, to_smallest3_nearest};
    use super::*;
    use proptest::prelude::*;

    /// The turn by the scalar way; `None` where there is nothing to be stored.
    fn turn(now: Quaternion, from: Quaternion) -> Option<u32> {
        /// The cosine of one and a half degrees.
        const STILL: f32 = 0.999_657_3;
        let norm: f32 = now.iter().map(|component| component * component).sum();
        if !(norm > 1e-6 && norm.is_finite()) {
            return None;
        }
        let scale = 1.0 / norm.sqrt();
        let now = now.map(|component| component * scale);
        let packed = to_smallest3_nearest(multiply(now, inverse(from)));
        let [.., w] = from_smallest3(packed);
        (packed & 3 != 3 || w <= STILL).then_some(packed)
    }

    #[test]
    fn what_is_still_is_less_than_three_degrees() {
        for code in 0..1 << 24_u32 {
            // 64 steps about none of each component, for each that may be left out.
            let [a, b, c] = [0, 6, 12].map(|shift| 480 + (code >> shift & 63));
            let code = (code >> 18 & 3) | a << 2 | b << 12 | c << 22;
            let [.., w] = from_smallest3(code);
            let still = code & 3 == 3 && w > 0.999_657_3;
            assert_eq!(still4([code; 4]), if still { 15 } else { 0 }, "{code:08x}");
        }
    }

    fn quaternion() -> impl Strategy<Value = Quaternion> {
        let one = -1.0..1.0_f32;
        let unit = [one.clone(), one.clone(), one.clone(), one];
        prop_oneof![
            8 => unit,
            1 => prop::sample::select(vec![
                [0.0; 4],
                [0.0, 0.0, 0.0, 1.0],
                [0.5, -0.5, 0.5, 0.5],
                [0.0, -1.0, 0.0, 0.0],
            ]),
            1 => any::<[f32; 4]>(),
            1 => prop::collection::vec(
                prop::sample::select(vec![f32::NAN, f32::INFINITY, -0.0, 1e30, 0.3]), 4
            ).prop_map(|all| [all[0], all[1], all[2], all[3]]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn four_turns_at_once_are_one_at_a_time(
            now in [quaternion(), quaternion(), quaternion(), quaternion()],
            from in [quaternion(), quaternion(), quaternion(), quaternion()],
            off in quaternion(),
            near in 0_u32..16,
        ) {
            let mut now = now;
            for (lane, (now, from)) in now.iter_mut().zip(from).enumerate() {
                if near >> lane & 1 == 1 {
                    *now = from;
                    now.iter_mut().zip(off).for_each(|(to, off)| *to += off * 0.03);
                }
            }
            let (codes, turned) = turn4(now, from);
            for (lane, ((now, from), code)) in now.into_iter().zip(from).zip(codes).enumerate() {
                let here = (turned >> lane & 1 == 1).then_some(code);
                prop_assert_eq!(here, turn(now, from), "{:?} {:?}", now, from);
            }
        }
    }
}
