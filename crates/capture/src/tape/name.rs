//! What the formats are called, and a step of their recordings.

use crate::stream::Packets;

/// The name of captures.
pub(super) const CAPTURE: &str = "capture";
/// The name of packets in files and folders.
pub(super) const DELTA: &str = "delta";
/// Recordings of both compare with each other, and convert into each other.
pub(super) const KIND: &str = "packets";
/// What a step is called.
pub(super) const STEP: &str = "packet";

/// The name of the format that packets are recorded in.
pub(super) const fn name_of(packets: &Packets<'_>) -> &'static str {
    match packets {
        Packets::Capture(_) => CAPTURE,
        Packets::Delta(_) => DELTA,
    }
}
