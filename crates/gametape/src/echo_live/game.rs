//! The game's API over HTTP.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ureq::http::Uri;

use super::Fault;
use super::answer::no_match;
use crate::Error;

/// Larger answers are none: a line of a recording may have as many.
const MAX_BYTES: u64 = gametape_echo::Limits::DEFAULT.max_line_bytes;

/// How long the game may take to accept a connection. It is at hand, or in the same house.
const CONNECT: Duration = Duration::from_secs(1);

/// Where the game answers.
#[derive(Debug)]
pub(super) struct Game {
    agent: ureq::Agent,
    session: Uri,
    bones: Uri,
}

impl Game {
    /// `url` is the address without `/session`.
    ///
    /// # Errors
    /// [`Error::Io`] for what is no such address.
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, Error> {
        let refuse = |why: &str| Error::Io {
            path: PathBuf::from(url),
            source: io::Error::new(io::ErrorKind::InvalidInput, why),
        };
        let at = |page: &str| {
            let base = url.trim_end_matches('/');
            let scheme = if url.contains("://") { "" } else { "http://" };
            let uri: Uri = format!("{scheme}{base}/{page}")
                .parse()
                .map_err(|_| refuse("not an address such as http://127.0.0.1:6721"))?;
            if uri.scheme_str() != Some("http") {
                return Err(refuse("the game speaks http"));
            }
            if uri.query().is_some() || uri.host().is_none_or(str::is_empty) {
                return Err(refuse("not an address such as http://127.0.0.1:6721"));
            }
            Ok(uri)
        };
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(CONNECT.min(timeout)))
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The game is never behind the proxy that the system is set up with.
            .proxy(None)
            .user_agent(concat!("gametape/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            agent: config.new_agent(),
            session: at("session")?,
            bones: at("player_bones")?,
        })
    }

    /// What `/session` answers.
    pub(super) fn session(&self) -> Result<Vec<u8>, Fault> {
        self.get(&self.session)
    }

    /// What `/player_bones` answers.
    pub(super) fn bones(&self) -> Result<Vec<u8>, Fault> {
        self.get(&self.bones)
    }

    fn get(&self, uri: &Uri) -> Result<Vec<u8>, Fault> {
        let mut answer = self.agent.get(uri).call().map_err(fault)?;
        let status = answer.status();
        let read = answer
            .body_mut()
            .with_config()
            .limit(MAX_BYTES)
            .read_to_vec();
        if status.as_u16() != 200 {
            // Its text is read in any case, so that the connection can be used again.
            let said = read.ok().and_then(|text| no_match(&text));
            return Err(said.unwrap_or(Fault::Status(status.as_u16())));
        }
        read.map_err(fault)
    }
}

fn fault(error: ureq::Error) -> Fault {
    use io::ErrorKind as Kind;
    match error {
        ureq::Error::Timeout(_) => Fault::Timeout,
        ureq::Error::Io(error) => match error.kind() {
            Kind::TimedOut | Kind::WouldBlock => Fault::Timeout,
            Kind::UnexpectedEof | Kind::InvalidData => {
                Fault::Malformed("the answer breaks off".into())
            }
            Kind::ConnectionRefused => Fault::Unreachable("nobody listens there".into()),
            _ => Fault::Unreachable(error.to_string()),
        },
        ureq::Error::HostNotFound => Fault::Unreachable("no such host".into()),
        ureq::Error::ConnectionFailed => Fault::Unreachable("no connection".into()),
        ureq::Error::BodyExceedsLimit(limit) => {
            Fault::Malformed(format!("the answer is longer than {limit} bytes"))
        }
        other => Fault::Malformed(format!("not HTTP as it should be: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let new = |url: &str| Game::new(url, CONNECT);
        for url in [
            "http://127.0.0.1:6721",
            "http://127.0.0.1:6721/",
            "127.0.0.1:6721",
            "localhost",
            "HTTP://[::1]:6721",
        ] {
            let game = new(url).unwrap();
            assert_eq!(game.session.path(), "/session", "{url}");
            assert_eq!(game.bones.path(), "/player_bones", "{url}");
        }
        for url in [
            "",
            "http://",
            "https://127.0.0.1",
            "http://a b",
            "http://x/?y",
        ] {
            assert_eq!(new(url).unwrap_err().code(), "io", "{url}");
        }
    }
}
