//! How to read, and what a reader is willing to hold.

/// How to read. The default is strict, within [`Limits::DEFAULT`].
pub type ReadOptions = gametape_core::ReadOptions<Limits>;

/// Checked before anything is allocated.
///
/// The sections before the events are bounded by the format itself: their sizes are 16-bit
/// numbers, 448 KiB together. Only the events need a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest video section, in bytes. The longest real game on record takes some 200 KB.
    pub max_video_bytes: u64,
}

impl Limits {
    /// 64 MiB of events: days of play.
    pub const DEFAULT: Self = Self {
        max_video_bytes: 64 << 20,
    };

    /// No limit: for input that is trusted.
    pub const NONE: Self = Self {
        max_video_bytes: u64::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
