//! The file format of an index.
//!
//! All little-endian:
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

use std::io::{self, Read};

use gametape_core::{ByteReader, Input, Short};

const HEAD: usize = 48;

/// How each [`Places::MAGIC`] starts.
const ANY: [u8; 6] = *b"GTECHO";

/// When a file was last changed, in seconds and nanoseconds since 1970.
pub(super) type Changed = (i64, u32);

/// The value for an unknown time.
const UNKNOWN: Changed = (-1, u32::MAX);

/// The recording that an index was made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Made {
    pub size: u64,
    pub checksum: u32,
    /// When the file was last changed, if that is certain.
    pub changed: Option<Changed>,
}

/// Computes the CRC-32 of a recording.
pub(super) fn checksum(recording: &Input) -> io::Result<u32> {
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
pub(super) fn is_index(file: &Input) -> bool {
    let head = file.head(ANY.len() as u64);
    head.is_ok_and(|head| *head == ANY)
}

/// Encodes an index.
pub(super) fn write<P: Places>(made: &Made, places: &P) -> Vec<u8> {
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
pub(super) fn read<P: Places>(file: &Input, recording: &Input) -> Option<(Made, P)> {
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
fn parse_head<P: Places>(head: &[u8]) -> Result<Option<(Made, u64, u32)>, Short> {
    let mut input = ByteReader::new(head);
    let is_magic = input.take(P::MAGIC.len())? == P::MAGIC;
    let made = Made {
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
pub(super) fn fits<P: Places>(
    made: &Made,
    places: &P,
    recording: &Input,
    changed: Option<Changed>,
) -> bool {
    if changed.is_none() || made.changed != changed {
        return checksum(recording).is_ok_and(|sum| sum == made.checksum);
    }
    places.sample_fits(recording)
}

/// Places of a recording, in the order of the recording.
pub(in crate::tape) trait Places: Sized {
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
