//! Checking the clock against time.

use super::report::{Follows, Report, clock_runs};
use crate::model::{Frame, Time};
use crate::rule::Rule;

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
