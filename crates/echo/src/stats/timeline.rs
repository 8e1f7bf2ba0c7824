//! The events of a match; among them goals: a rise of points, and the `last_score` that describes it.

use compact_str::CompactString;

use super::model::{
    Goal, PauseSpan, RestartRequest, Round, RulesChange, Score, StatusChange, Timeline,
};
use super::{FrameStep, keep};
use crate::model::{
    Game, GameStatus, GoalType, LastScore, PausedState, Session, TeamId, is_somebody,
};

/// Follows the session from frame to frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    /// Whole points.
    score: Option<[f32; 2]>,
    status: Option<GameStatus>,
    restart: [bool; 2],
    rules: Option<(Option<CompactString>, Option<i64>)>,
    pause: Option<PauseSpan>,
    round: Option<Round>,
}

impl Tracker {
    pub(super) fn push(
        &mut self,
        session: &Session,
        step: FrameStep,
        timeline: &mut Timeline,
        left_out: &mut u64,
    ) {
        let time_ms = step.now_ms;
        let clock = session.clock();
        let [blue, orange] = [session.blue_points, session.orange_points];
        // In combat, points grow with every frame; only whole ones are listed.
        let whole = [blue, orange].map(f32::floor);
        if self.score.replace(whole) != Some(whole) {
            let score = Score {
                time_ms,
                clock,
                blue,
                orange,
            };
            keep(&mut timeline.score, score, left_out);
        }
        if self.status.as_ref() != Some(&session.game_status) {
            self.status = Some(session.game_status.clone());
            let status = session.game_status.as_str().into();
            keep(
                &mut timeline.status,
                StatusChange {
                    time_ms,
                    clock,
                    status,
                },
                left_out,
            );
        }
        self.round(session, step, timeline, left_out);
        self.pause(session, step, timeline, left_out);

        let asks = [
            session.blue_team_restart_request,
            session.orange_team_restart_request,
        ];
        let asked = std::mem::replace(&mut self.restart, asks);
        let teams = [TeamId::Blue, TeamId::Orange];
        for ((team, asked), asks) in teams.into_iter().zip(asked).zip(asks) {
            if asks && !asked {
                let request = RestartRequest { time_ms, team };
                keep(&mut timeline.restart_requests, request, left_out);
            }
        }

        let same = self.rules.as_ref().is_some_and(|(by, at)| {
            *by == session.rules_changed_by && *at == session.rules_changed_at
        });
        if !same {
            // In the first frame, this is an earlier change. A session without the members (as between two
            // keyframes of some recorders) proves nothing.
            let is_change = self.rules.is_some()
                && !step.new_session
                && session.rules_changed_at.is_some_and(|at| at != 0);
            if is_change {
                let by = session.rules_changed_by.clone().unwrap_or_default();
                keep(
                    &mut timeline.rules_changes,
                    RulesChange { time_ms, by },
                    left_out,
                );
            }
            self.rules = Some((session.rules_changed_by.clone(), session.rules_changed_at));
        }
    }

    fn round(
        &mut self,
        session: &Session,
        step: FrameStep,
        timeline: &mut Timeline,
        left_out: &mut u64,
    ) {
        let [blue, orange] = [session.blue_points, session.orange_points];
        let is_on = matches!(
            session.game_status,
            GameStatus::RoundStart
                | GameStatus::Playing
                | GameStatus::Score
                | GameStatus::PreSuddenDeath
                | GameStatus::SuddenDeath
                | GameStatus::PostSuddenDeath
        );
        let anew = step.new_session || (is_on && self.round.is_some_and(|r| r.to_ms.is_some()));
        if anew && let Some(round) = self.round.take() {
            keep(&mut timeline.rounds, round, left_out);
        }
        match &mut self.round {
            None if is_on => {
                self.round = Some(Round {
                    from_ms: step.now_ms,
                    to_ms: None,
                    blue,
                    orange,
                });
            }
            Some(round) if is_on => (round.blue, round.orange) = (blue, orange),
            Some(round) => {
                round.to_ms.get_or_insert(step.now_ms);
                // The last goal may be counted after the end. Points that fall belong to the next round.
                if blue >= round.blue && orange >= round.orange {
                    (round.blue, round.orange) = (blue, orange);
                }
            }
            None => {}
        }
    }

    fn pause(
        &mut self,
        session: &Session,
        step: FrameStep,
        timeline: &mut Timeline,
        left_out: &mut u64,
    ) {
        let on = session.pause.as_ref().filter(|pause| {
            !matches!(
                pause.paused_state,
                PausedState::Unpaused | PausedState::None
            )
        });
        let ended_by = session
            .pause
            .as_ref()
            .map_or(TeamId::None, |pause| pause.unpaused_team.clone());
        match (&mut self.pause, on) {
            (Some(span), Some(pause)) => {
                if span.state != pause.paused_state.as_str() {
                    span.state = pause.paused_state.as_str().into();
                }
                if pause.unpaused_team != TeamId::None {
                    span.ended_by = ended_by;
                }
            }
            (None, Some(pause)) => {
                self.pause = Some(PauseSpan {
                    from_ms: step.now_ms,
                    to_ms: None,
                    requested_by: pause.paused_requested_team.clone(),
                    ended_by,
                    state: pause.paused_state.as_str().into(),
                });
            }
            (Some(span), None) => {
                span.to_ms = Some(step.now_ms);
                if ended_by != TeamId::None {
                    span.ended_by = ended_by;
                }
                timeline_pause(self.pause.take(), timeline, left_out);
            }
            (None, None) => {}
        }
    }

    /// Closes what is still open at the end of the recording.
    pub(super) fn finish(&mut self, timeline: &mut Timeline, left_out: &mut u64) {
        timeline_pause(self.pause.take(), timeline, left_out);
        if let Some(round) = self.round.take() {
            keep(&mut timeline.rounds, round, left_out);
        }
    }
}

fn timeline_pause(pause: Option<PauseSpan>, timeline: &mut Timeline, left_out: &mut u64) {
    if let Some(pause) = pause {
        keep(&mut timeline.pauses, pause, left_out);
    }
}

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
        step: FrameStep,
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
fn person(name: &CompactString) -> Option<CompactString> {
    is_somebody(name).then(|| name.clone())
}
