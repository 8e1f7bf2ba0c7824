//! The sources of a table's rows, recording by recording.

use std::io;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, internal_err};
use gametape::{ColumnDef, Lane, Recording, Scan, Secrets, TableDef, Value};
use gametape_core::table::Batch;
use gametape_core::tape;
use gametape_core::{At, Stamp};
use gametape_tables::{ArrowTable, Problem};

use crate::archive::{Archive, Batches, File, Reach};
use crate::tables::about::{About, RELATIONS};
use crate::tables::state::{self, Moments};

/// How long scanning a recording takes, in nanoseconds, from which on it is read in pieces.
pub(crate) const LONG: u64 = 5_000_000;

/// A range of fewer steps is read in one piece: to find where it can be divided, a recording may have to be
/// read up to its end.
const FEW: u64 = 2_000;

/// The code of the finding of a file that cannot be opened.
const UNREADABLE: &str = "unreadable";

/// The source of a table's rows.
#[derive(Debug)]
pub(crate) enum Content {
    /// A table of all recordings of a kind.
    Table { kind: String, table: ArrowTable },
    /// The rows of such a table that hold at moments of each recording.
    State {
        kind: String,
        table: ArrowTable,
        moments: Moments,
    },
    /// A table about recordings of all kinds.
    About(About, ArrowTable),
    /// The relations between recordings. Their rows come from the traces of all of them together.
    Relations(ArrowTable),
}

impl From<About> for Content {
    fn from(about: About) -> Self {
        let table = ArrowTable::new(about.table(), Secrets::Hide);
        Self::About(about, table)
    }
}

impl Content {
    /// The relations between recordings.
    pub fn relations() -> Self {
        Self::Relations(ArrowTable::new(&RELATIONS, Secrets::Hide))
    }

    pub const fn table(&self) -> &ArrowTable {
        match self {
            Self::Table { table, .. }
            | Self::State { table, .. }
            | Self::About(_, table)
            | Self::Relations(table) => table,
        }
    }

    /// Returns the name with which a catalogue has the table; `None` if none has it: it has many rows for a
    /// recording, or is not the same in every query.
    pub fn catalogued(&self) -> Option<String> {
        let name = &self.table().definition().name;
        match self {
            Self::Table { kind, table } if is_fact(table.definition()) => {
                Some(format!("{kind}.{name}"))
            }
            Self::About(
                About::Recordings
                | About::Findings
                | About::Verdicts {
                    is_default: true, ..
                },
                _,
            ) => Some(name.to_string()),
            _ => None,
        }
    }

    /// Returns whether a recording may have rows.
    pub fn reads(&self, file: &File) -> bool {
        match self {
            Self::Table { kind, table } | Self::State { kind, table, .. } => {
                file.has(kind, &table.definition().name)
            }
            Self::About(..) | Self::Relations(_) => true,
        }
    }

    /// Returns the finding of a file that cannot be opened, as this table has findings.
    pub fn of_unreadable(&self, name: &str, problem: &str) -> Result<RecordBatch> {
        let table = self.table();
        let told = problem.strip_prefix(&format!("{name}: "));
        let value = |column: &ColumnDef| match &*column.name {
            "code" => UNREADABLE.into(),
            "severity" => "error".into(),
            "message" => told.unwrap_or(problem).into(),
            _ => Value::Null,
        };
        let columns = &table.definition().columns;
        let mut rows = Batch::new(columns.iter().map(|column| column.kind));
        rows.push(Stamp::default(), columns.iter().map(value));
        Ok(table.record(name, rows, None)?)
    }

    /// Divides the work on a recording into at most so many pieces, if it is large enough to be worth it. The
    /// recording is open then: what was read of it to find their ends is not read again.
    pub fn pieces(
        &self,
        archive: &Archive,
        file: &File,
        scan: &Scan,
        at_most: usize,
    ) -> (Option<Recording>, Vec<Scan>) {
        let whole = || vec![scan.clone()];
        let work = file.work(&self.table().definition().name);
        let is_few = match (scan.from, scan.to) {
            (Some(At::Step(from)), Some(At::Step(to))) => to.saturating_sub(from) < FEW,
            _ => false,
        };
        if at_most < 2 || work < LONG || is_few || !matches!(self, Self::Table { .. }) {
            return (None, whole());
        }
        // A recording that is broken says so when it is read.
        let Ok(recording) = archive.recording(file) else {
            return (None, whole());
        };
        let pieces = recording.tape().pieces(scan, at_most);
        (Some(recording), pieces.unwrap_or_else(|_| whole()))
    }

    /// Reads the rows of a recording, which may be open. A recording that is broken gives the rows before the
    /// damage, and is noted in the archive.
    pub fn read(
        &self,
        archive: &Arc<Archive>,
        (at, scan): (usize, &Scan),
        opened: Option<Recording>,
        columns: &[usize],
    ) -> Result<Batches> {
        let none = || -> Result<Batches> { Ok(Box::new(std::iter::empty())) };
        let Some(file) = archive.files().get(at) else {
            return none();
        };
        let recording = match opened.map_or_else(|| archive.recording(file), Ok) {
            Ok(recording) => recording,
            // Another machine found it: here, it may be the folder that is missing.
            Err(gametape::Error::Io { source, .. }) if matches!(archive.reach(), Reach::Any(_)) => {
                let text = format!(
                    "{}: {source}: an executor cannot open what the scheduler found",
                    file.name()
                );
                return Err(io::Error::new(source.kind(), text).into());
            }
            Err(error) => {
                archive.found_broken(file, error.to_string());
                return none();
            }
        };
        let name = &**file.name();
        let table = self.table();
        let batch = match self {
            Self::Table { .. } => {
                let own = file.table(&table.definition().name);
                let reader = table.reader_of(name, recording.tape(), own, scan, Some(columns))?;
                let archive = Arc::clone(archive);
                let reader = reader.problems_to(move |error| {
                    if let Some(file) = archive.files().get(at).filter(|_| counts(&error.problem)) {
                        archive.found_broken(file, error.problem.to_string());
                    }
                });
                let batches = reader.map(|batch| batch.map_err(DataFusionError::from));
                return Ok(Box::new(batches));
            }
            Self::State { moments, .. } => {
                let own = Arc::clone(archive);
                let sink = Box::new(move |problem: String| {
                    if let Some(file) = own.files().get(at) {
                        own.found_broken(file, problem);
                    }
                });
                let secrets = archive.secrets();
                return match state::rows(&recording, name, table, moments, columns, secrets, sink) {
                    Ok(batches) => Ok(batches),
                    Err(error) => {
                        archive.found_broken(file, error.to_string());
                        none()
                    }
                };
            }
            Self::About(about, _) => {
                let fields = table.schema().fields();
                let is_named = |at: &usize, name: &str| {
                    fields.get(*at).is_some_and(|field| field.name() == name)
                };
                let needs = |name: &str| columns.iter().any(|at| is_named(at, name));
                about.rows(&recording, archive.secrets(), needs)
            }
            Self::Relations(_) => return internal_err!("relations of one recording"),
        };
        let problem = match batch {
            Ok(batch) => match table.record(name, batch, Some(columns)) {
                Ok(batch) => return Ok(Box::new(std::iter::once(Ok(batch)))),
                // A value that no column can have is a problem of the recording.
                Err(ArrowError::ExternalError(error)) => error.to_string(),
                Err(error) => return Err(error.into()),
            },
            // It is not the recording that is broken.
            Err(gametape::Error::Tape {
                source: tape::Error::Output(error),
                ..
            }) => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        archive.found_broken(file, problem);
        none()
    }
}

/// Returns whether a problem is one of the recording: a range that no row can be in is none.
fn counts(problem: &Problem) -> bool {
    use gametape_core::table::ScanError;
    !matches!(
        problem,
        Problem::Recording(
            tape::Error::NoClock { .. } | tape::Error::Scan(ScanError::Backwards { .. })
        )
    )
}

/// Returns whether a table has one row for each recording.
pub(crate) fn is_fact(table: &TableDef) -> bool {
    table.lane == Lane::Facts && table.columns.iter().all(|column| !column.key)
}
