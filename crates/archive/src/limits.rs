//! Limits of what is unpacked.

/// Limits on archives. They are checked while unpacking, whatever an archive declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest file that is unpacked, in bytes.
    pub max_bytes: u64,
    /// How many times larger than its packed data a file may be, once it is larger than
    /// [`Limits::free_bytes`]. Recordings are packed to a tenth or a hundredth.
    pub max_ratio: u64,
    /// Up to this size, the ratio is not checked.
    pub free_bytes: u64,
    /// The largest number of files in an archive.
    pub max_files: u64,
    /// The largest number of files of one name in an archive.
    pub max_of_one_name: u64,
    /// The largest number of archives in an archive, in all of its depths.
    pub max_archives: u64,
    /// The number of archives in each other that are opened.
    pub max_depth: usize,
}

impl Default for Limits {
    /// 64 GiB, a ratio of 300 beyond 32 MiB, a million files, 100 of one name, 1,000 archives, 4 in each other.
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            max_ratio: 300,
            free_bytes: 32 << 20,
            max_files: 1_000_000,
            max_of_one_name: 100,
            max_archives: 1_000,
            max_depth: 4,
        }
    }
}

impl Limits {
    /// Returns the largest size that so much packed data may have.
    #[must_use]
    pub fn of_packed(&self, packed: u64) -> u64 {
        let by_ratio = packed.saturating_mul(self.max_ratio).max(self.free_bytes);
        by_ratio.min(self.max_bytes)
    }
}
