//! Checking the points of teams against the stats of their players.

use super::players::Rises;
use super::report::{Follows, Report, Spot};
use crate::model::{Frame, Game, GoalType, TeamId, Time};
use crate::rule::Rule;

/// Points and stats may rise this many milliseconds after one another.
const WINDOW_MS: u64 = 1_000;

/// Follows points and stats, in the arena.
#[derive(Clone, Debug, Default)]
pub(super) struct Scored {
    before: Option<[f32; 2]>,
    /// What has risen lately, for blue and orange.
    rising: [Option<Rising>; 2],
}

/// Points and stats that have risen, at most [`WINDOW_MS`] apart.
#[derive(Clone, Debug)]
struct Rising {
    spot: Spot,
    last: Time,
    points: f32,
    stats: i64,
}

impl Scored {
    pub(super) fn push(
        &mut self,
        frame: &Frame,
        follows: Follows,
        rises: Rises,
        report: &mut Report<'_>,
    ) {
        let session = &frame.session;
        if session.map_name.game() != Game::Arena {
            *self = Self::default();
            return;
        }
        let points = [session.blue_points, session.orange_points];
        let before = self.before.replace(points);
        let own = session
            .last_score
            .as_ref()
            .is_some_and(|score| score.goal_type == GoalType::SelfGoal);
        // If time is missing, either may be missing, too. A new round starts anew.
        let (Some(before), Some(0..=WINDOW_MS), true) = (before, follows.ms, follows.same_round)
        else {
            self.rising = [None, None];
            return;
        };
        let teams = [TeamId::Blue, TeamId::Orange];
        let numbers = before.into_iter().zip(points).zip(rises.0);
        for ((rising, team), ((before, now), stats)) in
            self.rising.iter_mut().zip(teams).zip(numbers)
        {
            let Some(stats) = stats else {
                *rising = None;
                continue;
            };
            if now > before || stats > 0 {
                let rising = rising.get_or_insert_with(|| Rising {
                    spot: report.spot.clone(),
                    last: frame.time,
                    points: 0.0,
                    stats: 0,
                });
                rising.last = frame.time;
                rising.points += (now - before).max(0.0);
                rising.stats += stats;
            }
            let over = |rising: &Rising| frame.time.0.abs_diff(rising.last.0) > WINDOW_MS;
            let Some(all) = rising.take_if(|rising| own || over(rising)) else {
                continue;
            };
            // The stats may not name a scorer: the player has left, or no one counts the goal.
            if !own && all.stats > 0 && (all.stats as f64 - f64::from(all.points)).abs() > 0.5 {
                let rule = Rule::GoalStats {
                    team,
                    stats: all.stats,
                    points: all.points,
                };
                report.raise_at(&all.spot, rule);
            }
        }
    }
}
