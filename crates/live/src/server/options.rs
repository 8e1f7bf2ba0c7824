//! What is served, and to whom.

use std::net::SocketAddr;
use std::path::PathBuf;

use gametape::OpenOptions;
use gametape::core::tape::Secrets;

/// What is served, and to whom.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
    /// What whoever asks has to know, of letters, digits, `-`, `.`, `_` and `~`; without, only this machine
    /// may ask.
    pub token: Option<String>,
    /// Names that the server goes by, apart from its address: others are refused, so that no page
    /// elsewhere can pretend to be this one.
    pub hosts: Vec<String>,
    /// Whether secret columns are served.
    pub secrets: Secrets,
    /// How recordings are opened. They are never mapped: a file that somebody truncates would end the
    /// server.
    pub open: OpenOptions,
    /// Where segments are kept; else in a temporary folder, which goes with the server.
    pub cache: Option<PathBuf>,
    /// Bytes of segments that are kept.
    pub cache_bytes: u64,
}

impl Default for ServeOptions {
    /// On loopback, any port; 2 GiB of segments.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: None,
            hosts: Vec::new(),
            secrets: Secrets::Hide,
            open: OpenOptions::default(),
            cache: None,
            cache_bytes: 2 << 30,
        }
    }
}
