//! The rows of a recording, asked for one by one.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender};

use super::super::batch::Batch;
use super::super::scan::Scan;
use crate::clock::Stamp;
use crate::tape::{Error, Tape};

/// Batches that may wait to be compared.
pub(super) const WAITING: usize = 2;

/// By what the moments of two recordings are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    Tick,
    /// To the millisecond.
    Time,
    Step,
}

impl By {
    /// What both have, as far as their first rows say.
    pub fn of(stamps: [Option<Stamp>; 2]) -> Self {
        let all = |has: fn(&Stamp) -> bool| stamps.iter().flatten().all(has);
        if all(|stamp| stamp.tick.is_some()) {
            Self::Tick
        } else if all(|stamp| stamp.time.is_some()) {
            Self::Time
        } else {
            Self::Step
        }
    }

    pub fn at(self, stamp: Stamp) -> Option<i128> {
        match self {
            Self::Tick => stamp.tick.map(i128::from),
            Self::Time => stamp.time.map(|time| time.whole_ms().into()),
            Self::Step => Some(stamp.step.into()),
        }
    }
}

/// A step, by what it is told by: the first, second, … of those at one time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Moment {
    pub at: i128,
    pub nth: u64,
}

/// What a reader tells.
pub(super) enum Told {
    Rows(Batch),
    /// There are no more, and this is wrong with the recording.
    End(Option<Error>),
}

/// Tells the rows of a scan to whoever takes them: as long as somebody does.
pub(super) fn tell(tape: &dyn Tape, scan: &Scan, to: &SyncSender<Told>) {
    let scanned = tape.scan(scan, &mut |batch| {
        Ok(match to.send(Told::Rows(batch.clone())) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    });
    let problem = scanned.map_or_else(Some, |read| read.problem);
    // Nobody waits for it where somebody has seen enough.
    drop(to.send(Told::End(problem)));
}

/// Takes rows, in their order.
pub(super) struct Feed {
    told: Receiver<Told>,
    batch: Batch,
    row: usize,
    /// The moment of the row before.
    moment: Moment,
    /// The step of that row.
    step: Option<u64>,
    /// What is wrong with the recording behind the last row.
    problem: Option<Error>,
}

impl Feed {
    pub fn new(told: Receiver<Told>) -> Self {
        Self {
            told,
            batch: Batch::default(),
            row: 0,
            moment: Moment {
                at: i128::MIN,
                nth: 0,
            },
            step: None,
            problem: None,
        }
    }

    /// The next row: the batch it is in, and where; `None` behind the last.
    pub fn peek(&mut self) -> Option<(&Batch, usize)> {
        while self.row >= self.batch.len() {
            match self.told.recv().ok()? {
                Told::Rows(batch) => self.batch = batch,
                Told::End(problem) => {
                    self.problem = problem;
                    return None;
                }
            }
            self.row = 0;
        }
        Some((&self.batch, self.row))
    }

    /// Whether its recording breaks off behind the rows that were taken.
    pub const fn breaks_off(&self) -> bool {
        self.problem.is_some()
    }

    /// What is wrong with its recording behind the last row.
    pub fn problem(self) -> Option<Error> {
        self.problem
    }

    /// Goes on behind it.
    pub const fn pass(&mut self) {
        self.row += 1;
    }

    /// When the next row is.
    pub fn stamp(&mut self) -> Option<Stamp> {
        self.peek().map(|(batch, row)| batch.stamp(row))
    }

    /// The moment of the next row.
    pub fn moment(&mut self, by: By) -> Option<Moment> {
        let stamp = self.stamp()?;
        if self.step != Some(stamp.step) {
            self.step = Some(stamp.step);
            let before = self.moment.at;
            self.moment = match by.at(stamp) {
                Some(at) if at > before => Moment { at, nth: 0 },
                // A clock that goes back, or says nothing, stands still.
                _ => Moment {
                    at: before,
                    nth: self.moment.nth + 1,
                },
            };
        }
        Some(self.moment)
    }
}
