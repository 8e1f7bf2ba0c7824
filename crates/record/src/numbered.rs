//! The names of files that follow one another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `match.butter`, `match.2.butter`, `match.3.butter` …
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    if number < 2 {
        return path.to_owned();
    }
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
