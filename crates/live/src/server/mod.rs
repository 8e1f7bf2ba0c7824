//! A server of recordings: the page, the library, and segments that are made at the first request.
//!
//! | to change | look in |
//! |---|---|
//! | connections: their number, their timeouts | `listen.rs` |
//! | the checks of every request: host, origin, token, rate | `guard.rs` |
//! | addresses and answers | `routes.rs`; `api.rs` for answers that are not recordings |
//! | the library, and the files made for it | `catalog.rs`, `item.rs` |
//! | noticing that a recording grows | `growth.rs` |
//! | live recordings and their viewers | `room/` |

mod api;
mod catalog;
mod growth;
mod guard;
mod item;
mod listen;
mod room;
mod routes;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape::Formats;

use crate::{Error, Page};
pub use api::{ApiAnswer, ApiServer};
use catalog::Catalog;
use listen::Listening;
pub use listen::{ServeOptions, Stop};

/// Reports recordings that this process writes to a server: they are served, and are live until
/// [`Growth::end`], even if nothing is written for a long time.
#[derive(Clone, Debug)]
pub struct Growth(Arc<Catalog>);

impl Growth {
    /// Reports a recording that is written from now on. Returns the id by which pages ask for it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin(&self, path: &Path) -> Result<String, Error> {
        self.0.declare(path, true)
    }

    /// Reports that something was written: viewers get it now, without waiting for the next look at the
    /// file.
    pub fn grew(&self) {
        self.0.grew();
    }

    /// Reports that a recording is finished.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn end(&self, path: &Path) -> Result<(), Error> {
        self.0.declare(path, false).map(|_| ())
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listening: Listening,
    state: routes::State,
}

impl Server {
    /// Starts listening, for recordings under these paths: files, and folders with all their files. Files
    /// that come into a folder later are found, too.
    ///
    /// # Errors
    /// [`Error::Token`] if other machines could ask and no token is given; [`Error::BadToken`];
    /// [`Error::Listen`];
    /// [`Error::Io`].
    pub fn bind(
        paths: &[PathBuf],
        formats: Formats,
        page: Page,
        options: ServeOptions,
    ) -> Result<Self, Error> {
        let (listening, guard) =
            Listening::bind(options.listen, options.token.as_deref(), &options.hosts)?;
        let catalog = Catalog::new(paths, formats, options)?;
        let stopped = listening.stop.heard();
        Ok(Self {
            listening,
            state: routes::State::new(catalog, page, guard, stopped),
        })
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.listening.address
    }

    /// Returns the ids of the current recordings, by which pages ask for them.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        self.state.catalog.ids()
    }

    /// Returns a handle that reports recordings which this process writes.
    #[must_use]
    pub fn growth(&self) -> Growth {
        Growth(self.state.catalog.clone())
    }

    /// Returns a handle that ends the server.
    #[must_use]
    pub fn stop(&self) -> Stop {
        self.listening.stop.clone()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub fn run(self) -> Result<(), Error> {
        let catalog = self.state.catalog.clone();
        self.listening
            .run(routes::router(self.state), move || catalog.end())
    }
}
