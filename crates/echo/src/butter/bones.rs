//! Bones: the reader's state, and packing the differences from it, four rotations at a time.

use super::dialect::Mended;
use super::fixed;
use super::packed::{BONE_MASK, Packed};
use super::rotation::{self, Quaternion};
use crate::model::{BONES, PlayerBones};

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
                    *value += fixed::from_fixed(number);
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
    rotation::multiply(rotation::from_smallest3(packed), from)
}

/// Decides whether a keyframe stores its bones as differences from the frame before. The reference does
/// that in every keyframe but the first of the file. Bones lie up to a metre from zero and move by
/// centimetres, so the reading that moves them less is right.
///
/// [`Mode::Correct`](super::Mode::Correct) writes all positions of a keyframe, zeros included, and the
/// reference never does; such a keyframe is absolute.
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
                .map_or([0.0; 3], |numbers| numbers.map(fixed::from_fixed));
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
