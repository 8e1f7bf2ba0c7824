//! Playback: the state at a moment.

use std::cmp::Ordering;

use super::batch::Batch;
use super::def::{Lane, TableDef};
use super::scan::Scan;
use super::scan_error::ScanError;
use super::scanning::Wanted;
use super::value::Value;
use crate::clock::{At, Clocks, Span, Stamp};
use crate::tape::Error;

/// A recording at a moment. Move it with `seek` or `step`, then read the state at that moment.
///
/// A playback keeps its recording open as long as it lives, and can be moved to another thread.
pub trait Playback: Send {
    /// Returns the first and the last moment. For a broken recording, the last moment is the last
    /// readable one.
    fn span(&self) -> Span;

    /// Returns the current moment, which starts at the first step.
    fn now(&self) -> Stamp;

    /// Returns the last moment that can be reached quickly. To go further, everything in between
    /// must be computed first; a caller can divide long waits by going a little further each time.
    /// By default this is the last moment.
    fn reach(&self) -> Stamp {
        self.span().last
    }

    /// Goes to the newest step that is not after this moment, and returns its stamp.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] before the first moment and after the last; [`Error::NoClock`];
    /// errors of reading. After an error the position is unchanged.
    fn seek(&mut self, at: At) -> Result<Stamp, Error>;

    /// Goes to the next step and returns its stamp; `None` after the last step.
    ///
    /// # Errors
    /// Errors of reading.
    fn step(&mut self) -> Result<Option<Stamp>, Error>;

    /// Returns the rows of a state, the cells of a grid, or the facts that are valid now. The
    /// columns, filters and secrets of the scan apply; its range does not. All rows have the stamp
    /// of the current moment.
    ///
    /// # Errors
    /// [`Error::Scan`]; errors of reading.
    fn state(&mut self, scan: &Scan) -> Result<Batch, Error>;

    /// Returns a problem met while building the current state, as a scan up to this moment would
    /// report it. Only work that was actually done can show a problem, such as a replay that
    /// diverged from the recorded hashes. A problem after the last step is not included; the
    /// recording's scan reports it.
    fn problem(&self) -> Option<Error> {
        None
    }
}

/// Collects the rows that [`Playback::state`] returns, as far as the scan selects them.
pub struct State {
    now: Stamp,
    wanted: Wanted,
}

impl State {
    /// Creates an empty state of a table at the moment `now`.
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

    /// Adds a row: `value` returns the value of a column, by its index in the table.
    pub fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) {
        self.wanted.put(self.now, false, value);
    }

    /// Returns all rows.
    #[must_use]
    pub fn rows(self) -> Batch {
        self.wanted.batch
    }
}

/// Computes the state at a step. A format that implements this gets a full playback from
/// [`Stepped`].
pub trait StateAt: Send {
    /// Like [`Playback::state`], at this step.
    ///
    /// # Errors
    /// Same as [`Playback::state`].
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error>;
}

/// The playback of a recording whose steps are all known. It stores a stamp for each step.
pub struct Stepped<S> {
    stamps: Vec<Stamp>,
    clocks: Clocks,
    /// Whether ticks and times never go backwards.
    rises: bool,
    now: usize,
    pub(super) source: S,
}

impl<S: StateAt> Stepped<S> {
    /// Creates a playback at the first of these steps, for a recording with these clocks.
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

    /// Returns the number of steps before the first step that is after this moment. A step without
    /// a tick or time counts as being at the moment of the step before it.
    fn upto(&self, at: At) -> usize {
        let is_after = |stamp: &Stamp| at.order(*stamp) == Some(Ordering::Greater);
        if self.rises || matches!(at, At::Step(_)) {
            return self.stamps.partition_point(|stamp| !is_after(stamp));
        }
        let after = self.stamps.iter().position(is_after);
        after.unwrap_or(self.stamps.len())
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
            // The recording starts later, or has ended before.
            Some(found) if newest.is_some() && !(ends && newest == Some(Ordering::Less)) => {
                self.now = found;
                Ok(self.now())
            }
            _ => Err(Error::NotRecorded {
                at,
                recorded: (!self.stamps.is_empty()).then(|| Box::new(self.span())),
            }),
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
}
