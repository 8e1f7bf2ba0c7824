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

/// How to read either encoding: how much to put up with, and what is too large.
///
/// A lenient reader of a .butter gives of a broken chunk the frames before its fault, and goes on
/// with the next. One of an .echoreplay skips broken lines, leaves broken bones out, and reads a
/// broken zip as far as it goes. What is wrong is a finding.
///
/// ```
/// use gametape_echo::{ReadOptions, echoreplay};
/// // The middle line is what some recorders write while the game restarts.
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
