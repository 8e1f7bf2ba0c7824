//! Full snapshots that seeking starts from, as far as they are known.

use std::sync::OnceLock;

/// A full snapshot that seeking can start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyframe {
    /// The tick of the state that it holds.
    pub tick: u32,
    /// True if the recorder added it.
    pub added: bool,
    pub(crate) chunk: usize,
    /// Where its message starts in the unpacked chunk.
    pub(crate) at: usize,
}

/// The full snapshots of each chunk, once they were asked for.
#[derive(Debug)]
pub(crate) struct Listed(Vec<OnceLock<Box<[Keyframe]>>>);

impl Listed {
    pub fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }

    /// Those of a chunk; what finds them is asked once, if it does not fail.
    pub fn of<E>(
        &self,
        chunk: usize,
        find: impl FnOnce() -> Result<Vec<Keyframe>, E>,
    ) -> Result<&[Keyframe], E> {
        let Some(known) = self.0.get(chunk) else {
            return Ok(&[]);
        };
        if let Some(keyframes) = known.get() {
            return Ok(keyframes);
        }
        let found = find()?.into_boxed_slice();
        Ok(known.get_or_init(|| found))
    }
}
