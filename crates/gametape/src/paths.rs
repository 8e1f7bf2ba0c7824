//! Finds the files that a user names: files, folders, patterns.

use std::fs;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use crate::{Error, Formats, formats, output};

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

    fn below(root: &Path, path: PathBuf) -> Self {
        let below = match path.strip_prefix(root) {
            Ok(below) => Some(below.to_owned()),
            Err(_) => (plain(&path).strip_prefix(plain(root)).ok()).map(Path::to_owned),
        };
        let name = || path.file_name().map(PathBuf::from).unwrap_or_default();
        Self {
            named: false,
            below: below.unwrap_or_else(name),
            path,
        }
    }
}

/// Removes `.`, as glob patterns do.
fn plain(path: &Path) -> PathBuf {
    let parts = path.components();
    parts.filter(|part| *part != Component::CurDir).collect()
}

/// Returns the folder that contains everything a pattern can match.
fn fixed(pattern: &Path) -> PathBuf {
    let is_open = |part: &Component<'_>| {
        let bytes = part.as_os_str().as_encoded_bytes();
        bytes.iter().any(|byte| b"*?[".contains(byte))
    };
    pattern
        .components()
        .take_while(|part| !is_open(part))
        .collect()
}

/// Finds the files for a path, sorted by name: the file itself, all files in a folder and its
/// subfolders, or the matches of a pattern such as `games/*.rmv`. Links to folders are not
/// followed. A folder that is one recording, such as packets with their `schema.json`, is found as
/// one item.
///
/// Files in folders are listed even if their extension and content are of no known format;
/// [`Recording::open`](crate::Recording::open) then reports it.
///
/// # Errors
/// [`Error::NotFound`] if nothing is found, [`Error::Io`] for a folder that cannot be read. An
/// error is one entry of the list; the search continues.
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
        return folder(formats, path, path);
    }
    if path.symlink_metadata().is_ok() {
        return vec![Ok(Found::named(path))];
    }
    if let Err(source) = path.symlink_metadata()
        && source.kind() != std::io::ErrorKind::NotFound
    {
        return vec![Err(Error::Io {
            path: path.to_owned(),
            source,
        })];
    }
    let not_found = || Error::NotFound {
        path: path.to_owned(),
    };
    let Some(Ok(matches)) = path.to_str().map(glob::glob) else {
        return vec![Err(not_found())];
    };
    let root = fixed(path);
    let mut found: Vec<Result<Found, Error>> = Vec::new();
    for entry in matches {
        match entry {
            Ok(path) if formats.is_folder(&path) => {
                found.push(Ok(Found::below(&root, path)));
            }
            Ok(path) if path.is_dir() => found.extend(folder(formats, &root, &path)),
            Ok(path) if is_wanted(formats, &path) => found.push(Ok(Found::below(&root, path))),
            Ok(_) => {}
            Err(error) => found.push(Err(Error::Io {
                path: error.path().to_owned(),
                source: error.into(),
            })),
        }
    }
    if found.is_empty() {
        found.push(Err(not_found()));
    }
    found
}

fn folder(formats: &Formats, root: &Path, path: &Path) -> Vec<Result<Found, Error>> {
    let mut found = Vec::new();
    let mut entries = WalkDir::new(path).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {
                // A folder may be one recording.
                if formats.is_folder(entry.path()) {
                    entries.skip_current_dir();
                    found.push(Ok(Found::below(root, entry.into_path())));
                }
            }
            // Skip files of killed writers, and notes about a folder.
            Ok(entry) if output::is_own(entry.path()) => {}
            // For most entries, the folder already says that they are files.
            Ok(entry) if entry.file_type().is_file() || is_wanted(formats, entry.path()) => {
                found.push(Ok(Found::below(root, entry.into_path())));
            }
            Ok(_) => {}
            Err(error) => found.push(Err(Error::Io {
                path: error.path().unwrap_or(path).to_owned(),
                source: error
                    .into_io_error()
                    .unwrap_or_else(|| std::io::Error::other("a loop of links")),
            })),
        }
    }
    found
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
