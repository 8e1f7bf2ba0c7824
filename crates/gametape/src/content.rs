//! The content of a file that was made, until it is written.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::Error;
use crate::output;

/// The content of a file: held in memory or, where there may be more of it than fits, in a
/// temporary file, which is gone when this is.
#[derive(Debug)]
pub struct Content<'a>(Kind<'a>);

#[derive(Debug)]
enum Kind<'a> {
    Held(Cow<'a, [u8]>),
    Spooled { file: NamedTempFile, bytes: u64 },
}

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(Kind::Held(bytes.into()))
    }
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Kind::Held(bytes.into()))
    }
}

impl<'a> From<Cow<'a, [u8]>> for Content<'a> {
    fn from(bytes: Cow<'a, [u8]>) -> Self {
        Self(Kind::Held(bytes))
    }
}

impl Content<'_> {
    pub(crate) fn spooled(file: NamedTempFile) -> io::Result<Self> {
        let bytes = file.as_file().metadata()?.len();
        Ok(Self(Kind::Spooled { file, bytes }))
    }

    /// Its size in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Kind::Held(bytes) => bytes.len() as u64,
            Kind::Spooled { bytes, .. } => *bytes,
        }
    }

    /// True where there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it; read into memory where it is not there.
    ///
    /// # Errors
    /// What the temporary file says.
    pub fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.0 {
            Kind::Held(bytes) => Ok(Cow::Borrowed(bytes)),
            Kind::Spooled { file, .. } => {
                let mut bytes = Vec::new();
                rewound(file)?.read_to_end(&mut bytes)?;
                Ok(bytes.into())
            }
        }
    }

    /// Writes it to a stream.
    ///
    /// # Errors
    /// What either side says.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Kind::Held(bytes) => out.write_all(bytes),
            Kind::Spooled { file, .. } => io::copy(&mut rewound(file)?, out).map(drop),
        }
    }

    /// Writes it to a file, as [`write_recording`](crate::write_recording) does.
    ///
    /// # Errors
    /// [`Error::Io`]; a file that was there before is then still there.
    pub fn save(self, path: &Path) -> Result<(), Error> {
        match self.0 {
            Kind::Held(bytes) => output::write_recording(path, &bytes),
            Kind::Spooled { file, .. } => output::place(path, file),
        }
    }
}

fn rewound(file: &NamedTempFile) -> io::Result<&File> {
    let mut file = file.as_file();
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// How a long piece of work is done: where its temporary files are, and who hears how far it is.
#[derive(Clone, Copy, Default)]
pub struct Work<'a> {
    /// The folder for temporary files. That of the file that is to come of it, so that it needs to
    /// be renamed only; else the system's.
    pub folder: Option<&'a Path>,
    /// Hears how many bytes of the input are done with.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Work<'_> {
    /// An empty file that may become the content of another.
    pub(crate) fn spool(&self) -> io::Result<NamedTempFile> {
        match self.folder {
            Some(folder) => output::unfinished(folder, None),
            None => output::noted(NamedTempFile::new),
        }
    }

    /// An empty file for what is needed on the way.
    pub(crate) fn scratch(&self) -> io::Result<File> {
        match self.folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        }
    }

    pub(crate) fn told(&self, bytes: u64) {
        if let Some(progress) = self.progress {
            progress(bytes);
        }
    }
}
