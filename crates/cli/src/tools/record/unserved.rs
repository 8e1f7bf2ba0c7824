//! This command has no server: nothing is watched while it is recorded.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gametape::{Error, Formats};

use crate::Exit;
use crate::ui::Ui;

/// Nothing can be asked for.
#[derive(Args, Debug)]
pub struct Serve {}

/// Ends a recording.
#[derive(Clone, Default)]
pub struct Ending {
    /// The recording is to end.
    pub stop: Arc<AtomicBool>,
}

/// Nobody watches.
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

// As where there is a server.
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
impl Serve {
    /// Nobody may watch.
    pub const fn is_asked(&self) -> bool {
        false
    }

    /// Serves nothing.
    pub fn begin(&self, _formats: &Formats, _ui: &mut Ui) -> Result<Watched, Exit> {
        Ok(Watched)
    }
}

// As where there is a server.
#[allow(clippy::unused_self, clippy::unnecessary_wraps)]
impl Watched {
    /// What ends the recording.
    pub fn ending(&self) -> Ending {
        Ending::default()
    }

    /// Nobody hears it.
    pub fn goes_into(&mut self, _path: &Path) {}

    /// Nobody hears it.
    pub const fn grew(&self) {}

    /// Nothing stays.
    pub fn stay(self, exit: Exit, _ui: &mut Ui) -> io::Result<Exit> {
        Ok(exit)
    }
}
