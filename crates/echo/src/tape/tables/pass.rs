//! The frames of a recording, as rows of several tables at once.

use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::table::{Position, Scan, Scanning, Scans, TableDef, Visit};
use gametape_core::tape::{Error, Partial};
use gametape_core::{At, Clocks, Stamp};

use super::frame::{is_long_after, stamp};
use super::giving::{Ended, Giving};
use crate::butter::Parts;
use crate::course::Course;
use crate::model::Frame;
use crate::stats::StatsBuilder;
use crate::tape::info::Known;
use crate::tape::persons::{Counting, Persons};

/// Makes the rows of tables, frame by frame.
pub struct Pass {
    tables: Vec<Giving>,
    scans: Scans,
    /// The parts of a frame that the tables need.
    pub parts: Parts,
    /// The statistics of the whole match, computed once for all tables that need them.
    counted: Option<StatsBuilder>,
    course: Course,
    persons: Source,
    /// For each table, the first frame after its range, if frames may be in the wrong order.
    after: Option<Vec<Option<Stamp>>>,
    /// The last frame up to which all rows were given.
    pub settled: Option<Stamp>,
}

/// Where the numbers of persons come from.
enum Source {
    /// No table has them.
    None,
    /// From all frames so far.
    Counted(Counting),
    Known(Arc<Persons>),
}

impl Pass {
    pub fn new(tables: &[TableDef], scans: &[Scan]) -> Result<Self, Error> {
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
                Source::Counted(Counting::default())
            } else {
                Source::None
            },
            after: None,
            settled: None,
        })
    }

    /// Returns the earliest moment at which a scan starts, if the frames before it do not matter to any
    /// table and all moments are of one clock.
    pub fn from(&self) -> Option<At> {
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
    pub const fn asks_persons(&self) -> bool {
        !matches!(self.persons, Source::None)
    }

    /// Takes the numbers of persons from what is known of all frames.
    pub fn persons_are(&mut self, persons: Arc<Persons>) {
        self.persons = Source::Known(persons);
    }

    /// Looks for frames of a range after its end, too: lines may be in the wrong order.
    pub fn look_ahead(&mut self) {
        self.after = Some(vec![None; self.tables.len()]);
    }

    /// Leaves out the frames before the next one, up to which this is the course of the time.
    pub const fn continue_at(&mut self, course: Course) {
        self.course = course;
    }

    /// Adds the rows of a frame, and passes full batches to the visitor. Breaks if no more rows are
    /// wanted.
    pub fn frame(
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
            Source::None => &[],
            Source::Counted(counting) => counting.frame(&frame.session),
            Source::Known(persons) => persons.at(step),
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
    pub fn is_decided(&self) -> bool {
        let mut tables = self.tables.iter().zip(self.scans.iter());
        tables.all(|(table, rows)| rows.is_over() || table.is_decided())
    }

    /// Passes all rows so far to the visitor.
    pub fn give_all(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.scans.give_all(visit)
    }

    /// Ends the pass, with the rows that belong to the whole match. `problem` is the problem of the
    /// recording.
    pub fn end(
        mut self,
        known: Known<'_>,
        problem: impl Fn() -> Option<Error>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let ended = Ended {
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
