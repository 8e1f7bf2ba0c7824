//! Members that an answer of the API lacks.

use std::fmt;

/// The members that an object lacks, although the game's answers have them: another version of the API leaves
/// them out, or they could not be read. Each has its default value in the model (0, an empty text), which the
/// game did not say: tables show null in its place, and writers of lines leave it out. A .butter has no place for
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Missing(u64);

impl Missing {
    /// The members of these bits, in the order of the [table](crate::members) of their object.
    pub(crate) const fn of(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The number of missing members.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether a member of this bit is missing.
    pub(crate) const fn has(self, bit: u64) -> bool {
        self.0 & bit != 0
    }

    /// Returns true if nothing is missing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Missing({:#x})", self.0)
    }
}
