//! The index beside a recording: where each tick is, and what each frame was.
//!
//! A recording has no table of its frames, and nothing that tells a flipped bit. The index holds
//! both: for each frame its offset, its tick and a CRC-32. It is made once (on demand, or while
//! recording), lies in a file beside the recording, and is refused where the recording has changed.
//!
//! Layout, all little-endian; entries of one size, so that opening reads nothing but the head, and
//! looking up a tick a few entries of a mapped file:
//!
//! | bytes | |
//! |---|---|
//! | 8 | `GTMURKI1` |
//! | 8 | length of the recording |
//! | 8 | length of its header |
//! | 4 | CRC-32 of its header |
//! | 4 | 1 if ticks rise throughout, else 0 |
//! | 8 | number of frames |
//! | 4 | CRC-32 of the entries |
//! | 4 | CRC-32 of the 44 bytes before |
//! | 20 each | entries: offset (8), tick (8), CRC-32 of the frame (4) |

use std::fmt;

use crate::bytes::{u32_le, u64_le};
use crate::error::Error;
use crate::model::Frame;
use crate::read::Replay;
use crate::rule::{Finding, Grouped, Rule};
use crate::scan;

const MAGIC: [u8; 8] = *b"GTMURKI1";
const HEAD: usize = 48;
const ENTRY: usize = 20;

/// A frame, as the index knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The frame, from 0.
    pub frame: u64,
    /// Where in the recording it starts.
    pub offset: u64,
    /// Its tick.
    pub tick: u64,
    /// The CRC-32 of its bytes.
    pub checksum: u32,
}

/// Why an index is of no use.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The bytes are no index, or a damaged one.
    #[error("not an index of a Murk recording: {0}")]
    Malformed(&'static str),
    /// The index was made of another state of the recording.
    #[error("the index is stale: {0}")]
    Stale(String),
}

/// Collects an index frame by frame, while a recording is read or written.
#[derive(Clone, Debug, Default)]
pub struct IndexBuilder {
    entries: Vec<u8>,
    frames: u64,
    last_tick: Option<u64>,
    falls: bool,
    end: u64,
}

impl IndexBuilder {
    /// An index of no frames.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The checksum of a frame: the CRC-32 of its bytes.
    #[must_use]
    pub fn checksum(frame: &Frame<'_>) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&frame.tick.to_le_bytes());
        checksum.update(&(frame.commands().len() as u32).to_le_bytes());
        checksum.update(frame.commands().as_bytes());
        checksum.update(&frame.snapshot_hash.to_le_bytes());
        checksum.finalize()
    }

    /// Adds the next frame.
    pub fn push(&mut self, frame: &Frame<'_>) {
        self.entries.extend_from_slice(&frame.offset.to_le_bytes());
        self.entries.extend_from_slice(&frame.tick.to_le_bytes());
        self.entries
            .extend_from_slice(&Self::checksum(frame).to_le_bytes());
        self.frames += 1;
        self.falls |= self.last_tick.is_some_and(|last| frame.tick <= last);
        self.last_tick = Some(frame.tick);
        self.end = frame.offset + frame.size();
    }

    /// The index's bytes. `header` are the bytes of the recording's header.
    #[must_use]
    pub fn finish(&self, header: &[u8]) -> Vec<u8> {
        let length = if self.frames == 0 {
            header.len() as u64
        } else {
            self.end
        };
        let mut out = Vec::with_capacity(HEAD + self.entries.len());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(header.len() as u64).to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(header).to_le_bytes());
        out.extend_from_slice(&u32::from(!self.falls).to_le_bytes());
        out.extend_from_slice(&self.frames.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&self.entries).to_le_bytes());
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out.extend_from_slice(&self.entries);
        out
    }
}

/// An index, borrowed from its bytes. Nothing but the head is read until it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    recording_length: u64,
    header_length: u64,
    header_checksum: u32,
    rising: bool,
    frames: u64,
    entries_checksum: u32,
    entries: &'a [u8],
}

impl<'a> Index<'a> {
    /// The index of a recording in memory, as bytes.
    ///
    /// # Errors
    /// Where the recording can't be read to its end: there is no index of a broken one.
    pub fn build(replay: &Replay<'_>) -> Result<Vec<u8>, Error> {
        let mut builder = IndexBuilder::new();
        let mut frames = replay.frames();
        for frame in &mut frames {
            builder.push(&frame?);
        }
        if let Some(problem) = frames.problem() {
            return Err(Error::MalformedFrame(Box::new(problem.clone())));
        }
        let header = usize::try_from(replay.header_size())
            .ok()
            .and_then(|size| replay.as_bytes().get(..size));
        Ok(builder.finish(header.unwrap_or_default()))
    }

    /// Opens an index: in constant time, whatever its size.
    ///
    /// # Errors
    /// [`IndexError::Malformed`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, IndexError> {
        Self::parse(bytes).ok_or(IndexError::Malformed("too short"))?
    }

    fn parse(bytes: &'a [u8]) -> Option<Result<Self, IndexError>> {
        let (head, entries) = bytes.split_at_checked(HEAD)?;
        let (summed, sum) = head.split_at_checked(HEAD - 4)?;
        let Some(rest) = summed.strip_prefix(&MAGIC) else {
            return Some(Err(IndexError::Malformed("it starts with something else")));
        };
        if u32_le(sum)?.0 != crc32fast::hash(summed) {
            return Some(Err(IndexError::Malformed("its head is damaged")));
        }
        let (recording_length, rest) = u64_le(rest)?;
        let (header_length, rest) = u64_le(rest)?;
        let (header_checksum, rest) = u32_le(rest)?;
        let (rising, rest) = u32_le(rest)?;
        let (frames, rest) = u64_le(rest)?;
        let (entries_checksum, _) = u32_le(rest)?;
        if frames.checked_mul(ENTRY as u64) != Some(entries.len() as u64) {
            return Some(Err(IndexError::Malformed(
                "its length is not that of its entries",
            )));
        }
        Some(Ok(Self {
            recording_length,
            header_length,
            header_checksum,
            rising: rising == 1,
            frames,
            entries_checksum,
            entries,
        }))
    }

    /// Frames in the index.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// True if each tick is larger than the one before.
    #[must_use]
    pub const fn ticks_rise(&self) -> bool {
        self.rising
    }

    /// A frame by its place in the recording.
    #[must_use]
    pub fn entry(&self, frame: u64) -> Option<Entry> {
        let start = usize::try_from(frame).ok()?.checked_mul(ENTRY)?;
        let (offset, rest) = u64_le(self.entries.get(start..)?)?;
        let (tick, rest) = u64_le(rest)?;
        let (checksum, _) = u32_le(rest)?;
        Some(Entry {
            frame,
            offset,
            tick,
            checksum,
        })
    }

    /// The frame of a tick; the first of several. A binary search where ticks rise, else a look at
    /// every entry.
    #[must_use]
    pub fn find(&self, tick: u64) -> Option<Entry> {
        if !self.rising {
            return (0..self.frames)
                .map_while(|frame| self.entry(frame))
                .find(|entry| entry.tick == tick);
        }
        let (mut low, mut high) = (0, self.frames);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = self.entry(middle)?;
            match entry.tick.cmp(&tick) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(entry),
            }
        }
        None
    }

    /// Refuses a recording that is not the one the index was made of, in constant time: by its
    /// length, its header, and its first and last frame. (A flipped bit in those is damage, not
    /// another recording.)
    ///
    /// # Errors
    /// [`IndexError::Stale`].
    pub fn check(&self, recording: &[u8]) -> Result<(), IndexError> {
        let stale = |reason| Err(IndexError::Stale(reason));
        if self.recording_length != recording.len() as u64 {
            return stale(format!(
                "the recording has {} bytes, it had {} when the index was made",
                Grouped(recording.len() as u64),
                Grouped(self.recording_length)
            ));
        }
        if self
            .header_damage(recording)
            .is_some_and(|damage| damage.bit.is_none())
        {
            return stale("the recording's header has changed".into());
        }
        for frame in [0, self.frames.saturating_sub(1)] {
            if let Some(entry) = self.entry(frame)
                && let Some(damage) = self.damage(recording, entry)
                && damage.bit.is_none()
            {
                return stale(format!("frame {} has changed", Grouped(frame)));
            }
        }
        Ok(())
    }

    /// The bytes of a frame: up to where the next one starts.
    fn bytes<'r>(&self, recording: &'r [u8], entry: Entry) -> Option<&'r [u8]> {
        let next = entry.frame.checked_add(1);
        let end = match next.and_then(|next| self.entry(next)) {
            Some(next) => next.offset,
            None => self.recording_length,
        };
        recording.get(usize::try_from(entry.offset).ok()?..usize::try_from(end).ok()?)
    }

    /// What has become of the header since the index was made; `None` where it is as it was.
    #[must_use]
    pub fn header_damage(&self, recording: &[u8]) -> Option<Damage> {
        let header = usize::try_from(self.header_length)
            .ok()
            .and_then(|length| recording.get(..length))
            .unwrap_or_default();
        let difference = crc32fast::hash(header) ^ self.header_checksum;
        if difference == 0 && !header.is_empty() {
            return None;
        }
        Some(Damage {
            entry: None,
            bit: flipped_bit(header.len(), difference).map(|(byte, bit)| Bit {
                offset: byte as u64,
                bit,
            }),
        })
    }

    /// What has become of a frame since the index was made; `None` where it is as it was.
    #[must_use]
    pub fn damage(&self, recording: &[u8], entry: Entry) -> Option<Damage> {
        let bytes = self.bytes(recording, entry).unwrap_or_default();
        let difference = crc32fast::hash(bytes) ^ entry.checksum;
        if difference == 0 && !bytes.is_empty() {
            return None;
        }
        Some(Damage {
            entry: Some(entry),
            bit: flipped_bit(bytes.len(), difference).map(|(byte, bit)| Bit {
                offset: entry.offset + byte as u64,
                bit,
            }),
        })
    }

    /// All that is not as it was: the header and the frames.
    pub fn damages(&self, recording: &[u8]) -> impl Iterator<Item = Damage> {
        // No byte is looked at twice: an index that lies could have all of them in every frame.
        let mut end = self.header_length;
        let frames = (0..self.frames)
            .map_while(|frame| self.entry(frame))
            .filter_map(move |entry| {
                if entry.offset < end {
                    return Some(Damage {
                        entry: Some(entry),
                        bit: None,
                    });
                }
                let next = self.entry(entry.frame + 1);
                end = next
                    .map_or(self.recording_length, |next| next.offset)
                    .max(entry.offset);
                self.damage(recording, entry)
            });
        self.header_damage(recording).into_iter().chain(frames)
    }

    /// Turns back every single flipped bit; gives the damage that was mended, and what was not.
    pub fn mend(&self, recording: &mut [u8]) -> (Vec<Damage>, Vec<Damage>) {
        let damages: Vec<Damage> = self.damages(recording).collect();
        for damage in &damages {
            if let Some(bit) = damage.bit
                && let Some(byte) = usize::try_from(bit.offset)
                    .ok()
                    .and_then(|offset| recording.get_mut(offset))
            {
                *byte ^= 1 << bit.bit;
            }
        }
        damages.into_iter().partition(|damage| damage.bit.is_some())
    }

    /// The frame of a tick, checked against what it was.
    ///
    /// # Errors
    /// [`Error::MalformedFrame`], with [`Rule::FrameChanged`] where the frame is not what it was.
    pub fn frame<'r>(&self, recording: &'r [u8], tick: u64) -> Result<Option<Frame<'r>>, Error> {
        let Some(entry) = self.find(tick) else {
            return Ok(None);
        };
        if let Some(damage) = self.damage(recording, entry) {
            return Err(Error::MalformedFrame(Box::new(damage.finding())));
        }
        let bytes = self.bytes(recording, entry).unwrap_or_default();
        let mut check = scan::FrameScan::default();
        match check.run(bytes, &crate::Limits::NONE) {
            Ok(size) if size == bytes.len() => {
                match scan::frame(bytes, entry.frame, entry.offset) {
                    Some(frame) if frame.tick != tick => Err(other(entry, "tick")),
                    frame => Ok(frame),
                }
            }
            Ok(_) => Err(other(entry, "size")),
            Err(stop) => Err(check.error(stop, bytes, entry.frame, entry.offset)),
        }
    }

    /// True if the index itself is undamaged, and its frames stand one behind the other, as they do
    /// in a recording; reads all of it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let mut start = self.header_length;
        let behind = |entry: Entry| match entry.offset.checked_add(1) {
            Some(next) if entry.offset >= start => {
                start = next;
                true
            }
            _ => false,
        };
        (0..self.frames)
            .map_while(|frame| self.entry(frame))
            .all(behind)
            && start <= self.recording_length
            && crc32fast::hash(self.entries) == self.entries_checksum
    }
}

/// The frame is sound, but not what the index says of it.
fn other(entry: Entry, what: &str) -> Error {
    Error::MalformedFrame(Box::new(
        Finding::new(Rule::FrameChanged {
            damage: format!("the index has another {what} for it"),
        })
        .at(entry.offset)
        .in_frame(entry.frame, Some(entry.tick)),
    ))
}

/// A frame, or the header, that is not what it was when the index was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The frame; `None` for the header.
    pub entry: Option<Entry>,
    /// The bit that was flipped, where one explains it.
    pub bit: Option<Bit>,
}

/// A bit of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bit {
    /// The byte.
    pub offset: u64,
    /// The bit in it: 0 is the lowest.
    pub bit: u8,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bit {
            Some(bit) => write!(
                f,
                "bit {} of byte {} is flipped",
                bit.bit,
                Grouped(bit.offset)
            ),
            None => f.write_str("more than one bit of it differs"),
        }
    }
}

impl Damage {
    /// The damage as a finding.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let damage = self.to_string();
        match self.entry {
            None => Finding::new(Rule::HeaderChanged { damage }).at(0),
            Some(entry) => Finding::new(Rule::FrameChanged { damage })
                .at(entry.offset)
                .in_frame(entry.frame, Some(entry.tick)),
        }
    }
}

/// Which flipped bit of `length` bytes changes their CRC-32 by `difference`: byte and bit.
///
/// The CRC is linear: a flipped bit changes it by a value that depends on nothing but the bit's
/// distance from the end. Those values follow from each other by the CRC's own shift, backwards.
fn flipped_bit(length: usize, difference: u32) -> Option<(usize, u8)> {
    /// The CRC-32's polynomial, reflected.
    const POLYNOMIAL: u32 = 0xedb8_8320;
    // A flip of the last byte's highest bit: one shift of that bit alone.
    let mut change = POLYNOMIAL;
    for byte in (0..length).rev() {
        for bit in (0..8).rev() {
            if change == difference {
                return Some((byte, bit));
            }
            change = (change >> 1) ^ if change & 1 == 1 { POLYNOMIAL } else { 0 };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let bytes: Vec<u8> = (0..100_u8).map(|i| i.wrapping_mul(37)).collect();
        let whole = crc32fast::hash(&bytes);
        for byte in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[byte] ^= 1 << bit;
                let difference = crc32fast::hash(&flipped) ^ whole;
                assert_eq!(flipped_bit(bytes.len(), difference), Some((byte, bit)));
            }
        }
    }

    #[test]
    fn an_index_that_lies_is_told() {
        let recording = crate::doc_example();
        let replay = crate::read(&recording).unwrap();
        let mut bytes = Index::build(&replay).unwrap();
        let index = Index::open(&bytes).unwrap();
        let odd = Entry {
            frame: u64::MAX,
            ..index.entry(0).unwrap()
        };
        assert!(index.damage(&recording, odd).is_some());

        // The first frame is said to take all, the last one as well.
        let (start, end) = (replay.header_size(), recording.len() as u64);
        for (frame, offset) in [start, end, start].into_iter().enumerate() {
            let at = HEAD + frame * ENTRY;
            bytes[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        }
        let index = Index::open(&bytes).unwrap();
        let signed = Index {
            entries_checksum: crc32fast::hash(index.entries),
            ..index
        };
        assert!(!index.is_whole() && !signed.is_whole());
        let mut mended = recording.clone();
        let (turned, left) = index.mend(&mut mended);
        assert_eq!((turned.len(), left.len()), (0, 3));
        assert_eq!(mended, recording);
    }

    #[test]
    fn a_frame_is_that_of_its_tick() {
        let recording = crate::doc_example();
        let mut bytes = Index::build(&crate::read(&recording).unwrap()).unwrap();
        bytes[HEAD + 2 * ENTRY + 8] = 9;
        let index = Index::open(&bytes).unwrap();
        assert!(!index.is_whole());
        let error = index.frame(&recording, 9).unwrap_err();
        assert_eq!(error.code(), "murk.frame-changed");
        assert!(error.to_string().contains("another tick"), "{error}");
    }
}
