//! What can go wrong.

use std::io;
#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error as ThisError;

impl Error {
    /// Whether a recording that was followed was cut or replaced, and has to be opened anew.
    #[cfg(feature = "serve")]
    pub(crate) fn is_changed(&self) -> bool {
        use gametape::core::tape;
        use std::error::Error as _;
        let Self::Recording(error) = self else {
            return false;
        };
        let told = error.source().and_then(|source| source.downcast_ref());
        matches!(told, Some(tape::Error::Changed { .. }))
    }
}

/// Why a recording can't be published.
#[derive(ThisError, Debug)]
#[non_exhaustive]
pub enum Error {
    /// What the recording says.
    #[error(transparent)]
    Recording(#[from] gametape::Error),
    /// A file or folder of the output.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A `library.json` that is there already, and is none of ours.
    #[error("{}: no list of recordings: {reason}", path.display())]
    Library {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A folder that is to be the page, and is not.
    #[error("{}: {reason}", path.display())]
    Page {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no page to put recordings into.
    #[error(
        "this command carries no page: run cargo xtask viewer, then build it again; or name the folder of a built page"
    )]
    NoPage,
    /// There is no room for what is made.
    #[error("it takes more than the {limit} bytes that there are for it")]
    Full {
        /// Bytes that there were.
        limit: u64,
    },
    /// Others may ask, and nobody says who.
    #[cfg(feature = "serve")]
    #[error("{listen} can be reached from elsewhere: that needs a token")]
    Token {
        /// Where it was to listen.
        listen: SocketAddr,
    },
    /// A token that can't stand in a link, or is empty.
    #[cfg(feature = "serve")]
    #[error("a token is letters, digits, and -._~, and not empty")]
    BadToken,
    /// It can't listen.
    #[cfg(feature = "serve")]
    #[error("can't listen at {listen}: {source}")]
    Listen {
        /// Where.
        listen: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}
