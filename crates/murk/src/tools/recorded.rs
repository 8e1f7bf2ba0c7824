//! What recording a world came to.

use serde::Serialize;

/// What was recorded.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// Ticks that were made now.
    pub ticks: u64,
    /// Ticks that were there already.
    pub resumed_after: u64,
    /// The tick up to which another recording was taken over; 0 where none was.
    pub branched_after: u64,
    /// Bytes of a cut frame that were taken off before going on.
    pub dropped: u64,
    /// Commands that were recorded now.
    pub commands: u64,
    /// Of those: how many the world applied.
    pub applied: u64,
    /// Of those: how many had expired.
    pub expired: u64,
    /// Of those: how many could not be applied.
    pub rejected: u64,
    /// Ticks that failed and left the state as it was.
    pub failed_ticks: u64,
    /// Why the last of those failed.
    pub failure: Option<String>,
    /// The hash of the last state, as 16 hexadecimal digits.
    pub last_hash: Option<String>,
}
