//! What holds at a moment.

use std::cmp::Ordering;

use super::batch::{Batch, Value};
use super::def::TableDef;
use super::kind::Lane;
use super::scan::Scan;
use super::scan_error::ScanError;
use super::scanning::Wanted;
use crate::clock::{At, Clocks, Stamp};
use crate::tape::Error;

/// From where to where a recording goes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Span {
    /// The first moment.
    pub first: Stamp,
    /// The last one.
    pub last: Stamp,
}

/// A recording at a moment: it is sought, or gone to step by step; what holds then can be asked for.
pub trait Playback {
    /// From where to where the recording goes; of a broken one as far as it can be read.
    fn span(&self) -> Span;

    /// The moment that it is at: at first that of the first step.
    fn now(&self) -> Stamp;

    /// Up to where a moment is reached soon, wherever that is. To go behind it, all that lies between
    /// has to be made first; where that takes long it can be done in pieces, by going a bit further
    /// each time. The last moment, unless the format says otherwise.
    fn reach(&self) -> Stamp {
        self.span().last
    }

    /// Goes to the newest step that is not after this moment, and gives its stamp.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] before the first moment and behind the last, [`Error::NoClock`]; where
    /// what is needed can't be read. It then stays where it is.
    fn seek(&mut self, at: At) -> Result<Stamp, Error>;

    /// Goes to the next step, and gives its stamp; `None` behind the last.
    ///
    /// # Errors
    /// Where what is needed can't be read.
    fn step(&mut self) -> Result<Option<Stamp>, Error>;

    /// The rows of a state, and the cells of a grid, that hold now; the facts. Columns, filters and
    /// secrets are those of the scan, its range says nothing. The rows have the stamp of now.
    ///
    /// # Errors
    /// [`Error::Scan`]; where what is needed can't be read.
    fn state(&mut self, scan: &Scan) -> Result<Batch, Error>;
}

/// The rows that hold at a moment, as far as they are wanted: what [`Playback::state`] gives.
pub struct State {
    now: Stamp,
    wanted: Wanted,
}

impl State {
    /// Of a table, now.
    ///
    /// # Errors
    /// [`ScanError`].
    pub fn new(table: &TableDef, scan: &Scan, now: Stamp) -> Result<Self, ScanError> {
        if table.lane == Lane::Events {
            let table = table.name.to_string();
            return Err(ScanError::NoState { table });
        }
        let wanted = scan.wanted(table)?;
        Ok(Self { now, wanted })
    }

    /// The next row: `value` gives what stands in a column, by its place in
    /// the table.
    pub fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) {
        self.wanted.put(self.now, false, value);
    }

    /// All of them.
    #[must_use]
    pub fn rows(self) -> Batch {
        self.wanted.batch
    }
}

/// The steps of a recording, and at which of them a playback is.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    stamps: Vec<Stamp>,
    now: usize,
}

impl Steps {
    /// At the first of these, which rise.
    #[must_use]
    pub const fn new(stamps: Vec<Stamp>) -> Self {
        Self { stamps, now: 0 }
    }

    /// From where to where they go.
    #[must_use]
    pub fn span(&self) -> Span {
        Span {
            first: self.stamps.first().copied().unwrap_or_default(),
            last: self.stamps.last().copied().unwrap_or_default(),
        }
    }

    /// The step that it is at.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.stamps.get(self.now).copied().unwrap_or_default()
    }

    /// As [`Playback::seek`].
    ///
    /// # Errors
    /// As [`Playback::seek`].
    pub fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        let last = self.span().last;
        let clocks = Clocks {
            ticks: last.tick.is_some(),
            times: last.time.is_some(),
        };
        clocks.check(Some(at))?;
        let order = |stamp: &Stamp| at.order(*stamp);
        let behind = self
            .stamps
            .last()
            .and_then(order)
            .is_none_or(Ordering::is_lt);
        let upto = |stamp: &Stamp| order(stamp).is_some_and(Ordering::is_le);
        let found = self.stamps.partition_point(upto).checked_sub(1);
        match found.filter(|_| !behind) {
            None => Err(Error::NotRecorded { at }),
            Some(found) => {
                self.now = found;
                Ok(self.now())
            }
        }
    }

    /// As [`Playback::step`].
    pub fn step(&mut self) -> Option<Stamp> {
        let next = self.stamps.get(self.now + 1).copied();
        self.now += usize::from(next.is_some());
        next
    }
}
