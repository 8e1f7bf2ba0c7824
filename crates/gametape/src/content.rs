//! The content of a file that was made, until it is where it belongs.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use gametape_core::Input;
use gametape_core::tape::Format;
use tempfile::NamedTempFile;

use crate::{Error, output};

/// Where a file is made: in a temporary one, which is gone if it does not come to an end.
pub(crate) struct Spool(BufWriter<NamedTempFile>);

impl Spool {
    pub fn new(folder: Option<&Path>) -> io::Result<Self> {
        let file = match folder {
            Some(folder) => output::unfinished(folder, None)?,
            None => output::noted(NamedTempFile::new)?,
        };
        Ok(Self(BufWriter::with_capacity(256 << 10, file)))
    }

    pub fn finish(self) -> io::Result<Content> {
        let file = self
            .0
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let size = file.as_file().metadata()?.len();
        Ok(Content { file, size })
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// The content of a file that was made: in a temporary one, which is gone when this is.
#[derive(Debug)]
pub struct Content {
    file: NamedTempFile,
    size: u64,
}

impl Content {
    /// Its size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// All of it.
    ///
    /// # Errors
    /// What the system says.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.rewound()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes it to a stream.
    ///
    /// # Errors
    /// What either side says.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        io::copy(&mut self.rewound()?, out).map(drop)
    }

    /// Makes a file of it that is there as a whole or not at all. What lies beside the file it
    /// replaces, and does not fit the new one, goes with the old one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`]; a file that was there before is then still there.
    pub fn save(self, path: &Path, format: &dyn Format) -> Result<(), Error> {
        output::place(path, self.file)?;
        replaced(path, format);
        Ok(())
    }

    fn rewound(&self) -> io::Result<&File> {
        let mut file = self.file.as_file();
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

fn replaced(path: &Path, format: &dyn Format) {
    if let Ok(input) = File::open(path).and_then(Input::file) {
        format.replaced(path, &input);
    }
}

/// Writes a whole recording that is in memory, as [`Content::save`] does.
///
/// # Errors
/// As [`Content::save`].
pub fn write_recording(path: &Path, bytes: &[u8], format: &dyn Format) -> Result<(), Error> {
    output::write_file(path, bytes)?;
    replaced(path, format);
    Ok(())
}
