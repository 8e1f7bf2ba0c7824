//! The replacement of `serving` in a command without a server.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gametape::{Error, Formats};

use crate::Exit;
use crate::ui::Ui;

/// No options.
#[derive(Args, Debug)]
pub struct ForBrowsers {}

/// Ends a recording.
#[derive(Clone, Default)]
pub struct Ending {
    /// True when the recording has to end.
    pub stop: Arc<AtomicBool>,
}

/// The link to a server that does not exist.
pub struct Watched;

impl Ending {
    /// From now on Ctrl-C ends the recording.
    ///
    /// # Errors
    /// [`Error::Unwritable`], of this output.
    pub fn listen(&self, output: &Path) -> Result<(), Error> {
        let stop = self.stop.clone();
        let heard = move || stop.store(true, Ordering::Relaxed);
        ctrlc::set_handler(heard).map_err(|error| Error::Unwritable {
            path: output.to_owned(),
            message: format!("can't listen to Ctrl-C: {error}"),
        })
    }
}

// The same signatures as with a server.
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
impl ForBrowsers {
    /// The recording is never served.
    pub const fn is_asked(&self) -> bool {
        false
    }

    /// Does nothing.
    pub fn begin(&self, _formats: &Formats, _ui: &mut Ui) -> Result<Watched, Exit> {
        Ok(Watched)
    }
}

// The same signatures as with a server.
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
impl Watched {
    /// The signal that ends the recording.
    pub fn ending(&self) -> Ending {
        Ending::default()
    }

    /// Does nothing.
    pub fn goes_into(&mut self, _path: &Path) {}

    /// Does nothing.
    pub const fn grew(&self) {}

    /// Does nothing.
    pub fn stay(self, exit: Exit, _ui: &mut Ui) -> io::Result<Exit> {
        Ok(exit)
    }
}
