//! What is said of files, held back until all have been read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};

use serde_json::{Map, Value};

/// Lines that wait in a temporary file: so many recordings as there may be fit no memory.
pub struct Held(BufWriter<File>);

/// One of them.
pub struct Line {
    /// The number of the file, where it may have something in common with others.
    pub file: Option<u32>,
    /// Whether it is admitted, as far as it is known by itself.
    pub admitted: Option<bool>,
    pub value: Vec<u8>,
}

impl Line {
    /// From its number, what is known, and what is said.
    fn of(line: &[u8]) -> Self {
        let mut parts = line.splitn(3, |byte| *byte == b'\t');
        let mut part = || parts.next().unwrap_or_default();
        let number = std::str::from_utf8(part()).ok();
        Self {
            file: number.and_then(|number| number.parse().ok()),
            admitted: match part() {
                b"true" => Some(true),
                b"false" => Some(false),
                _ => None,
            },
            value: part().to_vec(),
        }
    }
}

impl Held {
    pub fn new() -> io::Result<Self> {
        Ok(Self(BufWriter::new(tempfile::tempfile()?)))
    }

    pub fn put(&mut self, file: Option<u32>, line: &Map<String, Value>) -> io::Result<()> {
        let file = file.map_or_else(String::new, |file| file.to_string());
        // Behind it stands no tab but in what is said, where JSON has none.
        let admitted = line.get("admitted").unwrap_or(&Value::Null);
        write!(self.0, "{file}\t{admitted}\t")?;
        serde_json::to_writer(&mut self.0, line)?;
        self.0.write_all(b"\n")
    }

    /// All of them, in order.
    pub fn take(self) -> io::Result<impl Iterator<Item = io::Result<Line>>> {
        let mut file = self
            .0
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        let lines = BufReader::new(file).split(b'\n');
        Ok(lines.map(|line| Ok(Line::of(&line?))))
    }
}
