//! Errors of reading and writing.

use std::io;

use gametape_core::text::Grouped;

use crate::rule::Rule;

/// One result of an audit, or of lenient reading.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one for each code: its first place, and the number of times it occurred.
pub type Findings = gametape_core::Findings<Rule>;

/// Why a recording could not be read. Reading frames does not check payloads: typed reading does,
/// and [`Frame::payload_error`](crate::Frame::payload_error) adds the place.
pub type Error = gametape_core::ReadError<Rule>;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The destination failed. The [`Writer`](crate::Writer) keeps the bytes that it did not take.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// Something is larger than readers accept. Nothing of it was written.
    #[error("{what} of {} {unit}; readers take at most {}", Grouped(*.size), Grouped(*.limit))]
    DataTooLarge {
        /// The part that is too large.
        what: &'static str,
        /// The unit of its size.
        unit: &'static str,
        /// Its size in that unit.
        size: u64,
        /// The limit in that unit.
        limit: u64,
    },
}
