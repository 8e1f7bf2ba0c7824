//! Checking points against the reports of goals and against the stats of players.

use super::players::Rises;
use super::{Follows, Report, Spot};
use crate::model::{
    Frame, Game, GameStatus, GoalType, LastScore, Session, TeamId, Time, is_somebody,
};
use crate::rule::Rule;

/// `last_score` may report a goal, and the stats of players may rise, this many milliseconds before or after
/// the points rise.
const WINDOW_MS: u64 = 1_000;

/// Follows points and `last_score`, in the arena.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// The points of blue and orange in the frame before.
    before: Option<[f32; 2]>,
    score: Option<LastScore>,
    /// The status of the frame before was playing.
    playing: bool,
    /// A change of `last_score` that no rise of points matches yet.
    reported: Option<ReportedGoal>,
    /// When points were last matched.
    taken: Option<Time>,
    /// A rise of points that no score matches yet.
    waiting: Option<Rise>,
}

#[derive(Clone, Debug)]
struct ReportedGoal {
    spot: Spot,
    team: TeamId,
    amount: i32,
    own: bool,
    /// The goal is new and in the middle of a round, so points have to follow.
    counts: bool,
}

#[derive(Clone, Debug)]
struct Rise {
    spot: Spot,
    team: TeamId,
    points: f32,
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
        let was_playing = std::mem::replace(
            &mut self.playing,
            session.game_status == GameStatus::Playing,
        );
        let changed = self.score != session.last_score;
        let mut another = false;
        if changed {
            another = is_another(self.score.as_ref(), session.last_score.as_ref());
            self.score.clone_from(&session.last_score);
        }
        // If time is missing, goals may be missing, too.
        let (Some(before), Some(0..=WINDOW_MS), true) = (before, follows.ms, follows.same_session)
        else {
            (self.reported, self.waiting, self.taken) = (None, None, None);
            return;
        };
        if !follows.same_round
            && let Some(reported) = &mut self.reported
        {
            reported.counts = false;
        }
        if changed && let Some(score) = &self.score {
            let own = score.goal_type == GoalType::SelfGoal;
            // The members of a score may change one after another.
            let taken = self
                .taken
                .is_some_and(|taken| report.spot.time.0.abs_diff(taken.0) <= WINDOW_MS);
            self.reported = Some(ReportedGoal {
                spot: report.spot.clone(),
                team: score.team.clone(),
                amount: score.point_amount,
                own,
                counts: another && follows.same_round && !taken,
            });
            if another && !own && is_of_the_other_team(score, session) {
                let team = score.team.clone();
                report.raise(Rule::GoalScorer { team });
            }
        }
        let teams = [TeamId::Blue, TeamId::Orange];
        for ((team, before), now) in teams.into_iter().zip(before).zip(points) {
            if now > before {
                // From a goal to the next round it takes seconds, which have a status of their own.
                if was_playing && session.game_status == GameStatus::RoundStart {
                    let team = team.clone();
                    report.raise(Rule::GoalCut { team });
                }
                // A session without the member reports no goals.
                if self.score.is_some() {
                    self.waiting = Some(Rise {
                        spot: report.spot.clone(),
                        team,
                        points: now - before,
                    });
                }
            } else if now < before && follows.same_round {
                report.raise(Rule::PointsFell { team, before, now });
            }
        }
        let now = report.spot.time;
        self.judge(now, report);
    }

    fn judge(&mut self, now: Time, report: &mut Report<'_>) {
        self.explain(now, report);
        if let Some(reported) = &self.reported
            && now.0.abs_diff(reported.spot.time.0) > WINDOW_MS
        {
            if reported.counts {
                let (team, amount) = (reported.team.clone(), reported.amount);
                report.raise_at(&reported.spot, Rule::GoalUncounted { team, amount });
            }
            self.reported = None;
        }
    }

    fn explain(&mut self, now: Time, report: &mut Report<'_>) {
        let Some(rise) = &self.waiting else {
            return;
        };
        let reported = self
            .reported
            .as_ref()
            .filter(|reported| {
                reported.spot.time.0.abs_diff(rise.spot.time.0) <= WINDOW_MS
                    && (reported.team == rise.team || reported.own)
            })
            .map(|reported| reported.amount);
        let rule = match reported {
            Some(amount) if (f64::from(amount) - f64::from(rise.points)).abs() < 0.5 => None,
            Some(amount) => Some(Rule::GoalPoints {
                team: rise.team.clone(),
                rise: rise.points,
                amount,
            }),
            None if now.0.abs_diff(rise.spot.time.0) <= WINDOW_MS => return,
            None => Some(Rule::GoalUntold {
                team: rise.team.clone(),
                rise: rise.points,
            }),
        };
        if let Some(rule) = rule {
            // At the frame in which the points rose.
            report.raise_at(&rise.spot, rule);
        }
        if reported.is_some() {
            self.reported = None;
            self.taken = Some(now);
        }
        self.waiting = None;
    }
}

/// Whether this is another goal than the one before. (A change of names alone is not: a player who leaves
/// loses the name.)
fn is_another(before: Option<&LastScore>, now: Option<&LastScore>) -> bool {
    let goal = |score: &LastScore| {
        (
            score.team.clone(),
            score.goal_type.clone(),
            score.point_amount,
            score.disc_speed.to_bits(),
            score.distance_thrown.to_bits(),
        )
    };
    let (Some(before), Some(now)) = (before, now) else {
        return false;
    };
    now.point_amount > 0
        && matches!(now.team, TeamId::Blue | TeamId::Orange)
        && goal(before) != goal(now)
}

/// Whether the scorer is present and plays against the team that got the score.
fn is_of_the_other_team(score: &LastScore, session: &Session) -> bool {
    let scorers = || {
        session
            .players()
            .filter(|(_, player)| player.name == score.person_scored)
    };
    let place = usize::from(score.team == TeamId::Orange);
    is_somebody(&score.person_scored)
        && scorers().any(|(team, _)| team == 1 - place)
        && !scorers().any(|(team, _)| team == place)
}

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
                    last: report.spot.time,
                    points: 0.0,
                    stats: 0,
                });
                rising.last = report.spot.time;
                rising.points += (now - before).max(0.0);
                rising.stats += stats;
            }
            let over = |rising: &Rising| report.spot.time.0.abs_diff(rising.last.0) > WINDOW_MS;
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
