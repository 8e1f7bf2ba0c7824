//! Errors of publishing and serving.

use gametape::core::Spell as _;
use gametape::core::text::Bytes;
use std::io;
#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error as ThisError;

impl Error {
    /// Returns whether a followed recording was cut or replaced, and has to be opened again.
    #[cfg(feature = "serve")]
    pub(crate) fn is_changed(&self) -> bool {
        use gametape::core::tape;
        use std::error::Error as _;
        let Self::Recording(error) = self else {
            return false;
        };
        let source = error.source().and_then(|source| source.downcast_ref());
        matches!(source, Some(tape::Error::Changed { .. }))
    }
}

/// An error of publishing or serving.
#[derive(ThisError, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The recording can't be read.
    #[error(transparent)]
    Recording(#[from] gametape::Error),
    /// A file or folder can't be read or written.
    #[error("{}: {source}", path.spelled())]
    Io {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An existing `library.json` is not a list of recordings.
    #[error("{}: not a list of recordings: {reason}", path.spelled())]
    Library {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A folder is not a built page.
    #[error("{}: {reason}", path.spelled())]
    Page {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// There is no page to put recordings into.
    #[error(
        "this command contains no page: run cargo xtask viewer, then build it again; or name the folder of a built page"
    )]
    NoPage,
    /// The files are too large for their folder.
    #[error("it takes more than the {} that are allowed", Bytes(*limit))]
    Full {
        /// The allowed number of bytes.
        limit: u64,
    },
    /// More than one recording was given where only one can be served.
    #[cfg(feature = "serve")]
    #[error("only one recording can be served this way")]
    NotOne,
    /// Other machines could ask, and no token is given.
    #[cfg(feature = "serve")]
    #[error("{listen} can be reached from elsewhere: that needs a token")]
    Token {
        /// The address to listen on.
        listen: SocketAddr,
    },
    /// A token can't be put into a link, or is empty.
    #[cfg(feature = "serve")]
    #[error("a token is letters, digits, and -._~, and not empty")]
    BadToken,
    /// The server can't listen on the address.
    #[cfg(feature = "serve")]
    #[error("can't listen at {listen}: {source}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
}
