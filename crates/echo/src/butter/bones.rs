//! The bones that a reader has after a frame.

use super::dialect::Mended;
use super::fixed;
use super::packed::{BONE_MASK, Packed};
use super::rotation::{self, Quaternion};
use crate::model::{BONES, PlayerBones};

/// The bones after a frame: what those of the next frame differ from.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct BonesState {
    /// Those of the frame; `None` where it has none.
    pub shown: Option<Vec<PlayerBones>>,
    /// Those of the frame before a keyframe, for keyframes that differ from it.
    before: Vec<PlayerBones>,
    /// The chunk is read alone: of what is before its first keyframe, nothing is known.
    pub alone: bool,
}

impl BonesState {
    /// Goes on by a frame.
    #[inline]
    pub fn apply(&mut self, packed: &Packed, mended: &mut Mended) {
        let mut bones = self.shown.take().unwrap_or_default();
        if !packed.has_bones() {
            // Bones that come again start anew.
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

/// Which bits of a mask of bones are set, the lowest first.
#[inline(always)]
pub(super) fn set(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask & BONE_MASK;
    std::iter::from_fn(move || {
        let at = left.trailing_zeros();
        // Of no bits there is none to take away.
        left &= left.checked_sub(1)?;
        Some(at as usize)
    })
}

/// A rotation, turned by a packed one.
fn turn(from: Quaternion, packed: u32) -> Quaternion {
    rotation::multiply(rotation::from_smallest3(packed), from)
}

/// Whether the bones of a keyframe differ from those of the frame before, as the reference writes
/// them where a keyframe is not the first of the file. Bones lie up to a metre from zero, and move
/// by centimetres: whichever reading moves them less is right.
///
/// [`Mode::Correct`](super::Mode::Correct) writes all positions of a keyframe, zeros too, which the
/// reference never does.
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
        // Nothing to compare with. (Before the first keyframe of a file there are no bones: those
        // that lie at zero are left out.)
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
    // Where all positions are there, they have to move much less to be taken for differences.
    let likely = if present as usize == all { 0.25 } else { 1.0 };
    relative < absolute * likely
}
