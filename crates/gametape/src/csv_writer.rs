//! Comma-separated values.

use std::io::{self, BufWriter, Write};

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
