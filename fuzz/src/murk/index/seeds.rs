//! Recordings with their indexes, and scripts.

use gametape_murk::{IndexBuilder, read};

use crate::murk::seeds::{SOUND, recordings};
use crate::noise;

/// Recordings, indexes followed by their recordings, some of them wrong, and scripts.
pub fn inputs() -> Vec<Vec<u8>> {
    let recordings = recordings();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for recording in &recordings[..SOUND] {
        let replay = read(recording).expect("a sound one");
        let index = IndexBuilder::of(&replay).expect("a sound one");
        inputs.push([&index[..], recording].concat());
        // Entries in the wrong order, so that they overlap.
        if index.len() >= 48 + 40 {
            let mut lies = index.clone();
            lies[48..].rotate_left(20);
            inputs.push([&lies[..], recording].concat());
        }
    }
    inputs.extend(recordings);
    inputs.extend(noise(12, 300));
    inputs
}
