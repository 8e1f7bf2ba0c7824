//! The rows of an answer, in the form that was asked for.

use std::io::{self, Write};
use std::sync::Arc;

use clap::ValueEnum;
use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray as _, PrimitiveArray, RecordBatch, StringArray,
};
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::datatypes::{
    DataType, FieldRef, Float32Type, Float64Type, Int64Type, SchemaRef, UInt64Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::json::writer::{LineDelimited, NullableEncoder, make_encoder};
use datafusion::arrow::json::{
    Encoder, EncoderFactory, EncoderOptions, LineDelimitedWriter, WriterBuilder as JsonBuilder,
};
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use futures::StreamExt;
use gametape::Value;
use gametape::core::tape::write_json;

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// Columns for people to read.
    Table,
    /// Comma-separated values under a line of names.
    Csv,
    /// A JSON object a line.
    Jsonl,
    /// Arrow's stream of record batches.
    Arrow,
    /// A Parquet file.
    Parquet,
}

/// Writes the rows of an answer as they come, and returns how many there were. A table is written at the
/// end, because its columns are as wide as their widest value.
///
/// # Errors
/// [`DataFusionError::IoError`] for an error of `out`; the errors of the query.
pub async fn write(
    form: Form,
    rows: SendableRecordBatchStream,
    out: &mut (dyn Write + Send),
) -> Result<u64> {
    let mut noting = Noting { out, error: None };
    let written = write_all(form, rows, &mut noting).await;
    // The writers of the forms turn errors of `out` into texts of their own.
    match noting.error {
        Some(error) => Err(DataFusionError::IoError(error)),
        None => written,
    }
}

async fn write_all(
    form: Form,
    mut rows: SendableRecordBatchStream,
    out: &mut (dyn Write + Send),
) -> Result<u64> {
    let schema = rows.schema();
    let mut writer = Writer::new(form, &schema, out)?;
    let mut count = 0;
    loop {
        // A program that reads them learns the columns at once, and gets rows as they come.
        writer.flush()?;
        let Some(batch) = rows.next().await else {
            break;
        };
        let batch = batch?;
        count += batch.num_rows() as u64;
        writer.write(batch)?;
    }
    writer.finish(&schema)?;
    Ok(count)
}

/// Keeps the first error of an output.
struct Noting<'o> {
    out: &'o mut (dyn Write + Send),
    error: Option<io::Error>,
}

impl Noting<'_> {
    fn noted<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            self.error.get_or_insert(error);
            copy
        })
    }
}

impl Write for Noting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        // The caller tries again.
        if result
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::Interrupted)
        {
            return result;
        }
        self.noted(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.noted(result)
    }
}

/// Writes numbers as all commands do: those that JSON can't hold exactly are texts.
#[derive(Debug)]
struct Exact;

impl EncoderFactory for Exact {
    fn make_default_encoder<'a>(
        &self,
        _: &'a FieldRef,
        array: &'a dyn Array,
        _: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder: Box<dyn Encoder + 'a> = match array.data_type() {
            DataType::Int64 => Box::new(Numbers(array.as_primitive::<Int64Type>())),
            DataType::UInt64 => Box::new(Numbers(array.as_primitive::<UInt64Type>())),
            DataType::Float32 => Box::new(Numbers(array.as_primitive::<Float32Type>())),
            DataType::Float64 => Box::new(Numbers(array.as_primitive::<Float64Type>())),
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(encoder, array.nulls().cloned())))
    }
}

struct Numbers<'a, T: ArrowPrimitiveType>(&'a PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Encoder for Numbers<'_, T>
where
    Value<'static>: From<T::Native>,
{
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        // Writing to memory can't fail.
        let _ = write_json(out, &Value::from(self.0.value(row)));
    }
}

enum Writer<'o> {
    Table(Vec<RecordBatch>, &'o mut (dyn Write + Send)),
    Csv(
        datafusion::arrow::csv::Writer<&'o mut (dyn Write + Send)>,
        bool,
    ),
    Jsonl(LineDelimitedWriter<&'o mut (dyn Write + Send)>),
    Arrow(StreamWriter<&'o mut (dyn Write + Send)>),
    Parquet(ArrowWriter<&'o mut (dyn Write + Send)>),
}

impl<'o> Writer<'o> {
    fn new(form: Form, schema: &SchemaRef, out: &'o mut (dyn Write + Send)) -> Result<Self> {
        Ok(match form {
            Form::Table => Self::Table(Vec::new(), out),
            Form::Csv => Self::Csv(WriterBuilder::new().with_header(true).build(out), false),
            Form::Jsonl => {
                let builder = JsonBuilder::new().with_encoder_factory(Arc::new(Exact));
                Self::Jsonl(builder.build::<_, LineDelimited>(out))
            }
            Form::Arrow => Self::Arrow(StreamWriter::try_new(out, schema)?),
            Form::Parquet => {
                let schema = Arc::clone(schema);
                Self::Parquet(ArrowWriter::try_new(out, schema, None)?)
            }
        })
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            Self::Table(batches, _) => batches.push(batch),
            Self::Csv(csv, written) => {
                csv.write(&flat(&batch)?)?;
                *written = true;
            }
            Self::Jsonl(json) => json.write(&batch)?,
            Self::Arrow(arrow) => arrow.write(&batch)?,
            Self::Parquet(parquet) => parquet.write(&batch)?,
        }
        Ok(())
    }

    /// Passes on what was written, if that is of use to a reader: Arrow is read by programs as it comes.
    fn flush(&mut self) -> Result<()> {
        if let Self::Arrow(arrow) = self {
            arrow.get_mut().flush().map_err(output)?;
        }
        Ok(())
    }

    fn finish(self, schema: &SchemaRef) -> Result<()> {
        match self {
            Self::Table(batches, out) => {
                let table = pretty_format_batches_with_schema(schema.clone(), &batches)?;
                writeln!(out, "{table}").map_err(output)?;
                out.flush().map_err(output)?;
            }
            Self::Csv(mut csv, written) => {
                if !written {
                    // The names, without rows.
                    csv.write(&flat(&RecordBatch::new_empty(schema.clone()))?)?;
                }
                csv.into_inner().flush().map_err(output)?;
            }
            Self::Jsonl(mut json) => {
                json.finish()?;
                json.into_inner().flush().map_err(output)?;
            }
            Self::Arrow(mut arrow) => arrow.finish()?,
            Self::Parquet(parquet) => {
                parquet.close()?;
            }
        }
        Ok(())
    }
}

/// A batch with its lists and structs as JSON, because CSV has no form for them.
fn flat(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let options = EncoderOptions::default().with_encoder_factory(Arc::new(Exact));
    let schema = batch.schema();
    if !schema
        .fields()
        .iter()
        .any(|field| field.data_type().is_nested())
    {
        return Ok(batch.clone());
    }
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(
        |(field, column)| -> Result<(&String, ArrayRef), ArrowError> {
            if !field.data_type().is_nested() {
                return Ok((field.name(), Arc::clone(column)));
            }
            let mut encoder = make_encoder(field, column, &options)?;
            let text = |row| {
                let mut text = Vec::new();
                column.is_valid(row).then(|| {
                    encoder.encode(row, &mut text);
                    String::from_utf8_lossy(&text).into_owned()
                })
            };
            let texts: StringArray = (0..column.len()).map(text).collect();
            Ok((field.name(), Arc::new(texts)))
        },
    );
    RecordBatch::try_from_iter(columns.collect::<Result<Vec<_>, _>>()?)
}

fn output(error: io::Error) -> ArrowError {
    ArrowError::IoError(error.to_string(), error)
}
