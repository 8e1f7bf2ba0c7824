//! Bones: the reader's state, and packing the differences from it, four rotations at a time.

use wide::{f32x4, i32x4};

use super::packed::{BONE_MASK, Packed, PackedBones};
use super::reference::Mended;
use crate::butter::code::primitive::{LAST_FIXED, from_fixed, nearest_fixed};
use crate::butter::code::rotation::{self, Quaternion, multiply, smallest4};
use crate::model::{BONES, PlayerBones, Vec3};

/// The bones after a frame. The bones of the next frame are stored as differences from them.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct BonesState {
    /// The bones of the last frame; `None` if it has none.
    pub shown: Option<Vec<PlayerBones>>,
    /// The bones of the frame before the last keyframe, in case the keyframe stores differences from them.
    before: Vec<PlayerBones>,
    /// The chunk is read alone, so the bones before its first keyframe are unknown.
    pub alone: bool,
}

impl BonesState {
    /// Applies the next frame.
    #[inline]
    pub fn apply(&mut self, packed: &Packed, mended: &mut Mended) {
        let mut bones = self.shown.take().unwrap_or_default();
        if !packed.has_bones() {
            // Bones that come back later start from zero.
            self.before.clear();
            return;
        }
        let count = packed.bones.len();
        if packed.keyframe {
            std::mem::swap(&mut self.before, &mut bones);
            bones.clear();
        } else if !bones.is_empty() && bones.len() != count {
            mended.bone_players += 1;
            bones.clear();
        }
        bones.resize(count, PlayerBones::default());
        if packed.keyframe && differs_from_before(packed, &self.before, self.alone) {
            if self.before.len() == count {
                bones.clone_from(&self.before);
                mended.bones += 1;
            } else {
                mended.bones_lost += 1;
            }
        }
        self.alone &= !packed.keyframe;
        add_bones(packed, &mut bones);
        self.shown = Some(bones);
    }
}

fn add_bones(packed: &Packed, bones: &mut [PlayerBones]) {
    let mut positions = packed.bone_positions.iter();
    let mut rotations = packed.bone_rotations.iter();
    for (bones, masks) in bones.iter_mut().zip(&packed.bones) {
        for (at, delta) in set(masks.positions).zip(positions.by_ref()) {
            if let Some(position) = bones.positions.get_mut(at) {
                for (value, &number) in position.iter_mut().zip(delta) {
                    *value += from_fixed(number);
                }
            }
        }
        for (at, &delta) in set(masks.rotations).zip(rotations.by_ref()) {
            if let Some(rotation) = bones.rotations.get_mut(at) {
                *rotation = turn(*rotation, delta);
            }
        }
    }
}

/// Returns the indices of the bits set in a mask of bones, lowest first.
#[inline(always)]
pub(super) fn set(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask & BONE_MASK;
    std::iter::from_fn(move || {
        let at = left.trailing_zeros();
        // `checked_sub` ends the iteration when no bit is left.
        left &= left.checked_sub(1)?;
        Some(at as usize)
    })
}

/// Returns `from`, turned by a packed rotation.
fn turn(from: Quaternion, packed: u32) -> Quaternion {
    multiply(rotation::from_smallest3(packed), from)
}

/// Decides whether a keyframe stores its bones as differences from the frame before. The reference does
/// that in every keyframe but the first of the file. Bones lie up to a metre from zero and move by
/// centimetres, so the reading that moves them less is right.
///
/// [`Writer`](super::Writer) writes all positions of a keyframe, zeros included, and the reference never does;
/// such a keyframe is absolute.
fn differs_from_before(packed: &Packed, before: &[PlayerBones], alone: bool) -> bool {
    if packed.bone_positions.contains(&[0; 3]) {
        return false;
    }
    let present: u32 = packed
        .bones
        .iter()
        .map(|bones| bones.positions.count_ones())
        .sum();
    let all = packed.bones.len() * BONES;
    if before.len() != packed.bones.len() {
        // There is nothing to compare with. (No bones precede the first keyframe of a file, and positions
        // of zero are left out there.)
        return (alone || !before.is_empty()) && (present as usize) * 2 < all;
    }
    let mut absolute = 0.0_f64;
    let mut relative = 0.0_f64;
    let mut positions = packed.bone_positions.iter();
    for (before, masks) in before.iter().zip(&packed.bones) {
        for (at, from) in before.positions.iter().enumerate() {
            let given = (masks.positions >> at & 1 == 1)
                .then(|| positions.next())
                .flatten()
                .map_or([0.0; 3], |numbers| numbers.map(from_fixed));
            for (value, from) in given.into_iter().zip(from) {
                absolute += f64::from(value - from).abs();
                relative += f64::from(value).abs();
            }
        }
    }
    // If all positions are present, they have to move much less to count as differences.
    let likely = if present as usize == all { 0.25 } else { 1.0 };
    relative < absolute * likely
}

/// Appends the differences between a player's bones and the reader's, and returns the masks that say which
/// bones are stored. A keyframe stores all positions, so that no reader takes them for differences from the
/// frame before.
///
/// Keyframes are as exact as the format allows. Other differences are rounded to coarser steps. Few
/// distinct values then occur, and often, so they compress to two thirds of the size; the added error is a
/// fraction of the tolerated one. Whether a bone is stored depends on its difference in stored form alone,
/// so reading and writing again makes the same choice.
pub fn pack(
    now: &PlayerBones,
    from: &PlayerBones,
    keyframe: bool,
    positions: &mut Vec<[i32; 3]>,
    rotations: &mut Vec<u32>,
) -> PackedBones {
    let mut steps = steps(&now.positions, &from.positions);
    let moved = if keyframe {
        BONE_MASK
    } else {
        coarse(&mut steps)
    };
    positions.extend(chosen(moved, &steps));
    let (codes, turned) = turns(&now.rotations, &from.rotations, keyframe);
    rotations.extend(chosen(turned, &codes));
    PackedBones {
        positions: moved,
        rotations: turned,
    }
}

/// Returns the elements whose bits are set.
fn chosen<T: Copy>(bits: u32, all: &[T; BONES]) -> impl Iterator<Item = T> {
    set(bits).filter_map(|at| all.get(at).copied())
}

/// Returns the differences of all positions, in steps of 1/4096 m.
fn steps(now: &[Vec3; BONES], from: &[Vec3; BONES]) -> [[i32; 3]; BONES] {
    let mut steps = [[0; 3]; BONES];
    let lanes = now.as_flattened().iter().zip(from.as_flattened());
    for (step, (now, from)) in steps.as_flattened_mut().iter_mut().zip(lanes) {
        *step = nearest_fixed(now - from);
    }
    steps
}

/// Rounds differences to about two millimetres. Returns a bit for each bone that is more than one such step
/// from the reader's, in any coordinate.
fn coarse(steps: &mut [[i32; 3]; BONES]) -> u32 {
    /// In steps of 1/4096 m; a power of two. Bones may be one whole step off and half a step more, so that
    /// a trembling bone is not written back and forth.
    const COARSE: i32 = 8;
    let mut bits = 0;
    for (at, step) in steps.iter_mut().enumerate() {
        let mut moved = false;
        for step in step {
            // The largest number of a coordinate is no multiple of this step.
            *step = ((*step + COARSE / 2) & -COARSE).min(LAST_FIXED & -COARSE);
            moved |= step.abs() > COARSE;
        }
        bits |= u32::from(moved) << at;
    }
    bits
}

/// Returns the packed turns of all rotations, and a bit for each turn above the tolerance.
fn turns(
    now: &[Quaternion; BONES],
    from: &[Quaternion; BONES],
    keyframe: bool,
) -> ([u32; BONES], u32) {
    let mut codes = [0; BONES];
    let mut bits = 0;
    let fours = now.chunks(4).zip(from.chunks(4));
    for (at, (codes, (now, from))) in codes.chunks_mut(4).zip(fours).enumerate() {
        let (four, turned) = turn4(filled(now), filled(from), keyframe);
        for (code, turn) in codes.iter_mut().zip(four) {
            *code = turn;
        }
        bits |= turned << (4 * at);
    }
    (codes, bits & BONE_MASK)
}

/// Pads up to four rotations to four, with rotations by nothing.
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

/// Returns the packed turns from four rotations to four others, and a bit for each turn that has to be
/// stored. Turns below the tolerance and quaternions that are no rotation need not be.
#[inline(always)]
fn turn4(now: [Quaternion; 4], from: [Quaternion; 4], keyframe: bool) -> ([u32; 4], u32) {
    let one = f32x4::splat(1.0);
    let [x, y, z, w] = f32x4::transpose(now.map(f32x4::from));
    let norm = x * x + y * y + z * z + w * w;
    let rotates = norm.simd_gt(f32x4::splat(1e-6)) & norm.simd_le(f32x4::splat(f32::MAX));
    let scale = one / norm.sqrt();
    let now = [x, y, z, w].map(|component| component * scale);
    let [x, y, z, w] = f32x4::transpose(from.map(f32x4::from));
    let scale = one / (x * x + y * y + z * z + w * w);
    let back = [-x * scale, -y * scale, -z * scale, w * scale];
    let codes = smallest4(multiply(now, back));
    let (codes, still) = if keyframe {
        (codes, none4(codes))
    } else {
        coarse4(codes)
    };
    (codes, rotates.to_bitmask() & !still)
}

/// Returns a bit for each of four packed rotations that does not turn at all, as far as a code can express
/// that.
#[inline(always)]
fn none4(codes: [u32; 4]) -> u32 {
    /// The number of steps of a code is even: zero lies between two of them and is rounded up.
    const NONE: u32 = 3 | 512 << 2 | 512 << 12 | 512 << 22;
    let bits = codes.iter().enumerate();
    bits.fold(0, |bits, (lane, code)| {
        bits | u32::from(*code == NONE) << lane
    })
}

/// Rounds those of four packed rotations that turn by at most twenty degrees about any axis to steps of two
/// and a half degrees. The bits mark the rotations of at most one step about at most two axes: 3.6 degrees.
///
/// Larger turns are rare. Rounding one could make another component the largest, and the rotation would
/// then be packed differently the next time.
#[inline(always)]
fn coarse4(codes: [u32; 4]) -> ([u32; 4], u32) {
    /// In steps of a code; a power of two.
    const COARSE: i32 = 16;
    /// A component of zero, rounded.
    const NONE: i32 = 512;
    /// A multiple of the coarse step, so that no value is rounded beyond it.
    const SMALL: i32 = 8 * COARSE;
    let codes = i32x4::new(codes.map(u32::cast_signed));
    let mut coarse = i32x4::splat(3);
    let mut squared = f32x4::ZERO;
    // The component that is left out is w.
    let mut small = (codes & i32x4::splat(3)).simd_eq(i32x4::splat(3));
    for shift in [2_u32, 12, 22] {
        let number: i32x4 = codes >> shift & i32x4::splat(0x3FF);
        small &= (number - i32x4::splat(NONE))
            .abs()
            .simd_lt(i32x4::splat(SMALL + 1));
        let number = (number + i32x4::splat(COARSE / 2)) & i32x4::splat(-COARSE);
        let off = (number - i32x4::splat(NONE)).round_float();
        squared += off * off;
        coarse |= number << shift;
    }
    let near = squared.simd_le(f32x4::splat((2 * COARSE * COARSE) as f32));
    let codes = small.bitselect(coarse, codes).to_array();
    (
        codes.map(i32::cast_unsigned),
        small.to_bitmask() & near.to_bitmask(),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::butter::code::rotation::{from_smallest3, inverse, multiply, to_smallest3_nearest};

    /// Computes the stored code with scalar operations; `None` if nothing is stored.
    fn stored(code: u32, keyframe: bool) -> Option<u32> {
        let numbers = [2, 12, 22].map(|shift| (code >> shift & 1023) as i32 - 512);
        if keyframe {
            return (code & 3 != 3 || numbers != [0; 3]).then_some(code);
        }
        if code & 3 != 3 || numbers.iter().any(|number| number.abs() > 128) {
            return Some(code);
        }
        // Halves are rounded up.
        let steps = numbers.map(|number| (f64::from(number) / 16.0 + 0.5).floor() as i32);
        let [a, b, c] = steps.map(|step| (step * 16 + 512) as u32);
        let turned = steps.iter().map(|step| step * step).sum::<i32>() > 2;
        turned.then_some(3 | a << 2 | b << 12 | c << 22)
    }

    /// Computes the turn with scalar operations; `None` if nothing has to be stored.
    fn turn(now: Quaternion, from: Quaternion, keyframe: bool) -> Option<u32> {
        let norm: f32 = now.iter().map(|component| component * component).sum();
        if !(norm > 1e-6 && norm.is_finite()) {
            return None;
        }
        let scale = 1.0 / norm.sqrt();
        let now = now.map(|component| component * scale);
        stored(to_smallest3_nearest(multiply(now, inverse(from))), keyframe)
    }

    /// The angle between two rotations, in degrees.
    fn between(a: Quaternion, b: Quaternion) -> f64 {
        let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum();
        2.0 * dot.abs().min(1.0).acos().to_degrees()
    }

    #[test]
    fn a_turn_is_within_five_and_a_half_degrees_and_is_packed_the_same_again() {
        let mut worst = 0.0_f64;
        // All turns that are small enough to be left out, and the rounded ones next to them.
        for place in 0..1 << 20_u32 {
            let numbers = [0, 6, 12].map(|shift| 480 + (place >> shift & 63));
            // Also larger ones, around the limit of small turns.
            let spread = 1 + (place >> 18) * 3;
            let [a, b, c] =
                numbers.map(|number| (512 + (number - 512) * spread).clamp(0, 1023) as u32);
            let code = 3 | a << 2 | b << 12 | c << 22;
            let ([packed, ..], still) = coarse4([code; 4]);
            let here = (still == 0).then_some(packed);
            assert_eq!(here, stored(code, false), "{code:08x}");
            let read = here.map_or([0.0, 0.0, 0.0, 1.0], from_smallest3);
            worst = worst.max(between(from_smallest3(code), read));
            if let Some(packed) = here {
                let again = to_smallest3_nearest(from_smallest3(packed));
                assert_eq!(stored(again, false), here, "{code:08x}");
            }
        }
        assert!((5.3..5.5).contains(&worst), "{worst}");
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
            keyframe: bool,
        ) {
            let mut now = now;
            for (lane, (now, from)) in now.iter_mut().zip(from).enumerate() {
                if near >> lane & 1 == 1 {
                    *now = from;
                    now.iter_mut().zip(off).for_each(|(to, off)| *to += off * 0.06);
                }
            }
            let (codes, turned) = turn4(now, from, keyframe);
            for (lane, ((now, from), code)) in now.into_iter().zip(from).zip(codes).enumerate() {
                let here = (turned >> lane & 1 == 1).then_some(code);
                prop_assert_eq!(here, turn(now, from, keyframe), "{:?} {:?}", now, from);
            }
        }
    }
}
