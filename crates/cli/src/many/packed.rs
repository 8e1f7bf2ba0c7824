//! An output folder that becomes a zip.
//!
//! The files are made in a folder beside the zip, which is packed at the end. A call that is killed leaves the
//! folder, and the next goes on there. The manifest is in the zip, so that a later call, which unpacks it, does
//! only the rest, too.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use gametape::archive::{Archive, Limits, Pack};
use gametape::core::Spell as _;
use gametape::{Draft, Error, Existing, Input};
use tempfile::TempDir;

use super::manifest::{self, Manifest};

/// A zip that is being made.
pub struct Packed {
    zip: PathBuf,
    folder: PathBuf,
    /// The zip is one that an earlier call made.
    is_own: bool,
    /// The folder is that of a call that was killed.
    was_there: bool,
    /// The folder of a dry run.
    dry: Option<TempDir>,
}

impl Packed {
    /// Returns the zip that an output is by its name; `None` for a folder.
    pub fn of(out: &Path) -> Option<&Path> {
        let is_zip = out
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("zip"));
        (is_zip && !out.is_dir()).then_some(out)
    }

    /// Prepares the folder: with the files of the zip, if an earlier call made it.
    ///
    /// # Errors
    /// An I/O error; [`Error::Exists`] for a zip that no earlier call made.
    pub fn begin(zip: &Path, existing: Existing, dry: bool) -> Result<Self, Error> {
        let io = |source| Error::io(zip)(source);
        let (folder, temporary) = if dry {
            let folder = TempDir::with_prefix("gametape-").map_err(io)?;
            (folder.path().to_owned(), Some(folder))
        } else {
            let mut name = OsString::from(".gametape-");
            name.push(zip.file_name().unwrap_or_default());
            let folder = zip.with_file_name(name);
            (folder, None)
        };
        let mut packed = Self {
            zip: zip.to_owned(),
            was_there: folder.is_dir(),
            folder,
            is_own: false,
            dry: temporary,
        };
        if zip.symlink_metadata().is_ok() {
            packed.is_own = packed.unpack()?;
            if !packed.is_own && existing == Existing::Keep {
                return Err(Error::Exists {
                    path: zip.to_owned(),
                });
            }
        }
        Ok(packed)
    }

    /// The folder in which the files are made.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Unpacks what is not in the folder yet. Returns whether the zip has a manifest.
    fn unpack(&self) -> Result<bool, Error> {
        let io = |source| Error::io(&self.zip)(source);
        let input = fs::File::open(&self.zip)
            .and_then(Input::file)
            .map_err(io)?;
        let name = self.zip.to_string_lossy();
        let Ok(archive) = Archive::open(input, &name, Limits::default()) else {
            return Ok(false);
        };
        if archive.find(manifest::NAME).is_none() {
            return Ok(false);
        }
        for file in archive.files() {
            let path = self.folder.join(&file.name);
            // A call that was killed has gone further than the zip.
            if path.symlink_metadata().is_ok() {
                continue;
            }
            // What is damaged is made again.
            let Ok(input) = archive.unpack(file) else {
                continue;
            };
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(Error::io(folder))?;
            }
            let mut draft = Draft::of(&path)?;
            io::copy(&mut input.stream(), &mut draft).map_err(Error::io(&path))?;
            draft.finish()?.put(&path, Existing::Keep)?;
        }
        Ok(true)
    }

    /// Removes the folder again, if nothing was begun: neither by a call that was killed nor by one that works on it
    /// now, which holds the manifest.
    pub fn abandon(self) {
        if !self.was_there && Manifest::open(&self.folder).is_ok() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    /// Packs the folder and removes it. Nothing is packed if nothing was made.
    ///
    /// # Errors
    /// An I/O error; the folder stays then, and the next call goes on.
    pub fn finish(self, existing: Existing) -> Result<(), Error> {
        if self.dry.is_some() {
            return Ok(());
        }
        let mut files = Vec::new();
        list(&self.folder, "", &mut files).map_err(Error::io(&self.folder))?;
        files.sort();
        if !files.is_empty() {
            let existing = if self.is_own {
                Existing::Replace
            } else {
                existing
            };
            self.pack(&files)?.put(&self.zip, existing)?;
        }
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io(&self.folder)(error))
            }
            _ => Ok(()),
        }
    }

    fn pack(&self, files: &[String]) -> Result<gametape::Content, Error> {
        let io = |source| Error::io(&self.zip)(source);
        let mut pack = Pack::new(Draft::of(&self.zip)?);
        for name in files {
            let path = self.folder.join(name);
            let file = fs::File::open(&path).map_err(Error::io(&path))?;
            let size = file.metadata().map_err(Error::io(&path))?.len();
            pack.file(name, size, file.take(size)).map_err(io)?;
        }
        let mut draft = pack.finish().map_err(io)?;
        draft.flush().map_err(io)?;
        draft.finish()
    }
}

/// Lists the files below a folder, by their paths divided by `/`.
fn list(folder: &Path, below: &str, files: &mut Vec<String>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let what = format!("{} is no name for a file in a zip", name.spelled());
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, what));
        };
        let name = if below.is_empty() {
            name.to_owned()
        } else {
            format!("{below}/{name}")
        };
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &name, files)?;
        } else {
            files.push(name);
        }
    }
    Ok(())
}
