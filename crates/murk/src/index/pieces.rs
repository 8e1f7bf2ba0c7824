//! Bytes that are read at a place: in memory, or out of a file.

use std::borrow::Cow;
use std::io;

use gametape_core::Input;

/// What an index, or the recording that it is of, is read from: nothing but what is asked for.
pub trait Pieces {
    /// Its size in bytes.
    fn size(&self) -> u64;

    /// The bytes from `offset` on, `length` of them; none where it ends before they do.
    ///
    /// # Errors
    /// What the source says; memory never fails.
    fn piece(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>>;

    /// The CRC-32 of such bytes, and how many there are: all, or none.
    ///
    /// # Errors
    /// As [`Pieces::piece`].
    #[doc(hidden)]
    fn checksum(&self, offset: u64, length: u64) -> io::Result<(u32, u64)> {
        /// Bytes that are held at a time.
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
