//! What a recorder in the same process tells a server.

use std::path::Path;
use std::sync::Arc;

use super::shelf::Shelf;
use crate::Error;

/// Tells a server of recordings that this process writes: they are served, and are live as long as this
/// says so, however long nothing comes.
#[derive(Clone, Debug)]
pub struct Growth(Arc<Shelf>);

impl Growth {
    pub(super) const fn new(shelf: Arc<Shelf>) -> Self {
        Self(shelf)
    }

    /// A recording is written from now on; pages ask for it by the id that is given.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin(&self, path: &Path) -> Result<String, Error> {
        self.0.tell(path, true)
    }

    /// Something was written: whoever watches hears of it now, and not when the file is looked at next.
    pub fn grew(&self) {
        self.0.grew();
    }

    /// Nothing more is written to a recording.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn end(&self, path: &Path) -> Result<(), Error> {
        self.0.tell(path, false).map(|_| ())
    }
}
