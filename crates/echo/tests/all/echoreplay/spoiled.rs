//! Random matches, spoiled in the ways of real machines; thousands more are tried by `cargo xtask fuzz`.

use gametape_testkit::echo::spoiled_match_keeps_its_frames;

#[test]
fn spoiled_matches_keep_their_frames() {
    (0..300).for_each(spoiled_match_keeps_its_frames);
}
