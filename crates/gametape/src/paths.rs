//! Finds the files that a user names: files, folders, patterns.

mod pattern;

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Formats, formats, output};
use pattern::{Met, Pattern, Wrong};

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
}

impl Found {
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
        }
    }
}

/// Finds the files for a path, sorted by name, each once: the file itself, all files in a folder and its
/// subfolders, or those of them that match a pattern such as `games/*.rmv`. Links to folders are not
/// followed. A folder that is one recording, such as packets with their `schema.json`, is found as one
/// item.
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
            return vec![Ok(Found::named(path))];
        }
        return walk(formats, path, &Pattern::all());
    }
    match path.symlink_metadata() {
        Ok(_) => return vec![Ok(Found::named(path))],
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            return vec![Err(Error::io(path)(source))];
        }
        Err(_) => {}
    }
    let path = path.to_owned();
    let (root, pattern) = match Pattern::split(&path) {
        Ok(split) => split,
        Err(Wrong::Plain) => return vec![Err(Error::NotFound { path })],
        Err(Wrong::Said(message)) => return vec![Err(Error::Pattern { path, message })],
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

/// Returns the files below a folder that match a pattern, and the folders that are one recording.
fn walk(formats: &Formats, root: &Path, pattern: &Pattern) -> Vec<Result<Found, Error>> {
    let mut walk = Walk {
        formats,
        pattern,
        left: Vec::new(),
        found: Vec::new(),
    };
    walk.read(root, Path::new(""), &pattern.begin());
    while let Some(Entry {
        path,
        below,
        folder,
    }) = walk.left.pop()
    {
        let is_meant = match folder {
            None => true,
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
            }));
        }
    }
    walk.found
}

struct Walk<'w> {
    formats: &'w Formats,
    pattern: &'w Pattern,
    /// The entries that remain to be examined. The last one is the next.
    left: Vec<Entry>,
    found: Vec<Result<Found, Error>>,
}

struct Entry {
    path: PathBuf,
    below: PathBuf,
    /// How much of the pattern it matches, if it is a folder.
    folder: Option<Met>,
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
            if output::is_own(&path) {
                continue;
            }
            let folder = kind.is_dir().then(|| self.pattern.folder(met, &name));
            let may_be = match &folder {
                Some(folder) => folder.is_some(),
                None => self.pattern.file(met, &name) && self.is_wanted(&path, kind),
            };
            if may_be {
                self.left.push(Entry {
                    below: below.join(&name),
                    folder: folder.flatten(),
                    path,
                });
            }
        }
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
