//! Errors of the library as exceptions.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::ArrowError;
use gametape::core::table::ScanError;
use gametape::core::tape;
use gametape::murk::tape::MurkError;
use gametape::{Class, Error};
use gametape_tables::{Problem, ReadError};
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use serde_json::{Map, Value};

use crate::values::{object, to_python};

/// An error of the library, without Python.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure(Box<Told>);

#[derive(Clone, PartialEq, Debug)]
struct Told {
    kind: Kind,
    code: &'static str,
    /// The sentence, with the path at its start.
    text: String,
    path: Option<PathBuf>,
    offset: Option<u64>,
    /// The place of a broken rule.
    stamp: [Value; 3],
    data: Map<String, Value>,
    os_error: Option<i32>,
}

/// The classes of exceptions.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Io,
    NotFound,
    Recording,
    Truncated,
    Limit,
    Usage,
    Refused,
    /// None of the others.
    Other,
}

impl Failure {
    /// An error of the caller's that the library never saw.
    pub fn usage(text: impl Into<String>) -> Self {
        Self(Box::new(Told {
            kind: Kind::Usage,
            code: "usage",
            text: text.into(),
            path: None,
            offset: None,
            stamp: Default::default(),
            data: Map::new(),
            os_error: None,
        }))
    }

    /// The words of another program about broken recordings.
    pub fn broken(text: impl Into<String>) -> Self {
        let mut failure = Self::usage(text);
        (failure.0.kind, failure.0.code) = (Kind::Recording, "broken");
        failure
    }

    /// An error of the system's.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Error::io(path)(error).into()
    }

    /// An error of a world, of its commands or of a tool, which is about no file.
    pub fn of_world(error: tape::Error) -> Self {
        let command = match error.of_format() {
            // Its place in the list, as Python counts.
            Some(MurkError::Commands { line, message, .. }) => {
                Some(format!("commands[{}]: {message}", line.saturating_sub(1)))
            }
            _ => None,
        };
        let error = Error::tape(Path::new(""))(error);
        let text = command.unwrap_or_else(|| error.message());
        let mut failure = Self::from(error);
        // A simulation that can't continue breaks no recording.
        if failure.0.code == "simulation" {
            failure.0.kind = Kind::Other;
        }
        (failure.0.text, failure.0.path) = (text, None);
        failure
    }

    /// A table, column or range that a recording does not have.
    pub fn scan(path: &Path, error: ScanError) -> Self {
        Error::tape(path)(error.into()).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let source = match &error {
            Error::Io { source, .. }
            | Error::Tape {
                source: tape::Error::Io(source) | tape::Error::Output(source),
                ..
            } => Some(source),
            _ => None,
        };
        let missing = source.map(io::Error::kind) == Some(io::ErrorKind::NotFound);
        let kind = match error.class() {
            Class::Io if missing => Kind::NotFound,
            Class::Io => Kind::Io,
            Class::File => Kind::Recording,
            Class::Truncated => Kind::Truncated,
            Class::Limit => Kind::Limit,
            Class::Refused => Kind::Refused,
            _ if matches!(error, Error::NotFound { .. }) => Kind::NotFound,
            _ => Kind::Usage,
        };
        let stamp = match error.tape_error() {
            Some(tape::Error::Broken(finding)) => {
                let finding = object(&**finding);
                ["step", "tick", "time_ms"].map(|key| finding.get(key).cloned().unwrap_or_default())
            }
            _ => Default::default(),
        };
        let data = error.data().into_iter();
        let advice = match error {
            Error::Exists { .. } => "; replace=True replaces it",
            _ => "",
        };
        Self(Box::new(Told {
            kind,
            code: error.code(),
            text: format!("{error}{advice}"),
            path: Some(error.path().to_owned()),
            offset: error.offset(),
            stamp,
            data: data
                .map(|(name, datum)| (name.to_owned(), datum.into()))
                .collect(),
            os_error: source.and_then(io::Error::raw_os_error),
        }))
    }
}

/// Why there are no more rows of the recording at this path.
impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let path = PathBuf::from(&error.recording);
        let text = error.to_string();
        if let Problem::Recording(error) = error.problem {
            return Error::tape(&path)(error).into();
        }
        let mut failure = Self::usage(text);
        failure.0.kind = Kind::Recording;
        failure.0.code = "value";
        failure.0.path = Some(path);
        failure
    }
}

/// An error on the way into Arrow.
pub fn of_arrow(error: ArrowError) -> Failure {
    match error {
        ArrowError::ExternalError(error) => match error.downcast::<ReadError>() {
            Ok(error) => (*error).into(),
            Err(error) => Failure::usage(error.to_string()),
        },
        error => Failure::usage(error.to_string()),
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl std::error::Error for Failure {}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| match failure.exception(py) {
            Ok(exception) => Self::from_value(exception),
            Err(error) => error,
        })
    }
}

impl Failure {
    /// Makes an exception.
    pub fn exception<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (classes, told) = (Classes::get(py)?, &self.0);
        let class = match told.kind {
            Kind::Io => &classes.io,
            Kind::NotFound => &classes.not_found,
            Kind::Recording => &classes.recording,
            Kind::Truncated => &classes.truncated,
            Kind::Limit => &classes.limit,
            Kind::Usage => &classes.usage,
            Kind::Refused => &classes.refused,
            Kind::Other => &classes.error,
        };
        let exception = class.bind(py).call1((&told.text,))?;
        exception.setattr("code", told.code)?;
        exception.setattr("path", told.path.as_deref())?;
        exception.setattr("offset", told.offset)?;
        let [step, tick, time_ms] = &told.stamp;
        exception.setattr("step", to_python(py, step)?)?;
        exception.setattr("tick", to_python(py, tick)?)?;
        exception.setattr("time_ms", to_python(py, time_ms)?)?;
        let data = PyDict::new(py);
        for (name, value) in &told.data {
            data.set_item(name, to_python(py, value)?)?;
        }
        exception.setattr("data", data)?;
        if let Some(number) = told.os_error {
            exception.setattr("errno", number)?;
        }
        Ok(exception)
    }
}

/// The problems of recordings that were met so far, each once.
#[derive(Clone, Default)]
pub struct Problems(Arc<Mutex<Vec<Failure>>>);

impl Problems {
    fn lock(&self) -> MutexGuard<'_, Vec<Failure>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self, failure: Failure) {
        let mut all = self.lock();
        if !all.contains(&failure) {
            all.push(failure);
        }
    }

    /// The problems as exceptions.
    pub fn list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let all = self.lock().clone();
        all.iter().map(|failure| failure.exception(py)).collect()
    }
}

/// Whether a problem of a recording is an exception, or noted beside what is intact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    Raise,
    Collect,
}

impl<'py> FromPyObject<'_, 'py> for Errors {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<String>()?.as_str() {
            "raise" => Ok(Self::Raise),
            "collect" => Ok(Self::Collect),
            other => {
                let text = format!("errors can be \"raise\" or \"collect\", not {other:?}");
                Err(Failure::usage(text).into())
            }
        }
    }
}

struct Classes {
    error: Py<PyType>,
    io: Py<PyType>,
    not_found: Py<PyType>,
    recording: Py<PyType>,
    truncated: Py<PyType>,
    limit: Py<PyType>,
    usage: Py<PyType>,
    refused: Py<PyType>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

impl Classes {
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        CLASSES.get_or_try_init(py, || Self::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Self> {
        let class = |name: &str, bases: Vec<_>, doc: &str| class(py, name, bases, doc);
        let error = class(
            "Error",
            vec![py.get_type::<PyException>()],
            "Anything that gametape refuses or cannot do.\n\n\
             >>> try:\n\
             ...     gametape.open(\"notes.txt\")\n\
             ... except gametape.Error as error:\n\
             ...     print(error.code, error.path.name, error.offset, error.data)\n\
             unknown-format notes.txt None {'starts_with': '6a75737420746578'}\n",
        )?;
        let io = class(
            "IoError",
            vec![error.clone(), py.get_type::<PyOSError>()],
            "The operating system could not read or write. It is an `OSError`, too.\n\n\
             >>> issubclass(gametape.IoError, OSError)\n\
             True\n",
        )?;
        let not_found = class(
            "NotFoundError",
            vec![io.clone(), py.get_type::<PyFileNotFoundError>()],
            "There is no such file. It is a `FileNotFoundError`, too.\n\n\
             >>> gametape.open(\"missing.rmv\")\n\
             Traceback (most recent call last):\n\
             gametape.NotFoundError: missing.rmv: No such file or directory (os error 2)\n",
        )?;
        let recording = class(
            "RecordingError",
            vec![error.clone()],
            "The recording is broken: it breaks a rule of its format, which `code` names.\n\n\
             >>> gametape.open(\"notes.txt\")\n\
             Traceback (most recent call last):\n\
             gametape.RecordingError: notes.txt: not a recording of a known format (it starts with \
             \"just tex\")\n",
        )?;
        let truncated = class(
            "TruncatedError",
            vec![recording.clone()],
            "The recording ends too early.\n\n\
             >>> gametape.open(\"broken.rmv\").info()\n\
             Traceback (most recent call last):\n\
             gametape.TruncatedError: broken.rmv: event 196 (1.460 s, byte 903): the file ends in ...\n",
        )?;
        let limit = class(
            "LimitError",
            vec![error.clone()],
            "The recording is larger than a limit of the reader.\n\n\
             >>> issubclass(gametape.LimitError, gametape.Error)\n\
             True\n",
        )?;
        let usage = class(
            "UsageError",
            vec![error.clone(), py.get_type::<PyValueError>()],
            "The caller asked for something that does not exist or cannot be. It is a `ValueError`, \
             too.\n\n\
             >>> gametape.open(\"game.rmv\").table(\"bord\")\n\
             Traceback (most recent call last):\n\
             gametape.UsageError: game.rmv: there is no table \"bord\" (did you mean \"board\"?); ...\n",
        )?;
        let refused = class(
            "RefusedError",
            vec![error.clone()],
            "The recording is fine, but does not meet a bound that the caller set.\n\n\
             >>> issubclass(gametape.RefusedError, gametape.Error)\n\
             True\n",
        )?;
        Ok(Self {
            error: error.unbind(),
            io: io.unbind(),
            not_found: not_found.unbind(),
            recording: recording.unbind(),
            truncated: truncated.unbind(),
            limit: limit.unbind(),
            usage: usage.unbind(),
            refused: refused.unbind(),
        })
    }
}

/// Makes a class as Python does, because exceptions may have several bases.
fn class<'py>(
    py: Python<'py>,
    name: &str,
    bases: Vec<Bound<'py, PyType>>,
    doc: &str,
) -> PyResult<Bound<'py, PyType>> {
    let members = PyDict::new(py);
    members.set_item("__module__", "gametape")?;
    members.set_item("__doc__", doc)?;
    let bases = PyTuple::new(py, bases)?;
    let made = py.get_type::<PyType>().call1((name, bases, members))?;
    Ok(made.cast_into::<PyType>()?)
}

/// Adds the classes to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let classes = Classes::get(py)?;
    for class in [
        &classes.error,
        &classes.io,
        &classes.not_found,
        &classes.recording,
        &classes.truncated,
        &classes.limit,
        &classes.usage,
        &classes.refused,
    ] {
        let class = class.bind(py);
        module.add(class.name()?, class)?;
    }
    Ok(())
}
