//! Points against what is told of goals.

use super::{Follows, Report};
use crate::model::{Frame, Game, GoalType, LastScore, TeamId, Time};
use crate::rule::Rule;

/// `last_score` may tell of a goal this long before or after the points rise, in milliseconds.
const WINDOW_MS: u64 = 1_000;

/// Follows points and `last_score`. Arena.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// Of blue and orange in the frame before.
    before: Option<[f32; 2]>,
    score: Option<LastScore>,
    /// When `last_score` changed, and what it then said, until points take it.
    told: Option<(Time, TeamId, i32, bool)>,
    /// Points that no score has explained yet: when, whose, how many, in which frame, where.
    waiting: Option<Rise>,
}

#[derive(Clone, Debug)]
struct Rise {
    time: Time,
    team: TeamId,
    points: f32,
    frame: u64,
    offset: Option<u64>,
}

impl Points {
    pub(super) fn push(&mut self, frame: &Frame, follows: Follows, report: &mut Report<'_>) {
        let session = &frame.session;
        if session.map_name.game() != Game::Arena {
            *self = Self::default();
            return;
        }
        let points = [session.blue_points, session.orange_points];
        let before = self.before.replace(points);
        let changed = self.score != session.last_score;
        if changed {
            self.score.clone_from(&session.last_score);
        }
        // Where time is missing, so may be goals.
        let (Some(before), Some(0..=WINDOW_MS), true) = (before, follows.ms, follows.same_session)
        else {
            (self.told, self.waiting) = (None, None);
            return;
        };
        if changed && let Some(score) = &self.score {
            let own = score.goal_type == GoalType::SelfGoal;
            self.told = Some((frame.time, score.team.clone(), score.point_amount, own));
        }
        let teams = [TeamId::Blue, TeamId::Orange];
        for ((team, before), now) in teams.into_iter().zip(before).zip(points) {
            if now > before {
                // Nothing tells of goals in a session without the member.
                if self.score.is_some() {
                    self.waiting = Some(Rise {
                        time: frame.time,
                        team,
                        points: now - before,
                        frame: report.frame,
                        offset: report.offset,
                    });
                }
            } else if now < before && follows.same_round {
                report.raise(Rule::PointsFell { team, before, now });
            }
        }
        self.judge(frame.time, report);
    }

    fn judge(&mut self, now: Time, report: &mut Report<'_>) {
        let Some(rise) = &self.waiting else {
            return;
        };
        let told = self
            .told
            .as_ref()
            .filter(|(time, team, _, own)| {
                time.0.abs_diff(rise.time.0) <= WINDOW_MS && (*team == rise.team || *own)
            })
            .map(|&(_, _, amount, _)| amount);
        let rule = match told {
            Some(amount) if (f64::from(amount) - f64::from(rise.points)).abs() < 0.5 => None,
            Some(amount) => Some(Rule::GoalPoints {
                team: rise.team.clone(),
                rise: rise.points,
                amount,
            }),
            None if now.0.abs_diff(rise.time.0) <= WINDOW_MS => return,
            None => Some(Rule::GoalUntold {
                team: rise.team.clone(),
                rise: rise.points,
            }),
        };
        if let Some(rule) = rule {
            // Of the frame in which the points rose.
            let mut then = Report {
                findings: &mut *report.findings,
                frame: rise.frame,
                offset: rise.offset,
                time: rise.time,
            };
            then.raise(rule);
        }
        if told.is_some() {
            self.told = None;
        }
        self.waiting = None;
    }
}
