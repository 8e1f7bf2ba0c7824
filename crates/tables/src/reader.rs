//! Rows as record batches.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, SchemaRef};
use gametape_core::surface::Pull;
use gametape_core::table::{Batch, Column, Late, Scan, StampColumn, TableDef};
use gametape_core::tape::{self, Tape};

use crate::array::{ArrayError, Made, Type, same_text};
use crate::table::{ArrowTable, Origin};

/// Why there are no more rows of a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The recording is broken, or cannot be read.
    #[error(transparent)]
    Recording(#[from] tape::Error),
    /// A value does not fit into its Arrow column.
    #[error(transparent)]
    Value(#[from] ArrayError),
    /// A row of a grid is not within its shape.
    #[error("step {step} has a cell outside of the grid")]
    OutsideGrid {
        /// The step of the row.
        step: u64,
    },
}

/// A problem of a recording, with its name: the error of a [`Reader`].
#[derive(Debug, thiserror::Error)]
#[error("{recording}: {problem}")]
pub struct ReadError {
    /// The name of the recording.
    pub recording: String,
    /// The problem.
    #[source]
    pub problem: Problem,
}

impl From<ReadError> for ArrowError {
    fn from(error: ReadError) -> Self {
        Self::ExternalError(Box::new(error))
    }
}

/// Takes the problems of recordings.
type Sink = Box<dyn FnMut(ReadError) + Send>;

/// The rows of a table of one recording as record batches: see [`ArrowTable::reader`].
///
/// A broken recording has the rows before the damage. Then the problem is the last item, as an
/// error, unless [`Reader::problems_to`] takes it.
pub struct Reader {
    rows: Rows,
    moving: Moving,
}

/// Moves batches into arrays.
pub(crate) struct Moving {
    schema: SchemaRef,
    columns: Vec<Source>,
    recording: Arc<StringArray>,
}

/// Rows of a recording, and where its problem goes.
pub(crate) struct Rows {
    name: String,
    state: State,
    sink: Option<Sink>,
}

enum State {
    Pull(Pull),
    /// The problem is not given yet.
    Failed(Problem),
    Over,
}

/// The source of an Arrow column.
struct Source {
    of: Of,
    kind: Arc<Type>,
}

enum Of {
    Recording,
    /// The recording does not have the column.
    Missing,
    /// A column of the batch, by index.
    Batch(usize),
}

impl ArrowTable {
    /// Reads rows of a recording. `name` is the value of the column `recording`; the scan gives the
    /// range, the keys and, where it is a [piece](trait.Tape.html#method.pieces), the piece. The columns
    /// are those of the schema at these indexes, in this order; all for `None`. Only these are decoded.
    ///
    /// A column that this recording does not have is null, and a recording without the table has no
    /// rows. Rows are in the order of their steps. All rows in the range are given, even where a clock
    /// goes back.
    ///
    /// # Errors
    /// If there is no column of such an index.
    pub fn reader(
        &self,
        name: &str,
        tape: &Arc<dyn Tape>,
        scan: &Scan,
        columns: Option<&[usize]>,
    ) -> Result<Reader, ArrowError> {
        let own = find(tape, self.definition()).map(|own| own.map(Cow::Owned));
        Reader::new(self, name, tape, own, scan, columns)
    }

    /// Like [`reader`](Self::reader), for a program that knows the table as this recording has it, or that it
    /// has none: of small recordings, asking once more costs as much as reading the rows.
    ///
    /// # Errors
    /// The same.
    pub fn reader_of(
        &self,
        name: &str,
        tape: &Arc<dyn Tape>,
        own: Option<&TableDef>,
        scan: &Scan,
        columns: Option<&[usize]>,
    ) -> Result<Reader, ArrowError> {
        Reader::new(self, name, tape, Ok(own.map(Cow::Borrowed)), scan, columns)
    }

    /// Moves rows that were made otherwise, such as the state at a moment, into a record batch. The batch
    /// has stamps and all columns of the table.
    ///
    /// # Errors
    /// If there is no column of such an index; [`ReadError`] if a value does not fit into its column.
    pub fn record(
        &self,
        name: &str,
        batch: Batch,
        columns: Option<&[usize]>,
    ) -> Result<RecordBatch, ArrowError> {
        let (moving, asked) = Moving::new(self, name, columns, |_| true)?;
        let mut stamps = Batch::new(StampColumn::ALL.map(StampColumn::kind)).without_stamps();
        for row in 0..batch.len() {
            let (stamp, ended) = (batch.stamp(row), batch.is_end(row));
            stamps.push(
                stamp,
                StampColumn::ALL.map(|column| column.value(stamp, ended)),
            );
        }
        let rows = batch.len();
        // A table of facts has no stamps, and may call columns of its own so.
        let names = self.definition().columns.iter().map(|column| &*column.name);
        let names = names.chain(StampColumn::ALL.map(StampColumn::name));
        let columns = batch.into_columns().into_iter();
        let columns = columns.chain(stamps.into_columns());
        let mut all: Vec<(&str, Option<Column>)> = names.zip(columns.map(Some)).collect();
        let mut take = |name: &String| {
            let mut all = all.iter_mut();
            all.find(|(own, _)| own == name)?.1.take()
        };
        let columns = asked.iter().map(&mut take).collect();
        match moving.arrays(rows, columns)? {
            (batch, None) => Ok(batch),
            (_, Some(error)) => Err(ArrowError::from(ReadError {
                recording: name.to_owned(),
                problem: error.into(),
            })),
        }
    }
}

impl Moving {
    /// Also returns the names of the columns that batches must have. `has` says whether they can have a
    /// column of the table.
    pub fn new(
        table: &ArrowTable,
        name: &str,
        columns: Option<&[usize]>,
        has: impl Fn(&str) -> bool,
    ) -> Result<(Self, Vec<String>), ArrowError> {
        let all: Vec<usize> = (0..table.origins().len()).collect();
        let columns = columns.unwrap_or(&all);
        let schema = Arc::new(table.schema().project(columns)?);
        let mut asked = Vec::new();
        let mut sources = Vec::new();
        for at in columns {
            let field = table.schema().fields().get(*at);
            let origin = table.origins().get(*at).zip(table.types().get(*at));
            let Some(((origin, kind), field)) = origin.zip(field) else {
                continue;
            };
            let of = match origin {
                Origin::Recording => Of::Recording,
                Origin::Own(_) if !has(field.name()) => Of::Missing,
                Origin::Own(_) | Origin::Stamp(_) => {
                    asked.push(field.name().clone());
                    Of::Batch(asked.len() - 1)
                }
            };
            let kind = Arc::clone(kind);
            sources.push(Source { of, kind });
        }
        let moving = Self {
            schema,
            columns: sources,
            recording: Arc::new(StringArray::from_iter_values([name])),
        };
        Ok((moving, asked))
    }

    /// Moves a batch into arrays. If one of its values has no place in its column, there are the rows
    /// before, and the reason.
    pub fn record(&self, batch: Batch) -> Result<(RecordBatch, Option<ArrayError>), ArrowError> {
        let rows = batch.len();
        self.arrays(rows, batch.into_columns().into_iter().map(Some).collect())
    }

    /// Moves columns into arrays: those that were asked for, in their order.
    pub fn arrays(
        &self,
        rows: usize,
        mut columns: Vec<Option<Column>>,
    ) -> Result<(RecordBatch, Option<ArrayError>), ArrowError> {
        let mut wrong: Option<(usize, ArrayError)> = None;
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for source in &self.columns {
            let column = match source.of {
                Of::Recording => {
                    arrays.push(same_text(&self.recording, rows)?);
                    continue;
                }
                Of::Missing => None,
                Of::Batch(at) => columns.get_mut(at).and_then(Option::take),
            };
            let Some(column) = column else {
                arrays.push(source.kind.missing(rows));
                continue;
            };
            let Made { array, wrong: new } = source.kind.array(column)?;
            arrays.push(array);
            wrong = [wrong, new]
                .into_iter()
                .flatten()
                .min_by_key(|(row, _)| *row);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)?;
        Ok(match wrong {
            Some((row, error)) => (batch.slice(0, row), Some(error)),
            None => (batch, None),
        })
    }
}

impl Reader {
    pub(crate) fn new(
        table: &ArrowTable,
        name: &str,
        tape: &Arc<dyn Tape>,
        own: Result<Option<Cow<'_, TableDef>>, tape::Error>,
        scan: &Scan,
        columns: Option<&[usize]>,
    ) -> Result<Self, ArrowError> {
        let has = |column: &str| match &own {
            Ok(Some(own)) => own.column(column).is_some(),
            _ => false,
        };
        let (moving, asked) = Moving::new(table, name, columns, has)?;
        let scan = Scan {
            table: table.definition().name.to_string(),
            columns: Some(asked),
            stamps: false,
            secrets: table.secrets(),
            late: Late::Skip,
            ..scan.clone()
        };
        Ok(Self {
            rows: Rows::new(name, own.map(|own| own.map(|_| tape.pull([scan])))),
            moving,
        })
    }

    /// Gives the problem of a recording to a function. The reader then ends without an error.
    #[must_use]
    pub fn problems_to(mut self, sink: impl FnMut(ReadError) + Send + 'static) -> Self {
        self.rows.problems_to(sink);
        self
    }

    /// Returns the number of bytes of the recording that were processed so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        match &self.rows.state {
            State::Pull(pull) => pull.bytes_read(),
            _ => 0,
        }
    }

    /// Returns a function that cancels reading from any thread; `None` if nothing is left to read. The
    /// next item is then an error.
    pub fn canceller(&self) -> Option<impl Fn() + Send + Sync + use<>> {
        match &self.rows.state {
            State::Pull(pull) => Some(pull.canceller()),
            _ => None,
        }
    }
}

/// Finds the table of a recording; `None` if it does not have one.
pub(crate) fn find(
    tape: &Arc<dyn Tape>,
    table: &TableDef,
) -> Result<Option<TableDef>, tape::Error> {
    let mut tables = tape.tables()?.into_iter();
    Ok(tables.find(|own| own.name == table.name))
}

impl Rows {
    /// Without a `pull` there are no rows.
    pub fn new(name: &str, pull: Result<Option<Pull>, tape::Error>) -> Self {
        Self {
            name: name.to_owned(),
            state: match pull {
                Ok(Some(pull)) => State::Pull(pull),
                Ok(None) => State::Over,
                Err(error) => State::Failed(error.into()),
            },
            sink: None,
        }
    }

    /// Returns the next batch; `None` if there are no more.
    pub fn next(&mut self) -> Option<Batch> {
        let State::Pull(pull) = &mut self.state else {
            return None;
        };
        match pull.next_batch() {
            Ok(Some((_, batch))) => return Some(batch),
            Ok(None) => match pull.problem(0) {
                Some(problem) => self.fail(problem),
                None => self.state = State::Over,
            },
            Err(error) => self.fail(error),
        }
        None
    }

    /// Gives the problem of the recording once: to the sink, or as an error.
    pub fn end<T>(&mut self) -> Option<Result<T, ArrowError>> {
        let State::Failed(problem) = std::mem::replace(&mut self.state, State::Over) else {
            return None;
        };
        let error = ReadError {
            recording: self.name.clone(),
            problem,
        };
        match &mut self.sink {
            Some(sink) => {
                sink(error);
                None
            }
            None => Some(Err(error.into())),
        }
    }

    pub fn problems_to(&mut self, sink: impl FnMut(ReadError) + Send + 'static) {
        self.sink = Some(Box::new(sink));
    }

    /// Ends with a problem, which comes after the rows.
    pub fn fail(&mut self, problem: impl Into<Problem>) {
        self.state = State::Failed(problem.into());
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(batch) = self.rows.next() {
            let (batch, wrong) = match self.moving.record(batch) {
                Ok(made) => made,
                Err(error) => return Some(Err(error)),
            };
            if let Some(wrong) = wrong {
                self.rows.fail(wrong);
            }
            if batch.num_rows() > 0 {
                return Some(Ok(batch));
            }
        }
        self.rows.end()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.moving.schema)
    }
}
