//! Comma-separated values.

use std::io::{self, Write};

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
    writer: csv::Writer<W>,
}

/// The first characters of a text that a spreadsheet may take for a formula, as OWASP lists them.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

impl<W: Write> CsvWriter<W> {
    /// Creates a writer.
    ///
    /// # Errors
    /// Any error of the output, here and below.
    pub fn new(style: CsvStyle, mut out: W) -> io::Result<Self> {
        let mut builder = csv::WriterBuilder::new();
        if style == CsvStyle::Excel {
            out.write_all("\u{feff}".as_bytes())?;
            builder.terminator(csv::Terminator::CRLF);
        }
        let writer = builder.from_writer(out);
        Ok(Self { style, writer })
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
        self.writer.write_field(number).map_err(of_output)
    }

    /// Ends a row.
    ///
    /// # Errors
    /// See [`CsvWriter::new`].
    pub fn end_row(&mut self) -> io::Result<()> {
        self.writer.write_record(None::<&[u8]>).map_err(of_output)
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
        self.writer.flush()
    }
}

/// Returns the error of the output as it is. The conversion of the library hides its kind, such as a closed pipe.
fn of_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        // Rows of different lengths are the caller's.
        _ => io::Error::new(io::ErrorKind::InvalidInput, "rows of different lengths"),
    }
}
