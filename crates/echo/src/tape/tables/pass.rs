//! The frames of a recording, as rows of several tables at once: in one pass, or as its bytes arrive.

use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::feed::Fed;
use gametape_core::table::{Position, Scan, Scanning, Scans, TableDef, Visit};
use gametape_core::tape::{Error, Follow, Grown, Partial, Work};
use gametape_core::{At, Clocks, Input, Stamp};

use super::frame::{is_long_after, stamp};
use super::giving::{Giving, MatchEnd};
use super::precision::tables;
use crate::butter::Parts;
use crate::course::Course;
use crate::model::Frame;
use crate::stats::StatsBuilder;
use crate::tape::frames::{EchoFormat, FrameFeed};
use crate::tape::info::FileFacts;
use crate::tape::opened::EchoTape;
use crate::tape::opened::{Counting, Persons};
use crate::{Error as ReadError, Finding};

/// Scans tables in one pass.
pub fn scan(
    tape: &EchoTape,
    scans: &[Scan],
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    work.wanted()?;
    let mut pass = Pass::new(&tables(tape.format), scans)?;
    let found = match pass.from() {
        Some(from) => tape.frames_before(from, pass.parts)?,
        None => None,
    };
    let mut frames = if let Some((frames, course)) = found {
        pass.course = course;
        if pass.asks_persons() {
            pass.persons = PersonSource::Known(tape.persons(work)?);
        }
        frames
    } else {
        if tape.format == EchoFormat::Echoreplay {
            pass.look_ahead();
        }
        tape.reads_all();
        tape.frames_of(pass.parts)?
    };
    loop {
        let step = frames.count;
        let Some(frame) = frames.next()? else { break };
        if pass.frame(step, frame, visit)?.is_break() || pass.is_decided() {
            break;
        }
        tape.done(&frames, work)?;
    }
    let facts = FileFacts::of(tape, &frames);
    pass.end(facts, || frames.problem(), visit)
}

/// Follows a match; `None` if it is in a zip, which does not grow.
pub fn follow(tape: &EchoTape, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
    if tape.format == EchoFormat::Echoreplay && tape.is_packed() {
        return Ok(None);
    }
    let pass = Pass::new(&tables(tape.format), scans)?;
    Ok(Some(Box::new(Following {
        format: tape.format,
        grown: Grown::default(),
        feed: tape.format.feed(pass.parts),
        frames: 0,
        pass,
        failed: None,
        enough: false,
    })))
}

/// A match that is being recorded.
struct Following {
    format: EchoFormat,
    grown: Grown,
    feed: Box<dyn FrameFeed>,
    frames: u64,
    pass: Pass,
    /// The error after which nothing can be read.
    failed: Option<Box<Finding>>,
    /// Whether no more rows are wanted.
    enough: bool,
}

impl Following {
    /// Adds the rows of the frames that are complete.
    fn give(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        while !self.enough && self.failed.is_none() {
            let frame = match self.feed.next_frame() {
                Ok(Fed::Item(frame)) => frame,
                Ok(Fed::NeedMore | Fed::End) => break,
                Err(ReadError::Malformed(finding)) if self.frames > 0 => {
                    self.failed = Some(finding);
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            self.enough = self.pass.frame(self.frames, frame, visit)?.is_break();
            self.frames += 1;
        }
        self.pass.scans.give_all(visit)
    }

    /// Reads the new bytes.
    fn take(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while !self.enough
            && self.failed.is_none()
            && let Some(bytes) = self.grown.next(input)?
        {
            self.feed.push(&bytes);
            self.give(visit)?;
        }
        Ok(())
    }
}

impl Follow for Following {
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        Ok(self.pass.settled)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        if !self.enough && self.failed.is_none() {
            self.feed.finish();
            self.give(visit)?;
        }
        let Self {
            format,
            feed,
            pass,
            failed,
            ..
        } = *self;
        let facts = FileFacts {
            format,
            bytes: input.size(),
            zip: false,
            findings: feed.findings(),
            stored: feed.stored(),
        };
        let problem = || match &failed {
            Some(finding) => Some((**finding).clone().into()),
            None => feed.findings().problem(),
        };
        pass.end(facts, problem, visit)
    }
}

/// Makes the rows of tables, frame by frame.
struct Pass {
    tables: Vec<Giving>,
    scans: Scans,
    /// The parts of a frame that the tables need.
    parts: Parts,
    /// The statistics of the whole match, computed once for all tables that need them.
    counted: Option<StatsBuilder>,
    course: Course,
    persons: PersonSource,
    /// For each table, the first frame after its range, if frames may be in the wrong order.
    after: Option<Vec<Option<Stamp>>>,
    /// The last frame up to which all rows were given.
    settled: Option<Stamp>,
}

/// Where the numbers of persons come from.
enum PersonSource {
    /// No table has them.
    None,
    /// From all frames so far.
    Counted(Counting),
    Known(Arc<Persons>),
}

impl Pass {
    fn new(tables: &[TableDef], scans: &[Scan]) -> Result<Self, Error> {
        let running = Scans::new(tables, scans, Clocks::TIMES)?;
        let giving = |(scan, rows): (&Scan, &Scanning)| Ok(Giving::of(scan.find(tables)?, rows));
        let of = scans.iter().zip(running.iter()).map(giving);
        let tables: Vec<Giving> = of.collect::<Result<_, Error>>()?;
        // The game clock tells where the wall clock was changed.
        let none = Parts::GAME;
        let parts = tables
            .iter()
            .fold(none, |parts, table| parts.with(table.parts()));
        let counts = tables.iter().any(Giving::counts);
        let asks_persons = tables.iter().any(Giving::asks_persons);
        Ok(Self {
            tables,
            scans: running,
            parts,
            counted: counts.then(StatsBuilder::new),
            course: Course::default(),
            persons: if asks_persons {
                PersonSource::Counted(Counting::default())
            } else {
                PersonSource::None
            },
            after: None,
            settled: None,
        })
    }

    /// Returns the earliest moment at which a scan starts, if the frames before it do not matter to any
    /// table and all moments are of one clock.
    fn from(&self) -> Option<At> {
        let is_state = |table: &Giving| matches!(table, Giving::State(..));
        let mut froms = self.scans.iter().map(Scanning::from);
        let first = froms.next()??;
        let earliest = froms.try_fold(first, |earliest, from| match (earliest, from?) {
            (At::Step(a), At::Step(b)) => Some(At::Step(a.min(b))),
            (At::Time(a), At::Time(b)) => Some(At::Time(a.min(b))),
            _ => None,
        });
        earliest.filter(|_| self.tables.iter().all(is_state))
    }

    /// Whether any table has the numbers of persons.
    const fn asks_persons(&self) -> bool {
        !matches!(self.persons, PersonSource::None)
    }

    /// Looks for frames of a range after its end, too: lines may be in the wrong order.
    fn look_ahead(&mut self) {
        self.after = Some(vec![None; self.tables.len()]);
    }

    /// Adds the rows of a frame, and passes full batches to the visitor. Breaks if no more rows are
    /// wanted.
    fn frame(
        &mut self,
        step: u64,
        frame: &Frame,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        let stamp = stamp(step, frame, &mut self.course);
        if let Some(counted) = &mut self.counted {
            counted.push(frame);
        }
        let counted = self.counted.as_ref();
        let persons = match &mut self.persons {
            PersonSource::None => &[],
            PersonSource::Counted(counting) => counting.frame(&frame.session),
            PersonSource::Known(persons) => persons.at(step),
        };
        let mut waits = false;
        let tables = self.tables.iter_mut().zip(self.scans.iter_mut());
        let tables = (0..).zip(tables).filter(|(_, (_, rows))| !rows.is_over());
        for (at, (table, rows)) in tables {
            let is_of_range = !table.is_of_the_whole();
            let is_after = rows.position(stamp) == Position::After;
            if is_after
                && is_of_range
                && let Some(after) = self
                    .after
                    .as_mut()
                    .and_then(|after| after.get_mut::<usize>(at))
                && !is_long_after(*after.get_or_insert(stamp), stamp)
            {
                continue;
            }
            if is_after && is_of_range || !table.frame((frame, persons), stamp, counted, rows) {
                rows.finish();
            }
            // The next frame may be in a chunk that nobody asks for.
            if is_of_range && rows.is_last(stamp) {
                rows.finish();
            }
            waits |= !rows.is_over() && table.waits();
        }
        if !waits {
            self.settled = Some(stamp);
        }
        self.scans.give(visit)
    }

    /// Returns whether no further frame matters, so that [`Pass::end`] gives all that is missing.
    fn is_decided(&self) -> bool {
        let mut tables = self.tables.iter().zip(self.scans.iter());
        tables.all(|(table, rows)| rows.is_over() || table.is_decided())
    }

    /// Ends the pass, with the rows that belong to the whole match. `problem` is the problem of the
    /// recording.
    fn end(
        mut self,
        known: FileFacts<'_>,
        problem: impl Fn() -> Option<Error>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let ended = MatchEnd {
            known,
            stats: self.counted.map(StatsBuilder::finish),
        };
        let over: Vec<bool> = self.scans.iter().map(Scanning::is_over).collect();
        for (table, rows) in self.tables.into_iter().zip(self.scans.iter_mut()) {
            table.end(&ended, rows);
        }
        // A scan that ended early has not asked about the rest.
        let is_over = |at: usize| over.get(at) == Some(&true);
        self.scans
            .end(visit, |at| (!is_over(at)).then(&problem).flatten())
    }
}
