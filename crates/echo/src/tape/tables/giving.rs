//! What gives the rows of a table, frame by frame.

use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{Scanning, TableDef};
use gametape_core::tape::{Error, Partial, Secrets};

use super::events::{GOALS, JOINS, THROWS};
use super::facts::MATCH;
use super::frame::State;
use super::there::There;
use crate::butter::Parts;
use crate::model::{Frame, LastThrow};
use crate::stats::MatchStats;
use crate::tape::frames::Frames;
use crate::tape::info::{self, Summary};
use crate::tape::opened::EchoTape;
use crate::tape::stats;

/// What gives the rows of a table.
pub enum Giving {
    State(There, Parts),
    /// The last throw.
    Throws(Option<LastThrow>),
    /// How many were given.
    Joins(usize),
    /// When the points rose, whatever is learnt of a goal later.
    Goals(Vec<Stamp>),
    Match(Box<Summary>, Secrets),
}

/// What is known once all frames were read.
pub struct Ended<'t> {
    pub tape: &'t EchoTape,
    pub frames: &'t Frames,
    /// What it all came to, where that was counted.
    pub stats: Option<MatchStats>,
}

impl Giving {
    pub fn of(table: &TableDef, rows: &Scanning<'_>, secrets: Secrets) -> Self {
        if let Some(state) = State::of(&table.name) {
            let parts = state.parts(table, |column| rows.needs(column));
            return Self::State(There::new(table, state, parts), parts);
        }
        match &*table.name {
            name if name == THROWS.name => Self::Throws(None),
            name if name == JOINS.name => Self::Joins(0),
            name if name == GOALS.name => Self::Goals(Vec::new()),
            _ => Self::Match(Box::default(), secrets),
        }
    }

    /// What of a frame has to be known.
    pub const fn parts(&self) -> Parts {
        match self {
            Self::State(_, parts) => *parts,
            Self::Throws(_) => Parts::THROW,
            Self::Joins(_) | Self::Goals(_) | Self::Match(..) => Parts::ALL,
        }
    }

    /// Whether it needs what is counted over all frames.
    pub const fn counts(&self) -> bool {
        matches!(self, Self::Joins(_) | Self::Goals(_) | Self::Match(..))
    }

    /// Whether what is behind a range may tell of what is in it.
    pub const fn is_of_the_whole(&self) -> bool {
        matches!(self, Self::Goals(_) | Self::Match(..))
    }

    /// Gives the rows of a frame; `so_far` is what was counted up to it.
    pub fn frame(
        &mut self,
        frame: &Frame,
        stamp: Stamp,
        so_far: Option<&MatchStats>,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let timeline = so_far.map(|stats| &stats.timeline);
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
            Self::Goals(stamps) => {
                let known = timeline.map_or(0, |timeline| timeline.goals.len());
                stamps.resize(known.max(stamps.len()), stamp);
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
            Self::Goals(stamps) => {
                let goals = ended.stats.iter().flat_map(|stats| &stats.timeline.goals);
                for (goal, stamp) in goals.zip(stamps) {
                    if rows.row_of(&GOALS, stamp, &goal)?.is_break() {
                        break;
                    }
                }
            }
            Self::Match(summary, secrets) => {
                let info = info::of_frames(ended.tape, ended.frames, &summary, secrets);
                let stats = ended.stats.as_ref().map(stats::told).unwrap_or_default();
                MATCH.row(&[info.details, stats], &mut rows)?;
            }
            Self::State(..) | Self::Throws(_) | Self::Joins(_) => {}
        }
        rows.end(problem)
    }
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
