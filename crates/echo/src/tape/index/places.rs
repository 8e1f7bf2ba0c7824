//! The content of an index.

use gametape_core::Input;

/// Places of a recording, in the order of the recording.
pub(in crate::tape) trait Places: Sized {
    /// The first bytes of an index of such places.
    const MAGIC: [u8; 8];
    /// The bytes of a place in the index.
    const ENTRY: usize;
    /// The recording has at least so many bytes for each place.
    const LEAST: u64;

    /// Encodes all places, each in [`Places::ENTRY`] bytes.
    fn encode(&self) -> Vec<u8>;

    /// Decodes places; `None` if they can't be those of this recording.
    fn decode(entries: &[u8], recording: &Input) -> Option<Self>;

    /// Whether a sample of the places is in the recording as it is now.
    fn sample_fits(&self, recording: &Input) -> bool;
}
