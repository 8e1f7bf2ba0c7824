//! Lines of output, held back until all files have been read. Many lines go to a temporary file.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};

use gametape::core::tape::write_json;
use serde_json::{Map, Value};
use tempfile::SpooledTempFile;

/// The number of bytes that stay in memory; more go to a temporary file.
const MEMORY: usize = 4 << 20;
/// The number of bytes written to it at a time.
const CHUNK: usize = 64 << 10;

/// The lines that wait.
pub struct Spool<F = SpooledTempFile> {
    file: F,
    /// Lines that are not in the file yet.
    next: Vec<u8>,
    /// The disk is full; further lines stay in memory.
    is_full: bool,
}

/// A line that waited.
pub struct Line {
    /// The number of the file, if it may be related to others.
    pub file: Option<u32>,
    /// The decision of the policy on the file by itself.
    pub admitted: Option<bool>,
    pub value: Vec<u8>,
}

impl Line {
    /// Parses a line: the number, the decision, and the object.
    fn parse(line: &[u8]) -> Self {
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

impl Spool {
    pub fn new() -> Self {
        Self::within(SpooledTempFile::new(MEMORY))
    }
}

impl<F: Read + Write + Seek> Spool<F> {
    const fn within(file: F) -> Self {
        Self {
            file,
            next: Vec::new(),
            is_full: false,
        }
    }

    pub fn put(&mut self, file: Option<u32>, line: &Map<String, Value>) -> io::Result<()> {
        let file = file.map_or_else(String::new, |file| file.to_string());
        // JSON has no raw tabs, so that the first two tabs separate the parts.
        let admitted = line.get("admitted").unwrap_or(&Value::Null);
        write!(self.next, "{file}\t{admitted}\t")?;
        write_json(&mut self.next, line)?;
        self.next.push(b'\n');
        if self.next.len() >= CHUNK && !self.is_full {
            self.write();
        }
        Ok(())
    }

    fn write(&mut self) {
        let mut written = 0;
        while let Some(left) = self.next.get(written..).filter(|left| !left.is_empty()) {
            match self.file.write(left) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    self.is_full = true;
                    break;
                }
                Ok(bytes) => written += bytes,
            }
        }
        self.next.drain(..written);
    }

    /// Returns all lines in order.
    pub fn lines(mut self) -> io::Result<impl Iterator<Item = io::Result<Line>>> {
        self.file.seek(SeekFrom::Start(0))?;
        let lines = BufReader::new(self.file.chain(Cursor::new(self.next))).split(b'\n');
        Ok(lines.map(|line| Ok(Line::parse(&line?))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A disk with limited room.
    struct Disk(Cursor<Vec<u8>>, usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.1 - self.0.get_ref().len();
            match room {
                0 => Err(io::ErrorKind::StorageFull.into()),
                _ => self.0.write(bytes.get(..room).unwrap_or(bytes)),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Read for Disk {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.0.read(bytes)
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn nothing_is_lost_where_the_disk_is_full() {
        for room in [0, 1, CHUNK, 100_003, usize::MAX] {
            let mut spool = Spool::within(Disk(Cursor::default(), room));
            let line = |number: u32| {
                let line =
                    json!({ "admitted": number < 1000, "path": "a".repeat(300), "n": number });
                line.as_object().cloned().unwrap()
            };
            for number in 0..2000 {
                spool.put(Some(number), &line(number)).unwrap();
            }
            let mut lines = spool.lines().unwrap();
            for number in 0..2000 {
                let read = lines.next().unwrap().unwrap();
                assert_eq!(read.file, Some(number), "{room}");
                assert_eq!(read.admitted, Some(number < 1000));
                let value: Map<String, Value> = serde_json::from_slice(&read.value).unwrap();
                assert_eq!(value, line(number));
            }
            assert!(lines.next().is_none());
        }
    }
}
