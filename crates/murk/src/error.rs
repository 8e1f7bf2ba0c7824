//! What can go wrong, by whose fault it is.

use std::io;

use gametape_core::text::Grouped;

use crate::rule::Rule;

/// One result of an audit, or of lenient reading.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one for each code: the first place, and how often it came again.
pub type Findings = gametape_core::Findings<Rule>;

/// Why a recording could not be read. Frames are read without looking at payloads: what is wrong
/// with those only typed reading says, and [`Frame::payload_error`](crate::Frame::payload_error)
/// where it is.
pub type Error = gametape_core::ReadError<Rule>;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The destination failed. What it has not taken is kept: see [`Writer`](crate::Writer).
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// Larger than the format's readers take. Nothing of it was written.
    #[error("{what} of {} {unit}; readers take at most {}", Grouped(*.size), Grouped(*.limit))]
    DataTooLarge {
        /// What is too large.
        what: &'static str,
        /// What its size counts.
        unit: &'static str,
        /// How much there is, in that unit.
        size: u64,
        /// How much readers take, in that unit.
        limit: u64,
    },
}
