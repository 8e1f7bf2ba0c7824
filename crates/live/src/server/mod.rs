//! Recordings served: the page, the library, and segments that are made when they are first asked for.
//!
//! | to change | look in |
//! |---|---|
//! | connections: how many, how long they may dawdle | `listen.rs` |
//! | who may ask: host, origin, token, rate | `guard.rs`, `rate.rs` |
//! | addresses, and what is answered | `routes.rs` |
//! | the library, and what is made of it | `shelf.rs`, `book.rs` |
//! | whether a recording is being written | `looks.rs`, `growth.rs`, `bell.rs` |
//! | who watches one that is | `room/` |

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

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use gametape::Formats;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::{Error, Page};
pub use growth::Growth;
pub use options::ServeOptions;
use shelf::Shelf;

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Ends it: what is being sent may be sent to its end for a moment.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was ended.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: routes::State,
    stop: Stop,
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
        let listen = options.listen;
        if !listen.ip().is_loopback() && options.token.is_none() {
            return Err(Error::Token { listen });
        }
        if options
            .token
            .as_deref()
            .is_some_and(|token| !guard::is_token(token))
        {
            return Err(Error::BadToken);
        }
        let fail = |source: io::Error| Error::Listen { listen, source };
        let listener = TcpListener::bind(listen).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let guard = guard::Guard::new(address, options.token.as_deref(), &options.hosts);
        let shelf = Shelf::new(paths, formats, options)?;
        let stop = Arc::new(watch::Sender::new(false));
        Ok(Self {
            listener,
            address,
            state: routes::State::new(shelf, page, guard, stop.subscribe()),
            stop: Stop(stop),
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
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
        self.stop.clone()
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// [`Error::Listen`].
    pub fn run(self) -> Result<(), Error> {
        let listen = self.address;
        let fail = |source: io::Error| Error::Listen { listen, source };
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("gametape-serve")
            .build()
            .map_err(fail)?;
        let stopped = self.stop.0.subscribe();
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(fail)?;
            let router = routes::router(self.state.clone());
            listen::serve(listener, router, stopped).await;
            Ok(())
        });
        self.state.shelf.end();
        // Threads that make segments have heard that they are to end.
        runtime.shutdown_timeout(std::time::Duration::from_secs(5));
        served
    }
}
