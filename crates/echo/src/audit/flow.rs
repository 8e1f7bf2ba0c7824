//! Checking time, clock and session from frame to frame, and for missing frames.

use compact_str::CompactString;

use super::{Follows, Report, clock_runs};
use crate::course::Passed;
use crate::model::{Frame, Game, GameStatus, Map, Session, TeamId, Time};
use crate::rule::Rule;

/// A longer time between two frames is reported, in milliseconds: a minute.
const GAP_MS: u64 = 60_000;
/// Points may fall for this many milliseconds after a restart was requested.
const RESTART_MS: i64 = 30_000;

/// Follows time, clock and session.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    before: Option<FlowBefore>,
    clock: Clock,
    /// When a restart was last requested.
    restart: Option<Time>,
}

#[derive(Clone, Debug)]
struct FlowBefore {
    session: CompactString,
    server: CompactString,
    client: CompactString,
    map: Map,
    status: GameStatus,
    played: bool,
    rules_changed_at: Option<i64>,
}

impl Flow {
    pub(super) fn push(
        &mut self,
        frame: &Frame,
        passed: Passed,
        report: &mut Report<'_>,
    ) -> Follows {
        let session = &frame.session;
        let now = report.spot.time;
        let played = session.is_played();
        if session.blue_team_restart_request || session.orange_team_restart_request {
            self.restart = Some(now);
        }
        let Some(before) = &mut self.before else {
            self.clock.begin(frame, now);
            self.before = Some(FlowBefore {
                session: session.sessionid.clone(),
                server: session.sessionip.clone(),
                client: session.client_name.clone(),
                map: session.map_name.clone(),
                status: session.game_status.clone(),
                played,
                rules_changed_at: session.rules_changed_at,
            });
            return Follows {
                ms: None,
                same_session: false,
                playing: false,
                same_round: false,
            };
        };

        judge(passed, report);
        let ms = passed.ms;
        let same_session = before.session == session.sessionid;
        if !same_session {
            report.raise(Rule::SessionChanged);
            before.session.clone_from(&session.sessionid);
        }
        if before.server != session.sessionip {
            if same_session {
                report.raise(Rule::ServerChanged);
            }
            before.server.clone_from(&session.sessionip);
        }
        if before.client != session.client_name {
            if same_session {
                report.raise(Rule::ClientChanged);
            }
            before.client.clone_from(&session.client_name);
        }
        if before.map != session.map_name {
            if same_session {
                let [from, to] = [&before.map, &session.map_name].map(name);
                report.raise(Rule::MapChanged {
                    before: from,
                    now: to,
                });
            }
            before.map.clone_from(&session.map_name);
        }

        let rules_kept = before.rules_changed_at == session.rules_changed_at;
        let playing = same_session && played && before.played && rules_kept;
        let restarted = self
            .restart
            .is_some_and(|asked| (0..=RESTART_MS).contains(&now.0.saturating_sub(asked.0)));
        let same_round = same_session
            && rules_kept
            && !restarted
            && is_in_round(&before.status)
            && is_in_round(&session.game_status);
        let follows = Follows {
            ms,
            same_session,
            playing,
            same_round,
        };
        self.clock.push(frame, follows, report);
        before.played = played;
        before.rules_changed_at = session.rules_changed_at;
        if before.status != session.game_status {
            before.status.clone_from(&session.game_status);
        }
        follows
    }
}

/// Judges the time between two frames.
fn judge(passed: Passed, report: &mut Report<'_>) {
    if let Some(ms) = passed.changed {
        report.raise(Rule::WallClock {
            seconds: ms / 1_000,
        });
    } else if let Some(ms) = passed.back {
        report.raise(Rule::TimeBackwards { ms });
    } else if passed.ms == Some(0) {
        report.raise(Rule::SameTime);
    } else if let Some(ms) = passed.ms.filter(|ms| *ms > GAP_MS) {
        report.raise(Rule::TimeGap {
            seconds: ms / 1_000,
        });
    }
}

/// Whether points and stats can only grow until the status changes.
const fn is_in_round(status: &GameStatus) -> bool {
    matches!(
        status,
        GameStatus::Playing | GameStatus::Score | GameStatus::SuddenDeath
    )
}

/// The name of a map, shortened to the length of a name.
fn name(map: &Map) -> String {
    map.as_str().chars().take(64).collect()
}

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

/// The clock may lose this many seconds more than pass: servers stall.
const SLACK: f32 = 2.0;
/// The clock may go up by this many seconds: it is corrected now and then.
const RISE: f32 = 0.5;
/// The largest correction, in seconds.
const SET: f32 = 3.0;
/// If more milliseconds are missing, a round may have begun meanwhile.
const SEEN_MS: u64 = 1_000;
/// The clock may stand still for this many milliseconds.
const STILL_MS: u64 = 5_000;
/// A clock that stands still for this many milliseconds stalls, and its rate is no evidence.
const STALL_MS: i64 = 1_000;
/// The milliseconds of play over which clock and time are compared.
const SPAN_MS: u64 = 30_000;
/// The part by which they may differ.
const RATE: f64 = 0.05;

/// Follows the clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    before: f32,
    /// Whether it ran in the frame before.
    ran: bool,
    /// While the clock runs, when it last moved, and whether the stop was reported.
    still: Option<(Time, bool)>,
    /// The milliseconds of play since the last comparison, and the seconds that the clock lost in them.
    /// Goals and pauses interrupt play, so short rallies add up.
    passed: u64,
    lost: f64,
}

impl Clock {
    /// Starts with the first frame.
    pub(super) fn begin(&mut self, frame: &Frame, time: Time) {
        self.before = frame.session.game_clock;
        self.ran = clock_runs(&frame.session);
        self.still = self.ran.then_some((time, false));
    }

    pub(super) fn push(&mut self, frame: &Frame, follows: Follows, report: &mut Report<'_>) {
        let (clock, time) = (frame.session.game_clock, report.spot.time);
        let was = std::mem::replace(&mut self.before, clock);
        let runs = clock_runs(&frame.session);
        let ran_on = std::mem::replace(&mut self.ran, runs) && runs && follows.playing;
        if !follows.same_session {
            (self.passed, self.lost) = (0, 0.0);
        }
        if ran_on && let Some(ms) = follows.ms {
            self.judge(was, clock, ms, time, follows.same_round, report);
        }
        match &mut self.still {
            Some((since, reported)) if ran_on && clock.to_bits() == was.to_bits() => {
                let still = time.0.saturating_sub(since.0);
                if still >= STILL_MS as i64 && !*reported {
                    *reported = true;
                    report.raise(Rule::ClockStopped {
                        clock,
                        seconds: still as u64 / 1_000,
                    });
                }
            }
            still => *still = runs.then_some((time, false)),
        }
    }

    fn judge(
        &mut self,
        before: f32,
        now: f32,
        ms: u64,
        time: Time,
        same_round: bool,
        report: &mut Report<'_>,
    ) {
        // Since the clock last moved: a server that stalled makes up for that time.
        let still = self
            .still
            .map_or(0, |(since, _)| time.0.saturating_sub(since.0));
        let seconds = still.max(ms as i64) as f32 * 1e-3;
        if now - before > SET && same_round && ms <= SEEN_MS {
            report.raise(Rule::ClockSet { before, now });
        } else if now - before > RISE {
            report.raise(Rule::ClockUp { before, now });
        } else if before - now > seconds * 1.5 + SLACK {
            report.raise(Rule::ClockJump { before, now, ms });
        } else if still < STALL_MS && ms <= SEEN_MS && before.is_finite() && now.is_finite() {
            self.passed += ms;
            self.lost += f64::from(before) - f64::from(now);
            if self.passed < SPAN_MS {
                return;
            }
            let (lost, passed) = (self.lost, self.passed as f64 * 1e-3);
            if (lost - passed).abs() > passed * RATE {
                report.raise(Rule::ClockRate { lost, passed });
            }
        }
        // The interval is complete, or the rate is no evidence.
        else if now.to_bits() == before.to_bits() {
            return;
        }
        (self.passed, self.lost) = (0, 0.0);
    }
}
