//! Finds the files that a user names: files, folders, patterns, and what is in archives.

mod archived;
mod listed;
mod pattern;

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Formats, formats, is_own};
pub use archived::file_of;
use archived::{Entry, at, is_entered, is_in_archive};
use pattern::{Met, NoPattern, Pattern};

/// A file that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The path.
    pub path: PathBuf,
    /// Whether the user named this file. A file found in a folder or by a pattern may be something
    /// else than a recording, which is then no error.
    pub named: bool,
    /// The path relative to the named folder or to the fixed part of the pattern; only the file
    /// name if the user named the file.
    pub below: PathBuf,
    /// Whether it is a folder, on the disk or in an archive, that is one recording.
    pub is_folder: bool,
}

impl Found {
    fn of(entry: Entry) -> Self {
        Self {
            is_folder: entry.is_folder(),
            path: entry.path,
            named: false,
            below: entry.below,
        }
    }

    fn named(path: &Path) -> Self {
        // Paths such as `.` or those ending in `..` have no file name of their own.
        let name = path.file_name().map(PathBuf::from).or_else(|| {
            let path = fs::canonicalize(path).ok()?;
            path.file_name().map(PathBuf::from)
        });
        Self {
            path: path.to_owned(),
            named: true,
            below: name.unwrap_or_default(),
            is_folder: false,
        }
    }

    fn folder(path: &Path) -> Self {
        Self {
            is_folder: true,
            ..Self::named(path)
        }
    }
}

/// Finds the files for a path, sorted by name, each once: the file itself, all files in a folder and its
/// subfolders, or those of them that match a pattern such as `games/*.rmv`. Links to folders are not
/// followed. A folder that is one recording, such as packets with their `schema.json`, is found as one
/// item.
///
/// An archive is a folder: `games.zip` stands for all files in it, `games.zip/2022` and `games.zip/*.rmv` for some
/// of them, in the order of the archive. Zip, tar, gzip and zstd are archives, also in each other. In folders
/// they are known by their extension.
///
/// In a pattern `*` stands for any part of a name, `?` for one character, `[a-z]` and `[!a-z]` for one that is
/// or is not among these, and `**` in the place of a name for any number of folders. A pattern that
/// matches a folder stands for all files in it. A path that exists is never a pattern.
///
/// Files in folders are listed even if their extension and content are of no known format;
/// [`Recording::open`](crate::Recording::open) then reports it.
///
/// # Errors
/// [`Error::NotFound`] if nothing is found, [`Error::Pattern`] for an invalid pattern, [`Error::Io`] for a
/// folder that cannot be read. An error is one entry of the list; the search continues.
pub fn find(pattern: impl AsRef<Path>) -> Vec<Result<Found, Error>> {
    find_of(&formats(), pattern.as_ref())
}

impl Formats {
    /// Like [`find()`], with folders that are recordings of these formats.
    pub fn find(&self, pattern: impl AsRef<Path>) -> Vec<Result<Found, Error>> {
        find_of(self, pattern.as_ref())
    }
}

fn find_of(formats: &Formats, path: &Path) -> Vec<Result<Found, Error>> {
    // A dangling link, or a file in a folder without access, is found all the same: opening it
    // reports the problem.
    if path.is_dir() {
        if formats.is_folder(path) {
            return vec![Ok(Found::folder(path))];
        }
        return walk(formats, path, &Pattern::all());
    }
    match path.symlink_metadata() {
        Ok(_) => return file(formats, path),
        Err(source) if !is_missing(&source) => return vec![Err(Error::io(path)(source))],
        Err(_) => {}
    }
    let archive = file_of(path);
    if archive != path {
        return within(formats, archive, path);
    }
    let path = path.to_owned();
    let (root, pattern) = match Pattern::split(&path) {
        Ok(split) => split,
        Err(NoPattern::Plain) => return vec![Err(Error::NotFound { path })],
        Err(NoPattern::Said(message)) => return vec![Err(Error::Pattern { path, message })],
    };
    let found = if or_here(&root).is_dir() {
        walk(formats, &root, &pattern)
    } else {
        Vec::new()
    };
    if found.is_empty() {
        return vec![Err(Error::NotFound { path })];
    }
    found
}

/// Whether there is nothing at a path: also below a file.
fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// A file that was named, or the files in it.
fn file(formats: &Formats, path: &Path) -> Vec<Result<Found, Error>> {
    match formats.listed(path) {
        // All of it is one recording.
        Ok(Some(listed)) if matches!(listed.as_slice(), [Ok(entry)] if entry.path == path) => {
            vec![Ok(Found::folder(path))]
        }
        Ok(Some(listed)) => {
            let found = listed.into_iter();
            found.map(|entry| entry.map(Found::of)).collect()
        }
        Ok(None) => vec![Ok(Found::named(path))],
        Err(error) => vec![Err(error)],
    }
}

/// The files that a path below an archive stands for: a file in it, all files in a folder in it, or those that match a
/// pattern.
fn within(formats: &Formats, archive: &Path, path: &Path) -> Vec<Result<Found, Error>> {
    let wanted = path.strip_prefix(archive).unwrap_or(path);
    let mut found = Vec::new();
    let mut others = Vec::new();
    let not_found = || Error::NotFound {
        path: path.to_owned(),
    };
    let listed = match formats.listed(archive) {
        Ok(listed) => listed.unwrap_or_default(),
        Err(error) => return vec![Err(error)],
    };
    for entry in listed {
        match entry {
            Ok(entry) if entry.below == wanted => {
                return vec![Ok(Found {
                    is_folder: entry.is_folder(),
                    ..Found::named(&entry.path)
                })];
            }
            Ok(entry) => match entry.below.strip_prefix(wanted) {
                Ok(below) => found.push(Ok(Found {
                    below: below.to_owned(),
                    ..Found::of(entry)
                })),
                Err(_) => others.push(entry),
            },
            Err(error) if error.path().starts_with(path) => found.push(Err(error)),
            Err(_) => {}
        }
    }
    if !found.is_empty() {
        return found;
    }
    let pattern = match Pattern::of(wanted) {
        Ok(pattern) => pattern,
        // A packet of a folder that is one recording.
        Err(NoPattern::Plain) if is_in_archive(path) => return vec![Ok(Found::named(path))],
        Err(NoPattern::Plain) => return vec![Err(not_found())],
        Err(NoPattern::Said(message)) => {
            let path = path.to_owned();
            return vec![Err(Error::Pattern { path, message })];
        }
    };
    others.retain(|entry| pattern.matches(&pattern.begin(), &entry.below));
    if others.is_empty() {
        return vec![Err(not_found())];
    }
    let found = others.into_iter();
    found.map(|entry| Ok(Found::of(entry))).collect()
}

/// Returns the files below a folder that match a pattern, and the folders that are one recording.
fn walk(formats: &Formats, root: &Path, pattern: &Pattern) -> Vec<Result<Found, Error>> {
    let mut walk = Walk {
        formats,
        pattern,
        left: Vec::new(),
        found: Vec::new(),
    };
    walk.read(root, Path::new(""), &pattern.begin());
    while let Some(Left {
        path,
        below,
        folder,
        is_file,
    }) = walk.left.pop()
    {
        let is_meant = match folder {
            None => true,
            Some(met) if is_file => !walk.enter(&path, &below, &met) && pattern.is_met(&met),
            // A folder may be one recording.
            Some(met) if formats.is_folder(&path) => pattern.is_met(&met),
            Some(met) => {
                walk.read(&path, &below, &met);
                false
            }
        };
        if is_meant {
            walk.found.push(Ok(Found {
                path,
                named: false,
                below,
                is_folder: !is_file,
            }));
        }
    }
    walk.found
}

struct Walk<'w> {
    formats: &'w Formats,
    pattern: &'w Pattern,
    /// The entries that remain to be examined. The last one is the next.
    left: Vec<Left>,
    found: Vec<Result<Found, Error>>,
}

struct Left {
    path: PathBuf,
    below: PathBuf,
    /// How much of the pattern it matches, if it is a folder or may be an archive.
    folder: Option<Met>,
    is_file: bool,
}

impl Walk<'_> {
    /// Takes what is in a folder, and is meant or may have something in it that is.
    fn read(&mut self, path: &Path, below: &Path, met: &Met) {
        let mut names: Vec<(OsString, FileType)> = Vec::new();
        match fs::read_dir(or_here(path)) {
            Ok(entries) => {
                for entry in entries {
                    let known = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)));
                    match known {
                        Ok(known) => names.push(known),
                        Err(source) => self.found.push(Err(Error::io(path)(source))),
                    }
                }
            }
            Err(source) => self.found.push(Err(Error::io(path)(source))),
        }
        // The one that comes first is taken first.
        names.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        for (name, kind) in names {
            let path = path.join(&name);
            // Unfinished files, the manifest of a folder, its catalogue.
            if is_own(&path) {
                continue;
            }
            let is_file = !kind.is_dir();
            let is_entered = !is_file || (is_entered(&path) && path.is_file());
            let folder = is_entered.then(|| self.pattern.folder(met, &name));
            let may_be = match &folder {
                Some(folder) => folder.is_some(),
                None => self.pattern.file(met, &name) && self.is_wanted(&path, kind),
            };
            if may_be {
                self.left.push(Left {
                    below: below.join(&name),
                    folder: folder.flatten(),
                    path,
                    is_file,
                });
            }
        }
    }

    /// Takes what is in an archive and is meant. Returns false if the file is no archive.
    fn enter(&mut self, path: &Path, below: &Path, met: &Met) -> bool {
        let listed = match self.formats.listed(path) {
            Ok(Some(listed)) => listed,
            Ok(None) => return false,
            Err(error) => {
                self.found.push(Err(error));
                return true;
            }
        };
        for entry in listed {
            match entry {
                Ok(entry) if self.pattern.matches(met, &entry.below) => {
                    self.found.push(Ok(Found {
                        below: at(below, &entry.below),
                        ..Found::of(entry)
                    }));
                }
                Ok(_) => {}
                Err(error) => self.found.push(Err(error)),
            }
        }
        true
    }

    /// Whether a file is worth opening.
    fn is_wanted(&self, path: &Path, kind: FileType) -> bool {
        // The folder states for nearly all entries that they are files.
        kind.is_file() || is_wanted(self.formats, path)
    }
}

/// Returns the folder of a pattern; `.` if the pattern names no folder.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

/// Returns whether a file that the user did not name should be opened. Sockets, pipes and devices
/// would block or never end. A dangling link is reported only if its extension is that of a
/// recording.
fn is_wanted(formats: &Formats, path: &Path) -> bool {
    match path.metadata() {
        Ok(meta) => meta.is_file(),
        Err(_) => formats.from_extension(path).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_folders_and_patterns() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for name in ["b.rmv", "a.rmv", "inner/c.rmv", "d.txt"] {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            find(pattern)
                .into_iter()
                .map(|found| {
                    let path = found.unwrap().path;
                    path.file_name().unwrap().to_string_lossy().into_owned()
                })
                .collect()
        };
        let root = folder.path().display();
        assert_eq!(
            names(&format!("{root}")),
            ["a.rmv", "b.rmv", "d.txt", "c.rmv"]
        );
        assert_eq!(names(&format!("{root}/*.rmv")), ["a.rmv", "b.rmv"]);
        assert_eq!(names(&format!("{root}/d.txt")), ["d.txt"]);
        let below = |pattern: &str| -> Vec<PathBuf> {
            let found = find(pattern).into_iter();
            found.map(|found| found.unwrap().below).collect()
        };
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<PathBuf>>();
        let all = paths(&["a.rmv", "b.rmv", "d.txt", "inner/c.rmv"]);
        assert_eq!(below(&format!("{root}/.")), all);
        assert_eq!(below(&format!("{root}/inner/c.rmv")), paths(&["c.rmv"]));
        let (stars, in_folders) = (format!("{root}/*/*.rmv"), format!("{root}/./in*"));
        assert_eq!(below(&stars), paths(&["inner/c.rmv"]));
        assert_eq!(below(&in_folders), paths(&["inner/c.rmv"]));
        let missing = find(format!("{root}/nothing*"));
        assert!(matches!(missing.as_slice(), [Err(Error::NotFound { .. })]));
    }
}
