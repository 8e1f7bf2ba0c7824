//! Pieces of bytes, read from memory or from a file.

use std::borrow::Cow;
use std::io;

use gametape_core::Input;

/// The source of an index or of its recording. Only the pieces that are asked for are read.
pub trait Pieces {
    /// Returns the size in bytes.
    fn size(&self) -> u64;

    /// Returns `length` bytes from `offset` on; none if the source ends before that.
    ///
    /// # Errors
    /// Any error of the source; memory never fails.
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>>;

    /// Returns the CRC-32 of such bytes, and their number: `length`, or 0.
    ///
    /// # Errors
    /// Same as [`Pieces::piece`].
    #[doc(hidden)]
    fn checksum(&self, offset: u64, length: u64) -> io::Result<(u32, u64)> {
        /// The number of bytes that are read at a time.
        const CHUNK: u64 = 64 << 10;
        let end = offset.saturating_add(length);
        if end > self.size() {
            return Ok((0, 0));
        }
        if length <= CHUNK {
            return Ok((crc32fast::hash(&self.piece(offset, length)?), length));
        }
        let mut checksum = crc32fast::Hasher::new();
        let mut at = offset;
        while at < end {
            let piece = self.piece(at, CHUNK.min(end - at))?;
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            checksum.update(&piece);
            at += piece.len() as u64;
        }
        Ok((checksum.finalize(), length))
    }
}

impl Pieces for [u8] {
    #[inline]
    fn size(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        let range = usize::try_from(offset).ok().and_then(|from| {
            let to = from.checked_add(usize::try_from(length).ok()?)?;
            self.get(from..to)
        });
        Ok(Cow::Borrowed(range.unwrap_or_default()))
    }
}

impl Pieces for Vec<u8> {
    #[inline]
    fn size(&self) -> u64 {
        self.as_slice().size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        self.as_slice().piece(offset, length)
    }
}

impl Pieces for Input {
    #[inline]
    fn size(&self) -> u64 {
        self.size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size() => self.range(offset, length),
            _ => Ok(Cow::Borrowed(&[])),
        }
    }
}

impl<P: Pieces + ?Sized> Pieces for &P {
    #[inline]
    fn size(&self) -> u64 {
        (**self).size()
    }

    #[inline]
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        (**self).piece(offset, length)
    }
}
