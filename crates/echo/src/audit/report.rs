//! Data shared by the parts of the audit of a match, and how they report findings.

use std::sync::Arc;

use crate::error::{Finding, Findings};
use crate::model::{GameStatus, Session, Time};
use crate::rule::Rule;

/// Receives findings for a place.
pub(super) struct Report<'a> {
    pub findings: &'a mut Findings,
    pub spot: Spot,
    /// When the first frame was recorded.
    pub start: Time,
}

/// The place of a frame, for a finding that only later frames show.
#[derive(Clone, Debug)]
pub(super) struct Spot {
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
    pub(super) fn raise_at(&mut self, spot: &Spot, rule: Rule) {
        let mut finding = Finding::new(rule).step(spot.step);
        finding.place.time = Some(spot.time.since(self.start));
        finding.place.line = spot.line;
        finding.place.offset = spot.offset;
        finding.place.within = spot.within.as_deref().map(Into::into);
        self.findings.push(finding);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn raise(&mut self, rule: Rule) {
        self.raise_at(&self.spot.clone(), rule);
    }
}

/// The relation of a frame to the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follows {
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
pub(super) fn clock_runs(session: &Session) -> bool {
    session.clock().is_some() && session.game_status == GameStatus::Playing && session.is_played()
}
