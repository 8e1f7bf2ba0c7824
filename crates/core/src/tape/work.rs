//! How a long piece of work is done, and where what comes of it goes.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Error;

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

    /// So many bytes of the input are done with. To be called for each frame or chunk.
    ///
    /// # Errors
    /// [`Error::Cancelled`] where the work is wanted no more.
    pub fn done(&self, bytes: u64) -> Result<(), Error> {
        if let Some(progress) = self.progress {
            progress(bytes);
        }
        match self.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}
