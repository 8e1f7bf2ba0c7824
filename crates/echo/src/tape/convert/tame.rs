//! Numbers that JSON can't express.

use crate::Frame;
use crate::members::Member;
use crate::model::{Pose, Vec3};
use crate::visit::{Edited, Editor};

/// Replaces infinities and NaN by 0. Returns the number of replacements.
pub(in crate::tape) fn tame(frame: &mut Frame) -> u64 {
    let mut tame = Tame(0);
    frame.session.edit(&mut tame);
    if let Some(bones) = &mut frame.bones {
        bones.edit(&mut tame);
    }
    tame.0
}

struct Tame(u64);

impl Editor for Tame {
    fn number(&mut self, _: &Member, number: &mut f32) {
        self.bones(std::slice::from_mut(number));
    }

    fn velocity(&mut self, _: &Member, velocity: &mut Vec3) {
        self.bones(velocity);
    }

    fn pose(&mut self, _: &Member, pose: &mut Pose) {
        for vector in [
            &mut pose.position,
            &mut pose.forward,
            &mut pose.left,
            &mut pose.up,
        ] {
            self.bones(vector);
        }
    }

    fn bones(&mut self, numbers: &mut [f32]) {
        for number in numbers.iter_mut().filter(|number| !number.is_finite()) {
            *number = 0.0;
            self.0 += 1;
        }
    }
}
