//! Content of new files, until it is moved to the final path.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_core::tape::{Beside, Format};
use tempfile::{NamedTempFile, TempPath};

use super::output::{self, Existing, UnsyncedFolders};
use crate::Error;

/// A file that is being written. It is a temporary file, which is removed unless it is finished.
///
/// ```
/// use std::io::Write;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.txt");
/// let mut draft = gametape::Draft::of(&path)?;
/// draft.write_all(b"text").unwrap();
/// draft.finish()?.put(&path, gametape::Existing::Keep)?; // there as a whole, or not at all
/// # Ok::<(), gametape::Error>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    // The file and its path are separate fields, because errors name the final path.
    out: BufWriter<File>,
    temporary: TempPath,
    path: PathBuf,
}

impl Draft {
    /// Creates a draft in the folder of its final path, so that it only needs to be renamed.
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

    /// Creates a draft whose final path is not known yet, in this folder or in the system's folder
    /// for temporary files. Errors name `path`.
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
        let file = file.map_err(Error::io(path))?;
        let (file, temporary) = file.into_parts();
        Ok(Self {
            out: BufWriter::with_capacity(256 << 10, file),
            temporary,
            path: path.to_owned(),
        })
    }

    /// Ends the writing and returns the content.
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

/// The content of a new file, stored in a temporary file that is removed when this value is
/// dropped.
#[derive(Debug)]
pub struct Content {
    file: NamedTempFile,
    size: u64,
}

impl Content {
    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns all bytes.
    ///
    /// # Errors
    /// [`Error::Io`] of the temporary file.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self
            .rewound()
            .and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(Error::io(self.file.path()))?;
        Ok(bytes)
    }

    /// Writes the content to a stream.
    ///
    /// # Errors
    /// Errors of the temporary file and of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        io::copy(&mut self.rewound()?, out).map(drop)
    }

    /// Moves the content to its path, completely or not at all, and writes the files beside it. If the path had a
    /// recording with other files next to it, those that do not fit the new recording are removed.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`], [`Error::Exists`]; existing files are then unchanged.
    pub fn save(
        self,
        path: &Path,
        format: &dyn Format,
        beside: &[Beside],
        existing: Existing,
    ) -> Result<(), Error> {
        self.save_and(path, format, beside, existing, None)
    }

    /// Like [`Content::save`], for one of many files: the content is on disk, but its name only
    /// after [`UnsyncedFolders::sync`]. If the power fails before that, the old file or no file may
    /// be left.
    ///
    /// # Errors
    /// Same as [`Content::save`].
    pub fn save_in(
        self,
        path: &Path,
        format: &dyn Format,
        beside: &[Beside],
        existing: Existing,
        folders: &UnsyncedFolders,
    ) -> Result<(), Error> {
        self.save_and(path, format, beside, existing, Some(folders))
    }

    fn save_and(
        self,
        path: &Path,
        format: &dyn Format,
        beside: &[Beside],
        existing: Existing,
        folders: Option<&UnsyncedFolders>,
    ) -> Result<(), Error> {
        // A recording is not written without the files beside it.
        for file in beside {
            let path = file.path(path);
            let is_regular = output::folder_for(&path)?.is_some();
            if existing == Existing::Keep && is_regular {
                output::is_there(&path, || Ok(&*file.bytes))?;
            }
        }
        output::place(path, self.file, existing, folders)?;
        replaced(path, format);
        for file in beside {
            output::write_file(&file.path(path), &file.bytes, existing)?;
        }
        Ok(())
    }

    /// Like [`Content::save`], for files that are not recordings or have no other files next to
    /// them.
    ///
    /// # Errors
    /// Same as [`Content::save`].
    pub fn put(self, path: &Path, existing: Existing) -> Result<(), Error> {
        output::place(path, self.file, existing, None)
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

/// Writes a whole recording from memory, like [`Content::save`].
///
/// # Errors
/// Same as [`Content::save`].
pub fn write_recording(
    path: &Path,
    bytes: &[u8],
    format: &dyn Format,
    existing: Existing,
) -> Result<(), Error> {
    output::write_file(path, bytes, existing)?;
    replaced(path, format);
    Ok(())
}
