//! The rows of a table of a recording, as they come.

use std::collections::VecDeque;

use super::super::batch::Batch;
use crate::clock::Stamp;
use crate::tape::Error;

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

/// Takes rows, in their order.
pub(super) struct Feed {
    /// What came and was not taken yet; of the first the rows from `row` on.
    batches: VecDeque<Batch>,
    row: usize,
    /// The moment of the row before.
    moment: Moment,
    /// The step of that row.
    step: Option<u64>,
    /// There are no more rows than these.
    ended: bool,
    /// There were more, or might have been.
    cut: bool,
    /// What is wrong with the recording behind the last row.
    problem: Option<Error>,
}

impl Feed {
    pub const fn new() -> Self {
        Self {
            batches: VecDeque::new(),
            row: 0,
            moment: Moment {
                at: i128::MIN,
                nth: 0,
            },
            step: None,
            ended: false,
            cut: false,
            problem: None,
        }
    }

    /// More rows.
    pub fn push(&mut self, batch: Batch) {
        self.batches.push_back(batch);
    }

    /// There are no more, because of a problem if there is one.
    pub fn end(&mut self, cut: bool, problem: Option<Error>) {
        self.ended = true;
        self.cut = cut;
        self.problem = problem;
    }

    /// Whether the next row, if there is one, has not come yet.
    pub fn waits(&mut self) -> bool {
        !self.ended && self.peek().is_none()
    }

    /// How many batches wait to be taken.
    pub fn waiting(&self) -> usize {
        self.batches.len()
    }

    /// The next row of those that came: the batch it is in, and where.
    pub fn peek(&mut self) -> Option<(&Batch, usize)> {
        while self.batches.front()?.len() <= self.row {
            self.batches.pop_front();
            self.row = 0;
        }
        Some((self.batches.front()?, self.row))
    }

    /// Whether its recording breaks off behind the rows that were taken.
    pub fn breaks_off(&mut self) -> bool {
        self.cut && self.peek().is_none()
    }

    /// What is wrong with its recording behind the last row, where that was come to.
    pub fn problem(mut self) -> Option<Error> {
        let rest = self.peek().is_some();
        self.problem.filter(|_| !rest)
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
