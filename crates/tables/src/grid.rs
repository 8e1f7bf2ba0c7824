//! Grids as arrays of cells.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gametape_core::table::{Batch, Kind, Lane, Owned, Scan, StampColumn, TableDef, Value};
use gametape_core::tape::Tape;
use gametape_core::{At, Stamp};

use crate::array::{Made, Type, same_text};
use crate::reader::{Problem, ReadError, Rows, find};
use crate::table::{ArrowTable, Origin};

/// The number of cells after which a batch ends.
const CELLS: usize = 1 << 18;

/// The stamps of a row of a grid.
const STAMPS: [StampColumn; 3] = [StampColumn::Step, StampColumn::Tick, StampColumn::Time];

/// A grid as arrays of cells: see [`ArrowTable::grid_reader`].
pub struct GridReader {
    rows: Rows,
    schema: SchemaRef,
    recording: Arc<StringArray>,
    /// The types of stamps, then of cells.
    types: [Vec<Type>; 2],
    kinds: Vec<Kind>,
    from: Option<At>,
    now: Cells,
    /// The step whose rows are being read.
    open: Option<Stamp>,
    /// The steps that are read but not given yet, and their cells, one step after the other.
    steps: Vec<Stamp>,
    cells: Batch,
}

/// The cells at a moment.
struct Cells {
    places: Places,
    count: usize,
    /// The columns of a batch that are no keys.
    others: Vec<usize>,
    /// The values of each column that is no key.
    values: Vec<Vec<Owned>>,
}

/// The places of cells in an array of the grid's shape.
struct Places {
    shape: Vec<u64>,
    /// The columns of a batch that are keys.
    keys: Vec<usize>,
    /// The smallest key along each edge, once the first step is there.
    origin: Option<Vec<i128>>,
}

impl ArrowTable {
    /// Reads a grid of a recording as arrays of cells: one row for each step at which a cell changes,
    /// with a list of all cells for each column that is no key. Cells are in the order of the keys; the
    /// last key varies fastest. A cell that does not exist (in a hexagon, say), or of which nothing is
    /// known yet, is null.
    ///
    /// ```
    /// use gametape_core::table::Scan;
    /// use gametape_core::tape::Secrets;
    /// use gametape_tables::ArrowTable;
    ///
    /// # let bytes = gametape_samples::mines::example();
    /// let game = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let tables = game.tables()?;
    /// let board = Scan::table("board");
    /// let table = ArrowTable::new(board.find(&tables)?, Secrets::Hide);
    /// let mut steps = table.grid_reader("game.rmv", game.tape(), None, None)?;
    /// let first = steps.next().unwrap()?;
    /// assert_eq!(first.column_by_name("recorded").unwrap().len(), first.num_rows());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the table is not a grid, or has more than 2^31 cells.
    pub fn grid_reader(
        &self,
        name: &str,
        tape: &Arc<dyn Tape>,
        from: Option<At>,
        to: Option<At>,
    ) -> Result<GridReader, ArrowError> {
        GridReader::new(self, name, tape, from, to)
    }

    /// Puts the cells of a grid at one moment, such as the state of a playback, into the order of an array
    /// of the grid's shape: that of the keys, the last of which varies fastest. The batch has all columns
    /// of the table. A cell that does not exist becomes a row of missing values.
    ///
    /// ```
    /// use gametape_core::table::Scan;
    /// use gametape_core::tape::Secrets;
    /// use gametape_tables::ArrowTable;
    ///
    /// # let bytes = gametape_samples::mines::example();
    /// let game = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let tables = game.tables()?;
    /// let board = Scan::table("board");
    /// let table = ArrowTable::new(board.find(&tables)?, Secrets::Hide);
    /// let cells = table.in_order("game.rmv", game.playback()?.state(&board)?)?;
    /// assert_eq!(cells.len() as u64, table.definition().shape.iter().product::<u64>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the table is not a grid, or has more than 2^31 cells, or hardly any of its cells is
    /// there; [`ReadError`] if a cell is outside of the grid.
    pub fn in_order(&self, name: &str, batch: Batch) -> Result<Batch, ArrowError> {
        let grid = self.definition();
        let count = usize::try_from(count(grid)?).unwrap_or_default();
        let columns = grid.columns.iter().enumerate();
        let keys = columns.filter(|(_, column)| column.key);
        let mut places = Places {
            shape: grid.shape.clone(),
            keys: keys.map(|(at, _)| at).collect(),
            origin: None,
        };
        places.find_origin(&batch);
        let rows = 0..batch.len();
        let places: Result<Vec<usize>, Problem> =
            rows.map(|row| places.place(&batch, row)).collect();
        let places = places.map_err(|problem| ReadError {
            recording: name.to_owned(),
            problem,
        })?;
        if places.iter().copied().eq(0..count) {
            return Ok(batch);
        }
        // The cells that are there bound the memory, not the shape that a file claims.
        if count > batch.len().saturating_mul(64).max(1 << 20) {
            let told = format!("{} has {} of {count} cells", grid.name, batch.len());
            return Err(ArrowError::SchemaError(told));
        }
        let mut row_of = vec![None; count];
        for (row, place) in places.into_iter().enumerate() {
            if let Some(slot) = row_of.get_mut(place) {
                *slot = Some(row);
            }
        }
        let kinds = grid.columns.iter().map(|column| column.kind);
        let mut ordered = Batch::new(kinds);
        let stamp = batch.stamp(0);
        for row in row_of {
            let value = |column| row.map_or(Value::Null, |row| batch.get(row, column));
            ordered.push(stamp, (0..grid.columns.len()).map(value));
        }
        Ok(ordered)
    }
}

impl GridReader {
    pub(crate) fn new(
        table: &ArrowTable,
        name: &str,
        tape: &Arc<dyn Tape>,
        from: Option<At>,
        to: Option<At>,
    ) -> Result<Self, ArrowError> {
        let grid = table.definition();
        let count = count(grid)?;
        let mut fields = Vec::new();
        let (mut stamps, mut types, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        let (mut names, mut keys, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (origin, field) in table.origins().iter().zip(table.schema().fields()) {
            let own = match *origin {
                Origin::Own(at) => grid.columns.get(at),
                Origin::Recording | Origin::Stamp(_) => {
                    if matches!(origin, Origin::Stamp(_)) {
                        stamps.push(Type::new(field.name(), field.data_type(), []));
                    }
                    fields.push(Arc::clone(field));
                    continue;
                }
            };
            let Some(column) = own else {
                continue;
            };
            names.push(field.name().clone());
            if column.key {
                keys.push(names.len() - 1);
                continue;
            }
            others.push(names.len() - 1);
            kinds.push(column.kind);
            let known = column.values.iter().map(|text| &**text);
            types.push(Type::new(field.name(), field.data_type(), known));
            let item = Field::new_list_field(field.data_type().clone(), true);
            let list = DataType::FixedSizeList(Arc::new(item), count);
            let list = field.as_ref().clone().with_data_type(list);
            fields.push(Arc::new(list.with_nullable(false)));
        }
        let schema = Schema::new_with_metadata(fields, table.schema().metadata().clone());
        // Cells hold until they change, so those before the range count.
        let scan = Scan {
            columns: Some(names),
            secrets: table.secrets(),
            to,
            ..Scan::table(&*grid.name)
        };
        let own = find(tape, grid);
        let own = own.map(|own| own.filter(|own| own.shape == grid.shape));
        let count = usize::try_from(count).unwrap_or_default();
        Ok(Self {
            rows: Rows::new(name, own.map(|own| own.map(|_| tape.pull([scan])))),
            schema: Arc::new(schema),
            recording: Arc::new(StringArray::from_iter_values([name])),
            types: [stamps, types],
            from,
            now: Cells {
                places: Places {
                    shape: grid.shape.clone(),
                    keys,
                    origin: None,
                },
                count,
                others,
                values: vec![vec![Owned::Null; count]; kinds.len()],
            },
            open: None,
            steps: Vec::new(),
            cells: Batch::new(kinds.iter().copied()).without_stamps(),
            kinds,
        })
    }

    /// Gives the problem of the recording to a function. The reader then ends without an error.
    #[must_use]
    pub fn problems_to(mut self, sink: impl FnMut(ReadError) + Send + 'static) -> Self {
        self.rows.problems_to(sink);
        self
    }

    /// Takes the rows of a batch.
    fn take(&mut self, batch: &Batch) {
        if self.now.places.origin.is_none() {
            self.now.places.find_origin(batch);
        }
        for row in 0..batch.len() {
            let stamp = batch.stamp(row);
            if self.open.is_some_and(|open| open.step != stamp.step) {
                self.close();
            }
            self.open = Some(stamp);
            if let Err(problem) = self.now.set(batch, row) {
                self.rows.fail(problem);
                self.open = None;
                return;
            }
        }
    }

    /// Ends the step whose rows were read.
    fn close(&mut self) {
        let Some(stamp) = self.open.take() else {
            return;
        };
        let is_before = |from: At| from.order(stamp) == Some(Ordering::Less);
        if self.from.is_some_and(is_before) {
            return;
        }
        self.steps.push(stamp);
        for cell in 0..self.now.count {
            let values = self.now.values.iter();
            let values = values.map(|values| values.get(cell).map_or(Value::Null, Owned::value));
            self.cells.push(stamp, values);
        }
    }

    /// Takes out the steps that were read.
    fn record(&mut self) -> Result<RecordBatch, ArrowError> {
        let mut stamps = Batch::new(STAMPS.map(StampColumn::kind)).without_stamps();
        for stamp in std::mem::take(&mut self.steps) {
            stamps.push(stamp, STAMPS.map(|column| column.value(stamp, false)));
        }
        let empty = Batch::new(self.kinds.iter().copied()).without_stamps();
        let cells = std::mem::replace(&mut self.cells, empty);
        let steps = stamps.len();
        let mut wrong: Option<(usize, Problem)> = None;
        let mut arrays: Vec<ArrayRef> = vec![same_text(&self.recording, steps)?];
        let [stamp_types, types] = &self.types;
        for (column, kind) in stamps.into_columns().into_iter().zip(stamp_types) {
            let Made { array, wrong: new } = kind.array(column)?;
            arrays.push(array);
            wrong = first(wrong, new.map(|(row, error)| (row, error.into())));
        }
        let lists: Vec<_> = self.schema.fields().iter().skip(arrays.len()).collect();
        let columns = cells.into_columns().into_iter().zip(types);
        for ((column, kind), list) in columns.zip(lists) {
            let DataType::FixedSizeList(item, count) = list.data_type() else {
                continue;
            };
            let Made { array, wrong: new } = kind.array(column)?;
            let list = FixedSizeListArray::try_new(Arc::clone(item), *count, array, None)?;
            arrays.push(Arc::new(list));
            let new = new.map(|(cell, error)| (cell / self.now.count.max(1), error.into()));
            wrong = first(wrong, new);
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)?;
        Ok(match wrong {
            Some((row, problem)) => {
                self.rows.fail(problem);
                batch.slice(0, row)
            }
            None => batch,
        })
    }
}

/// The number of cells of a grid.
fn count(grid: &TableDef) -> Result<i32, ArrowError> {
    let wrong = |what: &str| Err(ArrowError::SchemaError(format!("{} {what}", grid.name)));
    if grid.lane != Lane::Grid {
        return wrong("is not a grid");
    }
    if grid.shape.is_empty() {
        return wrong("has another shape in each recording: read one at a time");
    }
    let product = |product: u64, edge: &u64| product.checked_mul(*edge);
    let count = grid.shape.iter().try_fold(1_u64, product);
    match count.and_then(|count| i32::try_from(count).ok()) {
        Some(count) => Ok(count),
        None => wrong("has more cells than a list can have"),
    }
}

fn first(a: Option<(usize, Problem)>, b: Option<(usize, Problem)>) -> Option<(usize, Problem)> {
    a.into_iter().chain(b).min_by_key(|(row, _)| *row)
}

impl Places {
    /// Finds where the keys start: at 0, or, for a grid whose keys are elsewhere, at the smallest of the
    /// first step, which gives all cells.
    fn find_origin(&mut self, batch: &Batch) {
        let first = batch.steps().first();
        let rows = batch.steps().iter().take_while(|step| Some(*step) == first);
        let rows = rows.count();
        let origin = self.keys.iter().zip(&self.shape).map(|(key, edge)| {
            let keys = || (0..rows).filter_map(|row| whole(batch.get(row, *key)));
            let fits = keys().all(|key| (0..i128::from(*edge)).contains(&key));
            if fits { 0 } else { keys().min().unwrap_or(0) }
        });
        self.origin = Some(origin.collect());
    }

    fn place(&self, batch: &Batch, row: usize) -> Result<usize, Problem> {
        let mut cell = 0;
        let origins = self.origin.iter().flatten();
        for ((key, edge), origin) in self.keys.iter().zip(&self.shape).zip(origins) {
            let at = whole(batch.get(row, *key)).map(|key| key - origin);
            let at = at.and_then(|at| u64::try_from(at).ok());
            let Some(at) = at.filter(|at| at < edge) else {
                let step = batch.stamp(row).step;
                return Err(Problem::OutsideGrid { step });
            };
            cell = cell * edge + at;
        }
        Ok(usize::try_from(cell).unwrap_or(usize::MAX))
    }
}

impl Cells {
    fn set(&mut self, batch: &Batch, row: usize) -> Result<(), Problem> {
        let cell = self.places.place(batch, row)?;
        for (values, column) in self.values.iter_mut().zip(&self.others) {
            if let Some(value) = values.get_mut(cell) {
                *value = batch.get(row, *column).into();
            }
        }
        Ok(())
    }
}

fn whole(value: Value<'_>) -> Option<i128> {
    match value {
        Value::Int(value) => Some(value.into()),
        Value::Uint(value) => Some(value.into()),
        _ => None,
    }
}

impl Iterator for GridReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.cells.len() < CELLS {
            let Some(batch) = self.rows.next() else {
                self.close();
                break;
            };
            self.take(&batch);
        }
        if self.steps.is_empty() {
            return self.rows.end();
        }
        match self.record() {
            Ok(batch) if batch.num_rows() == 0 => self.next(),
            batch => Some(batch),
        }
    }
}

impl RecordBatchReader for GridReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
