//! Bounds: what a reader is willing to hold.

/// Checked before anything is allocated; a count is bounded by the bytes that are there as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest chunk of a .butter, in bytes, as stored and inflated.
    pub max_chunk_bytes: u64,
    /// Longest line of an .echoreplay, in bytes.
    pub max_line_bytes: u64,
    /// Longest name in the header of a .butter, in bytes. Of these there are up to 256, and a frame
    /// holds up to 765.
    pub max_name_bytes: u64,
    /// Largest frame of a .butter that is not finished, in bytes; of others, chunks are bounded. All
    /// but one text of a frame takes 100 KiB at most.
    pub max_frame_bytes: u64,
}

impl Limits {
    /// Chunks of 256 MiB, lines of 4 MiB, names of 1 KiB, frames of 1 MiB.
    pub const DEFAULT: Self = Self {
        max_chunk_bytes: 256 << 20,
        max_line_bytes: 4 << 20,
        max_name_bytes: 1 << 10,
        max_frame_bytes: 1 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
