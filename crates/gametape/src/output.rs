//! Writing whole files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::Error;

/// How the names of unfinished files begin and end.
pub(crate) const PARTIAL: (&str, &str) = (".gametape-", ".partial");

/// Writes a file so that it is there as a whole or not at all: to a temporary file beside it,
/// which is then renamed. What is not a regular file (a device, a pipe) is written directly.
///
/// # Errors
/// [`Error::Io`]; a file that was there before is then still there.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err(Error::IsFolder {
            path: path.to_owned(),
        }),
        Ok(meta) if !meta.is_file() => write_directly(path, bytes).map_err(io),
        _ => replace(path, bytes).map_err(io),
    }
}

/// [`write_file`], for a recording: an index that lies beside the file it replaces, and does not
/// fit the new one, goes with the old one.
///
/// # Errors
/// As [`write_file`].
pub fn write_recording(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_file(path, bytes)?;
    crate::formats::murk::remove_stale_index(path, bytes);
    Ok(())
}

fn write_directly(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link is followed, so that the file it names is replaced and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let message = format!("no such folder: {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL.0).suffix(PARTIAL.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the umask takes its part. A file that is replaced keeps its mode.
        let mode = fs::metadata(&target).map_or(0o666, |meta| meta.permissions().mode() & 0o777);
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    if let Ok(folder) = File::open(folder) {
        // The name is on disk as well, where the system can say so.
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rmv");
        write_file(&path, b"first").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_full_disk_and_a_folder_are_errors() {
        if Path::new("/dev/full").exists() {
            let error = write_file(Path::new("/dev/full"), b"x").unwrap_err();
            assert_eq!(error.code(), "io");
        }
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(folder.path(), b"x").unwrap_err();
        assert_eq!(error.code(), "is-folder");
    }
}
