//! Unpacked data: in memory if it is small, else in a file that has no name.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Arc;

use flate2::Crc;
use gametape_core::text::Crc32;
use gametape_core::{Input, ReadAt};

use crate::Fault;
use crate::kind::of_data;

/// Up to this size, data is held in memory.
const HOLD: u64 = 1 << 20;
/// The number of bytes that are unpacked at a time.
const PIECE: usize = 64 << 10;

/// Data that is being unpacked.
#[derive(Default)]
pub struct Spool {
    held: Vec<u8>,
    file: Option<std::fs::File>,
    size: u64,
}

impl Spool {
    pub const fn size(&self) -> u64 {
        self.size
    }

    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.size += bytes.len() as u64;
        if self.file.is_none() && self.size <= HOLD {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let file = if let Some(file) = &mut self.file {
            file
        } else {
            let mut file = tempfile::tempfile()?;
            file.write_all(&self.held)?;
            self.held = Vec::new();
            self.file.insert(file)
        };
        file.write_all(bytes)
    }

    pub fn finish(self) -> io::Result<Input> {
        let Some(mut file) = self.file else {
            return Ok(self.held.into());
        };
        file.seek(SeekFrom::Start(0))?;
        Input::file(file)
    }
}

/// Unpacks to the end, up to `most` bytes, and compares the checksum if there is one.
pub fn unpack(source: &mut dyn Read, most: u64, crc: Option<u32>) -> Result<Input, Fault> {
    let mut spool = Spool::default();
    let mut found = Crc::new();
    let mut piece = vec![0; PIECE];
    loop {
        let count = match source.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(of_data(error)),
        };
        let bytes = piece.get(..count).unwrap_or_default();
        if spool.size() + count as u64 > most {
            return Err(Fault::TooLarge { limit: most });
        }
        found.update(bytes);
        spool.push(bytes)?;
    }
    let (found, stored) = (Crc32(found.sum()), crc.map(Crc32));
    match stored.filter(|stored| *stored != found) {
        Some(stored) => Err(Fault::Checksum { found, stored }),
        None => Ok(spool.finish()?),
    }
}

/// A range of an input as an input.
pub fn part(input: &Input, range: Range<u64>) -> io::Result<Input> {
    let size = range.end - range.start;
    if size <= HOLD {
        return Ok(input.range(range.start, size)?.into_owned().into());
    }
    let (input, start) = (input.clone(), range.start);
    Input::at(Arc::new(Part { input, start, size }))
}

struct Part {
    input: Input,
    start: u64,
    size: u64,
}

impl ReadAt for Part {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let mut stream = self.input.stream();
        stream.seek(SeekFrom::Start(self.start + offset.min(self.size)))?;
        stream.read(into.get_mut(..most).unwrap_or_default())
    }
}
