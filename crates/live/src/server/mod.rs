//! Recordings served: the page, the library, and segments that are made when they are first asked for.
//!
//! | to change | look in |
//! |---|---|
//! | connections: how many, how long they may dawdle | `listen.rs` |
//! | who may ask: host, origin, token, rate | `guard.rs`, `rate.rs` |
//! | addresses, and what is answered | `routes.rs`; `api.rs` where it is no recordings |
//! | the library, and what is made of it | `shelf.rs`, `book.rs` |
//! | whether a recording is being written | `looks.rs`, `growth.rs`, `bell.rs` |
//! | who watches one that is | `room/` |

mod api;
mod bell;
mod book;
mod growth;
mod guard;
mod listen;
mod looks;
mod options;
mod rate;
mod room;
mod routes;
mod shelf;

use std::net::SocketAddr;
use std::path::PathBuf;

use gametape::Formats;

use crate::{Error, Page};
pub use api::{ApiAnswer, ApiServer};
pub use growth::Growth;
use listen::Listening;
pub use listen::Stop;
pub use options::ServeOptions;
use shelf::Shelf;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listening: Listening,
    state: routes::State,
}

impl Server {
    /// Listens, for recordings under these paths: files, and folders with all that is in them. What
    /// comes into a folder later is found.
    ///
    /// # Errors
    /// [`Error::Token`] where others may ask and no token is given; [`Error::BadToken`]; [`Error::Listen`];
    /// [`Error::Io`].
    pub fn bind(
        paths: &[PathBuf],
        formats: Formats,
        page: Page,
        options: ServeOptions,
    ) -> Result<Self, Error> {
        let (listening, guard) =
            Listening::bind(options.listen, options.token.as_deref(), &options.hosts)?;
        let shelf = Shelf::new(paths, formats, options)?;
        let stopped = listening.stop.heard();
        Ok(Self {
            listening,
            state: routes::State::new(shelf, page, guard, stopped),
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.listening.address
    }

    /// The ids of what it has at the moment, by which pages ask for them.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        self.state.shelf.ids()
    }

    /// What tells it of recordings that this process writes.
    #[must_use]
    pub fn growth(&self) -> Growth {
        Growth::new(self.state.shelf.clone())
    }

    /// What ends it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        self.listening.stop.clone()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub fn run(self) -> Result<(), Error> {
        let shelf = self.state.shelf.clone();
        self.listening
            .run(routes::router(self.state), move || shelf.end())
    }
}
