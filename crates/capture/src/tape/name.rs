//! The names of the formats and of a step of their recordings.

use crate::stream::Packets;

/// The format name of captures.
pub(super) const CAPTURE: &str = "capture";
/// The format name of packets in files and folders.
pub(super) const DELTA: &str = "delta";
/// The kind of both formats: their recordings can be compared with each other, and converted into
/// each other.
pub(super) const KIND: &str = "capture";
/// The name of a step.
pub(super) const STEP: &str = "packet";

/// The name of the format in which packets are recorded.
pub(super) const fn name_of(packets: &Packets<'_>) -> &'static str {
    match packets {
        Packets::Capture(_) => CAPTURE,
        Packets::Delta(_) => DELTA,
    }
}
