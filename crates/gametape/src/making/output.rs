//! Writing whole files.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use gametape_core::Spell as _;

use crate::{Error, PARTIAL, is_own};

/// What happens to a file that is already at the path of a new one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Existing {
    /// It stays. If it has other bytes than the new file, the new one is refused with [`Error::Exists`]; the same
    /// bytes again are no replacement.
    #[default]
    Keep,
    /// It is replaced.
    Replace,
}

impl Existing {
    /// `Replace` if asked for.
    #[must_use]
    pub const fn replaced_if(asked: bool) -> Self {
        if asked { Self::Replace } else { Self::Keep }
    }
}

/// Removes the unfinished files that killed writers left in a folder, and keeps those that are
/// still being written. Files that cannot be inspected or removed stay.
pub fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_partial = is_own(&path) && path.extension().is_some_and(|end| end == "partial");
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_partial && is_file && !is_held(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Returns whether a living writer holds a file: see [`hold`].
fn is_held(path: &Path) -> bool {
    // A file that cannot be opened belongs to another user.
    let locked = File::open(path).map(|file| file.try_lock());
    !matches!(locked, Ok(Ok(())))
}

/// Locks a file, which tells [`remove_leftovers`] that it is being written. The system releases the
/// lock when the writer ends. Where files cannot be locked, leftovers stay.
fn hold(file: &File) {
    // On other systems, the lock would keep other programs from reading the finished file.
    if cfg!(unix) {
        let _ = file.try_lock();
    }
}

/// Writes a file completely or not at all: writes a temporary file in the same folder, then renames
/// it. A target that is not a regular file (a device, a pipe) is written directly.
///
/// # Errors
/// [`Error::Io`], [`Error::IsFolder`], [`Error::Exists`]; an existing file is then unchanged.
pub fn write_file(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), Error> {
    let Some(folder) = folder_for(path)? else {
        return write_directly(path, bytes).map_err(Error::io(path));
    };
    if existing == Existing::Keep && is_there(path, || Ok(bytes))? {
        return Ok(());
    }
    let target = target(path);
    let begun = unfinished(&folder, Some(&target));
    let written = begun.and_then(|mut file| file.write_all(bytes).map(|()| file));
    put(path, written.map_err(Error::io(path))?, existing, None)
}

/// Whether a path already leads to a file with the bytes that `new` reads.
///
/// # Errors
/// [`Error::Exists`] if there is anything else; [`Error::Io`].
pub(crate) fn is_there<R: Read>(
    path: &Path,
    new: impl FnOnce() -> io::Result<R>,
) -> Result<bool, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        // A link that leads nowhere is something, too.
        Err(_) if fs::symlink_metadata(path).is_ok() => return Err(exists(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Error::io(path)(error)),
    };
    let same = new().and_then(|new| is_same(BufReader::new(file), new));
    match same {
        Ok(true) => Ok(true),
        Ok(false) => Err(exists(path)),
        Err(error) => Err(Error::io(path)(error)),
    }
}

fn exists(path: &Path) -> Error {
    Error::Exists {
        path: path.to_owned(),
    }
}

fn is_same(mut a: impl Read, mut b: impl Read) -> io::Result<bool> {
    const CHUNK: usize = 64 << 10;
    let mut parts = [Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK)];
    loop {
        let [of_a, of_b] = &mut parts;
        of_a.clear();
        of_b.clear();
        (&mut a).take(CHUNK as u64).read_to_end(of_a)?;
        (&mut b).take(CHUNK as u64).read_to_end(of_b)?;
        if of_a != of_b || of_a.is_empty() {
            return Ok(of_a == of_b);
        }
    }
}

fn write_directly(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.flush()
}

/// Returns the file that a path refers to. Links are followed, so that the linked file is replaced and not the
/// link.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the folder in which a temporary file must be created so that it can be renamed to this
/// path.
///
/// `None` for targets that are written directly: a device, a pipe.
///
/// # Errors
/// [`Error::Io`] if the folder does not exist; [`Error::IsFolder`] if the path is a folder.
pub fn folder_for(path: &Path) -> Result<Option<PathBuf>, Error> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            return Err(Error::IsFolder {
                path: path.to_owned(),
                recording: false,
            });
        }
        Ok(meta) if !meta.is_file() => return Ok(None),
        _ => {}
    }
    let target = target(path);
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    if folder.is_dir() {
        return Ok(Some(folder));
    }
    let message = format!("no such folder: {}", folder.spelled());
    let error = io::Error::new(io::ErrorKind::NotFound, message);
    Err(Error::io(path)(error))
}

/// The named temporary files of this process; `None` after they were removed for good.
static UNFINISHED: Mutex<Option<BTreeSet<PathBuf>>> = Mutex::new(Some(BTreeSet::new()));

/// Removes the temporary files of this process, and prevents it from creating more. For programs
/// that end because of a signal.
///
/// Temporary files are removed when the work succeeds, fails or panics, but not when a signal ends
/// the process. Finished files stay.
pub fn remove_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.take().into_iter().flatten() {
        // Most of them no longer exist.
        let _ = fs::remove_file(path);
    }
}

/// Removes the path of the temporary file from an error of `tempfile`: nobody knows it. The system's own error can't
/// be taken out of it.
fn without_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text
        .split_once(" at path ")
        .map_or(&*text, |(text, _)| text);
    io::Error::new(error.kind(), text.to_owned())
}

/// Creates a temporary file, and registers it for [`remove_unfinished`].
pub(crate) fn noted(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    // Hold the lock meanwhile, so that no file is created while others are removed.
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(paths) = unfinished.as_mut() else {
        return Err(io::ErrorKind::Interrupted.into());
    };
    let file = make().map_err(|error| without_path(&error))?;
    hold(file.as_file());
    paths.retain(|path| path.exists());
    paths.insert(std::path::absolute(file.path())?);
    Ok(file)
}

/// Creates an empty temporary file in the folder returned by [`folder_for`]. Its mode follows the
/// umask, or is that of the file it replaces.
///
/// It is removed when the returned value is dropped or by [`remove_unfinished`], unless [`place`]
/// moves it to its final path.
///
/// # Errors
/// Any error of the operating system.
pub fn unfinished(folder: &Path, replaces: Option<&Path>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL.0).suffix(PARTIAL.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = replaces
            .and_then(|target| fs::metadata(target).ok())
            .map_or(0o666, |meta| meta.permissions().mode() & 0o777);
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = replaces;
    noted(|| builder.tempfile_in(folder))
}

/// Folders with new names that may not be on disk yet. When many files are written to one folder, a
/// single sync at the end replaces one for each file.
#[derive(Debug, Default)]
pub struct UnsyncedFolders(Mutex<BTreeSet<PathBuf>>);

impl UnsyncedFolders {
    fn add(&self, folder: PathBuf) {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        folders.insert(folder);
    }

    /// Writes the names to disk, where the system supports it.
    pub fn sync(self) {
        let folders = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        for folder in folders {
            sync_folder(&folder);
        }
    }
}

fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        // Not every system supports this.
        let _ = folder.sync_all();
    }
}

/// Moves a finished file, which is in the same folder, to its final path.
fn put(
    path: &Path,
    file: NamedTempFile,
    existing: Existing,
    unsynced: Option<&UnsyncedFolders>,
) -> Result<(), Error> {
    let target = target(path);
    let folder = file.path().parent().map(Path::to_owned);
    file.as_file().sync_all().map_err(Error::io(path))?;
    let moved = match existing {
        Existing::Replace => file.persist(&target),
        Existing::Keep => file.persist_noclobber(&target),
    };
    if let Err(mut failed) = moved {
        if existing == Existing::Replace {
            return Err(Error::io(path)(failed.error));
        }
        if failed.error.kind() == io::ErrorKind::AlreadyExists {
            // Another program was faster.
            return is_there(path, || rewound(failed.file.as_file_mut())).map(drop);
        }
        claim(failed.file, &target).map_err(Error::io(path))?;
    }
    match (folder, unsynced) {
        (Some(folder), Some(unsynced)) => unsynced.add(folder),
        (Some(folder), None) => sync_folder(&folder),
        (None, _) => {}
    }
    Ok(())
}

/// Moves a file to a path where nothing is, on a disk whose system can neither link a file nor rename it without
/// replacing another: an empty file takes the name first.
fn claim(file: NamedTempFile, target: &Path) -> io::Result<()> {
    File::create_new(target)?;
    let moved = file.persist(target);
    moved.map(drop).map_err(|error| {
        let _ = fs::remove_file(target);
        error.error
    })
}

fn rewound(file: &mut File) -> io::Result<&mut File> {
    file.rewind()?;
    Ok(file)
}

/// Moves a temporary file to its final path by renaming it, or by copying it if that is impossible.
/// The new name is synced now, or later if `unsynced` is given.
///
/// # Errors
/// [`Error::Io`], [`Error::IsFolder`] and [`Error::Exists`]; an existing file is then unchanged.
pub fn place(
    path: &Path,
    mut file: NamedTempFile,
    existing: Existing,
    unsynced: Option<&UnsyncedFolders>,
) -> Result<(), Error> {
    let Some(folder) = folder_for(path)? else {
        let copied = rewound(file.as_file_mut()).and_then(|file| {
            let mut out = OpenOptions::new().write(true).open(path)?;
            io::copy(file, &mut out)?;
            out.flush()
        });
        return copied.map_err(Error::io(path));
    };
    if existing == Existing::Keep && is_there(path, || rewound(file.as_file_mut()))? {
        return Ok(());
    }
    let target = target(path);
    let beside = file
        .path()
        .parent()
        .and_then(|at| fs::canonicalize(at).ok())
        == fs::canonicalize(&folder).ok();
    let file = if beside {
        if let Ok(meta) = fs::metadata(&target) {
            // Keep the mode of the file that is replaced.
            let _ = file.as_file().set_permissions(meta.permissions());
        }
        file
    } else {
        let copied = unfinished(&folder, Some(&target)).and_then(|mut copy| {
            io::copy(rewound(file.as_file_mut())?, copy.as_file_mut())?;
            Ok(copy)
        });
        copied.map_err(Error::io(path))?
    };
    put(path, file, existing, unsynced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rmv");
        write_file(&path, b"first", Existing::Keep).unwrap();
        write_file(&path, b"second", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Every way to a path that is taken, the late ones of a race included.
    #[test]
    fn a_file_that_is_kept_stays_whichever_way_another_comes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rmv");
        fs::write(&path, b"mine").unwrap();
        let new = |bytes: &[u8]| {
            let mut file = unfinished(folder.path(), None).unwrap();
            file.write_all(bytes).unwrap();
            file
        };
        for refused in [
            write_file(&path, b"other", Existing::Keep),
            place(&path, new(b"other"), Existing::Keep, None),
            put(&path, new(b"other"), Existing::Keep, None),
        ] {
            assert_eq!(refused.unwrap_err().code(), "exists");
        }
        let late = claim(new(b"other"), &path).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        write_file(&path, b"mine", Existing::Keep).unwrap();
        place(&path, new(b"mine"), Existing::Keep, None).unwrap();
        put(&path, new(b"mine"), Existing::Keep, None).unwrap();
        let free = folder.path().join("b.rmv");
        claim(new(b"other"), &free).unwrap();
        assert_eq!(fs::read(&free).unwrap(), b"other");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_or_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link, lost] = ["real", "link", "lost"].map(|name| folder.path().join(name));
        fs::write(&real, b"mine").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        std::os::unix::fs::symlink("nowhere", &lost).unwrap();
        for kept in [&link, &lost] {
            let error = write_file(kept, b"other", Existing::Keep).unwrap_err();
            assert_eq!(error.code(), "exists");
        }
        write_file(&link, b"other", Existing::Replace).unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"other");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_can_not_be_begun_is_named_alone() {
        let folder = tempfile::tempdir().unwrap();
        let error = unfinished(&folder.path().join("gone"), None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(error.to_string(), "No such file or directory (os error 2)");
    }

    #[test]
    fn folders_of_many_files_are_synced_once() {
        let folder = tempfile::tempdir().unwrap();
        let unsynced = UnsyncedFolders::default();
        for name in ["a.rmv", "b.rmv", "a.rmv"] {
            let mut file = unfinished(folder.path(), None).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            place(
                &folder.path().join(name),
                file,
                Existing::Keep,
                Some(&unsynced),
            )
            .unwrap();
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), name.as_bytes());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(unsynced.0.lock().unwrap().len(), 1);
        // It is fine if the folder no longer exists.
        drop(folder);
        unsynced.sync();
    }

    #[test]
    #[cfg(unix)]
    fn leftovers_go_and_what_is_worked_on_stays() {
        let folder = tempfile::tempdir().unwrap();
        let worked_on = unfinished(folder.path(), None).unwrap();
        for name in [".gametape-x.partial", ".gametape-made.jsonl", "a.partial"] {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        remove_leftovers(folder.path());
        assert!(worked_on.path().exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        let left = worked_on.into_temp_path();
        remove_leftovers(folder.path());
        assert!(!left.exists());
    }

    #[test]
    fn a_full_disk_and_a_folder_are_errors() {
        if Path::new("/dev/full").exists() {
            let error = write_file(Path::new("/dev/full"), b"x", Existing::Keep).unwrap_err();
            assert_eq!(error.code(), "io");
        }
        let folder = tempfile::tempdir().unwrap();
        let error = write_file(folder.path(), b"x", Existing::Keep).unwrap_err();
        assert_eq!(error.code(), "is-folder");
    }
}
