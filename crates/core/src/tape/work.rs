//! The environment of long tasks, and the destination of their output.

use std::fmt;
#[cfg(feature = "scratch")]
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Error;
use crate::input::{Input, InputStream};

/// The destination of a recording: a temporary file, which becomes the recording if everything
/// succeeds.
pub trait Sink: Write + Seek + Send {}

impl<T: Write + Seek + Send> Sink for T {}

/// The environment of a long task: the folder for temporary files, the receivers of progress, and
/// the switch that cancels it. Tasks use memory for one frame or chunk at a time, so large
/// recordings are possible.
#[derive(Clone, Copy, Default)]
pub struct Work<'a> {
    /// The folder for temporary files; by default the system's.
    pub folder: Option<&'a Path>,
    /// Receives the number of input bytes that were processed.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Receives a short description of each long task when it starts or changes.
    pub say: Option<&'a (dyn Fn(&str) + Sync)>,
    /// Set to true to cancel the task.
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
    /// Returns the same environment without receivers of progress, for a part of a task that has no share
    /// in it.
    #[must_use]
    pub const fn silent(&self) -> Self {
        Self {
            progress: None,
            say: None,
            ..*self
        }
    }

    /// Creates an empty temporary file. It has no name and is removed when it is closed.
    ///
    /// # Errors
    /// Any error of the operating system.
    #[cfg(feature = "scratch")]
    pub fn scratch(&self) -> io::Result<File> {
        match self.folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        }
    }

    /// Returns the input as a stream that reports progress, and fails with [`Error::Cancelled`] if
    /// the task was cancelled.
    #[must_use]
    pub fn watched(&self, input: &Input) -> Watched<'_> {
        Watched {
            stream: input.stream(),
            work: *self,
            read: 0,
        }
    }

    /// Copies the whole input.
    ///
    /// # Errors
    /// Errors of the input and of the output, and [`Error::Cancelled`].
    pub fn copy(&self, input: &Input, out: &mut dyn Sink) -> Result<(), Error> {
        self.copy_some(input.stream(), 0, out).map(drop)
    }

    /// Copies a range of the input, all of which must exist.
    ///
    /// # Errors
    /// Same as [`Work::copy`].
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

    /// Copies a stream that starts at byte `from` of the input, and returns the number of bytes
    /// copied.
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

    /// Reports that this many bytes of the input, in total, were processed. Call it for each frame
    /// or chunk.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the task was cancelled.
    pub fn done(&self, bytes: u64) -> Result<(), Error> {
        if let Some(progress) = self.progress {
            progress(bytes);
        }
        self.wanted()
    }

    /// Reports which task starts now, or how far it came.
    pub fn say(&self, what: &str) {
        if let Some(say) = self.say {
            say(what);
        }
    }

    /// Checks for cancellation. Call it where no progress can be reported.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the task was cancelled.
    pub fn wanted(&self) -> Result<(), Error> {
        match self.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}

/// A stream that reports progress and stops if the task was cancelled: see [`Work::watched`].
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
