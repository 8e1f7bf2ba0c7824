//! An input that notes what is read of it.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use gametape_core::{Input, ReadAt};

/// The bytes of a recording, and which of them were read.
pub struct Watched {
    bytes: Vec<u8>,
    read: Mutex<Vec<Range<u64>>>,
}

impl Watched {
    pub fn new(bytes: Vec<u8>) -> (Arc<Self>, Input) {
        let read = Mutex::default();
        let this = Arc::new(Self { bytes, read });
        let input = Input::at(this.clone()).unwrap();
        (this, input)
    }

    /// Returns the number of bytes that were read since the last call, and where the first and the last of
    /// them were.
    pub fn taken(&self) -> (u64, Range<u64>) {
        let read = std::mem::take(&mut *self.read.lock().unwrap());
        let from = read.iter().map(|range| range.start).min().unwrap_or(0);
        let to = read.iter().map(|range| range.end).max().unwrap_or(0);
        (
            read.iter().map(|range| range.end - range.start).sum(),
            from..to,
        )
    }
}

impl ReadAt for Watched {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.read
            .lock()
            .unwrap()
            .push(offset..offset + count as u64);
        Ok(count)
    }
}
