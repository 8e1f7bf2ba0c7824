//! Options of a server.

use std::net::SocketAddr;
use std::path::PathBuf;

use gametape::OpenOptions;
use gametape::core::tape::Secrets;

/// Options of a server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The address to listen on; port 0 is any free port.
    pub listen: SocketAddr,
    /// The token that clients must give: letters, digits, `-`, `.`, `_` and `~`. Without a token, only this
    /// machine may ask.
    pub token: Option<String>,
    /// Names of the server, besides its address. Requests for other names are refused, so that no page
    /// elsewhere can pretend to be this server.
    pub hosts: Vec<String>,
    /// Whether secret columns are served.
    pub secrets: Secrets,
    /// How recordings are opened. They are never mapped, because a mapped file that is truncated would end
    /// the server.
    pub open: OpenOptions,
    /// The folder for segments; without it, a temporary folder that is removed with the server.
    pub cache: Option<PathBuf>,
    /// The most bytes of segments that are kept.
    pub cache_bytes: u64,
}

impl Default for ServeOptions {
    /// Any port on loopback; 2 GiB of segments.
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
