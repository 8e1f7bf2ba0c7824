//! Builds an index.

use crate::error::Error;
use crate::frame::Frame;
use crate::read::Replay;

use super::layout::{HEAD, MAGIC};

/// Builds an index frame by frame, while a recording is read or written.
#[derive(Clone, Debug, Default)]
pub struct IndexBuilder {
    entries: Vec<u8>,
    frames: u64,
    last_tick: Option<u64>,
    falls: bool,
    end: u64,
}

impl IndexBuilder {
    /// Creates an index without frames.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes of the index of a recording in memory.
    ///
    /// # Errors
    /// If the recording can't be read to its end: a broken recording has no index.
    pub fn of(replay: &Replay<'_>) -> Result<Vec<u8>, Error> {
        let mut builder = Self::new();
        let mut frames = replay.frames();
        for frame in &mut frames {
            builder.push(&frame?);
        }
        if let Some(problem) = frames.findings().iter().next() {
            return Err(problem.clone().into());
        }
        let header = usize::try_from(replay.header_size())
            .ok()
            .and_then(|size| replay.as_bytes().get(..size));
        Ok(builder.finish(header.unwrap_or_default()))
    }

    /// Returns the checksum of a frame: the CRC-32 of its bytes.
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

    /// Returns the number of frames so far.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the bytes of the index. `header` are the bytes of the recording's header.
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
