//! The content of a file that was made, until it is where it belongs.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_core::tape::Format;
use tempfile::{NamedTempFile, TempPath};

use crate::Error;
use crate::output::{self, UnsyncedFolders};

/// A file that is being made: a temporary one, which is gone if it does not come to an end.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.txt");
/// let mut draft = gametape::Draft::of(&path)?;
/// draft.write_all(b"text").unwrap();
/// draft.finish()?.put(&path)?; // there as a whole, or not at all
/// # Ok::<(), gametape::Error>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    // The file and its name apart: errors are said of the file that is to be made.
    out: BufWriter<File>,
    temporary: TempPath,
    path: PathBuf,
}

impl Draft {
    /// A draft of this file, made in its folder, so that it needs to be renamed only.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`].
    pub fn of(path: &Path) -> Result<Self, Error> {
        let folder = output::folder_for(path)?;
        let file = match &folder {
            Some(folder) => output::unfinished(folder, Some(path)),
            None => output::noted(NamedTempFile::new),
        };
        Self::new(file, path)
    }

    /// A draft of a file of which is not known yet where it goes: made in this folder, or with the
    /// temporary files; errors are said of `path`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_folder(folder: Option<&Path>, path: &Path) -> Result<Self, Error> {
        let file = match folder {
            Some(folder) => output::unfinished(folder, None),
            None => output::noted(NamedTempFile::new),
        };
        Self::new(file, path)
    }

    fn new(file: io::Result<NamedTempFile>, path: &Path) -> Result<Self, Error> {
        let (file, temporary) = file.map_err(Error::io(path))?.into_parts();
        Ok(Self {
            out: BufWriter::with_capacity(256 << 10, file),
            temporary,
            path: path.to_owned(),
        })
    }

    /// The content, all of it written.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<Content, Error> {
        let Self {
            out,
            temporary,
            path,
        } = self;
        let finished = out.into_inner().map_err(io::IntoInnerError::into_error);
        let sized = finished.and_then(|file| Ok((file.metadata()?.len(), file)));
        let (size, file) = sized.map_err(Error::io(&path))?;
        let file = NamedTempFile::from_parts(file, temporary);
        Ok(Content { file, size })
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Draft {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
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
        self.put(path)?;
        replaced(path, format);
        Ok(())
    }

    /// [`Content::save`] of one of many files: what is in it is on disk, its name once [`UnsyncedFolders::sync`]
    /// was called. Until then a power cut may leave the file that was there before, or none.
    ///
    /// # Errors
    /// As [`Content::save`].
    pub fn save_in(
        self,
        path: &Path,
        format: &dyn Format,
        folders: &UnsyncedFolders,
    ) -> Result<(), Error> {
        output::place(path, self.file, Some(folders))?;
        replaced(path, format);
        Ok(())
    }

    /// [`Content::save`] of what is no recording, or of one that nothing lies beside.
    ///
    /// # Errors
    /// As [`Content::save`].
    pub fn put(self, path: &Path) -> Result<(), Error> {
        output::place(path, self.file, None)
    }

    fn rewound(&self) -> io::Result<&File> {
        let mut file = self.file.as_file();
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

fn replaced(path: &Path, format: &dyn Format) {
    if let Some(companions) = format.companions()
        && let Ok(input) = File::open(path).and_then(Input::file)
    {
        companions.replaced(path, &input);
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
