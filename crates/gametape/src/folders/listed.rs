//! The files in an archive, and in the archives in it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::{fs, iter};

use gametape_archive::{Archive, Fault, File, Limits};
use gametape_core::Input;
use gametape_core::tape::{Disk, Files};

use super::archived::{Entry, Place, Within, at, is_entered};
use crate::{Error, Formats};

/// The files in an archive and in its archives.
#[derive(Default)]
pub(super) struct Listed {
    pub entries: Vec<Result<Entry, Error>>,
    archives: u64,
    /// How many bytes of archives in archives were unpacked to list them.
    held: u64,
    /// How large all of them may be, and how large all files.
    most: u64,
    /// The sizes that the files declare, together.
    declared: u64,
    /// A limit was met.
    is_full: bool,
}

impl Listed {
    /// Counts the size that a file declares. Files that take far more than the whole archive were made to do so.
    fn holds(&mut self, file: &File) -> Result<(), Fault> {
        self.declared = self.declared.saturating_add(file.declared().unwrap_or(0));
        self.is_full = self.declared > self.most;
        if self.is_full {
            return Err(Fault::TooLarge { limit: self.most });
        }
        Ok(())
    }

    /// Counts an archive in the archive.
    fn enter(&mut self, inner: &Archive) -> Result<(), Fault> {
        self.archives += 1;
        self.held = self.held.saturating_add(inner.size().max(inner.held()));
        let limit = Limits::default().max_archives;
        self.is_full = true;
        if self.archives > limit {
            return Err(Fault::TooManyArchives { limit });
        }
        if self.held > self.most {
            return Err(Fault::TooLarge { limit: self.most });
        }
        self.is_full = false;
        Ok(())
    }
}

impl Formats {
    /// Lists the files in a file that is an archive; `None` if it is none, or one recording.
    pub(super) fn listed(&self, path: &Path) -> Result<Option<Vec<Result<Entry, Error>>>, Error> {
        // Only regular files: others would block or never end.
        if !path.is_file() {
            return Ok(None);
        }
        let Ok(file) = fs::File::open(path) else {
            // Opening it reports the problem.
            return Ok(None);
        };
        let input = Input::file(file).map_err(Error::io(path))?;
        let place = Place::file(path);
        let archive = self.archive_of(&input, place)?;
        let around: Arc<dyn Files> = Arc::new(Disk);
        Ok(archive.map(|archive| self.list(&archive, place, Some(around)).entries))
    }

    /// Lists the files in an archive and in the archives in it.
    pub(super) fn list(
        &self,
        archive: &Arc<Archive>,
        place: Place<'_>,
        around: Option<Arc<dyn Files>>,
    ) -> Listed {
        let mut listed = Listed {
            most: Limits::default().of_packed(archive.size()),
            ..Listed::default()
        };
        let within = Within {
            path: place.path.to_owned(),
            archive: archive.clone(),
            around,
        };
        self.list_into(&Arc::new(within), place, Path::new(""), &mut listed);
        if listed.held > listed.most {
            // Archives in it were unpacked to more than the limit, which shows what it was made for: none of it is opened.
            listed.entries.drain(..listed.entries.len() - 1);
        }
        listed
    }

    /// The folders in an archive that are one recording each.
    fn folders_in(&self, within: &Within) -> BTreeSet<String> {
        let names = within.archive.files().iter();
        let folders = names.map(|file| file.name.rsplit_once('/').map_or("", |(folder, _)| folder));
        let folders: BTreeSet<&str> = folders.collect();
        let is_recording = |folder: &&str| {
            let path = at(&within.path, Path::new(folder));
            self.of_folder(&path, within).is_some()
        };
        folders
            .into_iter()
            .filter(is_recording)
            .map(ToOwned::to_owned)
            .collect()
    }

    fn list_into(&self, within: &Arc<Within>, place: Place<'_>, below: &Path, listed: &mut Listed) {
        let archive = &within.archive;
        let folders = self.folders_in(within);
        let mut listed_folders = BTreeSet::new();
        if let Some(fault) = archive.fault() {
            let error = Error::archive(place.path)(fault.clone());
            listed.entries.push(Err(error));
        }
        for file in archive.files() {
            if let Some(folder) = folder_of(&file.name, &folders) {
                if listed_folders.insert(folder) {
                    listed.entries.push(Ok(Entry {
                        path: at(place.path, Path::new(folder)),
                        below: at(below, Path::new(folder)),
                        within: within.clone(),
                        file: None,
                    }));
                }
                continue;
            }
            let (path, below) = (place.path.join(&file.name), below.join(&file.name));
            let is_named = self.from_extension(&path).is_some();
            // Links to what is not there are of interest only if they should be recordings, as in folders.
            if matches!(file.fault(), Some(Fault::Link)) && !is_named {
                continue;
            }
            if is_entered(&path) {
                let inner = place.inner(&path);
                match self.inner(archive, file, inner) {
                    Ok(Some(archive)) => {
                        if let Err(fault) = listed.enter(&archive) {
                            listed.entries.push(Err(Error::archive(&path)(fault)));
                            return;
                        }
                        let inside = Arc::new(Within {
                            path: path.clone(),
                            archive,
                            around: Some(within.clone()),
                        });
                        self.list_into(&inside, inner, &below, listed);
                        if listed.is_full {
                            return;
                        }
                        continue;
                    }
                    Ok(None) => {}
                    Err(error) => {
                        listed.entries.push(Err(error));
                        continue;
                    }
                }
            }
            if let Err(fault) = listed.holds(file) {
                listed.entries.push(Err(Error::archive(&path)(fault)));
                return;
            }
            listed.entries.push(Ok(Entry {
                path,
                below,
                within: within.clone(),
                file: Some(file.clone()),
            }));
        }
    }

    /// The archive that a file in an archive is, unless it is one recording.
    fn inner(
        &self,
        archive: &Archive,
        file: &File,
        place: Place<'_>,
    ) -> Result<Option<Arc<Archive>>, Error> {
        let input = archive.unpack(file).map_err(Error::archive(place.path))?;
        self.archive_of(&input, place)
    }
}

/// The outermost folder around a file that is one recording.
fn folder_of<'n>(name: &'n str, folders: &BTreeSet<String>) -> Option<&'n str> {
    if folders.is_empty() {
        return None;
    }
    let ends = name.match_indices('/').map(|(at, _)| at);
    let mut around = iter::once(0).chain(ends).filter_map(|end| name.get(..end));
    around.find(|folder| folders.contains(*folder))
}
