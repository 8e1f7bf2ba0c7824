//! Limits of reading and writing.

/// The largest packet of a capture: a chunk with such a packet is within every reader's limits.
pub const MAX_PACKET_BYTES: usize = 64 << 20;

/// The most bytes of states that are kept for later packets.
pub const MAX_STATE_BYTES: u64 = 512 << 20;

/// Limits of a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest size of a chunk, unpacked, in bytes.
    pub max_chunk_bytes: u64,
}

impl Limits {
    /// 256 MiB per chunk.
    pub const DEFAULT: Self = Self {
        max_chunk_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
