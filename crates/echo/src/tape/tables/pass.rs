//! The frames of a recording, as rows of several tables at once.

use std::ops::ControlFlow;

use gametape_core::table::{Place, Scan, Scanning, TableDef, VisitEach, Visitors, Waiting};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};

use super::frame::stamp;
use super::giving::{Ended, Giving};
use crate::Time;
use crate::butter::Parts;
use crate::model::Frame;
use crate::stats::StatsBuilder;
use crate::tape::info::Known;

/// A table whose rows are given.
struct Going {
    giving: Giving,
    /// Nothing that follows is wanted.
    enough: bool,
}

impl Going {
    /// Whether rows of the past are still to be given.
    fn waits(&self) -> bool {
        !self.enough && self.giving.waits()
    }
}

/// What gives the rows of tables, frame after frame.
pub struct Pass {
    going: Vec<Going>,
    /// What of the frames has to be known.
    pub parts: Parts,
    /// What tells of the whole match is counted once, whoever asks for it.
    counted: Option<StatsBuilder>,
    start: Option<Time>,
    /// The last frame up to which all rows were given.
    pub settled: Option<Stamp>,
}

impl Pass {
    /// Of these scans; they wait for rows.
    pub fn new(tables: &[TableDef], scans: &[Scan]) -> Result<(Self, Vec<Waiting>), Error> {
        let (mut going, mut waiting) = (Vec::new(), Vec::new());
        let mut parts = Parts::NONE;
        for scan in scans {
            let table = scan.find(tables)?;
            let rows = Waiting::new(table, scan, Clocks::TIMES)?;
            let giving = Giving::of(table, &rows, scan.secrets);
            parts = parts.with(giving.parts());
            waiting.push(rows);
            going.push(Going {
                giving,
                enough: false,
            });
        }
        let counts = going.iter().any(|going| going.giving.counts());
        let pass = Self {
            going,
            parts,
            counted: counts.then(StatsBuilder::new),
            start: None,
            settled: None,
        };
        Ok((pass, waiting))
    }

    /// Gives the rows of a frame; of those before `from` they were given before. Breaks where nobody
    /// wants more.
    pub fn frame(
        &mut self,
        step: u64,
        from: u64,
        frame: &Frame,
        rows: &mut [Scanning<'_>],
    ) -> Result<ControlFlow<()>, Error> {
        let stamp = stamp(step, frame, &mut self.start);
        if let Some(counted) = &mut self.counted {
            counted.push(frame);
        }
        let counted = self.counted.as_ref();
        let mut enough = true;
        let going = self.going.iter_mut().zip(rows);
        for (going, rows) in going.filter(|(going, _)| !going.enough) {
            if step < from {
                if step + 1 == from {
                    going.giving.know(frame)?;
                }
            } else {
                let giving = &mut going.giving;
                let behind = !giving.is_of_the_whole() && rows.place(stamp) == Place::Behind;
                going.enough = behind || giving.frame(frame, stamp, counted, rows)?.is_break();
            }
            enough &= going.enough;
        }
        if !self.going.iter().any(Going::waits) {
            self.settled = Some(stamp);
        }
        Ok(if enough {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Gives the rows that the whole match tells; `problem` is what is wrong with the recording.
    pub fn end(
        self,
        known: Known<'_>,
        problem: impl Fn() -> Option<Error>,
        waiting: Vec<Waiting>,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let ended = Ended {
            known,
            stats: self.counted.map(StatsBuilder::finish),
        };
        let visitors = Visitors::new(visit);
        let ends = self.going.into_iter().zip(waiting).enumerate();
        let ends = ends.map(|(scan, (going, waiting))| {
            // Who has enough has not asked for what is behind it.
            let problem = (!going.enough).then(&problem).flatten();
            let mut visit = visitors.of(scan);
            going.giving.end(&ended, problem, waiting.go_on(&mut visit))
        });
        ends.collect()
    }
}
