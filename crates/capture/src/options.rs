//! Options for writing a capture.

use crate::error::CaptureError;

/// The longest tick in nanoseconds: log times are 64-bit numbers.
pub(crate) const MAX_TICK_NS: u64 = u64::MAX / (u32::MAX as u64);

/// The largest allowed target size of a chunk. Together with the largest packet, the chunk stays
/// within the readers' limits.
const MAX_CHUNK_BYTES: u64 = 64 << 20;

/// Options for writing a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The length of a tick in nanoseconds, if it is known.
    pub tick_ns: Option<u64>,
    /// The target size of a chunk before compression, in bytes. This is the most that is lost when
    /// the recorder is killed, and the least that is unpacked to seek.
    pub chunk_bytes: u64,
    /// The most ticks over which a state is built. If the deltas that lead to a state go back
    /// further, the writer adds a full snapshot, so that seeking never starts far away. To do this,
    /// it decodes packets as they come. A stream whose deltas build on states of `n` ticks ago
    /// consists of `n` independent chains, and needs `n` times as many added snapshots.
    pub keyframe_every: Option<u32>,
    /// Whether the states are the view of a receiver, each coded on the one before. Otherwise the
    /// packets are those of a wire, or are made from another recording.
    pub view: bool,
}

impl Default for Options {
    /// Chunks of 64 KiB, ticks of unknown length, no added snapshots.
    fn default() -> Self {
        Self {
            tick_ns: None,
            chunk_bytes: 1 << 16,
            keyframe_every: None,
            view: false,
        }
    }
}

impl Options {
    /// Refuses options that are out of range.
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
