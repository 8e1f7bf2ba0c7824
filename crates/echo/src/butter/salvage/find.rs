//! Finding compressed chunks that are not where the table says, by their first bytes.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use memchr::memmem;

use super::super::header::Compression;
use super::super::pack::{chunk_start, inflate_first, starts};
use super::super::packed::{KEYFRAME, NORMAL};
use super::Salvage;
use crate::error::Error;
use crate::limits::Limits;
use crate::ranges::Ranges;

impl<B: Ranges + ?Sized, S> Salvage<'_, B, S> {
    /// Finds the next compressed chunk at or after a byte. Returns its position and size.
    pub(super) fn find(
        &mut self,
        mut from: u64,
        compression: Compression,
    ) -> Result<Option<(u64, u64)>, Error> {
        let failed = Cell::new(None);
        while let Some(at) = self.find_start(from, compression)? {
            let open = || {
                let mut source = self.input.stream();
                // If the seek fails, reading fails too.
                let _ = source.seek(SeekFrom::Start(at));
                let failed = &failed;
                BufReader::new(Watched { source, failed })
            };
            // The chunk that continues the last one kept starts right after it.
            let goes_on = self.goes_on && self.kept_to == at;
            let first = starts::<2>(open(), compression);
            if first == Some(KEYFRAME) || goes_on && first == Some(NORMAL) {
                let limits = Limits {
                    max_chunk_bytes: self.limits.max_chunk_bytes.min(self.search),
                    ..self.limits
                };
                let rest = inflate_first(open, compression, &limits, &mut self.raw);
                if let Ok(mut rest) = rest {
                    let end = rest.stream_position();
                    let end = end.map_err(|source| Error::io(at, source))?;
                    return Ok(Some((at, end - at)));
                }
                // A single stream that inflates to a lot of data could contain many starts.
                let inflated = match self.raw.len() as u64 {
                    0 => limits.max_chunk_bytes,
                    some => some,
                };
                let Some(search) = self.search.checked_sub(inflated.max(1 << 10)) else {
                    return Ok(None);
                };
                self.search = search;
            }
            if let Some(source) = failed.take() {
                return Err(Error::io(at, source));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Returns the next position of the bytes that a compressed chunk starts with.
    fn find_start(&self, mut from: u64, compression: Compression) -> Result<Option<u64>, Error> {
        let finder = memmem::Finder::new(chunk_start(compression));
        let overlap = finder.needle().len() as u64 - 1;
        let mut window = 4 << 10;
        loop {
            let length = self.input.size().saturating_sub(from).min(window);
            let bytes = self.input.range(from, length);
            let bytes = bytes.map_err(|source| Error::io(from, source))?;
            if let Some(at) = finder.find(&bytes) {
                return Ok(Some(from + at as u64));
            }
            if length < window {
                return Ok(None);
            }
            from += length - overlap;
            window = (window * 2).min(1 << 20);
        }
    }
}

/// A source that remembers its error; decoders mistake I/O errors for broken data.
struct Watched<'f, R> {
    source: R,
    failed: &'f Cell<Option<io::Error>>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.source.read(into).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed.set(Some(error));
            }
            kind.into()
        })
    }
}

impl<R: Seek> Seek for Watched<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}
