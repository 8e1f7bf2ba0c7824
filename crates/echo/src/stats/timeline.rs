//! Following score, rounds, pauses, requests and changes.

use compact_str::CompactString;

use super::model::{PauseSpan, RestartRequest, Round, RulesChange, Score, StatusChange, Timeline};
use super::step::{Step, keep};
use crate::model::{GameStatus, PausedState, Session, TeamId};

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
        step: Step,
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
        step: Step,
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
        step: Step,
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
