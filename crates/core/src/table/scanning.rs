//! Passing the rows of tables to a visitor.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::batch::{Batch, Column, Filling};
use super::def::{ColumnDef, Kind, Lane, Rows, Table, TableDef};
use super::scan::{Late, Picked, Scan, StampColumn};
use super::scan_error::ScanError;
use super::value::{Owned, Value};
use crate::clock::{At, Clocks, Stamp};
use crate::tape::{Error, Partial, Secrets};

/// Takes the rows of scans: the index of the scan, and a batch of its rows. It breaks to stop that
/// scan.
pub type Visit<'v> = dyn FnMut(usize, Batch) -> Result<ControlFlow<()>, Error> + 'v;

/// The maximum number of rows in a batch, and of values: few enough that a batch fits the cache, enough
/// that the cost per batch is small.
const ROWS: usize = 4096;
const VALUES: usize = 1 << 18;
/// A batch ends after this many bytes of text.
const TEXT: usize = 1 << 20;
/// Shown instead of a secret text.
const HIDDEN: &str = "<hidden>";

/// The position of a stamp relative to the range of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Outside of the range, and later rows may be in it: skip this row.
    Outside,
    /// In the range.
    Within,
    /// After the range: no later row is needed.
    After,
}

/// A running scan of one table. A format passes it all rows of the table in order; it keeps those
/// that the scan selects. [`Scans`] passes them on in batches.
pub struct Scanning {
    /// The name of the table.
    table: String,
    wanted: Wanted,
    from: Option<At>,
    to: Option<At>,
    late: Late,
    /// Batches that are full and were not passed on yet.
    full: Vec<Batch>,
    /// Whether no more rows are wanted.
    over: bool,
    /// Whether the visitor stopped the scan.
    stopped: bool,
}

/// Running scans, which read a recording in one pass.
///
/// ```
/// use std::ops::ControlFlow;
/// use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Scan, Scans, TableDef, Value};
/// use gametape_core::{At, Clocks, Stamp, Time};
///
/// let tables = [TableDef::new("throws", Lane::Events, "Throws of dice.")
///     .with(ColumnDef::new("eyes", Kind::Uint, "What was thrown."))];
/// let scan = Scan::table("throws").from(At::Step(1));
/// let mut sixes = Vec::new();
/// let mut visit = |_scan: usize, batch: Batch| {
///     sixes.extend((0..batch.len()).map(|row| batch.get(row, 0) == Value::Uint(6)));
///     Ok(ControlFlow::Continue(()))
/// };
/// let mut scans = Scans::new(&tables, &[scan], Clocks::TIMES)?;
/// for (step, eyes) in (0..).zip([1, 6, 2]) {
///     let stamp = Stamp { step, tick: None, time: Some(Time::from_ms(step as i64 * 500)) };
///     for rows in scans.iter_mut() {
///         rows.row(stamp, |_| Value::Uint(eyes));
///     }
///     if scans.give(&mut visit)?.is_break() {
///         break;
///     }
/// }
/// scans.end(&mut visit, |_| None)?;
/// assert_eq!(sixes, [true, false]);
/// # Ok::<(), gametape_core::tape::Error>(())
/// ```
pub struct Scans(Vec<Scanning>);

/// The source of a requested column's values.
enum ValueSource {
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

impl ValueSource {
    const fn column(&self) -> Option<usize> {
        match self {
            Self::Stamp(_) => None,
            Self::Column { at, .. } | Self::Hidden { at, .. } => Some(*at),
        }
    }
}

/// Collects the rows that a scan selects: requested columns, filters applied, secrets hidden.
pub(super) struct Wanted {
    picked: Vec<ValueSource>,
    filters: Vec<(usize, Owned)>,
    pub batch: Batch,
}

impl Scan {
    pub(super) fn wanted(&self, table: &TableDef) -> Result<Wanted, ScanError> {
        let hide = self.secrets == Secrets::Hide;
        let source = |picked: Picked| match picked {
            Picked::Stamp(stamp) => Some((ValueSource::Stamp(stamp), stamp.kind())),
            Picked::Column(at) => {
                let &ColumnDef {
                    key, secret, kind, ..
                } = table.columns.get(at)?;
                Some(if hide && secret {
                    (ValueSource::Hidden { at, key, kind }, kind)
                } else {
                    (ValueSource::Column { at, key }, kind)
                })
            }
        };
        let picked = self.picked(table)?.into_iter().filter_map(source);
        let (picked, kinds): (Vec<ValueSource>, Vec<Kind>) = picked.unzip();
        let batch = Batch::new(kinds);
        Ok(Wanted {
            batch: if self.stamps {
                batch
            } else {
                batch.without_stamps()
            },
            filters: self.filters(table)?,
            picked,
        })
    }
}

impl Wanted {
    /// Adds several rows of one stamp, if the filters accept them.
    #[inline]
    pub fn put_all<'r>(
        &mut self,
        stamp: Stamp,
        count: usize,
        fill: impl Fn(usize, &mut Filling<'_, 'r>),
    ) {
        if !self.filters.is_empty() {
            let value = |at, row| Filling::one(row, |one| fill(at, one));
            return (0..count).for_each(|row| self.put(stamp, false, |at| value(at, row)));
        }
        let put = |source: &ValueSource, column: &mut Column| match *source {
            ValueSource::Stamp(stamped) => column.fill(count, |column| {
                column.with(|_| stamped.value(stamp, false));
            }),
            ValueSource::Column { at, .. } => column.fill(count, |column| fill(at, column)),
            ValueSource::Hidden { at, kind, .. } => column.fill(count, |column| {
                if kind == Kind::Text {
                    column.with(|row| hidden(Filling::one(row, |one| fill(at, one))));
                }
            }),
        };
        self.batch.push_rows(stamp, count, &self.picked, put);
    }

    /// Adds a row if the filters accept it.
    #[inline]
    pub fn put<'r>(&mut self, stamp: Stamp, ends: bool, value: impl Fn(usize) -> Value<'r>) {
        let is = |(at, key): &(usize, Owned)| key.value() == value(*at);
        if !self.filters.iter().all(is) {
            return;
        }
        let shown = |source: &ValueSource| match *source {
            ValueSource::Column { key: false, .. } | ValueSource::Hidden { key: false, .. }
                if ends =>
            {
                Value::Null
            }
            ValueSource::Column { at, .. } => value(at),
            ValueSource::Stamp(column) => column.value(stamp, ends),
            ValueSource::Hidden {
                at,
                kind: Kind::Text,
                ..
            } => hidden(value(at)),
            ValueSource::Hidden { .. } => Value::Null,
        };
        if ends {
            self.batch.push_end(stamp, self.picked.iter().map(shown));
        } else {
            self.batch.push_each(stamp, &self.picked, shown);
        }
    }
}

/// Hides a secret text. Whether it exists is not secret.
fn hidden(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Text(text) if !text.is_empty() => Value::Text(HIDDEN),
        other => other,
    }
}

impl Scanning {
    /// Starts a scan of a table, for a recording with these clocks.
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
            table: table.name.to_string(),
            wanted: scan.wanted(table)?,
            from,
            to,
            late: scan.late,
            full: Vec::new(),
            over: false,
            stopped: false,
        })
    }

    /// Returns the name of the table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
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

    /// Returns whether no more rows are wanted.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// Ends the scan: no more rows are wanted.
    pub const fn finish(&mut self) {
        self.over = true;
    }

    /// Returns the position of a stamp relative to the range.
    #[inline]
    #[must_use]
    pub fn position(&self, stamp: Stamp) -> Position {
        let order = |at: Option<At>| at.and_then(|at| at.order(stamp));
        if self.over {
            Position::After
        } else if order(self.from) == Some(Ordering::Less) {
            Position::Outside
        } else if order(self.to) == Some(Ordering::Greater) {
            // Steps only rise.
            match (self.late, self.to) {
                (Late::Skip, Some(At::Tick(_) | At::Time(_))) => Position::Outside,
                _ => Position::After,
            }
        } else {
            Position::Within
        }
    }

    /// Returns whether no step after that of a stamp is in the range.
    #[must_use]
    pub const fn is_last(&self, stamp: Stamp) -> bool {
        matches!(self.to, Some(At::Step(to)) if to <= stamp.step)
    }

    /// Adds the next row: `value` returns the value of a column, by its index in the table, and is
    /// called only for columns that the scan uses. Returns whether later rows are needed.
    #[inline]
    pub fn row<'r>(&mut self, stamp: Stamp, value: impl Fn(usize) -> Value<'r>) -> bool {
        self.put(stamp, |wanted| wanted.put(stamp, false, value))
    }

    /// Adds the next rows, all of one stamp: `fill` gives the values of all of them in a column, by its
    /// index, or leaves them out if they are missing. This is faster than one row at a time. Returns
    /// whether later rows are needed.
    #[inline]
    pub fn rows<'r>(
        &mut self,
        stamp: Stamp,
        count: usize,
        fill: impl Fn(usize, &mut Filling<'_, 'r>),
    ) -> bool {
        self.put(stamp, |wanted| wanted.put_all(stamp, count, fill))
    }

    /// Adds a row that ends a key of a state. `value` is called only for key columns; other
    /// requested values are missing. Returns whether later rows are needed.
    pub fn ended<'r>(&mut self, stamp: Stamp, value: impl Fn(usize) -> Value<'r>) -> bool {
        self.put(stamp, |wanted| wanted.put(stamp, true, value))
    }

    /// Adds the next row of a [`Table`]. Returns whether later rows are needed.
    #[inline]
    pub fn row_of<T: Rows>(&mut self, table: &Table<T>, stamp: Stamp, row: &T::Row<'_>) -> bool {
        self.row(stamp, |column| table.value(row, column))
    }

    /// Adds what `add` adds, if the stamp is in the range. Returns whether later rows are needed.
    #[inline]
    fn put(&mut self, stamp: Stamp, add: impl FnOnce(&mut Wanted)) -> bool {
        match self.position(stamp) {
            Position::Outside => return true,
            Position::After => {
                self.over = true;
                return false;
            }
            Position::Within => {}
        }
        add(&mut self.wanted);
        self.fill();
        true
    }

    /// Sets the batch aside if it is full.
    #[inline]
    fn fill(&mut self) {
        let batch = &mut self.wanted.batch;
        let rows = ROWS.min(VALUES / batch.columns().len().max(1)).max(1);
        if batch.len() >= rows || batch.text_bytes() >= TEXT {
            self.full.push(batch.take());
        }
    }

    /// Passes on the batches that are full; with `all`, also the rows that do not fill a batch.
    fn pass_on(&mut self, scan: usize, all: bool, visit: &mut Visit<'_>) -> Result<(), Error> {
        if all && !self.wanted.batch.is_empty() && !self.stopped {
            self.full.push(self.wanted.batch.take());
        }
        for batch in self.full.drain(..) {
            if visit(scan, batch)?.is_break() {
                (self.over, self.stopped) = (true, true);
                break;
            }
        }
        Ok(())
    }
}

impl Scans {
    /// Starts scans of some of these tables, for a recording with these clocks.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`].
    pub fn new(tables: &[TableDef], scans: &[Scan], clocks: Clocks) -> Result<Self, Error> {
        let start = |scan: &Scan| Scanning::new(scan.find(tables)?, scan, clocks);
        Ok(Self(scans.iter().map(start).collect::<Result<_, _>>()?))
    }

    /// Passes the batches that are full to the visitor. Call it after each frame, so that memory
    /// does not grow with the recording. Breaks if no scan wants more rows.
    ///
    /// # Errors
    /// The visitor's error.
    #[inline]
    pub fn give(&mut self, visit: &mut Visit<'_>) -> Result<ControlFlow<()>, Error> {
        let mut flow = ControlFlow::Break(());
        for (at, rows) in self.0.iter_mut().enumerate() {
            if !rows.full.is_empty() {
                rows.pass_on(at, false, visit)?;
            }
            if !rows.over {
                flow = ControlFlow::Continue(());
            }
        }
        Ok(flow)
    }

    /// Passes all rows so far to the visitor, including those that do not fill a batch.
    ///
    /// # Errors
    /// The visitor's error.
    pub fn give_all(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let mut scans = self.0.iter_mut().enumerate();
        scans.try_for_each(|(at, rows)| rows.pass_on(at, true, visit))
    }

    /// Ends the scans: passes on the last rows, and returns the problem of the recording for each
    /// scan. `problem` is asked for those whose visitor did not stop them; a scan that stopped has
    /// not asked about the rest.
    ///
    /// # Errors
    /// The visitor's error.
    pub fn end(
        mut self,
        visit: &mut Visit<'_>,
        mut problem: impl FnMut(usize) -> Option<Error>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.give_all(visit)?;
        let ends = self.0.iter().enumerate().map(|(at, rows)| {
            let problem = (!rows.stopped).then(|| problem(at)).flatten();
            Partial::new((), problem)
        });
        Ok(ends.collect())
    }
}

impl std::ops::Deref for Scans {
    type Target = [Scanning];

    fn deref(&self) -> &[Scanning] {
        &self.0
    }
}

impl std::ops::DerefMut for Scans {
    fn deref_mut(&mut self) -> &mut [Scanning] {
        &mut self.0
    }
}
