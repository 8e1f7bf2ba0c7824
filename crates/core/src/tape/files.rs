//! The files around a recording.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::input::Input;

/// The files among which a recording lies: those of the disk, or of an archive.
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; an error if it can't be read.
    fn open(&self, path: &Path) -> io::Result<Input>;

    /// Returns the paths of the files in a folder, in no order. What is in its subfolders is left out.
    ///
    /// # Errors
    /// There is no such folder, or it can't be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Whether these are the files of the disk, to which others may be added.
    fn is_disk(&self) -> bool {
        false
    }
}

/// The files of the disk.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    /// Opens a regular file. A pipe or a device might never end.
    fn open(&self, path: &Path) -> io::Result<Input> {
        let meta = fs::metadata(path)?;
        if meta.is_dir() {
            return Err(io::Error::other("is a folder"));
        }
        if !meta.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Input::file(File::open(path)?)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect()
    }

    fn is_disk(&self) -> bool {
        true
    }
}
