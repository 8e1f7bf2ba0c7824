//! Bounds of what is taken in, and of what is written.

/// Largest packet of a capture: a chunk that holds it is within every reader's limits.
pub const MAX_PACKET_BYTES: usize = 64 << 20;

/// Most bytes of states that are held for later packets.
pub const MAX_STATE_BYTES: u64 = 512 << 20;

/// Bounds of what a reader takes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a chunk, unpacked.
    pub max_chunk_bytes: u64,
}

impl Limits {
    /// 256 MiB a chunk.
    pub const DEFAULT: Self = Self {
        max_chunk_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
