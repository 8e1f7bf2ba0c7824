//! Many recordings verified.

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gametape::core::Spell as _;
use gametape::core::tape::AnyFinding;
use gametape::{
    Decision, Error, Found, OpenOptions, Options, Policy, Reason, Severity, Verb, Verdict,
    Verified, Work,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use serde_json::{Map, Value, json};

use crate::audit::{Finding, texts};
use crate::data::{Data, capsule, schema_capsule};
use crate::errors::{Failure, of_arrow};
use crate::options;
use crate::page;
use crate::scan::paths_of;
use crate::stream::{Output, Source, Stream};
use crate::values::{to_dict, to_python};
use crate::work::{Progress, attempt};

/// The name of the policy of each format's community.
const DEFAULT: &str = "default";
/// The largest file that is read as a policy.
const MOST: u64 = 1 << 20;
/// The number of recordings in a batch of rows.
const BATCH: usize = 256;

/// Verifies recordings, as `gametape verify` does: audits each, on all cores, and asks a policy whether it is admitted,
/// if there is one: `"default"` for that of each format's community, or a file.
///
/// Paths are files, folders, or patterns such as `games/*.rmv`, one or several. They are looked for at once, and each
/// recording is audited when its result is asked for; the results come in the order of the paths. A file
/// that can't be read fails, with its error as a finding; other files that lie in a folder are left out. Options are those
/// of the formats, for recordings of formats that have them. How recordings are related, such as the same game
/// twice, is in the table `relations` of `gametape.query`.
///
/// >>> for check in gametape.verify(["games", "tampered.rmv"]):
/// ...     print(check.path, check.verdict, [finding.code for finding in check.findings if finding.severity == "error"])
/// games/a.rmv pass []
/// games/b.rmv pass []
/// tampered.rmv fail ['rmv.board-event']
#[pyfunction]
#[pyo3(signature = (paths, *, policy = None, **options))]
#[pyo3(text_signature = "(paths, *, policy=None, **options)")]
pub fn verify(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    policy: Option<PathBuf>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Checks> {
    let paths = paths_of(paths)?;
    let formats = gametape::formats();
    let known = formats.options(&[Verb::Open, Verb::Verify]);
    let options = options::read(options, &known)?;
    let checked = options.check("to verify recordings", &known);
    checked.map_err(|error| Failure::usage(error.to_string()))?;
    let source = attempt(py, &Progress::NONE, move |work| {
        let wanted = Wanted {
            policy: policy.map(|path| read_policy(&path)).transpose()?,
            options,
        };
        let (items, size) = find(&paths, work)?;
        let read = move |out: &Output<Check>| wanted.each(&items, out);
        Ok(Source {
            schema: schema(),
            size,
            is_short: false,
            read: Arc::new(read),
        })
    })?;
    Ok(Checks { source })
}

fn read_policy(path: &Path) -> Result<Policy, Failure> {
    let formats = gametape::formats();
    let wrong = |error| Failure::usage(format!("{}: {error}", path.spelled()));
    if path.as_os_str() == DEFAULT {
        return Policy::of(&formats).map_err(wrong);
    }
    let bytes = options::contents(path, MOST)?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| {
        let error = io::Error::new(io::ErrorKind::InvalidData, error);
        Failure::io(path, error)
    })?;
    Policy::parse(&text, &formats).map_err(wrong)
}

/// A file, or why there is none.
enum Item {
    Found(Found, u64),
    Nothing(Failed),
}

/// A file that can't be read.
struct Failed {
    path: PathBuf,
    finding: AnyFinding,
}

impl Failed {
    fn new(error: &Error) -> Self {
        Self {
            path: error.path().to_owned(),
            finding: error.finding(),
        }
    }
}

/// Finds the files, and the sum of their sizes. Where there is nothing at all, the reason is the error.
fn find(paths: &[PathBuf], work: &Work<'_>) -> Result<(Vec<Item>, u64), Failure> {
    let (mut items, mut sum, mut failure, mut any) = (Vec::new(), 0_u64, None, false);
    for found in paths.iter().flat_map(gametape::find) {
        work.wanted().map_err(|_| Failure::usage("cancelled"))?;
        match found {
            Ok(found) => {
                let size = fs::metadata(&found.path);
                let size = size.map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
                sum = sum.saturating_add(size);
                any = true;
                items.push(Item::Found(found, size));
            }
            Err(error) => {
                items.push(Item::Nothing(Failed::new(&error)));
                failure.get_or_insert_with(|| Failure::from(error));
            }
        }
    }
    match failure {
        Some(failure) if !any => Err(failure),
        _ => Ok((items, sum)),
    }
}

/// The policy and the options for each file.
struct Wanted {
    policy: Option<Policy>,
    options: Options,
}

impl Wanted {
    /// Checks files on all cores, and gives the results in their order.
    fn each(&self, items: &[Item], out: &Output<Check>) {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let cancel = out.work().cancel;
        let mut bytes = 0;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let take = |ready: Vec<(Option<Check>, u64)>| {
            for (check, size) in ready {
                bytes += size;
                out.at(bytes);
                if let Some(check) = check
                    && !out.rows(check)
                {
                    return Err(gone());
                }
            }
            if out.is_wanted() { Ok(()) } else { Err(gone()) }
        };
        let work = |item: &Item| match item {
            Item::Nothing(failed) => (Some(self.failed(failed)), 0),
            Item::Found(found, size) => (self.one(found, cancel), *size),
        };
        // The error is that nobody wants more, or that the system has no thread left: then there are no more results.
        if let Err(error) = gametape::each(items.iter().collect(), cores, || false, work, take)
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            out.fail(Failure::io(Path::new(""), error));
        }
    }

    /// Checks a file; `None` if it is none that was meant.
    fn one(&self, found: &Found, cancel: Option<&AtomicBool>) -> Option<Check> {
        if cancel.is_some_and(|cancel| cancel.load(Ordering::SeqCst)) {
            return None;
        }
        let work = Work {
            cancel,
            ..Work::default()
        };
        let formats = gametape::formats();
        let opening = OpenOptions {
            options: self.options.clone(),
            ..OpenOptions::default()
        };
        let verified = formats
            .open_with(&found.path, &opening)
            .and_then(|recording| recording.verify(&self.options, self.policy.as_ref(), &work));
        let verified = verified.or_else(|error| {
            let nothing = formats.verify_nothing(&error, self.policy.is_some());
            nothing.ok_or(error)
        });
        match verified {
            Ok(verified) => Some(Check::new(&found.path, verified)),
            // Other files lie beside recordings.
            Err(Error::UnknownFormat { .. }) if !found.named => None,
            Err(error) => Some(self.failed(&Failed::new(&error))),
        }
    }

    fn failed(&self, failed: &Failed) -> Check {
        let mut decision = Decision::default();
        if self.policy.is_some() {
            decision.reject(&failed.finding);
        }
        Check {
            path: failed.path.clone(),
            format: None,
            verdict: Verdict::Fail,
            summary: failed.finding.message(),
            findings: vec![(&failed.finding).into()],
            facts: Map::new(),
            advice: Vec::new(),
            decision,
        }
    }
}

/// The columns of the rows: those of the table `verdicts` in SQL, and how many findings there are.
fn schema() -> SchemaRef {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let count = |name| Field::new(name, DataType::UInt64, false);
    Arc::new(Schema::new(vec![
        text("recording"),
        Field::new("format", DataType::Utf8, true),
        text("verdict"),
        Field::new("admitted", DataType::Boolean, true),
        text("reasons"),
        count("errors"),
        count("warnings"),
        text("summary"),
    ]))
}

fn batch(checks: &[Check]) -> Result<RecordBatch, ArrowError> {
    let of = |get: &dyn Fn(&Check) -> Option<String>| -> ArrayRef {
        Arc::new(checks.iter().map(get).collect::<StringArray>())
    };
    let count = |severity: Severity| -> ArrayRef {
        let counts = checks.iter().map(|check| Some(check.count(severity)));
        Arc::new(counts.collect::<UInt64Array>())
    };
    let admitted = checks.iter().map(|check| check.decision.admitted);
    let columns = vec![
        of(&|check| Some(check.path.spelled().into_owned())),
        of(&|check| check.format.map(str::to_owned)),
        of(&|check| Some(check.verdict.to_string())),
        Arc::new(admitted.collect::<BooleanArray>()),
        of(&|check| {
            let reasons: Vec<String> = check.decision.reasons.iter().map(Reason::label).collect();
            Some(reasons.join(" "))
        }),
        count(Severity::Error),
        count(Severity::Warning),
        of(&|check| Some(check.summary.clone())),
    ];
    RecordBatch::try_new(schema(), columns)
}

/// The results of verifying recordings, one after the other. Each loop over them verifies anew.
///
/// >>> checks = gametape.verify("games", policy="default")
/// >>> [check.verdict for check in checks]
/// ['pass', 'pass']
///
/// Any library that knows Arrow takes them as a table, with a row for each recording.
///
/// >>> import polars
/// >>> polars.DataFrame(checks).columns
/// ['recording', 'format', 'verdict', 'admitted', 'reasons', 'errors', 'warnings', 'summary']
#[pyclass(frozen, module = "gametape")]
pub struct Checks {
    source: Source<Check>,
}

#[pymethods]
impl Checks {
    fn __iter__(&self, py: Python<'_>) -> PyResult<Each> {
        Ok(Each(Mutex::new(Stream::begin(py, &self.source)?)))
    }

    /// Verifies all recordings, and returns the rows in memory. `progress` receives the number of bytes that were
    /// verified, and of all, several times a second; an exception of it ends the work.
    ///
    /// >>> gametape.verify("games").read()["verdict"].tolist()
    /// ['pass', 'pass']
    #[pyo3(signature = (*, progress = None))]
    fn read(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Data> {
        let checks = Stream::begin(py, &self.source)?.read(py, progress)?;
        let batches = checks.chunks(BATCH).map(batch);
        let batches = batches.collect::<Result<_, _>>().map_err(of_arrow)?;
        Ok(Data::new(schema(), batches))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let mut checks = Stream::begin(py, &self.source)?;
        let batches = std::iter::from_fn(move || {
            let some: Result<Vec<Check>, ArrowError> = checks.by_ref().take(BATCH).collect();
            match some {
                Ok(some) if some.is_empty() => None,
                some => Some(some.and_then(|some| batch(&some))),
            }
        });
        capsule(py, &self.source.schema, batches, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.source.schema)
    }
}

/// The results, one after the other.
#[pyclass]
pub struct Each(Mutex<Stream<Check>>);

#[pymethods]
impl Each {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Check>> {
        let stream = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        stream.next_rows(py)
    }
}

/// The result of verifying a recording.
///
/// >>> [check] = gametape.verify("tampered.rmv", policy="default")
/// >>> check
/// <Check tampered.rmv: fail, rejected>
/// >>> check.reasons[0]["code"], check.findings[0].step
/// ('rmv.board-event', 126)
#[pyclass(frozen, module = "gametape")]
pub struct Check {
    /// The path.
    #[pyo3(get)]
    path: PathBuf,
    /// The name of the format; `None` for a file that can't be read.
    #[pyo3(get)]
    format: Option<&'static str>,
    verdict: Verdict,
    /// A summary in the words of the domain; why a file can't be read.
    #[pyo3(get)]
    summary: String,
    findings: Vec<Finding>,
    facts: Map<String, Value>,
    /// Sentences about a broken file: what happened to it, and what helps.
    #[pyo3(get)]
    advice: Vec<String>,
    decision: Decision,
}

impl Check {
    fn new(path: &Path, verified: Verified) -> Self {
        let audit = verified.audit;
        Self {
            path: path.to_owned(),
            format: Some(verified.format),
            verdict: audit.verdict(),
            findings: audit.findings.iter().map(Finding::from).collect(),
            summary: audit.summary,
            facts: audit.facts,
            advice: verified.advice,
            decision: verified.decision,
        }
    }

    fn count(&self, severity: Severity) -> u64 {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.is(severity)).count() as u64
    }
}

#[pymethods]
impl Check {
    /// `pass`, `warn` or `fail`.
    #[getter]
    fn verdict(&self) -> String {
        self.verdict.to_string()
    }

    /// The findings, the worst first.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.findings.clone()
    }

    /// The facts that the audit computed.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.facts)
    }

    /// Whether the policy admits the recording; `None` if there is none, or if it says nothing of the format.
    #[getter]
    const fn admitted(&self) -> Option<bool> {
        self.decision.admitted
    }

    /// The reasons of the policy to reject it, as dicts with `code`, `message` and `data`.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &json!(self.decision.reasons))
    }

    /// Shows the verdict and the findings in a notebook.
    fn _repr_html_(&self) -> String {
        let verdict = self.verdict.to_string();
        page::findings(&verdict, &self.summary, &texts(&self.findings))
    }

    fn __repr__(&self) -> String {
        let admitted = match self.decision.admitted {
            Some(true) => ", admitted",
            Some(false) => ", rejected",
            None => "",
        };
        let path = self.path.spelled();
        format!("<Check {path}: {}{admitted}>", self.verdict)
    }
}
