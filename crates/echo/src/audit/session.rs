//! The audit of a match: what would show that a recording was cut, spliced or edited, and what no
//! match has.

mod clock;
mod disc;
mod flow;
mod holes;
mod players;
mod points;
mod scored;
mod values;

use crate::finding::{Finding, Findings};
use crate::model::{Frame, GameStatus, PausedState, Session, Time};
use crate::rule::Rule;

use disc::Disc;
use flow::Flow;
use holes::Holes;
use players::Players;
use points::Points;
use scored::Scored;

/// Judges a match frame by frame, in memory that grows with its players alone.
///
/// Whatever the encoding: codes are `echo.…`. Real matches raise findings of severity info (players
/// come and go, teams keep the stats of who left); a warning wants to be looked at.
///
/// ```
/// use gametape_echo::{Findings, Frame, Team, Time, audit::SessionAudit};
/// let (mut audit, mut findings) = (SessionAudit::new(), Findings::default());
/// let mut frame = Frame { time: Time(1_000), ..Frame::default() };
/// frame.session.teams = vec![Team::default(); 3];
/// audit.push(0, None, &frame, &mut findings);
/// frame.time = Time(200);
/// audit.push(1, None, &frame, &mut findings);
/// audit.finish(&mut findings);
/// let found = findings.iter().next().unwrap();
/// assert_eq!(found.code(), "echo.time-backwards");
/// assert_eq!(found.message(), "recorded 800 ms before the frame before it");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionAudit {
    pushed: bool,
    flow: Flow,
    points: Points,
    players: Players,
    scored: Scored,
    holes: Holes,
    disc: Disc,
}

/// Where findings go, and the place they are of.
struct Report<'a> {
    findings: &'a mut Findings,
    frame: u64,
    offset: Option<u64>,
    time: Time,
}

/// Of a frame: where a finding is that only later ones show.
#[derive(Clone, Copy, Debug)]
struct Place {
    frame: u64,
    offset: Option<u64>,
    time: Time,
}

impl Report<'_> {
    const fn place(&self) -> Place {
        Place {
            frame: self.frame,
            offset: self.offset,
            time: self.time,
        }
    }

    fn raise_at(&mut self, place: Place, rule: Rule) {
        let mut finding = Finding::new(rule).in_frame(place.frame, Some(place.time));
        finding.offset = place.offset;
        self.findings.push(finding);
    }

    fn raise(&mut self, rule: Rule) {
        self.raise_at(self.place(), rule);
    }
}

/// How a frame follows the one before.
#[derive(Clone, Copy, Debug)]
struct Follows {
    /// Time since the frame before; `None` if that is negative, or there is no frame before.
    ms: Option<u64>,
    /// It is of the same session.
    same_session: bool,
    /// The match is played in both, not paused in either, and nobody changed the rules.
    playing: bool,
    /// No round began, and a restart was not asked for lately.
    same_round: bool,
}

impl SessionAudit {
    /// Nothing judged yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next frame: its number in the recording, from 0, and where it is in the file, in bytes,
    /// if that is known.
    pub fn push(
        &mut self,
        frame_index: u64,
        offset: Option<u64>,
        frame: &Frame,
        findings: &mut Findings,
    ) {
        let mut report = Report {
            findings,
            frame: frame_index,
            offset,
            time: frame.time,
        };
        self.pushed = true;
        values::check(frame, &mut report);
        let follows = self.flow.push(frame, &mut report);
        self.points.push(frame, follows, &mut report);
        let rises = self.players.push(&frame.session, follows, &mut report);
        self.scored.push(frame, follows, rises, &mut report);
        self.holes.push(&frame.session, follows, &mut report);
        self.disc.push(&frame.session, follows, &mut report);
    }

    /// There are no more frames. What the last second of them leaves open stays open.
    pub fn finish(&mut self, findings: &mut Findings) {
        if !self.pushed {
            findings.push(Finding::new(Rule::NoFrames));
        }
    }
}

/// True while the clock runs: the match is being played, and nobody has paused it.
fn is_played(session: &Session) -> bool {
    session.game_status == GameStatus::Playing
        && session.pause.as_ref().is_none_or(|pause| {
            matches!(
                pause.paused_state,
                PausedState::Unpaused | PausedState::None | PausedState::PausedRequested
            )
        })
}
