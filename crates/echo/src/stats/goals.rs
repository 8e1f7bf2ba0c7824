//! Finding goals: a rise of points, and the `last_score` that describes it.

use super::model::Goal;
use super::step::{Step, keep};
use crate::model::{Game, GoalType, LastScore, Session, TeamId, is_somebody};

/// `last_score` may change this many milliseconds before or after the points.
const WINDOW_MS: u64 = 1_000;

/// Finds goals.
#[derive(Clone, Debug, Default)]
pub(super) struct GoalFinder {
    points: Option<[f32; 2]>,
    last_score: Option<LastScore>,
    /// When `last_score` changed last, if no goal has used the change.
    score_changed: Option<u64>,
    /// The last goal in the list is not described yet.
    waits: bool,
}

impl GoalFinder {
    pub(super) fn push(
        &mut self,
        session: &Session,
        step: Step,
        goals: &mut Vec<Goal>,
        left_out: &mut u64,
    ) {
        if session.map_name.game() != Game::Arena {
            return;
        }
        let points = [session.blue_points, session.orange_points];
        let before = self.points.replace(points);
        let changed = self.last_score != session.last_score;
        if changed {
            self.last_score.clone_from(&session.last_score);
        }
        // Points that rose while nothing was recorded are no goal with a time.
        let (Some(before), Some(_), false) = (before, step.passed_ms, step.new_session) else {
            (self.score_changed, self.waits) = (None, false);
            return;
        };
        if changed {
            self.score_changed = Some(step.now_ms);
        }
        let teams = [TeamId::Blue, TeamId::Orange];
        for ((team, before), now) in teams.into_iter().zip(before).zip(points) {
            if now > before {
                let had = goals.len();
                let goal = Goal {
                    time_ms: step.now_ms,
                    frame: step.frame,
                    clock: session.clock(),
                    team,
                    points: now - before,
                    goal_type: None,
                    thrower: None,
                    assist: None,
                    disc_speed: None,
                    distance: None,
                };
                keep(goals, goal, left_out);
                self.waits = goals.len() > had;
            }
        }
        self.describe(step.now_ms, goals);
    }

    /// Whether the last goal may still be described.
    #[cfg(feature = "tape")]
    pub(super) fn is_open(&self, now_ms: u64, goals: &[Goal]) -> bool {
        let is_near = |goal: &Goal| now_ms - goal.time_ms <= WINDOW_MS;
        self.waits && goals.last().is_some_and(is_near)
    }

    /// Describes the last goal, if both parts are known.
    fn describe(&mut self, now_ms: u64, goals: &mut [Goal]) {
        let (true, Some(goal)) = (self.waits, goals.last_mut()) else {
            return;
        };
        if now_ms - goal.time_ms > WINDOW_MS {
            self.waits = false;
            return;
        }
        let (Some(score_changed), Some(score)) = (self.score_changed, &self.last_score) else {
            return;
        };
        let is_of_it = score.team == goal.team || score.goal_type == GoalType::SelfGoal;
        if !is_of_it || score_changed.abs_diff(goal.time_ms) > WINDOW_MS {
            return;
        }
        goal.goal_type = Some(score.goal_type.as_str().into());
        goal.thrower = person(&score.person_scored);
        goal.assist = person(&score.assist_scored);
        goal.disc_speed = Some(score.disc_speed);
        goal.distance = Some(score.distance_thrown);
        (self.score_changed, self.waits) = (None, false);
    }
}

/// Returns the name, unless it stands for nobody.
fn person(name: &compact_str::CompactString) -> Option<compact_str::CompactString> {
    is_somebody(name).then(|| name.clone())
}
