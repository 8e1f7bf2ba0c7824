//! Checking the disc from frame to frame.

use super::players::{NEXT_MS, TELEPORT, metres};
use super::report::{Follows, Report};
use crate::model::{Session, Vec3};
use crate::rule::Rule;

/// Follows the disc.
#[derive(Clone, Debug, Default)]
pub(super) struct Disc {
    before: Option<Vec3>,
}

impl Disc {
    pub(super) fn push(&mut self, session: &Session, follows: Follows, report: &mut Report<'_>) {
        let now = session.disc.as_ref().map(|disc| disc.pose.position);
        let before = std::mem::replace(&mut self.before, now);
        if let (true, Some(before), Some(now), Some(ms @ 0..=NEXT_MS)) =
            (follows.playing, before, now, follows.ms)
        {
            let metres = metres(before, now);
            if metres > TELEPORT {
                report.raise(Rule::DiscJump { metres, ms });
            }
        }
    }
}
