//! Matches that are spoiled in the ways of real machines.

use gametape_testkit::echo::spoiled_match_keeps_its_frames;

/// The input is a seed. A match that is spoiled in one to three ways (its times, numbers, members, bytes and
/// containers) keeps its frames, and each way is named.
pub fn echoreplay_spoiled(data: &[u8]) {
    spoiled_match_keeps_its_frames(crate::seed(data));
}
