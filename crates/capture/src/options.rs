//! How a capture is written.

use crate::error::CaptureError;

/// Longest tick: log times are 64 bits.
pub(crate) const MAX_TICK_NS: u64 = u64::MAX / (u32::MAX as u64);

/// Largest chunk to aim at. With the largest packet it stays within what readers unpack.
const MAX_CHUNK_BYTES: u64 = 64 << 20;

/// How a capture is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The length of a tick in nanoseconds, if it is known.
    pub tick_ns: Option<u64>,
    /// Bytes of a chunk before it is packed: what is lost at most when the recorder is killed,
    /// and what is unpacked at least to seek.
    pub chunk_bytes: u64,
    /// No state is built over more ticks than this: where the deltas that lead to it go further
    /// back, a full snapshot is added, so that seeking does not have to start far away. Packets
    /// are then decoded as they come. A stream whose deltas build on states of `n` ticks ago
    /// consists of `n` strands, and takes `n` times as many.
    pub keyframe_every: Option<u32>,
}

impl Default for Options {
    /// Chunks of 64 KiB, ticks of unknown length, nothing added.
    fn default() -> Self {
        Self {
            tick_ns: None,
            chunk_bytes: 1 << 16,
            keyframe_every: None,
        }
    }
}

impl Options {
    /// Refuses what can't be.
    pub(crate) fn check(&self) -> Result<(), CaptureError> {
        match self.tick_ns {
            Some(0) => return Err(CaptureError::Option("a tick takes longer than 0 ns".into())),
            Some(ns) if ns > MAX_TICK_NS => {
                return Err(CaptureError::Option(format!(
                    "a tick of {ns} ns is too long: {MAX_TICK_NS} ns is the most, so that times have 64 bits"
                )));
            }
            _ => {}
        }
        if self.chunk_bytes > MAX_CHUNK_BYTES {
            return Err(CaptureError::Option(format!(
                "chunks of {} bytes, {MAX_CHUNK_BYTES} is the most",
                self.chunk_bytes
            )));
        }
        if self.keyframe_every == Some(0) {
            return Err(CaptureError::Option(
                "a full snapshot every 0 ticks: 1 is the least".into(),
            ));
        }
        Ok(())
    }
}
