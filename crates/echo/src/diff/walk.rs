//! The walk over two frames in parallel; every pair of values goes to a sink.

use super::sink::{At, Before, Sink, both, shown};
use super::{players, session};
use crate::field::Field;
use crate::model::{Bones, Frame};

/// Walks over two frames; `before` has the values of the first one's frame before.
pub(crate) fn walk<S: Sink>(a: &Frame, b: &Frame, before: Option<&Before>, sink: &mut S) {
    let at = At::Frame;
    sink.whole(Field::Time, at, &["time"], [&[a.time.0], &[b.time.0]]);
    session::walk(&a.session, &b.session, before, sink);
    players::walk(&a.session, &b.session, before, sink);
    bones(a, b, sink);
}

fn bones<S: Sink>(a: &Frame, b: &Frame, sink: &mut S) {
    let at = At::Frame;
    let pair = (a.bones.as_ref(), b.bones.as_ref());
    let nothing = |bones: &Bones| bones.user_bones.is_empty();
    let Some((a, b)) = both(sink, at, "bones", pair, nothing) else {
        return;
    };
    let [x, y] = [a.user_bones.len(), b.user_bones.len()];
    let field = Field::BonePlayers;
    sink.other(field, at, "user_bones", x == y, || shown(&x, &y));
    for (place, (x, y)) in a.user_bones.iter().zip(&b.user_bones).enumerate() {
        for (bone, (x, y)) in x.positions.iter().zip(&y.positions).enumerate() {
            let at = At::Bone(place, bone);
            sink.vector(Field::BonePosition, at, "bone_t", [x, y], None);
        }
        for (bone, (x, y)) in x.rotations.iter().zip(&y.rotations).enumerate() {
            sink.quaternion(At::Bone(place, bone), [x, y]);
        }
    }
    let same = a.unknown == b.unknown;
    let field = Field::UnknownMembers;
    sink.other(field, at, "unknown members of the bones", same, || {
        [a, b].map(|bones| bones.unknown.len().to_string())
    });
}
