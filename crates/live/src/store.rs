//! The destination of published files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gametape::Existing;
use gametape::core::Spell as _;

use crate::Error;

/// A destination of files. Their names are relative, with `/` between the parts.
#[derive(Debug)]
pub enum Store {
    /// A folder.
    Folder(PathBuf),
    /// A folder with a limit.
    Bounded {
        /// Its path.
        folder: PathBuf,
        /// The most bytes to write.
        limit: u64,
        /// The bytes written so far.
        taken: u64,
    },
    /// Memory.
    Memory(BTreeMap<String, Vec<u8>>),
}

impl Store {
    /// Returns a folder as a store; creates it if it does not exist.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn folder(path: &Path) -> Result<Self, Error> {
        fs::create_dir_all(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self::Folder(path.to_owned()))
    }

    /// Returns an existing folder as a store that takes no more than `limit` bytes.
    #[must_use]
    pub fn bounded(path: &Path, limit: u64) -> Self {
        Self::Bounded {
            folder: path.to_owned(),
            limit,
            taken: 0,
        }
    }

    /// Returns a store in memory.
    #[must_use]
    pub const fn memory() -> Self {
        Self::Memory(BTreeMap::new())
    }

    /// Returns the path of a file, for messages.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root()
            .map_or_else(|| name.into(), |root| root.join(name))
    }

    fn root(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) | Self::Bounded { folder, .. } => Some(folder),
            Self::Memory(_) => None,
        }
    }

    /// Writes a file; an existing file is replaced as a whole or not at all.
    ///
    /// # Errors
    /// [`Error::Recording`] with the error of the system.
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Self::Memory(files) => {
                files.insert(name.to_owned(), bytes.to_vec());
                return Ok(());
            }
            Self::Bounded { limit, taken, .. } => {
                *taken = taken.saturating_add(bytes.len() as u64);
                if taken > limit {
                    return Err(Error::Full { limit: *limit });
                }
            }
            Self::Folder(_) => {}
        }
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|source| Error::Io {
                path: parent.to_owned(),
                source,
            })?;
        }
        Ok(gametape::write_file(&path, bytes, Existing::Replace)?)
    }

    /// Writes a file whose name is a hash of its content, unless it exists.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn put_once(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let there = match self {
            Self::Memory(files) => files.contains_key(name),
            _ => fs::metadata(self.path(name))
                .is_ok_and(|file| file.is_file() && file.len() == bytes.len() as u64),
        };
        if there { Ok(()) } else { self.put(name, bytes) }
    }

    /// Reads a file; returns `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error::Io`] for any other error.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        if let Self::Memory(files) = self {
            return Ok(files.get(name).cloned());
        }
        let path = self.path(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// Removes the files of a folder that have one of these ends, except the kept ones.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keep_only(&mut self, folder: &str, ends: &[&str], kept: &[&str]) -> Result<(), Error> {
        let goes = |name: &str| {
            let ours = ends.iter().any(|end| name.ends_with(end));
            ours && !kept.contains(&name)
        };
        if let Self::Memory(files) = self {
            let prefix = format!("{folder}/");
            files.retain(|path, _| !path.strip_prefix(&prefix).is_some_and(goes));
            return Ok(());
        }
        let path = self.path(folder);
        let fail = |source| Error::Io {
            path: path.clone(),
            source,
        };
        for entry in fs::read_dir(&path).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            if goes(&entry.file_name().spelled()) {
                fs::remove_file(entry.path()).map_err(fail)?;
            }
        }
        Ok(())
    }
}
