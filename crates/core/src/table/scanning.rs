//! Passing the rows of a table to a visitor.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::batch::{Batch, Owned, Value};
use super::def::{ColumnDef, Rows, Table, TableDef};
use super::kind::{Kind, Lane};
use super::scan::{Picked, Scan};
use super::scan_error::ScanError;
use super::stamps::StampColumn;
use crate::clock::{At, Clocks, Stamp};
use crate::tape::{Error, Partial, Secrets};

/// Takes the rows of a scan, one batch at a time. It breaks to stop the scan.
pub type Visit<'v> = dyn FnMut(&Batch) -> Result<ControlFlow<()>, Error> + 'v;

/// The maximum number of rows in a batch: few enough that a batch fits the cache, enough that the
/// cost per batch is small.
const ROWS: usize = 4096;
/// A batch ends after this many bytes of text.
const TEXT: usize = 1 << 20;
/// Shown instead of a secret text.
const HIDDEN: &str = "<hidden>";

/// The position of a stamp relative to the range of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before the range: skip this row; later rows may be in the range.
    Before,
    /// In the range.
    Within,
    /// After the range: no later row is needed.
    Behind,
}

/// A running scan. A format passes it all rows of the table in order; it keeps those that the scan
/// selects and passes them to the visitor in batches.
///
/// ```
/// use std::ops::ControlFlow;
/// use gametape_core::table::{ColumnDef, Kind, Lane, Scan, Scanning, TableDef, Value};
/// use gametape_core::{At, Clocks, Stamp, Time};
///
/// let table = TableDef::new("throws", Lane::Events, "Throws of dice.")
///     .with(ColumnDef::new("eyes", Kind::Uint, "What was thrown."));
/// let scan = Scan::table("throws").from(At::Step(1));
/// let mut eyes = Vec::new();
/// let mut visit = |batch: &gametape_core::table::Batch| {
///     eyes.extend((0..batch.len()).map(|row| batch.get(row, 0) == Value::Uint(6)));
///     Ok(ControlFlow::Continue(()))
/// };
/// let mut scanning = Scanning::new(&table, &scan, Clocks::TIMES, &mut visit)?;
/// for (step, thrown) in (0..).zip([1, 6, 2]) {
///     let stamp = Stamp { step, tick: None, time: Some(Time::from_ms(step as i64 * 500)) };
///     if scanning.row(stamp, |_| Value::Uint(thrown))?.is_break() {
///         break;
///     }
/// }
/// scanning.end(None)?;
/// assert_eq!(eyes, [true, false]);
/// # Ok::<(), gametape_core::tape::Error>(())
/// ```
pub struct Scanning<'v> {
    scan: Waiting,
    visit: &'v mut Visit<'v>,
}

/// A scan that waits for more rows: a [`Scanning`] without its visitor.
pub struct Waiting {
    wanted: Wanted,
    from: Option<At>,
    to: Option<At>,
    enough: bool,
}

impl Waiting {
    /// Creates a scan of a table, for a recording with these clocks.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`].
    pub fn new(table: &TableDef, scan: &Scan, clocks: Clocks) -> Result<Self, Error> {
        scan.check_range()?;
        // Facts are valid in every range.
        let (from, to) = match table.lane {
            Lane::Facts => (None, None),
            Lane::State | Lane::Events | Lane::Grid => (scan.from, scan.to),
        };
        clocks.check(from)?;
        clocks.check(to)?;
        Ok(Self {
            wanted: scan.wanted(table)?,
            from,
            to,
            enough: false,
        })
    }

    /// Returns whether the scan uses a column, given by its index in the table.
    #[must_use]
    pub fn needs(&self, column: usize) -> bool {
        let Wanted {
            picked, filters, ..
        } = &self.wanted;
        picked.iter().any(|picked| picked.column() == Some(column))
            || filters.iter().any(|(at, _)| *at == column)
    }

    /// Returns the start of the range: rows before it may be skipped.
    #[must_use]
    pub const fn from(&self) -> Option<At> {
        self.from
    }

    /// Resumes the scan with a visitor for the rows from now on.
    pub fn go_on<'v>(self, visit: &'v mut Visit<'v>) -> Scanning<'v> {
        Scanning { scan: self, visit }
    }
}

/// The source of a requested column's values.
enum Source {
    Stamp(StampColumn),
    /// A column of the table, by index.
    Column {
        at: usize,
        key: bool,
    },
    /// A secret column whose values must not be shown.
    Hidden {
        at: usize,
        key: bool,
        kind: Kind,
    },
}

impl Source {
    const fn column(&self) -> Option<usize> {
        match self {
            Self::Stamp(_) => None,
            Self::Column { at, .. } | Self::Hidden { at, .. } => Some(*at),
        }
    }
}

/// Collects the rows that a scan selects: requested columns, filters applied, secrets hidden.
pub(super) struct Wanted {
    picked: Vec<Source>,
    filters: Vec<(usize, Owned)>,
    pub batch: Batch,
}

impl Scan {
    pub(super) fn wanted(&self, table: &TableDef) -> Result<Wanted, ScanError> {
        let hide = self.secrets == Secrets::Hide;
        let source = |picked: Picked| match picked {
            Picked::Stamp(stamp) => Some((Source::Stamp(stamp), stamp.kind())),
            Picked::Column(at) => {
                let &ColumnDef {
                    key, secret, kind, ..
                } = table.columns.get(at)?;
                Some(if hide && secret {
                    (Source::Hidden { at, key, kind }, kind)
                } else {
                    (Source::Column { at, key }, kind)
                })
            }
        };
        let picked = self.picked(table)?.into_iter().filter_map(source);
        let (picked, kinds): (Vec<Source>, Vec<Kind>) = picked.unzip();
        Ok(Wanted {
            batch: Batch::new(kinds),
            filters: self.filters(table)?,
            picked,
        })
    }
}

impl Wanted {
    /// Adds a row if the filters accept it.
    #[inline]
    pub fn put<'r>(&mut self, stamp: Stamp, ends: bool, value: impl Fn(usize) -> Value<'r>) {
        let is = |(at, key): &(usize, Owned)| key.value() == value(*at);
        if !self.filters.iter().all(is) {
            return;
        }
        let shown = |source: &Source| match *source {
            Source::Column { key: false, .. } | Source::Hidden { key: false, .. } if ends => {
                Value::Null
            }
            Source::Column { at, .. } => value(at),
            Source::Stamp(column) => column.value(stamp, ends),
            // Whether a secret text exists is not secret.
            Source::Hidden {
                at,
                kind: Kind::Text,
                ..
            } => match value(at) {
                Value::Text(text) if !text.is_empty() => Value::Text(HIDDEN),
                other => other,
            },
            Source::Hidden { .. } => Value::Null,
        };
        if ends {
            self.batch.push_end(stamp, self.picked.iter().map(shown));
        } else {
            self.batch.push_each(stamp, &self.picked, shown);
        }
    }
}

impl<'v> Scanning<'v> {
    /// Creates a scan of a table, for a recording with these clocks.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`].
    pub fn new(
        table: &TableDef,
        scan: &Scan,
        clocks: Clocks,
        visit: &'v mut Visit<'v>,
    ) -> Result<Self, Error> {
        Ok(Waiting::new(table, scan, clocks)?.go_on(visit))
    }

    /// Suspends the scan: passes on the rows so far, and waits for more.
    ///
    /// # Errors
    /// The visitor's error.
    pub fn wait(mut self) -> Result<Waiting, Error> {
        if !self.scan.enough {
            self.pass_on()?;
        }
        Ok(self.scan)
    }

    /// Returns whether the scan uses a column, given by its index in the table.
    #[must_use]
    pub fn needs(&self, column: usize) -> bool {
        self.scan.needs(column)
    }

    /// Returns the start of the range: rows before it may be skipped.
    #[must_use]
    pub const fn from(&self) -> Option<At> {
        self.scan.from()
    }

    /// Returns the position of a stamp relative to the range.
    #[inline]
    #[must_use]
    pub fn place(&self, stamp: Stamp) -> Place {
        let order = |at: Option<At>| at.and_then(|at| at.order(stamp));
        if order(self.scan.from) == Some(Ordering::Less) {
            Place::Before
        } else if self.scan.enough || order(self.scan.to) == Some(Ordering::Greater) {
            Place::Behind
        } else {
            Place::Within
        }
    }

    /// Adds the next row: `value` returns the value of a column, by its index in the table, and is
    /// called only for columns that the scan uses. Breaks if no later row is needed.
    ///
    /// # Errors
    /// The visitor's error.
    #[inline]
    pub fn row<'r>(
        &mut self,
        stamp: Stamp,
        value: impl Fn(usize) -> Value<'r>,
    ) -> Result<ControlFlow<()>, Error> {
        self.put(stamp, false, value)
    }

    /// Adds a row that ends a key of a state. `value` is called only for key columns; other
    /// requested values are missing.
    ///
    /// # Errors
    /// The visitor's error.
    pub fn ended<'r>(
        &mut self,
        stamp: Stamp,
        value: impl Fn(usize) -> Value<'r>,
    ) -> Result<ControlFlow<()>, Error> {
        self.put(stamp, true, value)
    }

    #[inline]
    fn put<'r>(
        &mut self,
        stamp: Stamp,
        ends: bool,
        value: impl Fn(usize) -> Value<'r>,
    ) -> Result<ControlFlow<()>, Error> {
        match self.place(stamp) {
            Place::Before => return Ok(ControlFlow::Continue(())),
            Place::Behind => return Ok(ControlFlow::Break(())),
            Place::Within => {}
        }
        self.scan.wanted.put(stamp, ends, value);
        let batch = &self.scan.wanted.batch;
        if batch.len() >= ROWS || batch.text_bytes() >= TEXT {
            self.pass_on()?;
        }
        Ok(if self.scan.enough {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Adds the next row of a [`Table`].
    ///
    /// # Errors
    /// The visitor's error.
    #[inline]
    pub fn row_of<T: Rows>(
        &mut self,
        table: &Table<T>,
        stamp: Stamp,
        row: &T::Row<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        self.row(stamp, |column| table.value(row, column))
    }

    fn pass_on(&mut self) -> Result<(), Error> {
        let batch = &mut self.scan.wanted.batch;
        if !batch.is_empty() {
            self.scan.enough = (self.visit)(batch)?.is_break();
            batch.clear();
        }
        Ok(())
    }

    /// Ends the scan. `problem` is the problem of the recording, if it is not intact.
    ///
    /// # Errors
    /// The visitor's error.
    pub fn end(mut self, problem: Option<Error>) -> Result<Partial<()>, Error> {
        if !self.scan.enough {
            self.pass_on()?;
        }
        // A visitor that has stopped early did not ask about the rest.
        let problem = problem.filter(|_| !self.scan.enough);
        Ok(Partial::new((), problem))
    }
}
