//! The bytes of an index: its head and its entries.
//!
//! All numbers are little-endian. Entries have one size, so that opening an index reads only the
//! head, and looking up a tick reads only a few entries.
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

use gametape_core::{ByteReader, Short};

use crate::change::Unused;

pub(super) const MAGIC: [u8; 8] = *b"GTMURKI1";
pub(super) const HEAD: usize = 48;
pub(super) const ENTRY: usize = 20;

/// The part before the entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub recording_length: u64,
    pub header_length: u64,
    pub header_checksum: u32,
    pub rising: bool,
    pub frames: u64,
    pub entries_checksum: u32,
}

impl Head {
    /// Reads the head of an index that has this many bytes after it.
    pub fn read(head: &[u8], entries: u64) -> Result<Self, Unused> {
        let malformed = |what| Err(Unused::Malformed(what));
        let mut input = ByteReader::new(head);
        let Ok((head, sum)) = Self::parse(&mut input) else {
            return malformed("too short");
        };
        let Some(head) = head else {
            return malformed("it starts with something else");
        };
        if !sum {
            return malformed("its head is damaged");
        }
        if head.frames.checked_mul(ENTRY as u64) != Some(entries) {
            return malformed("its length is not that of its entries");
        }
        Ok(head)
    }

    /// Reads the head, if the bytes are one, and whether its checksum is right.
    fn parse(input: &mut ByteReader<'_>) -> Result<(Option<Self>, bool), Short> {
        let summed = input.rest();
        if input.take(MAGIC.len())? != MAGIC {
            input.take(HEAD - MAGIC.len())?;
            return Ok((None, false));
        }
        let head = Self {
            recording_length: input.u64_le()?,
            header_length: input.u64_le()?,
            header_checksum: input.u32_le()?,
            rising: input.u32_le()? == 1,
            frames: input.u64_le()?,
            entries_checksum: input.u32_le()?,
        };
        let summed = summed.get(..HEAD - 4).unwrap_or_default();
        Ok((Some(head), input.u32_le()? == crc32fast::hash(summed)))
    }
}

/// The entry of a frame in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The frame's number, from 0.
    pub frame: u64,
    /// The offset of the frame in the recording.
    pub offset: u64,
    /// The `tick_id` of the frame.
    pub tick: u64,
    /// The CRC-32 of its bytes.
    pub checksum: u32,
}

impl Entry {
    #[inline]
    pub(super) fn read(frame: u64, bytes: &[u8]) -> Result<Self, Short> {
        let mut input = ByteReader::new(bytes);
        Ok(Self {
            frame,
            offset: input.u64_le()?,
            tick: input.u64_le()?,
            checksum: input.u32_le()?,
        })
    }
}
