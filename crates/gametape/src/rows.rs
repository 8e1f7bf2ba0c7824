//! Rows of tables as text.

use std::io::{self, Write};

use gametape_core::Time;
use gametape_core::table::{Batch, Value};
use serde_json::Value as Json;

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowForm {
    /// One JSON object a line, with `step`, `tick` where there is one, `time_ms`, and `"ended":true`
    /// in a row that says that what has its key is no more; what is missing is null. Numbers that JSON has no way to write are text: `"NaN"`, `"inf"`, `"-inf"`.
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
    /// The names of the columns, as JSON with what separates them.
    Json(Vec<String>, &'o mut dyn Write),
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
            RowForm::Json => {
                let names = names.map(|name| format!(",{}:", Json::from(name)));
                Form::Json(names.collect(), out)
            }
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
            Form::Json(names, out) => {
                (0..batch.len()).try_for_each(|row| json_row(batch, row, names, *out))
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

fn json_row(batch: &Batch, row: usize, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let stamp = batch.stamp(row);
    write!(out, "{{\"step\":{}", stamp.step)?;
    if let Some(tick) = stamp.tick {
        write!(out, ",\"tick\":{tick}")?;
    }
    match stamp.time {
        Some(time) => write!(out, ",\"time_ms\":{}", time.ms())?,
        None => out.write_all(b",\"time_ms\":null")?,
    }
    if batch.is_end(row) {
        out.write_all(b",\"ended\":true")?;
    }
    for (name, column) in names.iter().zip(batch.columns()) {
        out.write_all(name.as_bytes())?;
        match column.get(row) {
            Value::Text(text) => serde_json::to_writer(&mut *out, text)?,
            Value::Null => out.write_all(b"null")?,
            value if is_finite(value) => plain(value, out)?,
            value => {
                out.write_all(b"\"")?;
                plain(value, out)?;
                out.write_all(b"\"")?;
            }
        }
    }
    out.write_all(b"}\n")
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
            plain(value, field)?;
            writer.write_field(&field)?;
        }
    }
    writer.write_record(None::<&[u8]>)?;
    Ok(())
}

const fn is_finite(value: Value<'_>) -> bool {
    match value {
        Value::Float32(value) => value.is_finite(),
        Value::Float64(value) => value.is_finite(),
        _ => true,
    }
}

/// A value in the fewest digits that give it back; nothing where it is missing.
fn plain(value: Value<'_>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    match value {
        Value::Null => Ok(()),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Uint(value) => write!(out, "{value}"),
        // The longest that is written without an exponent has 17 digits.
        Value::Float32(value) if is_long(value.into()) => write!(out, "{value:e}"),
        Value::Float64(value) if is_long(value) => write!(out, "{value:e}"),
        Value::Float32(value) => write!(out, "{value}"),
        Value::Float64(value) => write!(out, "{value}"),
        Value::Text(value) => out.write_all(value.as_bytes()),
    }
}

fn is_long(value: f64) -> bool {
    value.is_finite() && value != 0.0 && !(1e-6..1e17).contains(&value.abs())
}
