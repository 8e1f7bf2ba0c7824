//! Random access to a recording.

use std::borrow::Cow;
use std::io::{self, Cursor, Read, Seek};

use gametape_core::{Input, InputStream};

/// A source whose ranges can be read.
pub trait Ranges {
    type Stream<'s>: Read + Seek
    where
        Self: 's;

    /// The size in bytes.
    fn size(&self) -> u64;

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>>;

    /// Returns a stream from the first byte on.
    fn stream(&self) -> Self::Stream<'_>;
}

impl Ranges for [u8] {
    type Stream<'s> = Cursor<&'s [u8]>;

    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX);
        let range = self.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Cow::Borrowed(range))
    }

    fn stream(&self) -> Cursor<&[u8]> {
        Cursor::new(self)
    }
}

impl Ranges for Input {
    type Stream<'s> = InputStream;

    fn size(&self) -> u64 {
        self.size()
    }

    fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        self.range(offset, length)
    }

    fn stream(&self) -> InputStream {
        self.stream()
    }
}
