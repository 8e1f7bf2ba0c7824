//! The sources of a table's rows, recording by recording.

use std::io;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use gametape::{
    ColumnDef, Formats, Kind, Lane, Policy, PolicyError, Recording, Scan, Secrets, TableDef, Value,
};
use gametape_core::table::{Batch, MarkerKind};
use gametape_core::tape;
use gametape_core::{At, Stamp, Time};
use gametape_tables::{ArrowTable, Problem};

use crate::archive::{Archive, Batches, File, Reach};
use crate::state::{self, Moments};

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
}

/// A table about recordings of all kinds.
#[derive(Debug)]
pub(crate) enum About {
    /// Descriptions from the headers alone.
    Recordings,
    /// The findings of audits.
    Findings,
    /// The moments that are worth a visit.
    Markers,
    /// The decisions of a policy.
    Verdicts {
        policy: Box<Policy>,
        /// Whether it is that of each format's community.
        is_default: bool,
    },
}

impl About {
    /// Returns the table of this name.
    pub fn named(name: &str, policy: Option<Policy>, formats: &Formats) -> Result<Self> {
        let wrong = |error: PolicyError| DataFusionError::External(Box::new(error));
        Ok(match name {
            "recordings" => Self::Recordings,
            "findings" => Self::Findings,
            "markers" => Self::Markers,
            "verdicts" => Self::Verdicts {
                is_default: policy.is_none(),
                policy: Box::new(
                    policy
                        .map_or_else(|| Policy::of(formats), Ok)
                        .map_err(wrong)?,
                ),
            },
            unknown => {
                return Err(internal_datafusion_err!(
                    "no table {unknown} about recordings"
                ));
            }
        })
    }

    pub fn content(self) -> Content {
        let table = match &self {
            Self::Recordings => &RECORDINGS,
            Self::Findings => &FINDINGS,
            Self::Markers => &MARKERS,
            Self::Verdicts { .. } => &VERDICTS,
        };
        let table = ArrowTable::new(table, Secrets::Hide);
        Content::About(self, table)
    }
}

impl Content {
    pub const fn table(&self) -> &ArrowTable {
        match self {
            Self::Table { table, .. } | Self::State { table, .. } | Self::About(_, table) => table,
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
            Self::About(..) => true,
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
            Self::About(about, _) => about.rows(&recording, archive.secrets()),
        };
        let problem = match batch {
            Ok(batch) => match table.record(name, batch, Some(columns)) {
                Ok(batch) => return Ok(Box::new(std::iter::once(Ok(batch)))),
                // A value that no column can have is a problem of the recording.
                Err(ArrowError::ExternalError(error)) => error.to_string(),
                Err(error) => return Err(error.into()),
            },
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

fn columns(
    name: &'static str,
    doc: &'static str,
    columns: &[(&'static str, Kind, &'static str, &'static str)],
) -> TableDef {
    let column = |(name, kind, unit, doc): &(&'static str, Kind, &'static str, &'static str)| {
        ColumnDef::new(*name, *kind, *doc).unit(*unit)
    };
    TableDef {
        columns: columns.iter().map(column).collect(),
        ..TableDef::new(name, Lane::Facts, doc)
    }
}

static RECORDINGS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "recordings",
        "The recordings, from their headers alone.",
        &[
            (
                "kind",
                Kind::Text,
                "",
                "The kind of recording: the name of the schema of its tables.",
            ),
            ("format", Kind::Text, "", "The format."),
            (
                "format_version",
                Kind::Uint,
                "",
                "The version of the format.",
            ),
            ("bytes", Kind::Uint, "bytes", "The size of the file."),
            (
                "duration_ms",
                Kind::Uint,
                "ms",
                "The time from the first step to the last; null where the header does not say.",
            ),
            // A time without its zone is no moment, so it can't be in a column of moments.
            (
                "started_at",
                Kind::Text,
                "UTC",
                "When it started; null where the header does not say it in UTC.",
            ),
            (
                "started_local",
                Kind::Text,
                "local time",
                "When it started, in a zone that the header does not say; null where it says none.",
            ),
            (
                "problem",
                Kind::Text,
                "",
                "Why the header can be read only in part; null if it can.",
            ),
        ],
    )
});

static FINDINGS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "findings",
        "The findings of the audit of each recording.",
        &[
            ("code", Kind::Text, "", "The code of the rule."),
            (
                "severity",
                Kind::Text,
                "",
                "How much it matters: `error`, `warning` or `info`.",
            ),
            (
                "step",
                Kind::Uint,
                "",
                "The step; null for a finding about the whole recording.",
            ),
            ("tick", Kind::Uint, "", "The recording's own counter."),
            ("time_ms", Kind::Float64, "ms", "The time since the start."),
            ("line", Kind::Uint, "", "The line of a text, from 1."),
            ("offset", Kind::Uint, "bytes", "The place in the file."),
            (
                "offset_in",
                Kind::Text,
                "",
                "The container that the place is in, if it is not the file itself.",
            ),
            (
                "repeats",
                Kind::Uint,
                "",
                "How many more times the same was found after this place.",
            ),
            ("message", Kind::Text, "", "The sentence."),
            ("data", Kind::Text, "", "The data of the sentence, as JSON."),
        ],
    )
});

static MARKERS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "markers",
        "The moments of each recording that are worth a visit: events, and findings.",
        &[
            (
                "step",
                Kind::Uint,
                "",
                "The step; null for a finding about the whole recording.",
            ),
            ("tick", Kind::Uint, "", "The recording's own counter."),
            ("time_ms", Kind::Float64, "ms", "The time since the start."),
            (
                "kind",
                Kind::Text,
                "",
                "`event`, or the severity of a finding.",
            ),
            (
                "source",
                Kind::Text,
                "",
                "The name of the table, or the code of the rule.",
            ),
            ("text", Kind::Text, "", "What happens."),
            (
                "count",
                Kind::Uint,
                "",
                "The number of events that the marker stands for.",
            ),
        ],
    )
});

static VERDICTS: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "verdicts",
        "The decision of the policy about each recording.",
        &[
            (
                "verdict",
                Kind::Text,
                "",
                "`pass`, `warn` or `fail`: the result of the audit alone.",
            ),
            (
                "admitted",
                Kind::Bool,
                "",
                "Whether the policy admits the recording; null if it says nothing of the format.",
            ),
            (
                "reasons",
                Kind::Text,
                "",
                "All reasons to reject it, separated by spaces: codes of findings, `policy.class`, and `policy.require:outcome` for a condition on this column.",
            ),
            ("summary", Kind::Text, "", "The recording in a few words."),
        ],
    )
});

/// A problem without the path before it, which the column `recording` has.
fn without_path(recording: &Recording, problem: &str) -> String {
    let path = format!("{}: ", recording.path().display());
    problem.strip_prefix(&path).unwrap_or(problem).to_owned()
}

impl About {
    fn rows(&self, recording: &Recording, secrets: Secrets) -> Result<Batch, gametape::Error> {
        let table: &TableDef = match self {
            Self::Recordings => &RECORDINGS,
            Self::Findings => &FINDINGS,
            Self::Markers => &MARKERS,
            Self::Verdicts { .. } => &VERDICTS,
        };
        let mut rows = Batch::new(table.columns.iter().map(|column| column.kind));
        let mut row = |values: Vec<Value<'_>>| rows.push(Stamp::default(), values);
        match self {
            Self::Recordings => {
                let header = recording.header(secrets)?;
                let problem = header.problem.as_ref();
                let problem = problem.map(|problem| without_path(recording, &problem.to_string()));
                let info = header.value;
                let (utc, local) = match &info.started {
                    Some(tape::Started::Utc(at)) => (Some(at.as_str()), None),
                    Some(tape::Started::Local(at)) => (None, Some(at.as_str())),
                    None => (None, None),
                };
                row(vec![
                    recording.format().kind().into(),
                    info.format.into(),
                    info.format_version.into(),
                    info.bytes.into(),
                    info.duration_ms.into(),
                    utc.into(),
                    local.into(),
                    problem.as_deref().into(),
                ]);
            }
            Self::Findings => {
                for finding in &recording.audit()?.findings {
                    let place = &finding.place;
                    let data = finding.rule.data.iter();
                    let data: serde_json::Map<String, serde_json::Value> = data
                        .map(|(key, value)| ((*key).to_owned(), value.clone().into()))
                        .collect();
                    let data = serde_json::Value::from(data).to_string();
                    row(vec![
                        finding.code().into(),
                        finding.severity().name().into(),
                        place.step.into(),
                        place.tick.into(),
                        place.time.map(Time::ms).into(),
                        place.line.into(),
                        place.offset.into(),
                        place.within.as_deref().into(),
                        finding.repeats.into(),
                        finding.message().as_str().into(),
                        data.as_str().into(),
                    ]);
                }
            }
            Self::Markers => {
                let audit = recording.audit()?;
                for marker in recording.markers(&audit, secrets)? {
                    let stamp = marker.stamp;
                    row(vec![
                        stamp.map(|stamp| stamp.step).into(),
                        stamp.and_then(|stamp| stamp.tick).into(),
                        stamp.and_then(|stamp| stamp.time).map(Time::ms).into(),
                        match marker.kind {
                            MarkerKind::Event => "event",
                            MarkerKind::Finding(severity) => severity.name(),
                        }
                        .into(),
                        marker.source.as_str().into(),
                        marker.text.as_str().into(),
                        marker.count.into(),
                    ]);
                }
            }
            Self::Verdicts { policy, .. } => {
                let audit = recording.audit()?;
                let decision = policy.judge(recording, &audit)?;
                let reasons = decision.reasons.iter();
                let reasons: Vec<String> = reasons.map(gametape::Reason::label).collect();
                row(vec![
                    audit.verdict().to_string().as_str().into(),
                    decision.admitted.into(),
                    reasons.join(" ").as_str().into(),
                    audit.summary.as_str().into(),
                ]);
            }
        }
        Ok(rows)
    }
}
