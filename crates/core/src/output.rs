//! Destinations for recordings that are written frame by frame.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// The destination of a recording that is written frame by frame. It can remove the last bytes
/// again, so that a failed write leaves no partial frame.
///
/// Implemented for [`File`], `Vec<u8>`, a [`Cursor`](io::Cursor) over a `Vec<u8>`, and `&mut`
/// references to these. [`Stream`] wraps any [`Write`].
pub trait Output: Write {
    /// Removes the last `bytes` bytes that were written.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the destination cannot remove bytes.
    fn take_back(&mut self, bytes: u64) -> io::Result<()>;
}

impl Output for File {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let end = self.stream_position()?.saturating_sub(bytes);
        self.set_len(end)?;
        self.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

impl Output for Vec<u8> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let keep = (self.len() as u64).saturating_sub(bytes);
        self.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        Ok(())
    }
}

impl Output for io::Cursor<Vec<u8>> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let keep = self.position().saturating_sub(bytes);
        self.get_mut()
            .truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        self.set_position(keep);
        Ok(())
    }
}

impl<O: Output + ?Sized> Output for &mut O {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        (**self).take_back(bytes)
    }
}

/// Wraps any [`Write`] as an [`Output`]: a pipe, a socket, a compressor. It cannot remove bytes
/// that were already written, so after an error the output may end inside a frame until a later
/// flush completes it.
#[derive(Debug)]
pub struct Stream<W>(pub W);

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Output for Stream<W> {
    fn take_back(&mut self, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
