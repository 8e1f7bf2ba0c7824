//! What gives the rows of a table, frame by frame.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{Scanning, TableDef, Waiting};
use gametape_core::tape::{Error, Partial, Secrets};

use super::events::{GOALS, JOINS, THROWS};
use super::facts::MATCH;
use super::frame::State;
use super::there::There;
use crate::butter::Parts;
use crate::model::{Frame, LastThrow};
use crate::stats::{Goal, MatchStats, StatsBuilder};
use crate::tape::info::{self, Known, Summary};
use crate::tape::stats;

/// What gives the rows of a table.
pub enum Giving {
    State(There, Parts),
    /// The last throw.
    Throws(Option<LastThrow>),
    /// How many were given.
    Joins(usize),
    /// When the points rose, of goals that were not given yet, and how many were.
    Goals(VecDeque<Stamp>, usize),
    Match(Box<Summary>, Secrets),
}

/// What is known once all frames were read.
pub struct Ended<'t> {
    pub known: Known<'t>,
    /// What it all came to, where that was counted.
    pub stats: Option<MatchStats>,
}

impl Giving {
    pub fn of(table: &TableDef, rows: &Waiting, secrets: Secrets) -> Self {
        if let Some(state) = State::of(&table.name) {
            let parts = state.parts(table, |column| rows.needs(column));
            return Self::State(There::new(table, state, parts), parts);
        }
        match &*table.name {
            name if name == THROWS.name => Self::Throws(None),
            name if name == JOINS.name => Self::Joins(0),
            name if name == GOALS.name => Self::Goals(VecDeque::new(), 0),
            _ => Self::Match(Box::default(), secrets),
        }
    }

    /// What of a frame has to be known.
    pub const fn parts(&self) -> Parts {
        match self {
            Self::State(_, parts) => *parts,
            Self::Throws(_) => Parts::THROW,
            Self::Joins(_) | Self::Goals(..) | Self::Match(..) => Parts::ALL,
        }
    }

    /// Whether it needs what is counted over all frames.
    pub const fn counts(&self) -> bool {
        matches!(self, Self::Joins(_) | Self::Goals(..) | Self::Match(..))
    }

    /// Whether what is behind a range may tell of what is in it.
    pub const fn is_of_the_whole(&self) -> bool {
        matches!(self, Self::Goals(..) | Self::Match(..))
    }

    /// Whether rows of what was before are not given yet, because more may be learnt of them.
    pub fn waits(&self) -> bool {
        matches!(self, Self::Goals(stamps, _) if !stamps.is_empty())
    }

    /// Gives the rows of a frame; `so_far` is what was counted up to it.
    pub fn frame(
        &mut self,
        frame: &Frame,
        stamp: Stamp,
        so_far: Option<&StatsBuilder>,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let timeline = so_far.map(|counted| &counted.so_far().timeline);
        match self {
            Self::State(there, _) => return there.frame(frame, stamp, rows),
            Self::Throws(last) => return throws(frame, stamp, last, rows),
            Self::Joins(given) => {
                let all = timeline.map_or(&[][..], |timeline| &timeline.attendance);
                for joining in all.iter().skip(std::mem::replace(given, all.len())) {
                    let flow = rows.row_of(&JOINS, stamp, &joining)?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
            }
            Self::Goals(stamps, given) => {
                let all = timeline.map_or(&[][..], |timeline| &timeline.goals);
                stamps.resize(all.len().saturating_sub(*given), stamp);
                // What more may be learnt of waits.
                let told = all.len() - usize::from(so_far.is_some_and(StatsBuilder::is_goal_open));
                return goals(all.get(..told).unwrap_or_default(), stamps, given, rows);
            }
            Self::Match(summary, _) => summary.push(frame),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The rows of a frame were given before.
    pub fn know(&mut self, frame: &Frame) -> Result<(), Error> {
        match self {
            Self::State(there, _) => there.know(frame),
            _ => Ok(()),
        }
    }

    /// Gives the rows that the whole match tells.
    pub fn end(
        self,
        ended: &Ended<'_>,
        problem: Option<Error>,
        mut rows: Scanning<'_>,
    ) -> Result<Partial<()>, Error> {
        match self {
            Self::Goals(mut stamps, mut given) => {
                let all = ended.stats.as_ref().map(|stats| &*stats.timeline.goals);
                let _ = goals(all.unwrap_or_default(), &mut stamps, &mut given, &mut rows)?;
            }
            Self::Match(summary, secrets) => {
                let info = info::of_frames(&ended.known, &summary, secrets);
                let stats = ended.stats.as_ref().map(stats::told).unwrap_or_default();
                MATCH.row(&[info.details, stats], &mut rows)?;
            }
            Self::State(..) | Self::Throws(_) | Self::Joins(_) => {}
        }
        rows.end(problem)
    }
}

/// Gives the goals that were not given.
fn goals(
    all: &[Goal],
    stamps: &mut VecDeque<Stamp>,
    given: &mut usize,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    for goal in all.get(*given..).unwrap_or_default() {
        *given += 1;
        let stamp = stamps.pop_front().unwrap_or_default();
        if rows.row_of(&GOALS, stamp, &goal)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn throws(
    frame: &Frame,
    stamp: Stamp,
    last: &mut Option<LastThrow>,
    rows: &mut Scanning<'_>,
) -> Result<ControlFlow<()>, Error> {
    let throw = &frame.session.last_throw;
    let before = std::mem::replace(last, *throw);
    // That of the first frame was before the recording; a .butter may leave it out for a while.
    match throw {
        Some(throw) if before.is_some_and(|before| before != *throw) => {
            rows.row_of(&THROWS, stamp, &throw)
        }
        Some(_) => Ok(ControlFlow::Continue(())),
        None => {
            *last = before;
            Ok(ControlFlow::Continue(()))
        }
    }
}
