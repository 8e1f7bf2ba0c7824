//! The rules that the slice reader and the stream reader share, and the handling of broken ones.

use gametape_core::{Severity, Strictness};

use super::error::{Error, Finding, Findings, Section};
use super::read::Limits;
use super::rule::Rule;
use crate::event::game_time;
use crate::game::DeclaredSize;
use crate::{Cell, Event, Game, Version};

/// The finding for a `rule` that the event at `offset` breaks.
pub(crate) fn at_event(rule: Rule, offset: u64, index: u32, time_ms: u32) -> Finding {
    Finding::new(rule)
        .at(offset)
        .step(index.into())
        .time(Some(game_time(time_ms)))
}

/// A finding at the mouse event that has `before` mouse events before it.
#[cold]
pub(crate) fn at_mouse(game: &Game<'_>, before: u32, rule: Rule) -> Finding {
    let mut events = game.events.iter();
    let (mut index, mut count) = (0, 0);
    loop {
        let position = events.position();
        match events.next() {
            Some(Event::Mouse(mouse)) if count == before => {
                let offset = game.events.offset() + position as u64;
                return at_event(rule, offset, index, mouse.time_ms);
            }
            Some(Event::Mouse(_)) => count += 1,
            Some(_) => {}
            None => return Finding::new(rule),
        }
        index += 1;
    }
}

/// Broken rules: an error to a strict reader, a finding to a lenient one.
#[derive(Debug)]
pub(crate) struct Deviations {
    strictness: Strictness,
    pub findings: Findings,
}

impl Deviations {
    pub const fn new(strictness: Strictness) -> Self {
        Self {
            strictness,
            findings: Findings::new(),
        }
    }

    #[cold]
    pub fn note(&mut self, finding: Finding) -> Result<(), Error> {
        debug_assert_eq!(finding.severity(), Severity::Error);
        match self.strictness {
            Strictness::Strict => Err(finding.into()),
            Strictness::Lenient => {
                self.findings.push(finding);
                Ok(())
            }
        }
    }

    /// [`Deviations::note`] of [`at_event`].
    #[cold]
    pub fn note_event(
        &mut self,
        rule: Rule,
        offset: u64,
        index: u32,
        time_ms: u32,
    ) -> Result<(), Error> {
        self.note(at_event(rule, offset, index, time_ms))
    }
}

/// The finding for a file that ends in `section`, which needs `needed` bytes when only `left`
/// remain.
pub(crate) fn truncated(section: Section, needed: u64, left: u64, at: u64) -> Finding {
    Finding::new(Rule::Truncated {
        section,
        needed,
        left,
    })
    .at(at)
}

/// Checks one event against the previous one and the board.
#[derive(Debug)]
pub(crate) struct EventChecker {
    cols: u8,
    rows: u8,
}

impl EventChecker {
    pub const fn new(cols: u8, rows: u8) -> Self {
        Self { cols, rows }
    }

    #[inline(always)]
    pub fn check(
        &self,
        event: &Event,
        before: u32,
        index: u32,
        offset: u64,
        deviations: &mut Deviations,
    ) -> Result<(), Error> {
        match event {
            Event::Mouse(mouse) => {
                // A reduced move cannot go back in time.
                if !mouse.reduced && mouse.time_ms < before {
                    backwards(before, mouse.time_ms, index, offset, deviations)?;
                }
            }
            Event::Board(board) => {
                let (cell, size) = (board.cell, (self.cols, self.rows));
                if cell.col >= size.0 || cell.row >= size.1 {
                    outside(cell, size, index, offset, before, deviations)?;
                }
            }
            Event::Timestamp(_) => {}
        }
        Ok(())
    }
}

// These two are separate functions that do not borrow the checker: the check is part of hot loops,
// and values to which they refer could not stay in registers.
#[cold]
fn backwards(
    before_ms: u32,
    now_ms: u32,
    index: u32,
    offset: u64,
    deviations: &mut Deviations,
) -> Result<(), Error> {
    deviations.note_event(Rule::TimeOrder { before_ms, now_ms }, offset, index, now_ms)
}

#[cold]
fn outside(
    cell: Cell,
    (cols, rows): (u8, u8),
    index: u32,
    offset: u64,
    time_ms: u32,
    deviations: &mut Deviations,
) -> Result<(), Error> {
    let rule = Rule::EventCell { cell, cols, rows };
    deviations.note_event(rule, offset, index, time_ms)
}

/// Checks a stated video size against the limit. A game that is still being recorded states no
/// size; for such a game the bytes are counted as they arrive, see [`video_over_limit`].
pub(crate) fn check_video_size(
    stated: Option<u32>,
    start: u64,
    limits: &Limits,
) -> Result<(), Error> {
    match stated.map(u64::from) {
        Some(claimed) if claimed > limits.max_video_bytes => {
            Err(video_limit(claimed, start, limits))
        }
        _ => Ok(()),
    }
}

/// The error for a video section that turned out longer than the limit. How much longer is unknown
/// to a stream.
pub(crate) fn video_over_limit(offset: u64, limits: &Limits) -> Error {
    video_limit(limits.max_video_bytes.saturating_add(1), offset, limits)
}

fn video_limit(claimed: u64, offset: u64, limits: &Limits) -> Error {
    let rule = Rule::Limit {
        what: "the video section",
        claimed,
        limit: limits.max_video_bytes,
    };
    Error::at(rule, offset)
}

/// Compares the stated file size with the real one.
pub(crate) fn declared_size(
    version: Version,
    declared: u32,
    real: u64,
    deviations: &mut Deviations,
) -> Result<DeclaredSize, Error> {
    if u64::from(declared) == real {
        return Ok(DeclaredSize::Exact);
    }
    if version == Version::V2 && u64::from(declared) + 2 == real {
        return Ok(DeclaredSize::LessTwo);
    }
    let at = if version == Version::V1 { 6 } else { 8 };
    deviations.note(Finding::new(Rule::FileSize { declared, real }).at(at))?;
    Ok(DeclaredSize::Other(declared))
}

/// The rule that is broken if the video section ends where an event should be.
pub(crate) fn ran_out(code: Option<u8>, needed: usize, left: u64, events: u32) -> Rule {
    match code {
        None => Rule::TerminationMissing { events },
        Some(code) => Rule::EventCut {
            code,
            needed: needed as u64,
            left,
        },
    }
}

/// Known files have five bytes after the termination event; the specification has none.
pub(crate) fn check_tail(found: u64, at: u64, deviations: &mut Deviations) -> Result<(), Error> {
    if found != 0 && found != 5 {
        deviations.note(Finding::new(Rule::TailSize { found }).at(at))?;
    }
    Ok(())
}
