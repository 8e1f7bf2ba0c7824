//! The known full snapshots from which seeking can start.

use std::sync::OnceLock;

/// A full snapshot that seeking can start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyframe {
    /// The tick of its state.
    pub tick: u32,
    /// True if the recorder added it.
    pub added: bool,
    pub(crate) chunk: usize,
    /// The position of its message in the unpacked chunk.
    pub(crate) at: usize,
}

/// The full snapshots of each chunk, stored when first requested.
#[derive(Clone, Debug)]
pub(crate) struct Listed(Vec<OnceLock<Box<[Keyframe]>>>);

impl Listed {
    pub fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }

    /// The full snapshots of a chunk. `find` is called once, unless it fails.
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
