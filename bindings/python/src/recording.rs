//! Recordings.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gametape::core::Spell as _;
use gametape::core::tape;
use gametape::{
    Around, Cut, Depth, Error, Existing, Formats, OpenOptions, Options, Partial, Scan, Secrets,
    Selection, Verb, Work,
};
use gametape_picture::Stretch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyTuple};

use crate::audit::Audit;
use crate::diff::Diff;
use crate::errors::{Errors, Failure, Problems};
use crate::made::{self, Made};
use crate::moment::{Moment, time};
use crate::options;
use crate::page::page;
use crate::picture::{self, Picture};
use crate::playback::Playback;
use crate::rows::{Columns, Reading, Rows};
use crate::stream::{Output, Source};
use crate::table::Table;
use crate::values::{object, to_dict};
use crate::work::{Progress, attempt, attempt_short, is_short, is_short_to_open, takes_at_most};

/// The nanoseconds of work up to which a recording shows itself with a picture: to reach its end may take a whole
/// simulation.
const MOST: u64 = 1_000_000_000;

/// Opens a recording of any known format, which is recognised by its content, then by its extension: a file, a folder
/// that is one recording, or bytes in memory.
///
/// With `secrets=True`, tokens, addresses and ids of users are shown. With `errors="collect"`, a broken
/// recording gives what is intact, and `problems` has its problem. Other options are
/// those of the format: data that the recording lacks.
///
/// >>> game = gametape.open("game.rmv")
/// >>> game.format
/// 'rmv'
/// >>> game.header["details"]["board"]["mines"]
/// 99
/// >>> gametape.open(open("game.rmv", "rb").read())
/// <Recording <bytes> (rmv)>
#[pyfunction]
#[pyo3(signature = (path, *, secrets = false, errors = Errors::Raise, **options))]
#[pyo3(text_signature = "(path, *, secrets=False, errors='raise', **options)")]
pub fn open(
    py: Python<'_>,
    path: Origin,
    secrets: bool,
    errors: Errors,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Recording> {
    let formats = gametape::formats();
    let read = options::read(options, &formats.options(&[Verb::Open]))?;
    let is_in_memory = matches!(path, Origin::Bytes(_));
    // Anything but a file may keep the reader waiting, and an option may be a large file.
    let is_soon_open = options.is_none() && py.detach(|| path.is_short());
    let (recording, is_short) = attempt_short(py, is_soon_open, &Progress::NONE, move |_| {
        let recording = open_with(&formats, &path, &read)?;
        let is_short = is_short(&recording);
        Ok((recording, is_short))
    })?;
    Ok(Recording {
        path: recording.path().to_owned(),
        is_in_memory,
        options: options
            .map(PyDictMethods::copy)
            .transpose()?
            .map(Bound::unbind),
        format: recording.format().name(),
        inner: RwLock::new(Some(Arc::new(recording))),
        is_short,
        secrets: if secrets {
            Secrets::Show
        } else {
            Secrets::Hide
        },
        errors,
        problems: Problems::default(),
    })
}

/// The path of a recording in memory, for messages.
const BYTES: &str = "<bytes>";

/// Where a recording is.
pub enum Origin {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

impl<'py> FromPyObject<'_, 'py> for Origin {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if object.is_instance_of::<PyByteArray>() || object.is_instance_of::<PyMemoryView>() {
            // Python itself knows how to copy parts of memory that are no whole.
            let bytes = object.py().get_type::<PyBytes>().call1((object,))?;
            return Ok(Self::Bytes(bytes.extract()?));
        }
        object.extract().map(Self::Path)
    }
}

impl Origin {
    /// Whether opening it is short.
    fn is_short(&self) -> bool {
        match self {
            Self::Bytes(bytes) => is_short_to_open(bytes.len() as u64),
            Self::Path(path) => fs::metadata(path)
                .is_ok_and(|meta| meta.is_file() && meta.len() > 0 && is_short_to_open(meta.len())),
        }
    }
}

fn open_with(
    formats: &Formats,
    origin: &Origin,
    options: &Options,
) -> Result<gametape::Recording, Failure> {
    let all = OpenOptions {
        options: options.clone(),
        ..OpenOptions::default()
    };
    let recording = match origin {
        Origin::Path(path) => formats.open_with(path, &all)?,
        Origin::Bytes(bytes) => formats.read(bytes.as_slice(), BYTES, &all)?,
    };
    // The library leaves out those of other formats, which suits a command over many files.
    let what = format!("to open {} recordings", recording.format().name());
    let checked = options.check(&what, recording.format().options(Verb::Open));
    checked.map_err(|error| Error::tape(recording.path())(error.into()))?;
    Ok(recording)
}

/// A recording. It is safe between threads, and open until it is closed or gone. It can be pickled: another process
/// opens the same path in the same way, or gets the bytes of one in memory.
///
/// >>> with gametape.open("game.rmv") as game:
/// ...     print(game)
/// <Recording game.rmv (rmv)>
/// >>> import pickle
/// >>> pickle.loads(pickle.dumps(gametape.open("game.rmv"))).format
/// 'rmv'
#[pyclass(frozen, module = "gametape")]
pub struct Recording {
    inner: RwLock<Option<Arc<gametape::Recording>>>,
    is_in_memory: bool,
    /// Those of the format that it was opened with.
    options: Option<Py<PyDict>>,
    /// The path; `<bytes>` for a recording in memory.
    #[pyo3(get)]
    path: PathBuf,
    /// The name of the format.
    #[pyo3(get)]
    format: &'static str,
    /// Whether work that takes no longer than reading a table is short. An audit may search for seconds, and what writes
    /// waits for the disk.
    is_short: bool,
    secrets: Secrets,
    errors: Errors,
    problems: Problems,
}

impl Recording {
    pub fn get(&self) -> PyResult<Arc<gametape::Recording>> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        let closed = || Failure::usage(format!("{}: is closed", self.path.spelled()));
        Ok(inner.clone().ok_or_else(closed)?)
    }

    /// Returns the value of a broken recording, or its problem, as the caller wants it.
    fn partial<T>(&self, partial: Partial<T>) -> Result<T, Failure> {
        match partial.problem.map(Failure::from) {
            None => Ok(partial.value),
            Some(problem) => {
                self.problems.note(problem.clone());
                match self.errors {
                    Errors::Raise => Err(problem),
                    Errors::Collect => Ok(partial.value),
                }
            }
        }
    }

    /// Runs a task over the recording: on a thread, unless it is short.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        is_short: bool,
        progress: Option<&Bound<'_, PyAny>>,
        task: impl FnOnce(&gametape::Recording, &Work<'_>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let recording = self.get()?;
        let progress = Progress {
            callback: progress,
            size: recording.input().size(),
        };
        attempt_short(py, is_short, &progress, move |work| {
            task(&recording, work).map_err(Failure::from)
        })
    }

    fn info_of<'py>(
        &self,
        py: Python<'py>,
        depth: Depth,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let secrets = self.secrets;
        let info = self.run(
            py,
            self.is_short,
            progress,
            move |recording, work| match depth {
                Depth::Header => recording.header(secrets),
                Depth::Whole => recording.info_with(secrets, work),
            },
        )?;
        to_dict(py, &object(&self.partial(info)?))
    }
}

#[pymethods]
impl Recording {
    /// The header, as a dict. The rest of the file is not read: see `info`.
    ///
    /// >>> game.header["format"], game.header["steps"]
    /// ('rmv', None)
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.info_of(py, Depth::Header, None)
    }

    /// Describes the whole recording: like `header`, and how long it is.
    ///
    /// >>> game.info()["steps"] > 100
    /// True
    #[pyo3(signature = (*, progress = None))]
    fn info<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.info_of(py, Depth::Whole, progress)
    }

    /// The tables, by name, with their columns and what they mean.
    ///
    /// >>> list(game.tables)[:3]
    /// ['cursor', 'board', 'mouse_events']
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = self.run(py, self.is_short, None, |recording, _| recording.tables())?;
        let dict = PyDict::new(py);
        for table in &tables {
            dict.set_item(&*table.name, Table::from(table))?;
        }
        Ok(dict)
    }

    /// The problems of the recording that were met so far.
    ///
    /// >>> broken = gametape.open("broken.rmv", errors="collect")
    /// >>> rows = broken.table("mouse_events").read()
    /// >>> [type(problem).__name__ for problem in broken.problems]
    /// ['TruncatedError']
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.problems.list(py)
    }

    /// Returns the rows of a table, which are read when somebody asks for them.
    ///
    /// Only these columns are decoded, and only this range is read; both ends are included. A moment is
    /// a number of seconds, or a text: `"1:23.4"`, `"tick:137"`, `"step:600"`, `"end"`, or `"-5s"`
    /// for 5 seconds before the end.
    ///
    /// >>> import pyarrow
    /// >>> pyarrow.table(game.table("cursor", columns=["x", "y"], start=0.5, end="1.5s")).num_columns
    /// 2
    #[pyo3(signature = (name, columns = None, start = None, end = None))]
    fn table(
        &self,
        py: Python<'_>,
        name: String,
        columns: Option<Vec<String>>,
        start: Option<Moment>,
        end: Option<Moment>,
    ) -> PyResult<Rows> {
        let recording = self.get()?;
        let (secrets, errors, problems) = (self.secrets, self.errors, self.problems.clone());
        let noted = problems.clone();
        let table = name.clone();
        let is_short = self.is_short;
        let source = attempt_short(py, is_short, &Progress::NONE, move |work| {
            let tables = recording.tables()?;
            let scan = Scan::table(table).wherever();
            let path = recording.path();
            let own = scan.find(&tables).map_err(|error| {
                // A world or a schema may be all that is missing.
                let info = recording.header(Secrets::Hide).ok();
                let needs = info.and_then(|info| info.readable().needs);
                Failure::scan(path, error.needing(needs))
            })?;
            let [from, to] = Moment::range(&recording, start.as_ref(), end.as_ref(), work)?;
            let scan = Scan { from, to, ..scan };
            scan.check_range()
                .map_err(|error| Failure::scan(path, error))?;
            let columns = Columns::of(own, columns.as_deref(), secrets, false);
            let columns = columns.map_err(|error| error.of(path))?;
            let (schema, own) = (columns.schema()?, own.clone());
            let size = recording.input().size();
            let read = move |out: &Output| {
                let reading = Reading {
                    recording: &recording,
                    own: &own,
                    columns: &columns,
                    scan: &scan,
                    selection: &Selection::default(),
                    before: 0,
                };
                if let Err(failure) = reading.run(out) {
                    out.problem(failure, errors, &noted);
                }
            };
            Ok(Source {
                schema,
                size,
                is_short,
                read: Arc::new(read),
            })
        })?;
        Ok(Rows {
            name,
            source,
            problems,
        })
    }

    /// Checks the recording as thoroughly as possible. `progress` gets the number of bytes that were
    /// read, and of all.
    ///
    /// >>> audit = game.audit()
    /// >>> audit.verdict, [finding.severity for finding in audit.findings]
    /// ('pass', ['info', 'info'])
    #[pyo3(signature = (*, progress = None, **options))]
    fn audit(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Audit> {
        let options = options::read(options, self.get()?.format().options(Verb::Verify))?;
        let audit = self.run(py, false, progress, move |recording, work| {
            recording.audit_with(&options, work)
        })?;
        Ok(audit.into())
    }

    /// Returns the statistics that players or researchers compare, as a dict.
    ///
    /// >>> game.stats()["outcome"]
    /// 'win'
    #[pyo3(signature = (*, progress = None, **options))]
    fn stats<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = options::read(options, self.get()?.format().options(Verb::Stats))?;
        let stats = self.run(py, self.is_short, progress, move |recording, work| {
            recording.stats_with(&options, work)
        })?;
        to_dict(py, &self.partial(stats)?.stats)
    }

    /// Writes the recording in another form: to a path, whose extension names the format, or, for the
    /// name of a format, into memory. Options are those of both formats. A file that exists is replaced only with
    /// `replace=True`, unless it is the same already.
    ///
    /// >>> game.convert("rmv").content == open("game.rmv", "rb").read()
    /// True
    #[pyo3(signature = (to, *, replace = false, progress = None, **options))]
    fn convert(
        &self,
        py: Python<'_>,
        to: PathBuf,
        replace: bool,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Made> {
        let recording = self.get()?;
        let formats = gametape::formats();
        let (format, path) = made::target(&formats, to).map_err(|to| {
            let known = recording.targets();
            let (from, to) = (recording.format().name(), to.spelled().into_owned());
            let error = tape::Error::NoConversion { from, to, known };
            Failure::from(Error::tape(recording.path())(error))
        })?;
        let options = options::read(options, &made::options(recording.format(), format))?;
        let name = format.name();
        let folder = folder(path.as_deref())?;
        let made = self.run(py, false, progress, move |recording, work| {
            recording.convert_with(name, &options, &at(work, folder.as_deref()))
        })?;
        Ok(py.detach(|| {
            Made::put(
                made,
                &self.path,
                path,
                format,
                Existing::replaced_if(replace),
            )
        })?)
    }

    /// Writes the intact parts of a broken recording: to a path, or into memory. A file that exists is replaced only
    /// with `replace=True`, unless it is the same already.
    ///
    /// >>> made = gametape.open("broken.rmv").repair("repaired.rmv")
    /// >>> made.lossy, gametape.open("repaired.rmv").audit().verdict != "fail"
    /// (True, True)
    #[pyo3(signature = (to = None, *, replace = false, progress = None, **options))]
    fn repair(
        &self,
        py: Python<'_>,
        to: Option<PathBuf>,
        replace: bool,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Made> {
        let recording = self.get()?;
        let options = options::read(options, recording.format().options(Verb::Repair))?;
        let folder = folder_of(&recording, to.as_deref())?;
        let made = self.run(py, false, progress, move |recording, work| {
            recording.repair_with(&options, &at(work, folder.as_deref()))
        })?;
        Ok(py.detach(|| {
            Made::put(
                made,
                &self.path,
                to,
                recording.format(),
                Existing::replaced_if(replace),
            )
        })?)
    }

    /// Writes a part of the recording in the same format: from one moment to another, or, with
    /// `around="goals:3"`, so many seconds before and after an event. A file that exists is replaced only with
    /// `replace=True`, unless it is the same already.
    ///
    /// >>> made = gametape.open("match.echoreplay").cut("start.echoreplay", end=0.5)
    /// >>> made.details["steps"]
    /// 8
    #[pyo3(signature = (to = None, start = None, end = None, *, around = None, before = 5.0, after = 5.0, replace = false, progress = None, **options))]
    #[allow(clippy::too_many_arguments)] // As callers in Python see it.
    fn cut(
        &self,
        py: Python<'_>,
        to: Option<PathBuf>,
        start: Option<Moment>,
        end: Option<Moment>,
        around: Option<&str>,
        before: f64,
        after: f64,
        replace: bool,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Made> {
        let recording = self.get()?;
        let options = options::read(options, recording.format().options(Verb::Cut))?;
        let folder = folder_of(&recording, to.as_deref())?;
        let around: Option<Around> = around
            .map(|text| {
                let wrong = |error| Failure::usage(format!("{text:?}: {error}"));
                text.parse().map_err(wrong)
            })
            .transpose()?;
        if around.is_some() && (start.is_some() || end.is_some()) {
            let text = "a cut is around an event, or from one moment to another";
            return Err(Failure::usage(text).into());
        }
        let (before, after) = (time(before)?, time(after)?);
        let cut_out = move |work: &Work<'_>| {
            let range = if let Some(event) = &around {
                recording.around(event, before, after)?
            } else {
                let [from, to] = Moment::range(&recording, start.as_ref(), end.as_ref(), work)?;
                Cut { from, to }
            };
            let made = recording.cut_with(&range, &options, &at(work, folder.as_deref()))?;
            Ok((made, recording))
        };
        let progress = Progress {
            callback: progress,
            size: self.get()?.input().size(),
        };
        let (made, recording) = attempt(py, &progress, cut_out)?;
        Ok(py.detach(|| {
            Made::put(
                made,
                &self.path,
                to,
                recording.format(),
                Existing::replaced_if(replace),
            )
        })?)
    }

    /// Compares the recording with another one of its kind. `progress` gets the number of bytes of this recording
    /// that were compared, and of all.
    ///
    /// >>> game.diff(gametape.open("games/b.rmv")).first
    /// 'mouse_events: step 0, ...'
    #[pyo3(signature = (other, *, progress = None, **options))]
    fn diff(
        &self,
        py: Python<'_>,
        other: &Bound<'_, Self>,
        progress: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Diff> {
        let options = options::read(options, self.get()?.format().options(Verb::Diff))?;
        let other = other.get().get()?;
        let diff = self.run(py, false, progress, move |recording, work| {
            recording.diff_with(&other, &options, work)
        })?;
        let diff = Diff::try_from(diff);
        Ok(diff.map_err(|error| Failure::usage(error.to_string()))?)
    }

    /// Returns a playback, which gives the state at any moment. It keeps the recording open.
    ///
    /// >>> play = game.playback()
    /// >>> play.seek("end") == play.span[1]
    /// True
    fn playback(&self, py: Python<'_>) -> PyResult<Playback> {
        let recording = self.get()?;
        let of = Arc::clone(&recording);
        let is_short = self.is_short;
        let (play, tables) = attempt_short(py, is_short, &Progress::NONE, move |work| {
            Ok((of.playback_with(work)?, of.tables()?))
        })?;
        Ok(Playback {
            play: Arc::new(Mutex::new(play)),
            recording,
            tables: tables.into(),
            is_short,
            secrets: self.secrets,
        })
    }

    /// Closes the recording. Rows and playbacks that it gave stay open.
    ///
    /// >>> game.close()
    /// >>> game.tables
    /// Traceback (most recent call last):
    /// gametape.UsageError: game.rmv: is closed
    fn close(&self) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        *inner = None;
    }

    /// Returns a call that opens it again.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let recording = self.get()?;
        let origin = if self.is_in_memory {
            let bytes = recording.input().bytes();
            let bytes = bytes.map_err(|error| Failure::io(&self.path, error))?;
            PyBytes::new(py, &bytes).into_any()
        } else if py.detach(|| is_stream(&self.path)) {
            // It can be read only once.
            let text = format!(
                "{}: a recording from a stream can't be pickled; open its bytes",
                self.path.spelled()
            );
            return Err(PyTypeError::new_err(text));
        } else {
            self.path.as_path().into_pyobject(py)?.into_any()
        };
        let named = match &self.options {
            Some(options) => options.bind(py).copy()?,
            None => PyDict::new(py),
        };
        named.set_item("secrets", self.secrets == Secrets::Show)?;
        let errors = match self.errors {
            Errors::Raise => "raise",
            Errors::Collect => "collect",
        };
        named.set_item("errors", errors)?;
        let open = py.import("gametape")?.getattr("open")?;
        let partial = py.import("functools")?.getattr("partial")?;
        let call = partial.call((open,), Some(&named))?;
        Ok((call, PyTuple::new(py, [origin])?))
    }

    const fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) {
        self.close();
    }

    /// Draws a moment as SVG, by default the end: a grid as a board, positions as a map. With `start`, `end` or
    /// both, it draws that stretch: paths (`show="ways"`), the time spent in each place (`"time"`), or the
    /// number of changes of each cell (`"changes"`).
    ///
    /// `view` is a table with cells, `map`, or a table of the map; `column` is the column of the cells; `plane`
    /// is the side from which a map is seen, if positions have a height: `xz`, `xy` or `zy`.
    ///
    /// >>> game.picture(start=0, show="time").words[:30]
    /// 'Where the cursor was from 0.00'
    #[pyo3(signature = (at = None, *, start = None, end = None, show = None, view = None, column = None, plane = "xz", width = 800))]
    #[allow(clippy::too_many_arguments)]
    fn picture(
        &self,
        py: Python<'_>,
        at: Option<Moment>,
        start: Option<Moment>,
        end: Option<Moment>,
        show: Option<&str>,
        view: Option<String>,
        column: Option<String>,
        plane: &str,
        width: u32,
    ) -> PyResult<Picture> {
        let over = (start.is_some() || end.is_some()).then(|| Stretch {
            from: start.map(Moment::when),
            to: end.map(Moment::when),
        });
        if over.is_some() && at.is_some() {
            return Err(Failure::usage("a picture shows a moment, or a stretch").into());
        }
        if over.is_none() && show.is_some() {
            return Err(Failure::usage(
                "show is what to draw of a stretch: name its start or its end",
            )
            .into());
        }
        let mut options = gametape_picture::Options {
            at: at.map(Moment::when),
            over,
            view,
            column,
            width,
            secrets: self.secrets,
            ..gametape_picture::Options::default()
        };
        picture::named(&mut options, show, plane)?;
        let recording = self.get()?;
        let mut drawn = attempt(py, &Progress::NONE, move |work| {
            gametape_picture::draw(&recording, &options, work).map_err(Failure::from)
        })?;
        let problem = drawn.problem.take().or(drawn.playback_problem.take());
        let drawn = Partial {
            value: drawn,
            problem,
        };
        Ok(self.partial(drawn)?.into())
    }

    fn __repr__(&self) -> String {
        format!("<Recording {} ({})>", self.path.spelled(), self.format)
    }

    /// Shows the header, the tables and the end in a notebook.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let secrets = self.secrets;
        // A notebook that is given away should not tell where its recordings were.
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let name = name.spelled().into_owned();
        self.run(py, false, None, move |recording, work| {
            let info = recording.header(secrets)?.readable();
            let tables = recording.tables()?;
            let quick = takes_at_most(MOST, recording, &tables);
            let options = gametape_picture::Options {
                secrets,
                ..gametape_picture::Options::default()
            };
            // Some recordings have nothing to draw.
            let drawn = quick.then(|| gametape_picture::draw(recording, &options, work).ok());
            let svg = drawn.flatten().map(|drawn| drawn.picture.svg);
            Ok(page(&name, &info, &tables, svg.as_deref()))
        })
    }
}

/// Whether this is a pipe, a terminal or a socket.
fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// The folder of an output in the recording's own format, whose name has to fit.
fn folder_of(
    recording: &gametape::Recording,
    to: Option<&Path>,
) -> Result<Option<PathBuf>, Failure> {
    if let Some(to) = to {
        gametape::formats().check_name(recording.format(), to)?;
    }
    folder(to)
}

/// The folder of an output: a temporary file there only needs to be renamed.
fn folder(to: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    match to {
        Some(to) => Ok(gametape::folder_for(to)?),
        None => Ok(None),
    }
}

const fn at<'w>(work: &Work<'w>, folder: Option<&'w Path>) -> Work<'w> {
    Work { folder, ..*work }
}
