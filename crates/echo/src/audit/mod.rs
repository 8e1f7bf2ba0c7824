//! The audits.
//!
//! [`SessionAudit`] checks a match, however it was recorded. It names everything irregular and continues;
//! it returns [`Finding`]s, one for each code. [`butter::audit`](crate::butter::audit())
//! and [`echoreplay::audit`](crate::echoreplay::audit()) check the recording and the match in it.

mod flow;
mod players;
mod points;
mod values;

use std::sync::Arc;

use gametape_core::Place;

use crate::course::Course;
use crate::error::{Finding, Findings};
use crate::model::{Frame, GameStatus, Session, Time};
use crate::rule::Rule;
use crate::trace::Trace;

use flow::{Flow, Holes};
use players::{DiscAudit, PlayersAudit};
use points::{Points, Scored};

/// Checks a match frame by frame, in memory that grows with its players alone.
///
/// The encoding does not matter: codes are `echo.…`. Real matches cause findings of severity info (players
/// come and go, teams keep the stats of players who left). A warning deserves a look.
///
/// ```
/// use gametape_echo::{Findings, Frame, Team, Time, audit::SessionAudit};
/// let (mut audit, mut findings) = (SessionAudit::new(), Findings::default());
/// let mut frame = Frame { time: Time(1_000), ..Frame::default() };
/// frame.session.teams = vec![Team::default(); 3];
/// audit.push(0, &frame, &mut findings);
/// frame.time = Time(200);
/// audit.push(1, &frame, &mut findings);
/// audit.finish(&mut findings);
/// let found = findings.iter().next().unwrap();
/// assert_eq!(found.code(), "echo.time-backwards");
/// assert_eq!(found.message(), "recorded 800 ms before the frame before it");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionAudit {
    /// When the first frame was recorded.
    start: Option<Time>,
    course: Course,
    trace: Trace,
    /// The container that offsets refer to.
    within: Option<Arc<str>>,
    flow: Flow,
    points: Points,
    players: PlayersAudit,
    scored: Scored,
    holes: Holes,
    disc: DiscAudit,
}

impl SessionAudit {
    /// Creates an audit that has seen no frame.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the next frame, whose ordinal in the recording is `step`, from 0.
    pub fn push(&mut self, step: u64, frame: &Frame, findings: &mut Findings) {
        let mut place = Place::nowhere("frame");
        place.step = Some(step);
        self.push_at(&place, frame, findings);
    }

    /// Like [`SessionAudit::push`], with more about the place.
    pub fn push_at(&mut self, at: &Place, frame: &Frame, findings: &mut Findings) {
        if self.within.as_deref() != at.within.as_deref() {
            self.within = at.within.as_deref().map(Into::into);
        }
        let start = *self.start.get_or_insert(frame.time);
        let passed = self.course.frame(frame);
        self.trace.frame(frame);
        let mut report = Report {
            findings,
            spot: Spot {
                step: at.step.unwrap_or(0),
                time: Time(start.0.saturating_add(passed.now)),
                line: at.line,
                offset: at.offset,
                within: self.within.clone(),
            },
            start,
        };
        values::check(frame, &mut report);
        let follows = self.flow.push(frame, passed, &mut report);
        self.points.push(frame, follows, &mut report);
        let rises = self.players.push(&frame.session, follows, &mut report);
        self.scored.push(frame, follows, rises, &mut report);
        self.holes.push(&frame.session, follows, &mut report);
        self.disc.push(&frame.session, follows, &mut report);
    }

    /// Returns the time from the first frame to the latest, in milliseconds, by the game clock where the wall
    /// clock was changed.
    #[must_use]
    pub const fn duration_ms(&self) -> u64 {
        self.course.duration_ms()
    }

    /// What tells that another recording is of the same match.
    pub(crate) const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Ends the audit. Questions that the last second leaves open stay open.
    pub fn finish(&mut self, findings: &mut Findings) {
        match self.start {
            Some(start) => self.players.finish(start, findings),
            None => findings.push(Finding::new(Rule::NoFrames)),
        }
    }
}

/// Receives findings for a place.
struct Report<'a> {
    pub findings: &'a mut Findings,
    pub spot: Spot,
    /// When the first frame was recorded.
    pub start: Time,
}

/// The place of a frame, for a finding that only later frames show.
#[derive(Clone, Debug)]
struct Spot {
    pub step: u64,
    /// The time of the frame, without changes of the wall clock.
    pub time: Time,
    pub line: Option<u64>,
    pub offset: Option<u64>,
    pub within: Option<Arc<str>>,
}

impl Report<'_> {
    // Kept apart from the checks, which look at every frame and seldom find anything.
    #[cold]
    #[inline(never)]
    fn raise_at(&mut self, spot: &Spot, rule: Rule) {
        let mut finding = Finding::new(rule).step(spot.step);
        finding.place.time = Some(spot.time.since(self.start));
        finding.place.line = spot.line;
        finding.place.offset = spot.offset;
        finding.place.within = spot.within.as_deref().map(Into::into);
        self.findings.push(finding);
    }

    #[cold]
    #[inline(never)]
    fn raise(&mut self, rule: Rule) {
        self.raise_at(&self.spot.clone(), rule);
    }
}

/// The relation of a frame to the one before.
#[derive(Clone, Copy, Debug)]
struct Follows {
    /// The time since the frame before; `None` if it is negative, or there is no frame before.
    pub ms: Option<u64>,
    /// Both frames have the same `sessionid`.
    pub same_session: bool,
    /// The match is played in both frames, paused in neither, and the rules are unchanged.
    pub playing: bool,
    /// No round began, and no restart was requested lately.
    pub same_round: bool,
}

/// Whether the clock runs. In sudden death, the match is played after its time is up, and no recording at
/// hand shows what the clock does.
fn clock_runs(session: &Session) -> bool {
    session.clock().is_some() && session.game_status == GameStatus::Playing && session.is_played()
}
