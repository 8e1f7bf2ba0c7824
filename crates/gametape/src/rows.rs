//! Rows of tables as text: JSON, and comma-separated values.

use std::io::{self, BufWriter, Write};

use gametape_core::surface::JsonRows;
use gametape_core::table::{Batch, Scan, StampColumn, TableDef, Value};
use gametape_core::tape;

/// The text format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowForm {
    /// One JSON object per line, as written by [`JsonRows`].
    #[default]
    Json,
    /// Comma-separated values after a line of column names. The columns are the same as in JSON; the
    /// stamps, if they are written, include `ended`. A missing value is empty; numbers that JSON cannot
    /// represent are `NaN`, `inf`, `-inf`.
    Csv(CsvStyle),
}

/// Writes the rows of a scan. If the scan names columns, a row has these; otherwise it has all
/// columns, after its stamps.
///
/// ```
/// use gametape::core::table::{Batch, ColumnDef, Kind, Lane, Value};
/// use gametape::{CsvStyle, RowForm, RowWriter, Scan, Stamp, TableDef};
/// let throws = TableDef::new("throws", Lane::Events, "Throws of dice.")
///     .with(ColumnDef::new("name", Kind::Text, "Who threw."))
///     .with(ColumnDef::new("x", Kind::Float32, "Where it fell.").unit("m"));
/// let mut batch = Batch::new([Kind::Text, Kind::Float32]);
/// let stamp = Stamp { step: 3, tick: Some(9), time: None };
/// batch.push(stamp, [Value::Text("Ada, too"), Value::Float32(0.1)]);
/// for (form, wanted) in [
///     (RowForm::Json, "{\"step\":3,\"tick\":9,\"time_ms\":null,\"name\":\"Ada, too\",\"x\":0.1}\n"),
///     (RowForm::Csv(CsvStyle::Plain), "step,tick,time_ms,ended,name,x\n3,9,,,\"Ada, too\",0.1\n"),
/// ] {
///     let mut out = Vec::new();
///     RowWriter::new(form, &throws, &Scan::table("throws"), &mut out)?.batch(&batch)?;
///     assert_eq!(String::from_utf8_lossy(&out), wanted);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowWriter<'o>(Form<'o>);

enum Form<'o> {
    Json(JsonRows, &'o mut dyn Write),
    Csv(Box<Csv<'o>>),
}

struct Csv<'o> {
    /// Whether stamps come first.
    stamped: bool,
    /// The number of columns of the scan.
    width: usize,
    field: Vec<u8>,
    writer: CsvWriter<&'o mut dyn Write>,
}

impl<'o> RowWriter<'o> {
    /// Creates a writer for the batches of a scan of this table.
    ///
    /// # Errors
    /// [`tape::Error::Scan`] if a column does not exist; [`tape::Error::Output`].
    pub fn new(
        form: RowForm,
        table: &TableDef,
        scan: &Scan,
        out: &'o mut dyn Write,
    ) -> Result<Self, tape::Error> {
        Ok(Self(match form {
            RowForm::Json => Form::Json(JsonRows::of_scan(table, scan)?, out),
            RowForm::Csv(style) => {
                let picked = scan.picked(table)?;
                let stamped = scan.columns.is_none();
                let stamps = StampColumn::ALL.into_iter().filter(|_| stamped);
                let mut names: Vec<&str> = stamps.map(StampColumn::name).collect();
                names.extend(picked.iter().map(|picked| picked.name(table)));
                let begun = CsvWriter::new(style, out).and_then(|mut writer| {
                    writer.texts(names)?;
                    writer.flush()?;
                    Ok(writer)
                });
                let writer = begun.map_err(tape::Error::Output)?;
                Form::Csv(Box::new(Csv {
                    stamped,
                    width: picked.len(),
                    field: Vec::new(),
                    writer,
                }))
            }
        }))
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn batch(&mut self, batch: &Batch) -> io::Result<()> {
        self.rows(batch, 0..batch.len())
    }

    /// Writes some rows of a batch. Columns after those of the scan are left out.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn rows(&mut self, batch: &Batch, rows: impl IntoIterator<Item = usize>) -> io::Result<()> {
        let mut rows = rows.into_iter();
        match &mut self.0 {
            Form::Json(json, out) => rows.try_for_each(|row| json.row(batch, row, *out)),
            Form::Csv(csv) => {
                rows.try_for_each(|row| csv.row(batch, row))?;
                csv.writer.flush()
            }
        }
    }
}

impl Csv<'_> {
    fn row(&mut self, batch: &Batch, row: usize) -> io::Result<()> {
        let (stamp, ended) = (batch.stamp(row), batch.is_end(row));
        let stamps = StampColumn::ALL.into_iter().filter(|_| self.stamped);
        let stamps = stamps.map(|column| match column {
            StampColumn::Ended if !ended => Value::Null,
            column => column.value(stamp, ended),
        });
        let values = batch.columns().iter().take(self.width);
        for value in stamps.chain(values.map(|column| column.get(row))) {
            if let Value::Text(text) = value {
                self.writer.text(text)?;
            } else {
                self.field.clear();
                value.write(&mut self.field)?;
                self.writer.number(&self.field)?;
            }
        }
        self.writer.end_row()
    }
}

/// The reader that comma-separated values are written for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CsvStyle {
    /// Programs: RFC 4180, but for lines that end with `\n`. Values are as they are.
    #[default]
    Plain,
    /// Spreadsheets: a byte order mark comes first, without which they don't take the text for UTF-8, and lines end
    /// with CRLF. A text that a spreadsheet would run as a formula begins with an apostrophe.
    Excel,
}

/// A writer of comma-separated values, cell by cell.
///
/// ```
/// use gametape::{CsvStyle, CsvWriter};
/// let mut out = Vec::new();
/// let mut writer = CsvWriter::new(CsvStyle::Excel, &mut out)?;
/// writer.text("=1+2")?;
/// writer.number("-3.5")?;
/// writer.end_row()?;
/// writer.flush()?;
/// drop(writer);
/// assert_eq!(out, "\u{feff}'=1+2,-3.5\r\n".as_bytes());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    style: CsvStyle,
    out: BufWriter<W>,
    /// The cells and the bytes of the row so far.
    cells: u64,
    bytes: usize,
}

/// The first characters of a text that a spreadsheet may take for a formula, as OWASP lists them.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

impl<W: Write> CsvWriter<W> {
    /// Creates a writer.
    ///
    /// # Errors
    /// Any error of the output, here and below.
    pub fn new(style: CsvStyle, out: W) -> io::Result<Self> {
        let mut out = BufWriter::new(out);
        if style == CsvStyle::Excel {
            out.write_all("\u{feff}".as_bytes())?;
        }
        Ok(Self {
            style,
            out,
            cells: 0,
            bytes: 0,
        })
    }

    /// Writes a cell with a text of a recording, or with any other that was not written by us.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        if self.style == CsvStyle::Excel && text.starts_with(FORMULA) {
            return self.number(format!("'{text}"));
        }
        self.number(text)
    }

    /// Writes a cell as it is: a number, or a text that is no formula.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn number(&mut self, number: impl AsRef<[u8]>) -> io::Result<()> {
        let cell = number.as_ref();
        if self.cells > 0 {
            self.out.write_all(b",")?;
        }
        self.cells += 1;
        self.bytes += cell.len();
        if !cell.iter().any(|byte| b",\"\r\n".contains(byte)) {
            return self.out.write_all(cell);
        }
        self.out.write_all(b"\"")?;
        for part in cell.split_inclusive(|byte| *byte == b'"') {
            self.out.write_all(part)?;
            if part.ends_with(b"\"") {
                self.out.write_all(b"\"")?;
            }
        }
        self.out.write_all(b"\"")
    }

    /// Ends a row.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn end_row(&mut self) -> io::Result<()> {
        // An empty line would be no row.
        if self.cells < 2 && self.bytes == 0 {
            self.out.write_all(b"\"\"")?;
        }
        (self.cells, self.bytes) = (0, 0);
        self.out.write_all(match self.style {
            CsvStyle::Plain => b"\n",
            CsvStyle::Excel => b"\r\n",
        })
    }

    /// Writes a row of texts.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn texts<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> io::Result<()> {
        texts.into_iter().try_for_each(|text| self.text(text))?;
        self.end_row()
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
