//! What only some formats can do, and the methods of every recording that use it.

use std::any::Any;
use std::io::Write;
use std::ops::ControlFlow;

use super::diff::Diff;
use super::error::Error;
use super::info::{Partial, Secrets};
use super::option::Options;
use super::trait_tape::Tape;
use super::work::Work;
use crate::clock::{At, Clocks};
use crate::table::{Batch, Scan, Span, TableDef};

/// The abilities that only some formats have. A format sets its own:
///
/// ```
/// use gametape_core::tape::{Abilities, Attachments, Error};
/// struct Run { world: String }
/// impl Attachments for Run {
///     fn attachment(&self, name: &str) -> Option<Result<String, Error>> {
///         (name == "world").then(|| Ok(self.world.clone()))
///     }
/// }
/// fn abilities(run: &Run) -> Abilities<'_> {
///     Abilities { attachments: Some(run), ..Abilities::default() }
/// }
/// ```
#[derive(Clone, Copy, Default)]
pub struct Abilities<'t> {
    /// Contains texts, such as its world or schema.
    pub attachments: Option<&'t dyn Attachments>,
    /// Lists its steps in a form of its own.
    pub steps: Option<&'t dyn DumpSteps>,
    /// Compares itself with another recording in its own way.
    pub compare: Option<&'t dyn Compare>,
    /// Can be scanned in parts, side by side.
    pub pieces: Option<&'t dyn Pieces>,
    /// Knows more of a scan than its size in bytes tells.
    pub estimates: Option<&'t dyn Estimates>,
}

/// A recording that contains texts.
pub trait Attachments {
    /// Returns the text of this name; `None` if there is none. The format declares a flag for it, `print-NAME` (or the
    /// name alone), for [`Verb::Inspect`](super::Verb::Inspect).
    ///
    /// # Errors
    /// If the recording contains none, or a broken one.
    fn attachment(&self, name: &str) -> Option<Result<String, Error>>;
}

/// Options of a dump.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Dump {
    /// Dump only this moment.
    pub at: Option<At>,
    /// Whether tokens, addresses and user ids are shown.
    pub secrets: Secrets,
    /// The format's options for [`Verb::Dump`](super::Verb::Dump).
    pub options: Options,
}

/// A recording that lists its steps in a form of its own.
pub trait DumpSteps {
    /// Writes each step as a JSON object on its own line, with `step`, `tick` (if there is one) and
    /// `time_ms`.
    ///
    /// # Errors
    /// [`Error::Output`] for errors of `out`; all others are errors of the recording.
    fn dump_steps(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error>;
}

/// A recording that compares itself with another one in its own way, because its tables do not
/// decide whether two recordings are the same.
pub trait Compare {
    /// Compares everything that counts in this recording and another of its kind, and describes the
    /// first difference in the terms of the format. The caller adds the differences of the tables.
    /// Returns `None` if `other` is not of this format's type, so that only the tables are compared
    /// ([`diff_tables`](crate::surface::diff_tables)).
    ///
    /// # Errors
    /// If one of the recordings cannot be read to its end; [`Error::Cancelled`].
    fn compare(&self, other: &dyn Tape, work: &Work<'_>) -> Result<Option<Diff>, Error>;
}

/// The number of rows of a table, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowCount {
    /// There are exactly so many rows.
    Exact(u64),
    /// There are about so many rows: a guess that is right to an order of magnitude.
    About(u64),
    /// Nothing is known.
    #[default]
    Unknown,
}

/// An estimate of a scan of a table before it runs, from the header alone.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Estimate {
    /// The number of rows.
    pub rows: RowCount,
    /// How long scanning the whole table takes on one core, in nanoseconds, right to an order of
    /// magnitude. Bytes are no measure: a recording of a few bytes may be a long simulation.
    pub work_ns: u64,
    /// The first and the last moment, if the header tells.
    pub span: Option<Span>,
    /// The clocks that are known to rise only.
    pub rises: Clocks,
}

impl Estimate {
    /// Estimates from the size of a recording in bytes: about five nanoseconds each, as long as
    /// reading takes in most formats.
    #[must_use]
    pub const fn of_bytes(bytes: u64) -> Self {
        Self {
            rows: RowCount::Unknown,
            work_ns: bytes.saturating_mul(5),
            span: None,
            rises: Clocks::STEPS,
        }
    }
}

/// A recording that knows more of a scan than its size in bytes tells.
pub trait Estimates {
    /// Estimates a scan of a table, from the header alone.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn estimate(&self, table: &TableDef) -> Result<Estimate, Error>;
}

/// A recording that can be scanned in parts, side by side: it has keyframes, or chunks that can be
/// read by themselves.
pub trait Pieces {
    /// Divides a table into at most `at_most` parts that take about the same time to scan. Returns
    /// the step at which each part starts; the first is 0.
    ///
    /// # Errors
    /// If nothing can be read.
    fn pieces(&self, table: &str, at_most: usize) -> Result<Vec<u64>, Error>;
}

impl dyn Tape {
    /// Estimates a scan of a table, from the header alone: how many rows there are, how long it takes,
    /// which moments it has, and which clocks only rise.
    ///
    /// # Errors
    /// [`Error::Scan`] if there is no such table; an error if the header cannot be read.
    pub fn estimate(&self, table: &str) -> Result<Estimate, Error> {
        let tables = self.tables()?;
        let table = Scan::table(table).find(&tables)?;
        let mut estimate = match self.abilities().estimates {
            Some(estimates) => estimates.estimate(table)?,
            None => Estimate::of_bytes(self.input().size()),
        };
        if let Some(rows) = table.rows {
            estimate.rows = RowCount::Exact(rows);
        }
        Ok(estimate)
    }

    /// Divides a scan into at most so many scans, which may run side by side: their rows, one after
    /// the other, are the rows of the whole scan. A scan that cannot be divided is returned as it is.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn pieces(&self, scan: &Scan, at_most: usize) -> Result<Vec<Scan>, Error> {
        let whole = || Ok(vec![scan.clone()]);
        let Some(pieces) = self.abilities().pieces.filter(|_| at_most > 1) else {
            return whole();
        };
        let (first, last) = match (scan.from, scan.to) {
            (None, None) => (0, u64::MAX),
            (Some(At::Step(from)), None) => (from, u64::MAX),
            (None, Some(At::Step(to))) => (0, to),
            (Some(At::Step(from)), Some(At::Step(to))) => (from, to),
            // Steps are not known from ticks and times.
            _ => return whole(),
        };
        let mut starts = pieces.pieces(&scan.table, at_most)?;
        starts.retain(|start| *start > first && *start <= last);
        let ends = starts.iter().map(|start| Some(At::Step(start - 1)));
        let ends = ends.chain([scan.to]);
        let froms = starts.iter().map(|start| Some(At::Step(*start)));
        let froms = [scan.from].into_iter().chain(froms);
        let piece = |(from, to)| Scan {
            from,
            to,
            ..scan.clone()
        };
        Ok(froms.zip(ends).map(piece).collect())
    }

    /// Passes the rows of one table to a visitor: [`Tape::scan`] for a single scan.
    ///
    /// # Errors
    /// Same as [`Tape::scan`].
    pub fn scan_table(
        &self,
        scan: &Scan,
        work: &Work<'_>,
        mut visit: impl FnMut(Batch) -> Result<ControlFlow<()>, Error>,
    ) -> Result<Partial<()>, Error> {
        let scans = std::slice::from_ref(scan);
        let mut read = self.scan(scans, work, &mut |_, batch| visit(batch))?;
        Ok(Partial::new((), read.pop().and_then(|read| read.problem)))
    }

    /// Returns a text that the recording contains, such as its world or schema, by its name; see [`Attachments`].
    ///
    /// # Errors
    /// If the recording contains none, or a broken one.
    pub fn attachment(&self, name: &str) -> Result<String, Error> {
        let attachments = self.abilities().attachments;
        let found = attachments.and_then(|attachments| attachments.attachment(name));
        found.unwrap_or_else(|| {
            Err(Error::Unsupported(format!(
                "the recording carries no {name}"
            )))
        })
    }

    /// Returns the format's own type of the recording, if it is this one.
    #[must_use]
    pub fn of_type<T: Tape>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}
