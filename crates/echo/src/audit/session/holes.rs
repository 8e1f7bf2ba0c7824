//! Checking for missing frames.

use super::report::{Follows, Report};
use crate::model::{Game, Session, TeamId};
use crate::rule::Rule;

/// The number of intervals that the usual interval is computed from.
const KEPT: usize = 15;
/// The smallest number of intervals that is enough for it.
const ENOUGH: usize = 5;
/// A hole is longer than this many usual intervals,
const TIMES: u64 = 10;
/// and longer than this many milliseconds.
const HOLE_MS: u64 = 1_000;

/// Follows the intervals between frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    /// The last intervals. The oldest is replaced next.
    intervals: [u64; KEPT],
    seen: usize,
    /// The points of blue and orange in the frame before.
    points: [f32; 2],
}

impl Holes {
    pub(super) fn push(&mut self, session: &Session, follows: Follows, report: &mut Report<'_>) {
        let now = [session.blue_points, session.orange_points];
        let before = std::mem::replace(&mut self.points, now);
        let Some(ms) = follows.ms else {
            return;
        };
        if follows.same_round
            && ms > HOLE_MS
            && let Some(interval) = self.usual()
            && ms > interval.saturating_mul(TIMES)
        {
            report.raise(Rule::Hole { ms, interval });
            let teams = [TeamId::Blue, TeamId::Orange];
            for ((team, before), now) in teams.into_iter().zip(before).zip(now) {
                // In combat, the points grow all the time.
                if now > before && session.map_name.game() == Game::Arena {
                    report.raise(Rule::HolePoints {
                        team,
                        before,
                        now,
                        ms,
                    });
                }
            }
        }
        if let Some(interval) = self.intervals.get_mut(self.seen % KEPT) {
            *interval = ms;
        }
        self.seen = self.seen.wrapping_add(1);
    }

    /// The median of the last intervals.
    fn usual(&self) -> Option<u64> {
        let mut last = self.intervals;
        let last = last.get_mut(..self.seen.min(KEPT))?;
        if last.len() < ENOUGH {
            return None;
        }
        last.sort_unstable();
        last.get(last.len() / 2).copied()
    }
}
