//! The smallest sizes in the format, and the limits of a reader.

/// The size of the smallest header in bytes: magic, version, four empty strings, the numbers, no
/// descriptor.
pub const MIN_HEADER_BYTES: u64 = 53;

/// The size of a frame without commands, in bytes.
pub const MIN_FRAME_BYTES: u64 = 20;

/// The size of the smallest command in bytes: no payload, no source.
pub const MIN_COMMAND_BYTES: u64 = 24;

/// The most fields that a simulation is replayed with. A header may claim four billion fields, and
/// each costs time in every tick, even if the simulation does not have it.
pub const MAX_REPLAYED_FIELDS: u32 = 1 << 20;

/// Limits on what a recording may claim. They are checked before anything is allocated; a count is
/// also bounded by the bytes that are left.
///
/// The defaults are those of the origin's reader, so that both read the same files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The longest string of the header, in bytes.
    pub max_string_bytes: u32,
    /// The longest payload or space descriptor, in bytes.
    pub max_blob_bytes: u32,
    /// The most commands in a frame.
    pub max_commands: u32,
    /// The largest frame, in bytes: [`Reader`](crate::Reader) and [`Feed`](crate::Feed) buffer a
    /// frame. It does not apply to a slice, where nothing is buffered.
    pub max_frame_bytes: u64,
}

impl Limits {
    /// Strings of 1 MiB, payloads of 64 MiB, 1,000,000 commands in a frame, frames of 1 GiB.
    pub const DEFAULT: Self = Self {
        max_string_bytes: 1 << 20,
        max_blob_bytes: 64 << 20,
        max_commands: 1_000_000,
        max_frame_bytes: 1 << 30,
    };

    /// No limits, for trusted input.
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

/// Options for reading: the strictness, and the limits. A lenient reader treats a broken frame as
/// the end of the recording and reports it as a finding.
pub type ReadOptions = gametape_core::ReadOptions<Limits>;
