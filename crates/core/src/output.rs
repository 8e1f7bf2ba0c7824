//! What grows while it is written.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// Where a recording is written to, frame by frame: something that can take back a part of one.
///
/// Implemented for [`File`], `Vec<u8>`, a [`Cursor`](io::Cursor) over one and `&mut` of all; [`Stream`] makes one of any [`Write`].
pub trait Output: Write {
    /// Takes back the last `bytes` bytes that were written.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where written is written.
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

/// Any [`Write`] as an [`Output`]: a pipe, a socket, a compressor. What it has taken can't be taken
/// back, so after an error it may end inside a frame, until a later flush goes on from there.
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
