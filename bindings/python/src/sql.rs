//! SQL. The program `gametape-query` answers, whose rows come over a pipe as Arrow: the engine is larger than
//! all else together, and so an installation of its own.

use std::env;
use std::ffi::OsString;
use std::io::{BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arrow_array::RecordBatchReader;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use gametape::{Recording, Secrets, Work};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyMapping, PyString};
use pyo3_arrow::input::AnyRecordBatch;
use tempfile::{Builder, TempPath};

use crate::errors::{Errors, Failure, Problems};
use crate::rows::Rows;
use crate::scan::paths_of;
use crate::stream::{Output, Source};
use crate::work::{Progress, attempt};

/// The name of the program.
const PROGRAM: &str = "gametape-query";

/// How often a query that gives no rows yet looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(20);

/// Answers a query in SQL about any number of recordings: files, folders, patterns, addresses such as
/// `s3://bucket/games/`.
///
/// The tables are those of the recordings, in a schema for each kind; `recordings`, `findings`, `verdicts` and
/// `markers` are about all of them. The query runs when its rows are asked for. A broken recording
/// gives the rows before the damage, and `problems` of the rows names it; with `strict=True` it
/// is an error. A recording that cannot be read raises what `gametape.open` raises. `threads` and `memory` (such as `"4GB"`) limit what the query takes, `policy` is the
/// file of the policy of `verdicts`. Needs `pip install gametape[sql]`.
///
/// `params` has the values of `$name` in the query: texts, numbers, `True` or `False`. `tables` has tables of your own: dataframes of any library that
/// knows Arrow, such as polars, pandas, pyarrow and DuckDB, rows of gametape, and paths of files `.csv`, `.parquet`, `.arrow` and `.json`. A
/// dataframe is copied to a temporary file, which goes with the rows.
///
/// >>> rows = gametape.query("SELECT outcome, count(*) AS games FROM games GROUP BY 1", "games")
/// >>> int(rows.read()["games"].sum())
/// 2
/// >>> import polars
/// >>> clubs = polars.DataFrame({"level": ["expert", "beginner"], "club": ["red", "blue"]})
/// >>> sql = "SELECT club FROM games JOIN clubs USING (level) WHERE outcome = $outcome ORDER BY 1"
/// >>> rows = gametape.query(sql, "games", params={"outcome": "win"}, tables={"clubs": clubs})
/// >>> rows.read()["club"].tolist()
/// ['blue', 'red']
#[pyfunction]
#[pyo3(signature = (sql, paths, *, params = None, tables = None, strict = false, secrets = false, policy = None, threads = None, memory = None))]
#[pyo3(
    text_signature = "(sql, paths, *, params=None, tables=None, strict=False, secrets=False, policy=None, threads=None, memory=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn query(
    py: Python<'_>,
    sql: &str,
    paths: &Bound<'_, PyAny>,
    params: Option<&Bound<'_, PyMapping>>,
    tables: Option<&Bound<'_, PyMapping>>,
    strict: bool,
    secrets: bool,
    policy: Option<PathBuf>,
    threads: Option<usize>,
    memory: Option<String>,
) -> PyResult<Rows> {
    let mut args: Vec<OsString> = vec!["--format".into(), "arrow".into()];
    let mut option = |name: &str, value: Option<OsString>| {
        if let Some(value) = value {
            args.extend([name.into(), value]);
        }
    };
    option("--policy", policy.map(Into::into));
    option(
        "--threads",
        threads.map(|threads| threads.to_string().into()),
    );
    option("--memory", memory.map(Into::into));
    let flags = [("--strict", strict), ("--show-secrets", secrets)];
    args.extend(
        flags
            .iter()
            .filter(|(_, on)| *on)
            .map(|(flag, _)| (*flag).into()),
    );
    for (name, value) in named(params)? {
        args.extend(["--param".into(), parameter(&name, &value)?.into()]);
    }
    let tables = named(tables)?;
    let tables = tables.iter().map(|(name, table)| Own::of(name, table));
    let tables = tables.collect::<PyResult<Vec<_>>>()?;
    let paths = paths_of(paths)?;
    if paths.is_empty() {
        return Err(Failure::usage("a query needs the path of at least one recording").into());
    }
    // With the space it is a query, even if there is a file of this name.
    let asked = ["--".into(), format!("{sql} ").into()].into_iter();
    let asked: Vec<OsString> = asked.chain(paths.into_iter().map(Into::into)).collect();
    let program = program(py)?;
    let problems = Problems::default();
    let noted = problems.clone();
    let source = attempt(py, &Progress::NONE, move |work| {
        let mut written = Vec::new();
        for (name, table) in tables {
            let path = match table {
                Own::File(path) => path,
                Own::Rows(rows) => {
                    let file = write(&name, rows, work)?;
                    let path = file.to_path_buf();
                    written.push(file);
                    path
                }
            };
            let mut table = OsString::from(format!("{name}="));
            table.push(path);
            args.extend(["--table".into(), table]);
        }
        args.extend(asked);
        let query = Query {
            program,
            args,
            _written: written,
        };
        let first = query.start(work)?;
        let schema = first.rows.schema();
        let first = Mutex::new(Some(first));
        let read = move |out: &Output| {
            let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Rows can be read again, by asking again.
            let answer = first.map_or_else(|| query.start(&out.work()), Ok);
            match answer {
                Ok(answer) => answer.give(out, &noted),
                Err(failure) => {
                    out.problem(failure, Errors::Raise, &noted);
                }
            }
        };
        Ok(Source {
            schema,
            size: 0,
            is_short: false,
            read: Arc::new(read),
        })
    })?;
    Ok(Rows {
        name: "a query".to_owned(),
        source,
        problems,
    })
}

/// The pairs of a mapping, whose names are those of SQL.
fn named<'py>(
    mapping: Option<&Bound<'py, PyMapping>>,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Some(mapping) = mapping else {
        return Ok(Vec::new());
    };
    let pairs = mapping.items()?.into_iter();
    let pairs = pairs.map(|pair| pair.extract::<(String, Bound<'py, PyAny>)>());
    let pairs = pairs.collect::<PyResult<Vec<_>>>()?;
    // The program splits name and value there.
    match pairs
        .iter()
        .find(|(name, _)| name.is_empty() || name.contains('='))
    {
        Some((name, _)) => Err(Failure::usage(format!("{name:?} is no name in SQL")).into()),
        None => Ok(pairs),
    }
}

/// A value as the program takes it.
fn parameter(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = if let Ok(text) = value.cast::<PyString>() {
        // In quotes it stays a text, whatever it looks like.
        format!("'{}'", text.to_str()?.replace('\'', "''"))
    } else if let Ok(flag) = value.cast::<PyBool>() {
        flag.is_true().to_string()
    } else if value.hasattr("__index__")? {
        // Those of NumPy, too.
        value.extract::<i64>()?.to_string()
    } else if value.hasattr("__float__")? {
        format!("{:?}", value.extract::<f64>()?)
    } else {
        let kind = value.get_type().name()?;
        let text = format!("params[{name:?}] can be a text, a number or a bool, not {kind}");
        return Err(Failure::usage(text).into());
    };
    Ok(format!("{name}={text}"))
}

/// A table of the caller's own.
enum Own {
    File(PathBuf),
    Rows(Box<dyn RecordBatchReader + Send>),
}

impl Own {
    fn of(name: &str, table: &Bound<'_, PyAny>) -> PyResult<(String, Self)> {
        let is_rows = table.hasattr("__arrow_c_stream__")? || table.hasattr("__arrow_c_array__")?;
        let own = if is_rows {
            Self::Rows(table.extract::<AnyRecordBatch>()?.into_reader()?)
        } else if let Ok(path) = table.extract() {
            Self::File(path)
        } else {
            let kind = table.get_type().name()?;
            let text = format!(
                "tables[{name:?}] can be a dataframe that gives Arrow, or the path of a file, not {kind}"
            );
            return Err(Failure::usage(text).into());
        };
        Ok((name.to_owned(), own))
    }
}

/// Writes a table to a temporary file. As a stream, since the texts of a column may be others in each batch.
fn write(
    name: &str,
    rows: Box<dyn RecordBatchReader + Send>,
    work: &Work<'_>,
) -> Result<TempPath, Failure> {
    let file = Builder::new().suffix(".arrow").tempfile();
    let (file, path) = file
        .map_err(|error| Failure::io(&env::temp_dir(), error))?
        .into_parts();
    let wrong = |error: ArrowError| match error {
        ArrowError::IoError(_, error) => Failure::io(&path, error),
        error => Failure::usage(format!("tables[{name:?}]: {error}")),
    };
    let out = BufWriter::new(file);
    let mut writer = StreamWriter::try_new(out, &rows.schema()).map_err(wrong)?;
    for batch in rows {
        work.wanted().map_err(|_| Failure::usage("cancelled"))?;
        writer.write(&batch.map_err(wrong)?).map_err(wrong)?;
    }
    let out = writer.into_inner().map_err(wrong)?;
    out.into_inner()
        .map_err(|error| Failure::io(&path, error.into_error()))?;
    Ok(path)
}

/// Finds the program among those of this Python, then where the system looks for programs.
fn program(py: Python<'_>) -> PyResult<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let scripts = py
        .import("sysconfig")?
        .call_method1("get_path", ("scripts",))?;
    let own: PathBuf = scripts.extract()?;
    let path = env::var_os("PATH").unwrap_or_default();
    let found = std::iter::once(own)
        .chain(env::split_paths(&path))
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file());
    let missing = || {
        Failure::usage(format!(
            "SQL needs the program {PROGRAM}, which is not here: pip install gametape[sql]"
        ))
    };
    Ok(found.ok_or_else(missing)?)
}

struct Query {
    program: PathBuf,
    args: Vec<OsString>,
    /// The caller's own tables, which go with it.
    _written: Vec<TempPath>,
}

/// A process that answers. It is ended when nobody wants its rows.
struct Answer {
    process: Arc<Mutex<Child>>,
    rows: StreamReader<BufReader<ChildStdout>>,
    /// Everything that it says besides its rows.
    said: Option<JoinHandle<String>>,
}

fn kill(process: &Mutex<Child>) {
    let mut process = process.lock().unwrap_or_else(PoisonError::into_inner);
    // It may have ended.
    drop(process.kill());
}

impl Query {
    /// Starts the program, and waits until it tells the columns.
    fn start(&self, work: &Work<'_>) -> Result<Answer, Failure> {
        let failed = |error: std::io::Error| Failure::io(&self.program, error);
        let mut process = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (out, error) = (process.stdout.take(), process.stderr.take());
        let said = thread::spawn(move || {
            let mut said = Vec::new();
            // If the pipe fails, the text so far is all there is.
            drop(error.map(|mut error| error.read_to_end(&mut said)));
            String::from_utf8_lossy(&said).into_owned()
        });
        let process = Arc::new(Mutex::new(process));
        let Some(out) = out else {
            return Err(Failure::usage(format!("{PROGRAM} has no output")));
        };
        let is_done = AtomicBool::new(false);
        let rows = thread::scope(|scope| {
            let watch = scope.spawn(|| {
                while !is_done.load(Ordering::SeqCst) {
                    if work.wanted().is_err() {
                        kill(&process);
                    }
                    thread::park_timeout(TICK);
                }
            });
            let rows = StreamReader::try_new(BufReader::new(out), None);
            is_done.store(true, Ordering::SeqCst);
            watch.thread().unpark();
            rows
        });
        match rows {
            Ok(rows) => Ok(Answer {
                process,
                rows,
                said: Some(said),
            }),
            Err(error) => Err(match ended(&process, Some(said)) {
                (Ok(status), said) if said.is_empty() => {
                    Failure::usage(format!("{PROGRAM} ended with {status}: {error}"))
                }
                (Ok(_), said) => refused(said, work),
                (Err(error), _) => failed(error),
            }),
        }
    }
}

/// Waits for the end of a process, and returns what it said, without its name.
fn ended(
    process: &Mutex<Child>,
    said: Option<JoinHandle<String>>,
) -> (std::io::Result<ExitStatus>, String) {
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    let said = said.trim_end();
    let own = said.strip_prefix("gametape query: ").unwrap_or(said);
    let mut process = process.lock().unwrap_or_else(PoisonError::into_inner);
    (process.wait(), own.to_owned())
}

/// The problems that the program has told: one of each recording, if all of them are known.
fn broken(said: &str, work: &Work<'_>) -> Vec<Failure> {
    // The first line says how many there are.
    let lines: Vec<&str> = said.lines().skip(1).collect();
    let known: Option<Vec<Failure>> = lines.into_iter().map(|line| known(line, work)).collect();
    match known {
        Some(known) if !known.is_empty() => known,
        _ => vec![Failure::broken(said)],
    }
}

/// Why the program does not answer: a recording that cannot be read, or the query.
fn refused(said: String, work: &Work<'_>) -> Failure {
    let found = said.lines().find_map(|line| known(line, work));
    found.unwrap_or_else(|| Failure::usage(said))
}

/// The error of a recording, of which the program tells the sentence alone. The recording is read again: if it gives
/// the same sentence, the error is the same.
fn known(line: &str, work: &Work<'_>) -> Option<Failure> {
    let line = line.trim_start();
    // A path may have a colon, too.
    let paths = line
        .match_indices(": ")
        .filter_map(|(at, _)| line.get(..at));
    let errors = paths.filter_map(|path| {
        let path = Path::new(path);
        if !path.exists() {
            return gametape::find(path).into_iter().find_map(Result::err);
        }
        match Recording::open(path).and_then(|recording| recording.info_with(Secrets::Hide, work)) {
            Ok(read) => read.problem,
            Err(error) => Some(error),
        }
    });
    let mut same = errors.filter(|error| error.to_string() == line);
    same.next().map(Failure::from)
}

impl Answer {
    /// Gives the rows, and then what is wrong with them.
    fn give(mut self, out: &Output, problems: &Problems) {
        let process = Arc::clone(&self.process);
        out.watch(Some(move || kill(&process)));
        for batch in &mut self.rows {
            // An error is that of the program, which says why.
            let Ok(batch) = batch else { break };
            if !out.rows(batch) {
                return;
            }
        }
        let (status, said) = ended(&self.process, self.said.take());
        let failure = match status {
            Ok(status) if status.success() && said.is_empty() => return,
            Ok(status) if status.success() => {
                for problem in broken(&said, &out.work()) {
                    problems.note(problem);
                }
                return;
            }
            Ok(status) if status.code() == Some(1) => {
                let mut all = broken(&said, &out.work()).into_iter();
                let first = all.next().unwrap_or_else(|| Failure::broken(said));
                for problem in all {
                    problems.note(problem);
                }
                first
            }
            Ok(status) if said.is_empty() => {
                Failure::usage(format!("{PROGRAM} ended with {status}"))
            }
            Ok(_) => refused(said, &out.work()),
            Err(error) => Failure::io(Path::new(PROGRAM), error),
        };
        out.problem(failure, Errors::Raise, problems);
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        kill(&self.process);
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        // Else it stays in the list of processes until this one ends.
        drop(process.wait());
    }
}
