//! The game's API over HTTP.

use gametape::core::text::Bytes;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gametape::Error;
use ureq::http::Uri;

use super::answer::{Fault, no_match};

/// The size limit of an answer: that of a line of a recording.
const MAX_BYTES: u64 = gametape_echo::Limits::DEFAULT.max_line_bytes;

/// How long the game may take to accept a connection. It runs on this machine, or in the same house.
const CONNECT: Duration = Duration::from_secs(1);

/// Returns an address in a form that may be shown: without user name and password.
///
/// ```
/// use gametape_record::echo::shown_url;
/// assert_eq!(shown_url("http://me:secret@10.0.0.2:6721/"), "http://…@10.0.0.2:6721/");
/// ```
#[must_use]
pub fn shown_url(url: &str) -> String {
    let Some((secret, rest)) = url.rsplit_once('@') else {
        return url.to_owned();
    };
    let scheme = secret.split_once("://").map(|(scheme, _)| scheme);
    scheme.map_or_else(
        || format!("…@{rest}"),
        |scheme| format!("{scheme}://…@{rest}"),
    )
}

/// A client of the game's API.
#[derive(Debug)]
pub(super) struct Game {
    agent: ureq::Agent,
    timeout: Duration,
    /// Whether the agent makes a new connection for each request.
    is_fresh: bool,
    pace: Pace,
    session: Uri,
    bones: Uri,
}

/// The times of answers on kept and on fresh connections.
///
/// A server that writes head and body separately waits, on a kept connection, until the client's
/// system has confirmed the head. The system delays that: 40 ms and more for each answer.
#[derive(Default, Debug)]
struct Pace {
    kept: Timing,
    fresh: Timing,
}

#[derive(Default, Debug)]
struct Timing {
    answers: u32,
    time: Duration,
}

impl Timing {
    fn note(&mut self, time: Duration) {
        if !self.is_known() {
            self.answers += 1;
            self.time += time;
        }
    }

    const fn is_known(&self) -> bool {
        self.answers >= 8
    }
}

impl Pace {
    /// Returns whether fresh connections should be used: to try them, or because they are faster.
    fn prefers_fresh(&self) -> bool {
        /// A server nearby that takes longer for an answer waits for something.
        const SLOW: Duration = Duration::from_millis(20);
        let is_slow = self.kept.is_known() && self.kept.time > SLOW * self.kept.answers;
        is_slow && (!self.fresh.is_known() || self.fresh.time < self.kept.time)
    }
}

impl Game {
    /// Creates a client. `url` is the address, with or without `/session`.
    ///
    /// # Errors
    /// [`Error::Io`] if it is not such an address.
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, Error> {
        let refuse = |why: &str| Error::Io {
            path: PathBuf::from(shown_url(url)),
            source: io::Error::new(io::ErrorKind::InvalidInput, why),
        };
        let at = |page: &str| {
            let base = url.trim_end_matches('/');
            let base = base.strip_suffix("/session").unwrap_or(base);
            let base = base.trim_end_matches('/');
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
        Ok(Self {
            agent: agent(false, timeout),
            timeout,
            is_fresh: false,
            pace: Pace::default(),
            session: at("session")?,
            bones: at("player_bones")?,
        })
    }

    /// Requests `/session`.
    pub(super) fn session(&mut self) -> Result<Vec<u8>, Fault> {
        let is_fresh = self.pace.prefers_fresh();
        if self.is_fresh != is_fresh {
            self.is_fresh = is_fresh;
            // This closes the old agent's connection: some servers accept only one at a time.
            self.agent = agent(is_fresh, self.timeout);
        }
        let start = Instant::now();
        let answer = self.get(&self.session)?;
        let took = if is_fresh {
            &mut self.pace.fresh
        } else {
            &mut self.pace.kept
        };
        took.note(start.elapsed());
        Ok(answer)
    }

    /// Requests `/player_bones`.
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
            // The text is read in any case, so that the connection can be used again.
            let no_match = read.ok().and_then(|text| no_match(&text));
            return Err(no_match.unwrap_or(Fault::Status(status.as_u16())));
        }
        read.map_err(fault)
    }
}

fn agent(is_fresh: bool, timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .max_idle_connections(usize::from(!is_fresh))
        .timeout_connect(Some(CONNECT.min(timeout)))
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // The game is never reached through the system's proxy.
        .proxy(None)
        .user_agent(concat!("gametape/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
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
            Kind::ConnectionRefused => Fault::Unreachable("no program listens there".into()),
            _ => Fault::Unreachable(error.to_string()),
        },
        ureq::Error::HostNotFound => Fault::Unreachable("no such host".into()),
        ureq::Error::ConnectionFailed => Fault::Unreachable("no connection".into()),
        ureq::Error::BodyExceedsLimit(limit) => {
            Fault::Malformed(format!("the answer is longer than {}", Bytes(limit)))
        }
        other => Fault::Malformed(format!("not HTTP as it should be: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_connections_are_tried_where_answers_are_slow_and_kept_where_they_help() {
        let ms = Duration::from_millis;
        let fill = |timing: &mut Timing, each| (0..20).for_each(|_| timing.note(each));
        let mut pace = Pace::default();
        assert!(!pace.prefers_fresh());
        fill(&mut pace.kept, ms(5));
        assert!(!pace.prefers_fresh());
        for (fresh, helps) in [(ms(3), true), (ms(60), false)] {
            let mut pace = Pace::default();
            (0..7).for_each(|_| pace.kept.note(ms(44)));
            assert!(!pace.prefers_fresh());
            pace.kept.note(ms(44));
            assert!(pace.prefers_fresh());
            fill(&mut pace.fresh, fresh);
            assert_eq!(pace.prefers_fresh(), helps);
        }
    }

    #[test]
    fn addresses() {
        let new = |url: &str| Game::new(url, CONNECT);
        for url in [
            "http://127.0.0.1:6721",
            "http://127.0.0.1:6721/",
            "127.0.0.1:6721",
            "localhost",
            "HTTP://[::1]:6721",
            "http://127.0.0.1:6721/session",
            "127.0.0.1:6721/session/",
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
        for url in ["https://me:secret@x", "http://me:secret@x/?y"] {
            let error = new(url).unwrap_err().to_string();
            assert!(
                !error.contains("secret") && error.contains("…@x"),
                "{error}"
            );
        }
    }
}
