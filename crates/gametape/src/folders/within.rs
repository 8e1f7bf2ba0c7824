//! The files of an archive, as those around a recording in it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_archive::{Archive, File};
use gametape_core::Input;
use gametape_core::tape::Files;

use super::archived::joined;
use crate::Error;
use crate::recording::Lies;

/// An archive, and the place where it lies.
#[derive(Clone, Debug)]
pub(super) struct Within {
    pub(super) path: PathBuf,
    pub(super) archive: Arc<Archive>,
    /// The files around it; `None` for bytes in memory.
    pub(super) around: Option<Arc<dyn Files>>,
}

impl Within {
    /// The name below the archive of a path.
    fn name(&self, path: &Path) -> io::Result<String> {
        let name = path.strip_prefix(&self.path).ok().and_then(joined);
        name.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn unpack(&self, file: &File, path: &Path) -> Result<Input, Error> {
        self.archive.unpack(file).map_err(Error::archive(path))
    }

    /// The place of a file in the archive. A file that is compressed by itself lies where its gzip lies.
    pub(super) fn lies(self: &Arc<Self>, file: &File) -> Lies {
        match &self.around {
            Some(around) if self.archive.is_stream() => {
                (self.path.with_file_name(&file.name), around.clone())
            }
            _ => (self.path.join(&file.name), self.clone()),
        }
    }
}

impl Files for Within {
    fn open(&self, path: &Path) -> io::Result<Input> {
        let name = self.name(path)?;
        let file = self.archive.find(&name);
        let file = file.ok_or(io::ErrorKind::NotFound)?;
        self.archive.unpack(file).map_err(io::Error::other)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let name = self.name(folder)?;
        let files = self.archive.in_folder(&name);
        if files.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let paths = files.into_iter().map(|file| self.path.join(&file.name));
        Ok(paths.collect())
    }
}
