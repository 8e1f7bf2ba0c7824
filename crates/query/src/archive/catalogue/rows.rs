//! The rows of a catalogue's parts.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, ListArray, RecordBatch, StringArray, UInt32Array,
    new_null_array,
};
use datafusion::arrow::compute::{cast, filter, filter_record_batch, is_not_null, take};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef, UInt32Type};
use datafusion::common::{Result, internal_datafusion_err};

use super::entry::{Entry, Was};

/// The name of the column with a recording's number.
pub(crate) const FILE: &str = "file";

pub(crate) fn files_schema() -> SchemaRef {
    let field = |name, kind, nullable| Field::new(name, kind, nullable);
    let work = Field::new_list_field(DataType::Int64, true);
    Arc::new(Schema::new(vec![
        field("path", DataType::Utf8, false),
        field("bytes", DataType::Int64, false),
        field("modified_ns", DataType::Int64, false),
        field("changed_ns", DataType::Int64, false),
        field("blake3", DataType::Utf8, true),
        field("kind", DataType::Utf8, true),
        field("tables", DataType::UInt32, true),
        field("work_ns", DataType::List(Arc::new(work)), true),
        field("problem", DataType::Utf8, true),
    ]))
}

/// A file, as the list of files has it.
pub(crate) struct Row {
    pub path: String,
    pub was: Was,
    pub hash: Option<String>,
    pub entry: Entry,
    /// The number of the list of its tables.
    pub tables: Option<u32>,
}

pub(crate) fn files(rows: &[Row]) -> Result<RecordBatch> {
    let texts = |of: &dyn Fn(&Row) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let numbers = |of: &dyn Fn(&Row) -> i64| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    let size = |row: &Row| i64::try_from(row.was.bytes).unwrap_or(i64::MAX);
    let kind = |row: &Row| match row.entry {
        Entry::Recording { kind, .. } => Some(kind),
        _ => None,
    };
    let work = rows.iter().map(|row| match &row.entry {
        Entry::Recording { work, .. } => {
            let number = |work: &u64| Some(i64::try_from(*work).unwrap_or(i64::MAX));
            Some(work.iter().map(number).collect::<Vec<_>>())
        }
        _ => None,
    });
    let columns: Vec<ArrayRef> = vec![
        Arc::new(
            rows.iter()
                .map(|row| Some(row.path.as_str()))
                .collect::<StringArray>(),
        ),
        numbers(&size),
        numbers(&|row| row.was.modified),
        numbers(&|row| row.was.changed),
        texts(&|row| row.hash.as_deref()),
        Arc::new(rows.iter().map(kind).collect::<StringArray>()),
        Arc::new(rows.iter().map(|row| row.tables).collect::<UInt32Array>()),
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(work)),
        texts(&|row| match &row.entry {
            Entry::Broken(problem) => Some(problem),
            Entry::Recording { problem, .. } => problem.as_deref(),
            Entry::Other => None,
        }),
    ];
    Ok(RecordBatch::try_new(files_schema(), columns)?)
}

/// Gives rows the columns of a schema: those that they have, cast if need be, and null for others.
pub(crate) fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |field: &Arc<Field>| -> Result<ArrayRef> {
        Ok(match batch.column_by_name(field.name()) {
            Some(column) if column.data_type() == field.data_type() => Arc::clone(column),
            Some(column) => cast(column, field.data_type())?,
            None => new_null_array(field.data_type(), batch.num_rows()),
        })
    };
    let columns = schema.fields().iter().map(column).collect::<Result<_>>()?;
    let options =
        datafusion::arrow::array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        Arc::clone(schema),
        columns,
        &options,
    )?)
}

/// Gives the recordings of rows the numbers that they have elsewhere, and leaves out the rows of those that
/// have none there.
pub(crate) fn renumbered(batch: &RecordBatch, numbers: &[Option<u32>]) -> Result<RecordBatch> {
    let missing = || internal_datafusion_err!("rows without the number of their file");
    let at = batch.schema().index_of(FILE)?;
    let old = batch
        .column(at)
        .as_primitive_opt::<UInt32Type>()
        .ok_or_else(missing)?;
    let new: UInt32Array = (old.iter())
        .map(|old| numbers.get(old? as usize).copied().flatten())
        .collect();
    let is_there = is_not_null(&new)?;
    let mut columns = batch.columns().to_vec();
    if let Some(column) = columns.get_mut(at) {
        *column = Arc::new(new);
    }
    let schema = batch.schema();
    let fields = schema.fields().iter().enumerate();
    let fields: Vec<Field> = fields
        .map(|(place, field)| {
            let field = field.as_ref().clone();
            let nullable = field.is_nullable() || place == at;
            field.with_nullable(nullable)
        })
        .collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
    Ok(filter_record_batch(&batch, &is_there)?)
}

/// Gives rows the names of their recordings and the columns of a schema, and leaves out those of recordings
/// without a name.
pub(crate) fn named(
    batch: &RecordBatch,
    names: &StringArray,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let missing = || internal_datafusion_err!("rows without the number of their file");
    let files = batch.column_by_name(FILE).ok_or_else(missing)?;
    let recordings = take(names, files, None)?;
    let is_there = is_not_null(&recordings)?;
    let batch = filter_record_batch(batch, &is_there)?;
    let recordings = filter(&recordings, &is_there)?;
    let field = Field::new("recording", DataType::Utf8, false);
    let fields = batch.schema();
    let fields = std::iter::once(Arc::new(field)).chain(fields.fields().iter().cloned());
    let columns = std::iter::once(recordings).chain(batch.columns().iter().cloned());
    let schema_with = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    with_schema(
        &RecordBatch::try_new(schema_with, columns.collect())?,
        schema,
    )
}
