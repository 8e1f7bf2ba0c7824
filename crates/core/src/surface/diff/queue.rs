//! The incoming rows of a table of one recording.

use std::collections::VecDeque;

use crate::clock::Stamp;
use crate::table::Batch;
use crate::tape::Error;

/// The clock that matches moments of two recordings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    Tick,
    /// To the millisecond.
    Time,
    Step,
}

impl By {
    /// Chooses a clock that both recordings have, judging by their first rows.
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

/// A moment on this clock. `nth` distinguishes several steps at one time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PairedMoment {
    pub at: i128,
    pub nth: u64,
}

/// A queue of rows, in order.
pub(super) struct RowQueue {
    /// Batches that were not consumed yet; the first batch from row `row` on.
    batches: VecDeque<Batch>,
    row: usize,
    /// The moment of the previous row.
    moment: PairedMoment,
    /// The step of the previous row.
    step: Option<u64>,
    /// Whether no more rows will come.
    ended: bool,
    /// Whether rows are missing, or may be missing, after the last.
    cut: bool,
    /// The problem of the recording after the last row.
    problem: Option<Error>,
}

impl RowQueue {
    pub const fn new() -> Self {
        Self {
            batches: VecDeque::new(),
            row: 0,
            moment: PairedMoment {
                at: i128::MIN,
                nth: 0,
            },
            step: None,
            ended: false,
            cut: false,
            problem: None,
        }
    }

    /// Adds a batch of rows.
    pub fn push(&mut self, batch: Batch) {
        self.batches.push_back(batch);
    }

    /// Marks the end of the rows. `cut` says whether rows may be missing, `problem` says why.
    pub fn end(&mut self, cut: bool, problem: Option<Error>) {
        self.ended = true;
        self.cut = cut;
        self.problem = problem;
    }

    /// Returns whether the next row, if there is one, has not arrived yet.
    pub fn waits(&mut self) -> bool {
        !self.ended && self.peek().is_none()
    }

    /// Returns the number of batches in the queue.
    pub fn waiting(&self) -> usize {
        self.batches.len()
    }

    /// Returns the next row: its batch, and its index in the batch.
    pub fn peek(&mut self) -> Option<(&Batch, usize)> {
        while self.batches.front()?.len() <= self.row {
            self.batches.pop_front();
            self.row = 0;
        }
        Some((self.batches.front()?, self.row))
    }

    /// Returns whether the recording breaks off after the consumed rows.
    pub fn breaks_off(&mut self) -> bool {
        self.cut && self.peek().is_none()
    }

    /// Returns the problem of the recording after its last row, if all rows were consumed.
    pub fn problem(mut self) -> Option<Error> {
        let rest = self.peek().is_some();
        self.problem.filter(|_| !rest)
    }

    /// Goes to the next row.
    pub const fn pass(&mut self) {
        self.row += 1;
    }

    /// Returns the stamp of the next row.
    pub fn stamp(&mut self) -> Option<Stamp> {
        self.peek().map(|(batch, row)| batch.stamp(row))
    }

    /// Returns the moment of the next row.
    pub fn moment(&mut self, by: By) -> Option<PairedMoment> {
        let stamp = self.stamp()?;
        if self.step != Some(stamp.step) {
            self.step = Some(stamp.step);
            let before = self.moment.at;
            self.moment = match by.at(stamp) {
                Some(at) if at > before => PairedMoment { at, nth: 0 },
                // A clock that goes backwards or has no value counts as standing still.
                _ => PairedMoment {
                    at: before,
                    nth: self.moment.nth + 1,
                },
            };
        }
        Some(self.moment)
    }
}
