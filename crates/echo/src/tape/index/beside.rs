//! The index beside a recording.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gametape_core::Input;
use gametape_core::tape::Error;

use super::file::Places;
use super::file::{self, Changed, Made};
use crate::tape::error::EchoError;

/// Returns the path of the index: `match.echoreplay` has `match.echoreplay.index`.
pub(in crate::tape) fn index_path(recording: &Path) -> PathBuf {
    let mut name = OsString::from(recording);
    name.push(".index");
    name.into()
}

/// Opens the file at the path of an index; `None` if there is none.
fn at(path: &Path) -> io::Result<Option<Input>> {
    match fs::metadata(path) {
        // A pipe or a device may never end.
        Ok(meta) if !meta.is_file() => Err(io::Error::other("is not a regular file")),
        Ok(_) => Input::file(File::open(path)?).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns when the file of a recording was last changed, by the system's clock: programs can set back the
/// time of modification, but not this one.
#[cfg(unix)]
fn changed(recording: &Path) -> Option<Changed> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(recording).ok()?;
    Some((meta.ctime(), meta.ctime_nsec().try_into().ok()?))
}

/// Unknown on this system.
#[cfg(not(unix))]
const fn changed(_: &Path) -> Option<Changed> {
    None
}

/// Returns when the file of a recording was last changed, once a later change would have another time: the
/// clock counts in ticks of some milliseconds.
fn settled(recording: &Path) -> Option<Changed> {
    /// Longer than a tick.
    const TICK: Duration = Duration::from_millis(50);
    let is_past = |(seconds, nanoseconds): &Changed| {
        let since = Duration::new((*seconds).try_into().unwrap_or(0), *nanoseconds);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.is_ok_and(|now| now.checked_sub(since).is_some_and(|ago| ago > TICK))
    };
    let now = changed(recording)?;
    if is_past(&now) {
        return Some(now);
    }
    std::thread::sleep(2 * TICK);
    changed(recording).filter(is_past)
}

/// Returns the places in the index beside a recording, if there is one and it fits the recording as it is
/// now.
pub(in crate::tape) fn find<P: Places>(path: &Path, recording: &Input) -> Option<P> {
    let index = at(&index_path(path)).ok()??;
    let (made, places) = file::read(&index, recording)?;
    file::fits(&made, &places, recording, changed(path)).then_some(places)
}

/// Returns the places in the index beside a recording, if it fits, as far as that shows without reading all
/// of the recording.
pub(in crate::tape) fn find_fresh<P: Places>(path: &Path, recording: &Input) -> Option<P> {
    let index = at(&index_path(path)).ok()??;
    let (made, places) = file::read(&index, recording)?;
    let changed = changed(path).filter(|changed| made.changed == Some(*changed))?;
    file::fits(&made, &places, recording, Some(changed)).then_some(places)
}

/// Writes the places of a recording to an index beside it, unless there is one that fits, or they are not
/// known.
///
/// # Errors
/// The error of `places`; [`EchoError::Index`] if the index can't be written, or another file has its name.
pub(in crate::tape) fn keep<P: Places>(
    path: &Path,
    recording: &Input,
    places: impl FnOnce() -> Result<Option<Arc<P>>, Error>,
) -> Result<(), Error> {
    let place = index_path(path);
    let refused = |source| {
        let path = place.clone();
        Error::format(EchoError::Index { path, source })
    };
    match at(&place).map_err(refused)? {
        Some(there) if there.size() > 0 && !file::is_index(&there) => {
            let message = "the file there is not an index";
            return Err(refused(io::Error::other(message)));
        }
        Some(_) if find_fresh::<P>(path, recording).is_some() => return Ok(()),
        _ => {}
    }
    // Taken before reading: if the recording changes meanwhile, all of it is compared later.
    let changed = settled(path);
    let Some(places) = places()? else {
        return Ok(());
    };
    let made = Made {
        size: recording.size(),
        checksum: file::checksum(recording).map_err(Error::Io)?,
        changed,
    };
    write(&place, &file::write(&made, &*places)).map_err(refused)
}

/// Writes a file so that it is complete or absent.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gametape-").suffix(".partial");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask applies.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    draft.write_all(bytes)?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Removes the index beside a recording, because it does not fit.
pub(in crate::tape) fn remove(path: &Path) {
    let place = index_path(path);
    if let Ok(Some(there)) = at(&place)
        && file::is_index(&there)
    {
        // If it stays, each of its places is compared again when it is read.
        let _ = fs::remove_file(place);
    }
}

/// Removes the index beside a recording that was replaced, unless it fits the new one.
pub(in crate::tape) fn remove_stale<P: Places>(path: &Path, recording: &Input) {
    if find::<P>(path, recording).is_none() {
        remove(path);
    }
}
