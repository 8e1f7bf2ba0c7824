//! What is said of files, held back until all have been read.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};

use serde_json::{Map, Value};
use tempfile::SpooledTempFile;

/// So much stays in memory, and goes on in a temporary file.
const MEMORY: usize = 4 << 20;
/// So much is put there at a time.
const AT_ONCE: usize = 64 << 10;

/// Lines that wait: so many recordings as there may be fit no memory.
pub struct Held<F = SpooledTempFile> {
    kept: F,
    /// What is not there yet.
    next: Vec<u8>,
    /// Nothing more can be put there: rather than lost it is in memory.
    is_full: bool,
}

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
    pub fn new() -> Self {
        Self::within(SpooledTempFile::new(MEMORY))
    }
}

impl<F: Read + Write + Seek> Held<F> {
    const fn within(kept: F) -> Self {
        Self {
            kept,
            next: Vec::new(),
            is_full: false,
        }
    }

    pub fn put(&mut self, file: Option<u32>, line: &Map<String, Value>) -> io::Result<()> {
        let file = file.map_or_else(String::new, |file| file.to_string());
        // Behind it stands no tab but in what is said, where JSON has none.
        let admitted = line.get("admitted").unwrap_or(&Value::Null);
        write!(self.next, "{file}\t{admitted}\t")?;
        serde_json::to_writer(&mut self.next, line)?;
        self.next.push(b'\n');
        if self.next.len() >= AT_ONCE && !self.is_full {
            self.keep();
        }
        Ok(())
    }

    fn keep(&mut self) {
        let mut kept = 0;
        while let Some(left) = self.next.get(kept..).filter(|left| !left.is_empty()) {
            match self.kept.write(left) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    self.is_full = true;
                    break;
                }
                Ok(bytes) => kept += bytes,
            }
        }
        self.next.drain(..kept);
    }

    /// All of them, in order.
    pub fn take(mut self) -> io::Result<impl Iterator<Item = io::Result<Line>>> {
        self.kept.seek(SeekFrom::Start(0))?;
        let lines = BufReader::new(self.kept.chain(Cursor::new(self.next))).split(b'\n');
        Ok(lines.map(|line| Ok(Line::of(&line?))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A disk with so much room.
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
        for room in [0, 1, AT_ONCE, 100_003, usize::MAX] {
            let mut held = Held::within(Disk(Cursor::default(), room));
            let line = |number: u32| {
                let line =
                    json!({ "admitted": number < 1000, "path": "a".repeat(300), "n": number });
                line.as_object().cloned().unwrap()
            };
            for number in 0..2000 {
                held.put(Some(number), &line(number)).unwrap();
            }
            let mut lines = held.take().unwrap();
            for number in 0..2000 {
                let held = lines.next().unwrap().unwrap();
                assert_eq!(held.file, Some(number), "{room}");
                assert_eq!(held.admitted, Some(number < 1000));
                let value: Map<String, Value> = serde_json::from_slice(&held.value).unwrap();
                assert_eq!(value, line(number));
            }
            assert!(lines.next().is_none());
        }
    }
}
