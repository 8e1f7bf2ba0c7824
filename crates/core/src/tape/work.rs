//! How a long piece of work is done, and where what comes of it goes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Error;
use crate::input::{Input, InputStream};

/// Where a recording that is made goes: a temporary file, which becomes the recording if all went
/// well.
pub trait Sink: Write + Seek + Send {}

impl<T: Write + Seek + Send> Sink for T {}

/// How a long piece of work is done: where its temporary files are, who hears how far it is, and
/// who may stop it. Memory stays bounded by a frame or a chunk, so that what is large can be done.
#[derive(Clone, Copy, Default)]
pub struct Work<'a> {
    /// The folder for temporary files; else the system's.
    pub folder: Option<&'a Path>,
    /// Hears how many bytes of the input are done with.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Ends the work where it becomes true.
    pub cancel: Option<&'a AtomicBool>,
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Work<'_> {
    /// An empty file for what is needed on the way; it has no name, and goes with its last user.
    ///
    /// # Errors
    /// What the system says.
    pub fn scratch(&self) -> io::Result<File> {
        match self.folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        }
    }

    /// The input as a stream: reading it says how far it is, and ends with [`Error::Cancelled`] where
    /// the work is wanted no more.
    #[must_use]
    pub fn watched(&self, input: &Input) -> Watched<'_> {
        Watched {
            stream: input.stream(),
            work: *self,
            read: 0,
        }
    }

    /// The input as it is.
    ///
    /// # Errors
    /// What either side says, and [`Error::Cancelled`].
    pub fn copy(&self, input: &Input, out: &mut dyn Sink) -> Result<(), Error> {
        self.copy_some(input.stream(), 0, out).map(drop)
    }

    /// Some bytes of the input, which have to be there.
    ///
    /// # Errors
    /// As [`Work::copy`].
    pub fn copy_range(
        &self,
        input: &Input,
        range: Range<u64>,
        out: &mut dyn Sink,
    ) -> Result<(), Error> {
        let mut stream = input.stream();
        stream
            .seek(SeekFrom::Start(range.start))
            .map_err(Error::Io)?;
        let size = range.end.saturating_sub(range.start);
        match self.copy_some(stream.take(size), range.start, out)? {
            copied if copied == size => Ok(()),
            _ => Err(Error::Io(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// From a byte of the input on; how many there were.
    fn copy_some(
        &self,
        mut stream: impl Read,
        from: u64,
        out: &mut dyn Sink,
    ) -> Result<u64, Error> {
        let mut piece = vec![0; 256 << 10];
        let mut copied = 0;
        loop {
            let count = match stream.read(&mut piece) {
                Ok(0) => return Ok(copied),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::Io(error)),
            };
            out.write_all(piece.get(..count).unwrap_or_default())
                .map_err(Error::Output)?;
            copied += count as u64;
            self.done(from + copied)?;
        }
    }

    /// So many bytes of the input, in all, are done with. To be called for each frame or chunk.
    ///
    /// # Errors
    /// [`Error::Cancelled`] where the work is wanted no more.
    pub fn done(&self, bytes: u64) -> Result<(), Error> {
        if let Some(progress) = self.progress {
            progress(bytes);
        }
        self.wanted()
    }

    /// Whether to go on: to be asked wherever nothing can be said of how far it is.
    ///
    /// # Errors
    /// [`Error::Cancelled`] where the work is wanted no more.
    pub fn wanted(&self) -> Result<(), Error> {
        match self.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}

/// A stream that says how far it was read, and ends where the work is wanted no more: see
/// [`Work::watched`].
pub struct Watched<'w> {
    stream: InputStream,
    work: Work<'w>,
    read: u64,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(into)?;
        self.read += count as u64;
        self.work.done(self.read).map_err(io::Error::other)?;
        Ok(count)
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}
