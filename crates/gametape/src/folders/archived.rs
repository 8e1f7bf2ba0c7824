//! Archives as folders: `games.zip/2022/a.rmv` is a path.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use gametape_archive::{Archive, Fault, File, Kind, Limits, is_of_system};
use gametape_core::Input;
use gametape_core::tape::{Disk, Files, Format};

use crate::open::{self, OpenOptions};
use crate::recording::Lies;
use crate::{Error, Formats, Recording};

/// The number of archives that stay open, for the recordings in them that are opened next.
const OPEN: usize = 16;
/// The number of files in an archive that are looked at to find its only recording.
const LOOKED_AT: usize = 64;

/// Archives that were opened, the latest last.
static KNOWN: Mutex<VecDeque<(ArchiveMark, Arc<Archive>)>> = Mutex::new(VecDeque::new());

/// The marks of an archive's file, by which a change is noticed.
#[derive(Clone, PartialEq, Eq)]
struct ArchiveMark {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    changed: (i64, i64, u64),
}

impl ArchiveMark {
    fn of(path: &Path, meta: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            path: path.to_owned(),
            size: meta.len(),
            modified: meta.modified().ok(),
            #[cfg(unix)]
            changed: (meta.ctime(), meta.ctime_nsec(), meta.ino()),
        }
    }
}

/// Returns the file on the disk that a path leads to: of a recording in an archive, the archive.
///
/// ```
/// use std::path::Path;
/// # let folder = tempfile::tempdir().unwrap();
/// let games = folder.path().join("games.zip");
/// # std::fs::write(&games, b"PK").unwrap();
/// assert_eq!(gametape::file_of(&games.join("2022/a.rmv")), games);
/// assert_eq!(gametape::file_of(Path::new("no/such/file")), Path::new("no/such/file"));
/// ```
#[must_use]
pub fn file_of(path: &Path) -> &Path {
    split(path).map_or(path, |(file, _)| file)
}

/// Divides a path that leads into a file: the file, and the names after it.
fn split(path: &Path) -> Option<(&Path, String)> {
    // Nearly all paths are those of files.
    if fs::symlink_metadata(path).is_ok() {
        return None;
    }
    let there = |path: &&Path| fs::metadata(path).is_ok();
    let file = path.ancestors().skip(1).find(there)?;
    if !file.is_file() {
        return None;
    }
    let below = path.strip_prefix(file).ok()?;
    Some((file, joined(below)?))
}

/// The place of an input.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub path: &'p Path,
    /// The path leads to a file on the disk, or into one; else it is only a name.
    pub on_disk: bool,
    /// The number of archives around it.
    pub depth: usize,
}

impl<'p> Place<'p> {
    pub const fn file(path: &'p Path) -> Self {
        Self {
            path,
            on_disk: true,
            depth: 0,
        }
    }

    pub const fn inner(self, path: &'p Path) -> Self {
        Self {
            path,
            on_disk: self.on_disk,
            depth: self.depth + 1,
        }
    }
}

/// The names of a path, divided by `/`.
pub(super) fn joined(path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/"))
}

/// A path below a folder. An empty one is the folder itself.
pub(super) fn at(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        return folder.to_owned();
    }
    folder.join(below)
}

/// A file in an archive, or a folder in it that is one recording.
pub(super) struct Entry {
    pub path: PathBuf,
    /// The path below the archive.
    pub below: PathBuf,
    pub within: Arc<Within>,
    /// `None` for a folder.
    pub file: Option<File>,
}

impl Entry {
    /// Whether it is a folder that is one recording.
    pub const fn is_folder(&self) -> bool {
        self.file.is_none()
    }
}

/// The file or folder that was found at a path in an archive, or in an archive that was named.
pub(super) struct Opened {
    pub input: Input,
    pub path: PathBuf,
    pub lies: Lies,
    /// The format of a folder that is one recording.
    pub format: Option<Arc<dyn Format>>,
    /// The number of archives around a file that was named and may be one itself; else 0.
    pub depth: usize,
}

/// Opens an archive that lies at this path, or uses it if it is open. One that is no file is not kept open.
fn archive(
    path: &Path,
    meta: Option<&Metadata>,
    input: impl FnOnce() -> Result<Input, Error>,
) -> Result<Arc<Archive>, Error> {
    let name = path.to_string_lossy();
    let open = |input| {
        let archive = Archive::open(input, &name, Limits::default());
        archive.map(Arc::new).map_err(Error::archive(path))
    };
    let Some(meta) = meta else {
        return open(input()?);
    };
    let known = ArchiveMark::of(path, meta);
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = all.iter().position(|(other, _)| *other == known)
        && let Some(found) = all.remove(at)
    {
        let archive = found.1.clone();
        all.push_back(found);
        return Ok(archive);
    }
    // Others wait meanwhile: most of them for this archive.
    let archive = open(input()?)?;
    all.push_back((known, archive.clone()));
    if all.len() > OPEN {
        all.pop_front();
    }
    Ok(archive)
}

/// The innermost archive that a path leads into, the names below it, and the number of archives; `None` if the path
/// does not lead into a file.
fn resolve(
    path: &Path,
    options: &OpenOptions,
) -> Result<Option<(Arc<Within>, String, usize)>, Error> {
    let Some((file, names)) = split(path) else {
        return Ok(None);
    };
    let meta = fs::metadata(file).map_err(Error::io(file))?;
    let not_found = || Error::NotFound {
        path: path.to_owned(),
    };
    // A path goes on after a file that is no archive.
    let missing = |error| match error {
        Error::Archive {
            fault: Fault::NoArchive,
            ..
        } => not_found(),
        error => error,
    };
    let opened = archive(file, Some(&meta), || open::file(file, options));
    let mut within = Arc::new(Within {
        path: file.to_owned(),
        archive: opened.map_err(missing)?,
        around: Some(Arc::new(Disk)),
    });
    let mut rest = names.as_str();
    for depth in 1..=Limits::default().max_depth {
        // An archive in it.
        let ends = rest.match_indices('/').map(|(at, _)| at);
        let mut inner = ends.filter_map(|end| {
            let (name, rest) = rest.split_at_checked(end)?;
            Some((within.archive.find(name)?, rest.get(1..)?))
        });
        let inner = inner.next().filter(|_| within.archive.find(rest).is_none());
        let Some((entry, deeper)) = inner else {
            return Ok(Some((within, rest.to_owned(), depth)));
        };
        let at = within.path.join(&entry.name);
        let unpacked = || within.unpack(entry, &at);
        let opened = archive(&at, Some(&meta), unpacked);
        within = Arc::new(Within {
            archive: opened.map_err(missing)?,
            path: at,
            around: Some(within),
        });
        rest = deeper;
    }
    Err(not_found())
}

/// Whether a path leads to a file in an archive.
pub(super) fn is_in_archive(path: &Path) -> bool {
    let resolved = resolve(path, &OpenOptions::default());
    resolved.is_ok_and(|found| {
        found.is_some_and(|(within, name, _)| within.archive.find(&name).is_some())
    })
}

/// Whether a file that was found may be an archive: by its name, since looking into each file takes time.
pub(super) fn is_entered(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| Kind::of_extension(extension).is_some())
}

impl Formats {
    /// Opens the file in an archive that a path leads to, or the folder that is one recording; `None` if it does not
    /// lead into a file.
    fn archived(&self, path: &Path, options: &OpenOptions) -> Result<Option<Opened>, Error> {
        let Some((within, name, depth)) = resolve(path, options)? else {
            return Ok(None);
        };
        if let Some(file) = within.archive.find(&name) {
            return Ok(Some(Opened {
                input: within.unpack(file, path)?,
                path: path.to_owned(),
                lies: within.lies(file),
                format: None,
                depth,
            }));
        }
        let opened = self.folder_in(&within, path, options)?;
        let not_found = || Error::NotFound {
            path: path.to_owned(),
        };
        opened.ok_or_else(not_found).map(Some)
    }

    /// Opens the only recording in an input that is an archive; `None` if it is none.
    pub(crate) fn open_archive(
        &self,
        input: &Input,
        path: &Path,
        on_disk: bool,
        options: &OpenOptions,
    ) -> Result<Option<Recording>, Error> {
        let place = Place {
            on_disk,
            ..Place::file(path)
        };
        let Some(archive) = self.archive_of(input, place)? else {
            return Ok(None);
        };
        let around = on_disk.then(|| Arc::new(Disk) as Arc<dyn Files>);
        let opened = self.only_in(&archive, place, around, options)?;
        self.of_opened(opened, options).map(Some)
    }

    /// Opens what a path leads to in an archive; `None` if it does not lead into a file.
    pub(crate) fn open_inside(
        &self,
        path: &Path,
        options: &OpenOptions,
    ) -> Result<Option<Recording>, Error> {
        let opened = self.archived(path, options)?;
        opened
            .map(|opened| self.of_opened(opened, options))
            .transpose()
    }

    /// The format of what a path leads to in an archive.
    pub(crate) fn format_inside(
        &self,
        path: &Path,
        options: &OpenOptions,
    ) -> Option<Arc<dyn Format>> {
        let opened = self.archived(path, options).ok()??;
        opened.format.or_else(|| self.of(&opened.input, path))
    }

    /// Opens what is in an archive; it may be one itself.
    fn of_opened(&self, opened: Opened, options: &OpenOptions) -> Result<Recording, Error> {
        let Opened {
            input, path, lies, ..
        } = opened;
        if let Some(format) = opened.format {
            return self.tape(format, input, &path, Some(lies), options);
        }
        let place = Place {
            depth: opened.depth,
            ..Place::file(&path)
        };
        if place.depth > 0
            && let Some(archive) = self.archive_of(&input, place)?
        {
            let opened = self.only_in(&archive, place, Some(lies.1), options)?;
            return self.of_opened(opened, options);
        }
        self.of_input(input, &path, Some(lies), options)
    }

    /// Opens a folder in an archive that is one recording.
    fn folder_in(
        &self,
        within: &Arc<Within>,
        path: &Path,
        options: &OpenOptions,
    ) -> Result<Option<Opened>, Error> {
        let Some(format) = self.of_folder(path, &**within) else {
            return Ok(None);
        };
        let Some(folders) = format.folders() else {
            return Ok(None);
        };
        let read = folders.read(path, &**within, options.limits.max_held_bytes);
        Ok(Some(Opened {
            input: read.map_err(Error::tape(path))?,
            path: path.to_owned(),
            lies: (path.to_owned(), within.clone()),
            format: Some(format.clone()),
            depth: 0,
        }))
    }

    /// Returns the archive that a file is, unless it is one recording: the lines of one match in a zip.
    pub(super) fn archive_of(
        &self,
        input: &Input,
        place: Place<'_>,
    ) -> Result<Option<Arc<Archive>>, Error> {
        let path = place.path;
        if place.depth >= Limits::default().max_depth {
            return Ok(None);
        }
        let kind = Kind::of(input).map_err(Error::io(path))?;
        if kind.is_none() && !is_named_zip(path) {
            return Ok(None);
        }
        let is_recording = self.recognise(input).is_some();
        // An empty match in a zip, or one that was cut, is known by its extension alone.
        let is_named = self.from_extension(path).is_some();
        let is_one = |archive: &Archive| {
            let is_own = || archive.fault().is_some() || !self.holds_others(archive);
            archive.is_of_one_name() && (is_recording || is_named && is_own())
        };
        // A name of bytes in memory says nothing about a file of this name.
        let meta = place.on_disk.then(|| fs::metadata(file_of(path)).ok());
        match archive(path, meta.flatten().as_ref(), || Ok(input.clone())) {
            Ok(archive) if is_one(&archive) => Ok(None),
            Ok(archive) => Ok(Some(archive)),
            // The format says what is wrong with its own.
            Err(_) if is_recording || is_named => Ok(None),
            Err(Error::Archive {
                fault: Fault::NoArchive,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether there are recordings or archives in an archive.
    fn holds_others(&self, archive: &Archive) -> bool {
        let is_other = |input: Input| {
            self.recognise(&input).is_some() || matches!(Kind::of(&input), Ok(Some(_)))
        };
        let mut files = archive.files().iter().take(LOOKED_AT);
        files.any(|file| archive.unpack(file).is_ok_and(is_other))
    }

    /// Opens the only recording in an archive that lies among the files `around` it. An archive of several is an error.
    fn only_in(
        &self,
        archive: &Arc<Archive>,
        place: Place<'_>,
        around: Option<Arc<dyn Files>>,
        options: &OpenOptions,
    ) -> Result<Opened, Error> {
        let path = place.path;
        let mut found: Vec<Entry> = Vec::new();
        let mut problem = None;
        for entry in self.list(archive, place, around).entries {
            match entry {
                Ok(entry)
                    if entry
                        .file
                        .as_ref()
                        .is_some_and(|file| is_of_system(&file.name)) => {}
                Ok(entry) => found.push(entry),
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        if let Some(error) = problem {
            return Err(error);
        }
        let is_named =
            |entry: &Entry| entry.is_folder() || self.from_extension(&entry.path).is_some();
        if archive.is_stream() && found.len() == 1 {
            // It is what was meant, whatever it is.
        } else if found.iter().any(is_named) {
            found.retain(is_named);
        } else if found.len() <= LOOKED_AT {
            let is_recording = |opened: Opened| self.recognise(&opened.input).is_some();
            found.retain(|entry| self.entry(entry, options).is_ok_and(is_recording));
        }
        match found.as_slice() {
            [only] => self.entry(only, options),
            [] => Err(Error::UnknownFormat {
                path: path.to_owned(),
                what: "an archive without a recording in it".to_owned(),
                head: Vec::new(),
            }),
            [first, ..] => Err(Error::Several {
                path: path.to_owned(),
                recordings: found.len() as u64,
                first: first.path.clone(),
            }),
        }
    }

    fn entry(&self, entry: &Entry, options: &OpenOptions) -> Result<Opened, Error> {
        let Some(file) = &entry.file else {
            let opened = self.folder_in(&entry.within, &entry.path, options)?;
            return opened.ok_or_else(|| Error::NotFound {
                path: entry.path.clone(),
            });
        };
        Ok(Opened {
            input: entry.within.unpack(file, &entry.path)?,
            path: entry.path.clone(),
            lies: entry.within.lies(file),
            format: None,
            depth: 0,
        })
    }
}

/// Whether a file is a zip by its name; other bytes may stand before it.
fn is_named_zip(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

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
