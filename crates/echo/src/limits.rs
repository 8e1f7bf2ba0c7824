//! Bounds: what a reader is willing to hold.

/// Checked before anything is allocated; a count is bounded by the bytes that are there as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest chunk of a .butter, in bytes, as stored and inflated.
    pub max_chunk_bytes: u64,
    /// Longest line of an .echoreplay, in bytes.
    pub max_line_bytes: u64,
}

impl Limits {
    /// Chunks of 256 MiB, lines of 4 MiB.
    pub const DEFAULT: Self = Self {
        max_chunk_bytes: 256 << 20,
        max_line_bytes: 4 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
