//! Limits of what a reader holds in memory.

/// Limits that are checked before each allocation. A count is also bounded by the number of bytes left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest chunk of a .butter in bytes, both stored and inflated.
    pub max_chunk_bytes: u64,
    /// The longest line of an .echoreplay in bytes.
    pub max_line_bytes: u64,
    /// The longest name in the header of a .butter in bytes. A header has up to 256 of them, and a frame up
    /// to 765.
    pub max_name_bytes: u64,
    /// The largest frame of an unfinished .butter in bytes; in finished ones, the size of chunks is
    /// limited. Without one text of any length, a frame takes at most 100 KiB.
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

/// Options for reading either format: how much to tolerate, and what is too large.
///
/// A lenient reader of a .butter returns the frames of a broken chunk before its fault, and continues with
/// the next chunk. One of an .echoreplay skips broken lines, leaves broken bones out, and reads a broken
/// zip as far as possible. Each fault is a finding.
///
/// ```
/// use gametape_echo::{ReadOptions, echoreplay};
/// // Some recorders write such a middle line while the game restarts.
/// let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}\r\n\
///     2022/01/02 03:00:00.100\t404\r\n\
///     2022/01/02 03:00:00.200\t{\"sessionid\":\"B\"}\r\n";
/// let mut lines = echoreplay::read_with(text, ReadOptions::lenient());
/// let mut ids = Vec::new();
/// while let Some(frame) = lines.next_frame()? {
///     ids.push(frame.session.sessionid.clone());
/// }
/// assert_eq!(ids, ["A", "B"]);
/// assert!(lines.findings().has("echoreplay.no-session"));
/// # Ok::<(), gametape_echo::Error>(())
/// ```
pub type ReadOptions = gametape_core::ReadOptions<Limits>;
