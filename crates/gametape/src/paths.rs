//! From what a user names to files: files, folders, patterns.

use std::fs;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use crate::{Error, Formats, formats, output};

/// A file to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// True where the user named this very file; false where it was found in a folder or by a
    /// pattern, and a file of another kind is no reason to complain.
    pub named: bool,
    /// Where it is below what the user named: its path in that folder, behind the fixed part of a
    /// pattern, its name alone where it was named itself.
    pub below: PathBuf,
}

impl Found {
    fn named(path: &Path) -> Self {
        // `.` and what ends in `..` have a name all the same.
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

/// Without the `.` that patterns lose.
fn plain(path: &Path) -> PathBuf {
    let parts = path.components();
    parts.filter(|part| *part != Component::CurDir).collect()
}

/// The folder that a pattern can't lead out of.
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

/// The files behind a path: the file itself, all files in a folder and its subfolders (links to
/// folders are not followed), or what
/// a pattern such as `games/*.rmv` matches. In the order of their names. A folder that is one
/// recording, such as packets with their `schema.json`, stands for itself.
///
/// Files in folders that are clearly something else — by extension none of ours, and by their
/// first bytes neither — are still listed; [`Recording::open`](crate::Recording::open) tells.
///
/// # Errors
/// [`Error::NotFound`] where there is nothing, [`Error::Io`] for a folder that can't be read:
/// one entry each, the rest goes on.
pub fn find(pattern: impl AsRef<Path>) -> Vec<Result<Found, Error>> {
    find_of(&formats(), pattern.as_ref())
}

impl Formats {
    /// [`find()`], where folders may be recordings of these formats.
    pub fn find(&self, pattern: impl AsRef<Path>) -> Vec<Result<Found, Error>> {
        find_of(self, pattern.as_ref())
    }
}

fn find_of(formats: &Formats, path: &Path) -> Vec<Result<Found, Error>> {
    // A dangling link, or a file in a folder that must not be entered, is named all the same:
    // opening it says what is wrong.
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
            // What a writer that was killed left behind, and what is noted of a folder.
            Ok(entry) if output::is_own(entry.path()) => {}
            // Of nearly all the folder says already that they are files.
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

/// Whether a file that was merely found is worth opening. Sockets, pipes and devices would block
/// or never end; a link that leads nowhere is worth a complaint if it claims to be a recording.
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
