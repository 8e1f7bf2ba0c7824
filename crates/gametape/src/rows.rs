//! Rows of tables as text.

use std::io::{self, Write};

use gametape_core::Time;
use gametape_core::table::{Batch, JsonRows, Value};

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowForm {
    /// One JSON object a line, as [`JsonRows`] writes them.
    #[default]
    Json,
    /// Comma-separated values (RFC 4180) under a line of names, with lines that end in a newline
    /// alone, of the same columns and `ended`; what is missing is empty. Such numbers are `NaN`, `inf`, `-inf`.
    Csv,
}

/// Writes rows.
///
/// ```
/// use gametape::core::table::{Batch, Kind, Value};
/// use gametape::{RowForm, RowWriter, Stamp};
/// let mut batch = Batch::new([Kind::Text, Kind::Float32]);
/// let stamp = Stamp { step: 3, tick: Some(9), time: None };
/// batch.push(stamp, [Value::Text("Ada, too"), Value::Float32(0.1)]);
/// for (form, wanted) in [
///     (RowForm::Json, "{\"step\":3,\"tick\":9,\"time_ms\":null,\"name\":\"Ada, too\",\"x\":0.1}\n"),
///     (RowForm::Csv, "step,tick,time_ms,ended,name,x\n3,9,,,\"Ada, too\",0.1\n"),
/// ] {
///     let mut out = Vec::new();
///     RowWriter::new(form, ["name", "x"], &mut out)?.batch(&batch)?;
///     assert_eq!(String::from_utf8_lossy(&out), wanted);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RowWriter<'o>(Form<'o>);

enum Form<'o> {
    Json(JsonRows, &'o mut dyn Write),
    Csv(Box<csv::Writer<&'o mut dyn Write>>),
}

impl<'o> RowWriter<'o> {
    /// For batches of these columns.
    ///
    /// # Errors
    /// The output's.
    pub fn new<'n>(
        form: RowForm,
        names: impl IntoIterator<Item = &'n str>,
        out: &'o mut dyn Write,
    ) -> io::Result<Self> {
        let names = names.into_iter();
        Ok(Self(match form {
            RowForm::Json => Form::Json(JsonRows::new(names), out),
            RowForm::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(
                    ["step", "tick", "time_ms", "ended"]
                        .into_iter()
                        .chain(names),
                )?;
                writer.flush()?;
                Form::Csv(Box::new(writer))
            }
        }))
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// The output's.
    pub fn batch(&mut self, batch: &Batch) -> io::Result<()> {
        match &mut self.0 {
            Form::Json(rows, out) => {
                (0..batch.len()).try_for_each(|row| rows.row(batch, row, *out))
            }
            Form::Csv(writer) => {
                let mut field = Vec::new();
                for row in 0..batch.len() {
                    csv_row(batch, row, &mut field, writer)?;
                }
                writer.flush()
            }
        }
    }
}

fn csv_row(
    batch: &Batch,
    row: usize,
    field: &mut Vec<u8>,
    writer: &mut csv::Writer<&mut dyn Write>,
) -> io::Result<()> {
    let stamp = batch.stamp(row);
    let ms = stamp.time.map(Time::ms);
    let ended = batch.is_end(row).then_some(true);
    let stamps = [
        Value::Uint(stamp.step),
        stamp.tick.into(),
        ms.into(),
        ended.into(),
    ];
    let values = batch.columns().iter().map(|column| column.get(row));
    for value in stamps.into_iter().chain(values) {
        if let Value::Text(text) = value {
            writer.write_field(text)?;
        } else {
            field.clear();
            value.write(field)?;
            writer.write_field(&field)?;
        }
    }
    writer.write_record(None::<&[u8]>)?;
    Ok(())
}
