//! The file format of an index.
//!
//! All little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `GTECHOI1` |
//! | 8 | bytes of the recording |
//! | 4 | CRC-32 of the recording |
//! | 12 | when its file was last changed: seconds since 1970 (8), nanoseconds (4); all ones if unknown |
//! | 8 | number of lines |
//! | 4 | CRC-32 of the lines below |
//! | 4 | CRC-32 of the 44 bytes before |
//! | 24 each | lines: offset (8), size (4), CRC-32 (4), time in milliseconds since 1970 (8) |

use std::io::{self, Read};

use gametape_core::{ByteReader, Input, Short};

use super::line::{Entry, Lines};
use crate::Time;

const MAGIC: [u8; 8] = *b"GTECHOI1";
const HEAD: usize = 48;
const ENTRY: usize = 24;

/// Less than the size of any line, which has a time, a tab and an object.
const LINE: u64 = 20;

/// When a file was last changed, in seconds and nanoseconds since 1970.
pub(super) type Changed = (i64, u32);

/// The value for an unknown time.
const UNKNOWN: Changed = (-1, u32::MAX);

/// The number of lines that are compared if the recording seems unchanged.
const SAMPLES: usize = 64;

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

/// Returns whether a file starts like an index.
pub(super) fn is_index(file: &Input) -> bool {
    let head = file.head(MAGIC.len() as u64);
    head.is_ok_and(|head| *head == MAGIC)
}

/// Encodes an index.
pub(super) fn write(made: &Made, lines: &Lines) -> Vec<u8> {
    let mut entries = Vec::with_capacity(lines.entries.len() * ENTRY);
    for entry in &lines.entries {
        entries.extend_from_slice(&entry.offset.to_le_bytes());
        entries.extend_from_slice(&entry.size.to_le_bytes());
        entries.extend_from_slice(&entry.checksum.to_le_bytes());
        entries.extend_from_slice(&entry.time.0.to_le_bytes());
    }
    let mut out = Vec::with_capacity(HEAD + entries.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&made.size.to_le_bytes());
    out.extend_from_slice(&made.checksum.to_le_bytes());
    let (seconds, nanoseconds) = made.changed.unwrap_or(UNKNOWN);
    out.extend_from_slice(&seconds.to_le_bytes());
    out.extend_from_slice(&nanoseconds.to_le_bytes());
    out.extend_from_slice(&(lines.entries.len() as u64).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&entries).to_le_bytes());
    let sum = crc32fast::hash(&out);
    out.extend_from_slice(&sum.to_le_bytes());
    out.append(&mut entries);
    out
}

/// Reads an index, if it is intact and can be one of this recording. A file that is larger than any index
/// of the recording is not read.
pub(super) fn read(file: &Input, recording: &Input) -> Option<(Made, Lines)> {
    let most = (recording.size() / LINE).checked_mul(ENTRY as u64)?;
    if file.size() > most.checked_add(HEAD as u64)? {
        return None;
    }
    let bytes = file.bytes().ok()?;
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    let (made, count, sum) = parse_head(head).ok()??;
    let is_whole = made.size == recording.size()
        && count.checked_mul(ENTRY as u64) == Some(rest.len() as u64)
        && crc32fast::hash(rest) == sum;
    if !is_whole {
        return None;
    }
    let entries: Result<Vec<Entry>, Short> = rest.chunks_exact(ENTRY).map(parse_entry).collect();
    let entries = entries.ok()?;
    let mut end = 0;
    for entry in &entries {
        if entry.offset < end || entry.end() > recording.size() {
            return None;
        }
        end = entry.end();
    }
    Some((made, Lines { entries }))
}

/// Parses the head of an index: its recording, the number of lines, and their checksum.
fn parse_head(head: &[u8]) -> Result<Option<(Made, u64, u32)>, Short> {
    let mut input = ByteReader::new(head);
    let is_magic = input.take(MAGIC.len())? == MAGIC;
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

fn parse_entry(bytes: &[u8]) -> Result<Entry, Short> {
    let mut input = ByteReader::new(bytes);
    Ok(Entry {
        offset: input.u64_le()?,
        size: input.u32_le()?,
        checksum: input.u32_le()?,
        time: Time(input.u64_le()?.cast_signed()),
    })
}

/// Returns whether an index is of the recording as it is now. If the file has changed since, or may have,
/// all of it is compared, otherwise a sample of lines. Each line is compared again when it is read.
pub(super) fn fits(
    made: &Made,
    lines: &Lines,
    recording: &Input,
    changed: Option<Changed>,
) -> bool {
    if changed.is_none() || made.changed != changed {
        return checksum(recording).is_ok_and(|sum| sum == made.checksum);
    }
    let entries = &lines.entries;
    let step = entries.len().div_ceil(SAMPLES).max(1);
    let mut some = entries.iter().step_by(step).chain(entries.last());
    some.all(|entry| matches!(entry.line(recording), Ok(Some(_))))
}
