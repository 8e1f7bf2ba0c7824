//! Many recordings as one table.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use gametape::core::Spell as _;
use gametape::{Condition, Found, Recording, Scan, Secrets, Selecting, Selection, Work};
use gametape_tables::{Differs, Merge};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{Errors, Failure, Problems};
use crate::moment::Moment;
use crate::rows::{Columns, Reading, Rows};
use crate::stream::Source;
use crate::work::{Progress, attempt};

/// Reads a table of many recordings as one, which names the recording of each row in a column.
///
/// A table of one kind of recording is named with the kind, as in SQL: `"rmv.game"`. Recordings of other kinds have
/// no rows then, though they may have a table of this name with other columns.
///
/// Paths are files, folders, or patterns such as `games/*.rmv`, one or several. Their headers are read
/// at once, and their rows when they are asked for, one recording after the other. A recording
/// without the table has no rows. `where` has conditions such as `x>=1.5`, all of which
/// must be met. `start` and `end` are moments of each recording, as for `Recording.table`: `end=10.0` gives its
/// first ten seconds, `start="-5s"` its last five; nothing else is read. As in SQL, a broken recording gives its intact rows, its problem is in
/// `problems`, and the others follow; with `errors="raise"` it raises.
///
/// >>> rows = gametape.scan("games", "mouse_events", ["recording", "time_ms", "x"], where="action=lmb_down")
/// >>> data = rows.read()
/// >>> data.keys()
/// ['recording', 'time_ms', 'x']
/// >>> sorted(set(data["recording"]))
/// ['games/a.rmv', 'games/b.rmv']
/// >>> begin = gametape.scan("games", "mouse_events", ["time_ms"], end=0.5).read()
/// >>> 0 < len(begin) < len(data)
/// True
#[pyfunction]
#[pyo3(signature = (paths, table, columns = None, r#where = None, start = None, end = None, *, secrets = false, errors = Errors::Collect))]
#[pyo3(
    text_signature = "(paths, table, columns=None, where=None, start=None, end=None, *, secrets=False, errors='collect')"
)]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn scan(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    table: String,
    columns: Option<Vec<String>>,
    r#where: Option<&Bound<'_, PyAny>>,
    start: Option<Moment>,
    end: Option<Moment>,
    secrets: bool,
    errors: Errors,
) -> PyResult<Rows> {
    let paths = paths_of(paths)?;
    let selection = selection(r#where)?;
    let range = Range { start, end };
    range.check()?;
    let secrets = if secrets {
        Secrets::Show
    } else {
        Secrets::Hide
    };
    let problems = Problems::default();
    let noted = problems.clone();
    let name = table.clone();
    let source = attempt(py, &Progress::NONE, move |work| {
        let archive = Archive::find(&paths, &table, errors, &noted, work)?;
        let columns = archive.columns(columns.as_deref(), secrets, &selection)?;
        let schema = columns.schema()?;
        let size = archive.paths.iter().map(|(_, size)| size).sum();
        let read = move |out: &crate::stream::Output| {
            let wanted = Wanted {
                columns: &columns,
                selection: &selection,
                range: &range,
            };
            archive.read(&wanted, out, errors, &noted);
        };
        Ok(Source {
            schema,
            size,
            is_short: false,
            read: Arc::new(read),
        })
    })?;
    Ok(Rows {
        name,
        source,
        problems,
    })
}

/// One path, or several.
pub fn paths_of(paths: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    match paths.extract::<PathBuf>() {
        Ok(path) => Ok(vec![path]),
        Err(_) => paths.try_iter()?.map(|path| path?.extract()).collect(),
    }
}

fn selection(conditions: Option<&Bound<'_, PyAny>>) -> PyResult<Selection> {
    let mut selection = Selection::default();
    if let Some(conditions) = conditions {
        let all = if conditions.is_instance_of::<PyString>() {
            vec![conditions.extract::<String>()?]
        } else {
            let conditions = conditions.try_iter()?;
            conditions
                .map(|text| text?.extract())
                .collect::<PyResult<_>>()?
        };
        for text in all {
            let parsed = text.parse::<Condition>();
            let wrong = |error| Failure::usage(format!("{text:?}: {error}"));
            selection.conditions.push(parsed.map_err(wrong)?);
        }
    }
    Ok(selection)
}

/// The moments of a range, which mean another place in each recording.
struct Range {
    start: Option<Moment>,
    end: Option<Moment>,
}

impl Range {
    /// Refuses a range that ends before it starts, as far as this is known without a recording: else each would have
    /// this problem.
    fn check(&self) -> Result<(), Failure> {
        let at = |moment: &Option<Moment>| moment.as_ref().and_then(Moment::fixed);
        let scan = Scan {
            from: at(&self.start),
            to: at(&self.end),
            ..Scan::table("")
        };
        let checked = scan.check_range();
        checked.map_err(|error| Failure::usage(error.to_string()))
    }

    /// Returns a scan with the range in a recording; `None` if it ends before the recording starts. The last five
    /// seconds of a recording that is shorter are all of it.
    fn within(
        &self,
        scan: &Scan,
        recording: &Recording,
        work: &Work<'_>,
    ) -> Result<Option<Scan>, Failure> {
        let at = |moment: &Moment| moment.if_long_enough(recording, work);
        let from = self.start.as_ref().map(at).transpose()?.flatten();
        let to = self.end.as_ref().map(at).transpose()?;
        if to == Some(None) {
            return Ok(None);
        }
        let scan = Scan {
            from,
            to: to.flatten(),
            ..scan.clone()
        };
        let checked = scan.check_range();
        checked.map_err(|error| Failure::scan(recording.path(), error))?;
        Ok(Some(scan))
    }
}

/// What is wanted of each recording.
struct Wanted<'w> {
    columns: &'w Columns,
    selection: &'w Selection,
    range: &'w Range,
}

/// Recordings that have a table.
struct Archive {
    /// Their paths, and how many bytes they have.
    paths: Vec<(PathBuf, u64)>,
    /// The kind of the recordings, if it was named.
    kind: Option<&'static str>,
    /// The kinds of those that were found.
    kinds: BTreeSet<&'static str>,
    merge: Merge,
    scan: Scan,
}

/// Splits `rmv.game` into the kind and the table. A name without a kind is a table's.
fn named(name: &str) -> (Option<&'static str>, &str) {
    let formats = gametape::formats();
    let of_kind = name.split_once('.').and_then(|(kind, table)| {
        let mut of_it = formats.iter().filter(|format| format.kind() == kind);
        Some((of_it.next()?.kind(), table))
    });
    of_kind.map_or((None, name), |(kind, table)| (Some(kind), table))
}

impl Archive {
    /// Finds the recordings, and what is the table of all of them.
    fn find(
        paths: &[PathBuf],
        table: &str,
        errors: Errors,
        problems: &Problems,
        work: &Work<'_>,
    ) -> Result<Self, Failure> {
        let (kind, name) = named(table);
        let mut archive = Self {
            paths: Vec::new(),
            kind,
            kinds: BTreeSet::new(),
            merge: Merge::default(),
            scan: Scan::table(name).wherever(),
        };
        let (mut without, mut failures) = (None, Vec::new());
        for found in paths.iter().flat_map(gametape::find) {
            if work.wanted().is_err() {
                return Err(Failure::usage("cancelled"));
            }
            let added = found.map_err(Failure::from);
            let added = added.and_then(|found| archive.add(&found, &mut without));
            match added {
                Err(failure) if errors == Errors::Collect => failures.push(failure),
                added => added?,
            }
        }
        if archive.merge.table().is_none() {
            // Where there is nothing to go on with, the reason is the error.
            let failure = without.or_else(|| failures.into_iter().next());
            return Err(failure.unwrap_or_else(|| {
                Failure::usage(format!("there is no recording that has a table {table}"))
            }));
        }
        for failure in failures {
            problems.note(failure);
        }
        Ok(archive)
    }

    fn add(&mut self, found: &Found, without: &mut Option<Failure>) -> Result<(), Failure> {
        let recording = match Recording::open(&found.path) {
            // Other files lie beside recordings.
            Err(gametape::Error::UnknownFormat { .. }) if !found.named => return Ok(()),
            recording => recording?,
        };
        let kind = recording.format().kind();
        if self.kind.is_some_and(|wanted| wanted != kind) {
            return Ok(());
        }
        let tables = recording.tables()?;
        match self.scan.find(&tables) {
            Ok(table) => {
                let name = found.path.spelled();
                let added = self.merge.add(&name, table);
                added.map_err(|differs| self.apart(kind, &differs))?;
                self.kinds.insert(kind);
                let size = recording.input().size();
                self.paths.push((found.path.clone(), size));
            }
            Err(error) => *without = Some(Failure::scan(&found.path, error)),
        }
        Ok(())
    }

    /// The error for a recording of this kind whose table is another than that of the others.
    fn apart(&self, kind: &'static str, differs: &Differs) -> Failure {
        let mut kinds = self.kinds.clone();
        kinds.insert(kind);
        if kinds.len() < 2 {
            return Failure::usage(differs.to_string());
        }
        let Differs {
            first,
            second,
            error,
        } = differs;
        let table = &self.scan.table;
        let names = kinds.iter().map(|kind| format!("\"{kind}.{table}\""));
        let names = names.collect::<Vec<_>>().join(" or ");
        Failure::usage(format!(
            "{first} and {second} differ: {error}; they are of two kinds: ask for {names}"
        ))
    }

    fn columns(
        &self,
        names: Option<&[String]>,
        secrets: Secrets,
        selection: &Selection,
    ) -> Result<Columns, Failure> {
        let Some((table, path)) = self
            .merge
            .table()
            .zip(self.paths.first().map(|(path, _)| path))
        else {
            return Err(Failure::usage("there is no recording"));
        };
        // Conditions are checked once, and not where one of the recordings lacks a column.
        Selecting::new(table, &self.scan, selection).map_err(|error| Failure::scan(path, error))?;
        Columns::of(table, names, secrets, true).map_err(|error| error.of(path))
    }

    fn read(
        &self,
        wanted: &Wanted<'_>,
        out: &crate::stream::Output,
        errors: Errors,
        problems: &Problems,
    ) {
        let mut before = 0;
        for (path, size) in &self.paths {
            let read = self.read_one(path, before, wanted, out);
            before += size;
            out.at(before);
            let goes_on = match read {
                Ok(ControlFlow::Continue(())) => out.is_wanted(),
                Ok(ControlFlow::Break(())) => false,
                Err(failure) => out.problem(failure, errors, problems),
            };
            if !goes_on {
                return;
            }
        }
    }

    fn read_one(
        &self,
        path: &PathBuf,
        before: u64,
        wanted: &Wanted<'_>,
        out: &crate::stream::Output,
    ) -> Result<ControlFlow<()>, Failure> {
        let recording = Recording::open(path)?;
        let tables = recording.tables()?;
        let Ok(own) = self.scan.find(&tables) else {
            // It has changed since.
            return Ok(ControlFlow::Continue(()));
        };
        let has = |condition: &Condition| {
            let stamp = gametape::core::table::StampColumn::named(&condition.column);
            stamp.is_some() || own.column(&condition.column).is_some()
        };
        if !wanted.selection.conditions.iter().all(has) {
            // A missing value meets no condition.
            return Ok(ControlFlow::Continue(()));
        }
        let range = &wanted.range;
        let Some(scan) = range.within(&self.scan, &recording, &out.work())? else {
            return Ok(ControlFlow::Continue(()));
        };
        Reading {
            recording: &recording,
            own,
            columns: wanted.columns,
            scan: &scan,
            selection: wanted.selection,
            before,
        }
        .run(out)
    }
}
