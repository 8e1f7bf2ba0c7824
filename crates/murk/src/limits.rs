//! Bounds: the smallest things the format holds, and what a reader is willing to hold.

/// Bytes of the smallest header: magic, version, four empty strings, the numbers, no descriptor.
pub const MIN_HEADER_BYTES: u64 = 53;

/// Bytes of a frame without commands.
pub const MIN_FRAME_BYTES: u64 = 20;

/// Bytes of the smallest command: no payload, no source.
pub const MIN_COMMAND_BYTES: u64 = 24;

/// Most fields that a simulation is replayed with. A header may claim four billion of them, and
/// each costs time in every tick, even where the simulation has none of that number.
pub const MAX_FIELDS: u32 = 1 << 20;

/// Checked before anything is allocated; a count is bounded by the bytes that are there as well.
///
/// The defaults are those of the origin's reader, so that both read the same files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest string of the header, in bytes.
    pub max_string_bytes: u32,
    /// Longest payload or space descriptor, in bytes.
    pub max_blob_bytes: u32,
    /// Most commands in a frame.
    pub max_commands: u32,
    /// Largest frame, in bytes: what [`Reader`](crate::Reader) and [`Feed`](crate::Feed)
    /// hold at once. It does not bound a slice, where nothing is held.
    pub max_frame_bytes: u64,
}

impl Limits {
    /// Strings of 1 MiB, payloads of 64 MiB, 1,000,000 commands a frame; frames of 1 GiB.
    pub const DEFAULT: Self = Self {
        max_string_bytes: 1 << 20,
        max_blob_bytes: 64 << 20,
        max_commands: 1_000_000,
        max_frame_bytes: 1 << 30,
    };

    /// No limit: for input that is trusted.
    pub const NONE: Self = Self {
        max_string_bytes: u32::MAX,
        max_blob_bytes: u32::MAX,
        max_commands: u32::MAX,
        max_frame_bytes: u64::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How to read: how much to put up with, and what is too large. A lenient reader takes a broken frame
/// for the end of the recording, and what is wrong with it is a finding.
pub type ReadOptions = gametape_core::ReadOptions<Limits>;
