//! The rows that hold at moments of each recording.

use std::ops::ControlFlow;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result};
use gametape::core::table::Owned;
use gametape::{
    At, ColumnDef, Lane, Playback, Recording, Scan, Secrets, TableDef, Time, Value, When,
};
use gametape_core::Stamp;
use gametape_core::table::Batch;
use gametape_core::tape;
use gametape_tables::ArrowTable;

use crate::archive::Batches;
use crate::tables::newest::{Newest, when};

/// The moments whose states are asked for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Moments {
    /// One.
    One(When),
    /// One every so often, from the first step on.
    Every(Time),
    /// Those of the rows of another table.
    Of(String),
}

/// The number of rows from which on a batch is given.
const FULL: usize = 8_192;

/// Moments, one after the other.
type Ats = Box<dyn Iterator<Item = At> + Send>;

/// Takes the problem of a recording.
type Sink = Box<dyn FnMut(String) + Send>;

/// Reads the rows that hold at moments of a recording. A broken recording gives those before the damage,
/// and its problem to the sink.
pub(crate) fn rows(
    recording: &Recording,
    name: &str,
    table: &ArrowTable,
    moments: &Moments,
    columns: &[usize],
    secrets: Secrets,
    mut sink: Sink,
) -> Result<Batches, gametape::Error> {
    let none = || -> Result<Batches, gametape::Error> { Ok(Box::new(std::iter::empty())) };
    let tables = recording.tables()?;
    let definition = table.definition();
    let Some(own) = tables.iter().find(|own| own.name == definition.name) else {
        return none();
    };
    let play = recording.playback()?;
    let moments = match self::moments(recording, &play, &tables, moments, &mut sink) {
        Ok(moments) => moments,
        Err(error) if is_missing(&error) => return none(),
        Err(error) => return Err(error),
    };
    let asked = |column: &&ColumnDef| {
        let at = table.schema().index_of(&column.name);
        let is_asked = at.is_ok_and(|at| columns.contains(&at));
        is_asked && own.column(&column.name).is_some()
    };
    let asked: Vec<String> = (definition.columns.iter().filter(asked))
        .map(|column| column.name.to_string())
        .collect();
    let scan = Scan {
        secrets,
        columns: Some(asked.clone()),
        ..Scan::table(&*own.name)
    };
    let source = |column: &ColumnDef| asked.iter().position(|asked| *asked == column.name);
    let sources = definition.columns.iter().map(source).collect();
    let columns = columns.to_vec();
    Ok(Box::new(States {
        name: name.to_owned(),
        table: table.clone(),
        newest: (own.lane == Lane::Events).then(|| Newest::new(recording.tape(), scan.clone())),
        play,
        scan,
        sources,
        last: None,
        columns,
        moments,
        sink,
    }))
}

/// Returns whether nothing is recorded at a moment, or the recording does not have this clock or word for
/// a step. Any other error is a problem of the recording.
pub(crate) fn is_missing(error: &gametape::Error) -> bool {
    matches!(
        error.tape_error(),
        Some(
            tape::Error::NotRecorded { .. } | tape::Error::NoClock(_) | tape::Error::Unsupported(_)
        )
    )
}

fn moments(
    recording: &Recording,
    play: &Playback,
    tables: &[TableDef],
    moments: &Moments,
    sink: &mut Sink,
) -> Result<Ats, gametape::Error> {
    match moments {
        Moments::One(when) => Ok(Box::new(std::iter::once(recording.at(when)?))),
        Moments::Every(every) => {
            let span = play.span();
            let Some((first, last)) = span.first.time.zip(span.last.time) else {
                return Ok(Box::new(std::iter::empty()));
            };
            let every = every.0;
            let after = move |at: &Time| Some(Time(at.0.checked_add(every)?));
            let all = std::iter::successors(Some(first), after);
            let all = all.take_while(move |at| *at <= last);
            Ok(Box::new(all.map(At::Time)))
        }
        Moments::Of(table) => {
            let mut steps: Vec<At> = Vec::new();
            if tables.iter().all(|own| own.name != *table) {
                return Ok(Box::new(std::iter::empty()));
            }
            let scan = Scan::table(table.as_str()).columns(Vec::<String>::new());
            let scanned = recording.scan(&scan, |batch| {
                for row in 0..batch.len() {
                    let step = At::Step(batch.stamp(row).step);
                    if steps.last() != Some(&step) {
                        steps.push(step);
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if let Err(problem) = scanned.whole() {
                sink(problem.to_string());
            }
            Ok(Box::new(steps.into_iter()))
        }
    }
}

/// The states at moments, one after the other.
struct States {
    name: String,
    table: ArrowTable,
    play: Playback,
    /// The events, if the table is one of events.
    newest: Option<Newest>,
    scan: Scan,
    /// For each column of the table its place in the rows that hold; `None` if nobody asks for it, or the
    /// recording does not have it.
    sources: Vec<Option<usize>>,
    /// The newest step that was given. Moments that lie close to each other may share a step.
    last: Option<u64>,
    columns: Vec<usize>,
    moments: Ats,
    sink: Sink,
}

impl States {
    /// Adds the rows that hold at a moment.
    fn add(&mut self, at: At, rows: &mut Batch) -> Result<(), gametape::Error> {
        let stamp: Stamp = match self.play.seek(at) {
            Ok(stamp) => stamp,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        if self.last.replace(stamp.step) == Some(stamp.step) {
            return Ok(());
        }
        // They have the stamp of the moment.
        if let Some(newest) = &mut self.newest {
            let failed = |error| gametape::Error::Tape {
                path: self.name.clone().into(),
                source: error,
            };
            let columns = &self.table.definition().columns;
            if let Some((event, values)) = newest.at(stamp).map_err(failed)? {
                let value = |(column, at): (&ColumnDef, &Option<usize>)| {
                    let own = at.and_then(|at| values.get(at)).cloned();
                    when(&column.name, stamp, *event)
                        .or(own)
                        .unwrap_or(Owned::Null)
                };
                let row: Vec<Owned> = columns.iter().zip(&self.sources).map(value).collect();
                rows.push(stamp, row.iter().map(Owned::value));
            }
            return match newest.problem() {
                Some(problem) => Err(failed(problem)),
                None => Ok(()),
            };
        }
        let held = self.play.state(&self.scan)?;
        for row in 0..held.len() {
            let value = |at: &Option<usize>| at.map_or(Value::Null, |at| held.get(row, at));
            rows.push(stamp, self.sources.iter().map(value));
        }
        match self.play.problem() {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}

impl Iterator for States {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let columns = &self.table.definition().columns;
        let mut rows = Batch::new(columns.iter().map(|column| column.kind));
        while rows.len() < FULL {
            let Some(at) = self.moments.next() else {
                break;
            };
            if let Err(error) = self.add(at, &mut rows) {
                self.moments = Box::new(std::iter::empty());
                (self.sink)(error.to_string());
            }
        }
        if rows.is_empty() {
            return None;
        }
        match self.table.record(&self.name, rows, Some(&self.columns)) {
            Err(ArrowError::ExternalError(error)) => {
                self.moments = Box::new(std::iter::empty());
                (self.sink)(error.to_string());
                None
            }
            batch => Some(batch.map_err(DataFusionError::from)),
        }
    }
}
