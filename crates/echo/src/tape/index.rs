//! The index beside a recording: places that are found by reading all of it, kept on request.
//!
//! Its file, all little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | [`Places::MAGIC`] |
//! | 8 | bytes of the recording |
//! | 4 | CRC-32 of the recording |
//! | 12 | when its file was last changed: seconds since 1970 (8), nanoseconds (4); all ones if unknown |
//! | 8 | number of places |
//! | 4 | CRC-32 of the places below |
//! | 4 | CRC-32 of the 44 bytes before |
//! | [`Places::ENTRY`] each | places |

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gametape_core::tape::Error;
use gametape_core::{ByteReader, Input, Short};

use crate::tape::error::EchoError;

const HEAD: usize = 48;

/// How each [`Places::MAGIC`] starts.
const ANY: [u8; 6] = *b"GTECHO";

/// When a file was last changed, in seconds and nanoseconds since 1970.
type Changed = (i64, u32);

/// The value for an unknown time.
const UNKNOWN: Changed = (-1, u32::MAX);

/// The recording that an index was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MadeOf {
    pub size: u64,
    pub checksum: u32,
    /// When the file was last changed, if that is certain.
    pub changed: Option<Changed>,
}

/// Computes the CRC-32 of a recording.
fn checksum_of(recording: &Input) -> io::Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    if let Some(bytes) = recording.in_memory() {
        sum.update(bytes);
        return Ok(sum.finalize());
    }
    let mut stream = recording.stream();
    let mut piece = vec![0; 256 << 10];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Ok(sum.finalize()),
            Ok(count) => sum.update(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns whether a file starts like an index, of whatever places.
fn is_index(file: &Input) -> bool {
    let head = file.head(ANY.len() as u64);
    head.is_ok_and(|head| *head == ANY)
}

/// Encodes an index.
fn encoded<P: Places>(made: &MadeOf, places: &P) -> Vec<u8> {
    let mut entries = places.encode();
    let count = entries.len() / P::ENTRY;
    let mut out = Vec::with_capacity(HEAD + entries.len());
    out.extend_from_slice(&P::MAGIC);
    out.extend_from_slice(&made.size.to_le_bytes());
    out.extend_from_slice(&made.checksum.to_le_bytes());
    let (seconds, nanoseconds) = made.changed.unwrap_or(UNKNOWN);
    out.extend_from_slice(&seconds.to_le_bytes());
    out.extend_from_slice(&nanoseconds.to_le_bytes());
    out.extend_from_slice(&(count as u64).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&entries).to_le_bytes());
    let sum = crc32fast::hash(&out);
    out.extend_from_slice(&sum.to_le_bytes());
    out.append(&mut entries);
    out
}

/// Reads an index, if it is intact and can be one of this recording. A file that is larger than any index
/// of the recording is not read.
fn read<P: Places>(file: &Input, recording: &Input) -> Option<(MadeOf, P)> {
    let most = (recording.size() / P::LEAST).checked_mul(P::ENTRY as u64)?;
    if file.size() > most.checked_add(HEAD as u64)? {
        return None;
    }
    let bytes = file.bytes().ok()?;
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    let (made, count, sum) = parse_head::<P>(head).ok()??;
    let is_whole = made.size == recording.size()
        && count.checked_mul(P::ENTRY as u64) == Some(rest.len() as u64)
        && crc32fast::hash(rest) == sum;
    let places = is_whole.then(|| P::decode(rest, recording)).flatten()?;
    Some((made, places))
}

/// Parses the head of an index: its recording, the number of places, and their checksum.
fn parse_head<P: Places>(head: &[u8]) -> Result<Option<(MadeOf, u64, u32)>, Short> {
    let mut input = ByteReader::new(head);
    let is_magic = input.take(P::MAGIC.len())? == P::MAGIC;
    let made = MadeOf {
        size: input.u64_le()?,
        checksum: input.u32_le()?,
        changed: Some((input.u64_le()?.cast_signed(), input.u32_le()?))
            .filter(|changed| *changed != UNKNOWN),
    };
    let (count, sum) = (input.u64_le()?, input.u32_le()?);
    let summed = head.get(..HEAD - 4).unwrap_or_default();
    let is_whole = input.u32_le()? == crc32fast::hash(summed);
    Ok((is_magic && is_whole).then_some((made, count, sum)))
}

/// Returns whether an index is of the recording as it is now. If the file has changed since, or may have,
/// all of it is compared, otherwise a sample. Each place is compared again when it is read.
fn fits<P: Places>(made: &MadeOf, places: &P, recording: &Input, changed: Option<Changed>) -> bool {
    if changed.is_none() || made.changed != changed {
        return checksum_of(recording).is_ok_and(|sum| sum == made.checksum);
    }
    places.sample_fits(recording)
}

/// Places of a recording, in the order of the recording.
pub(super) trait Places: Sized {
    /// The first bytes of an index of such places.
    const MAGIC: [u8; 8];
    /// The bytes of a place in the index.
    const ENTRY: usize;
    /// The recording has at least so many bytes for each place.
    const LEAST: u64;

    /// Encodes all places, each in [`Places::ENTRY`] bytes.
    fn encode(&self) -> Vec<u8>;

    /// Decodes places; `None` if they can't be those of this recording.
    fn decode(entries: &[u8], recording: &Input) -> Option<Self>;

    /// Whether a sample of the places is in the recording as it is now.
    fn sample_fits(&self, recording: &Input) -> bool;
}

/// Returns the path of the index: `match.echoreplay` has `match.echoreplay.index`.
pub(super) fn index_path(recording: &Path) -> PathBuf {
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
pub(super) fn find<P: Places>(path: &Path, recording: &Input) -> Option<P> {
    let index = at(&index_path(path)).ok()??;
    let (made, places) = read(&index, recording)?;
    fits(&made, &places, recording, changed(path)).then_some(places)
}

/// Returns the places in the index beside a recording, if it fits, as far as that shows without reading all
/// of the recording.
pub(super) fn find_fresh<P: Places>(path: &Path, recording: &Input) -> Option<P> {
    let index = at(&index_path(path)).ok()??;
    let (made, places) = read(&index, recording)?;
    let changed = changed(path).filter(|changed| made.changed == Some(*changed))?;
    fits(&made, &places, recording, Some(changed)).then_some(places)
}

/// Writes the places of a recording to an index beside it, unless there is one that fits, or they are not
/// known.
///
/// # Errors
/// The error of `places`; [`EchoError::Index`] if the index can't be written, or another file has its name.
pub(super) fn keep<P: Places>(
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
        Some(there) if there.size() > 0 && !is_index(&there) => {
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
    let made = MadeOf {
        size: recording.size(),
        checksum: checksum_of(recording).map_err(Error::Io)?,
        changed,
    };
    write(&place, &encoded(&made, &*places)).map_err(refused)
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
pub(super) fn remove(path: &Path) {
    let place = index_path(path);
    if let Ok(Some(there)) = at(&place)
        && is_index(&there)
    {
        // If it stays, each of its places is compared again when it is read.
        let _ = fs::remove_file(place);
    }
}

/// Removes the index beside a recording that was replaced, unless it fits the new one.
pub(super) fn remove_stale<P: Places>(path: &Path, recording: &Input) {
    if find::<P>(path, recording).is_none() {
        remove(path);
    }
}
