//! What holds at a moment.

use std::cmp::Ordering;

use super::batch::{Batch, Value};
use super::def::TableDef;
use super::kind::Lane;
use super::scan::Scan;
use super::scan_error::ScanError;
use super::scanning::{Visit, Wanted};
use crate::clock::{At, Clocks, Stamp};
use crate::tape::{Error, Partial};

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

    /// What is wrong with what it has said that holds now: what a scan up to now would say behind its
    /// rows. Only what had to be made for that is known, such as that a replay has parted from what
    /// was recorded; what is wrong behind the last step is the recording's to say.
    fn problem(&self) -> Option<Error> {
        None
    }

    /// The events of a range, wherever it is: what [`Tape::scan`](crate::tape::Tape::scan) gives.
    ///
    /// # Errors
    /// As [`Tape::scan`](crate::tape::Tape::scan).
    fn events<'v>(&mut self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error>;
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

/// What tells what holds at a step: all that a format has to say where [`Stepped`] does the rest.
pub trait StateAt {
    /// As [`Playback::state`], at this step.
    ///
    /// # Errors
    /// As [`Playback::state`].
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error>;

    /// As [`Playback::events`].
    ///
    /// # Errors
    /// As [`Playback::events`].
    fn events<'v>(&mut self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error>;
}

/// The playback of a recording whose steps are all known: it holds a stamp for each.
pub struct Stepped<S> {
    stamps: Vec<Stamp>,
    clocks: Clocks,
    /// Whether ticks and times never go back.
    rises: bool,
    now: usize,
    pub(super) source: S,
}

impl<S: StateAt> Stepped<S> {
    /// At the first of these steps, of a recording that has such clocks.
    #[must_use]
    pub fn over(stamps: Vec<Stamp>, clocks: Clocks, source: S) -> Self {
        let known = |of: fn(&Stamp) -> bool| stamps.iter().all(of);
        let rises = (!clocks.ticks
            || known(|stamp| stamp.tick.is_some()) && stamps.is_sorted_by_key(|s| s.tick))
            && (!clocks.times
                || known(|stamp| stamp.time.is_some()) && stamps.is_sorted_by_key(|s| s.time));
        Self {
            stamps,
            clocks,
            rises,
            now: 0,
            source,
        }
    }

    /// How many steps come before the first one that is behind a moment. One that does not say when it
    /// is, is where the one before it is.
    fn upto(&self, at: At) -> usize {
        let is_behind = |stamp: &Stamp| at.order(*stamp) == Some(Ordering::Greater);
        if self.rises || matches!(at, At::Step(_)) {
            return self.stamps.partition_point(|stamp| !is_behind(stamp));
        }
        let behind = self.stamps.iter().position(is_behind);
        behind.unwrap_or(self.stamps.len())
    }
}

impl<S: StateAt> Playback for Stepped<S> {
    fn span(&self) -> Span {
        Span {
            first: self.stamps.first().copied().unwrap_or_default(),
            last: self.stamps.last().copied().unwrap_or_default(),
        }
    }

    fn now(&self) -> Stamp {
        self.stamps.get(self.now).copied().unwrap_or_default()
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        self.clocks.check(Some(at))?;
        let upto = self.stamps.get(..self.upto(at)).unwrap_or_default();
        let mut orders = upto.iter().rev().filter_map(|stamp| at.order(*stamp));
        let newest = orders.next();
        let ends = upto.len() == self.stamps.len();
        match upto.len().checked_sub(1) {
            // It begins later, or has ended by then.
            Some(found) if newest.is_some() && !(ends && newest == Some(Ordering::Less)) => {
                self.now = found;
                Ok(self.now())
            }
            _ => Err(Error::NotRecorded { at }),
        }
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        let next = self.stamps.get(self.now + 1).copied();
        self.now += usize::from(next.is_some());
        Ok(next)
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let now = self.now();
        self.source.state_at(now, scan)
    }

    fn events<'v>(&mut self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        self.source.events(scan, visit)
    }
}
