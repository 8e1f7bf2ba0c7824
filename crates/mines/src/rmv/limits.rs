//! Read options and limits.

/// How to read a recording. The default is strict, within [`Limits::DEFAULT`].
pub type ReadOptions = gametape_core::ReadOptions<Limits>;

/// Limits, checked before anything is allocated.
///
/// The sections before the events are bounded by the format itself: their sizes are 16-bit numbers,
/// in total at most 448 KiB. Only the events need a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest video section, in bytes. The longest known real game takes some 200 KB.
    pub max_video_bytes: u64,
}

impl Limits {
    /// 64 MiB of events: days of play.
    pub const DEFAULT: Self = Self {
        max_video_bytes: 64 << 20,
    };

    /// No limit, for trusted input.
    pub const NONE: Self = Self {
        max_video_bytes: u64::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
