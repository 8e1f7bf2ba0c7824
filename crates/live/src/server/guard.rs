//! The checks that every request must pass, and the headers of every answer.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION,
    ORIGIN, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// The name of the cookie that keeps the token.
const COOKIE_NAME: &str = "gametape-token";

/// Allows only the page's own scripts, no request elsewhere, and no frame around the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; font-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The checks that every request must pass.
#[derive(Debug)]
pub struct Guard {
    /// The values of `Host` that mean this server.
    hosts: Vec<String>,
    /// The port, if the server listens on all addresses of the machine: then every address with this port is
    /// accepted as `Host`. Only a name could be pointed here by an attacker.
    anywhere: Option<u16>,
    token: Option<blake3::Hash>,
    rates: Rates,
}

/// Returns whether a token can be put into a link and a cookie as it is. An empty token would let everybody
/// in.
pub fn is_token(token: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
    !token.is_empty() && token.bytes().all(plain)
}

impl Guard {
    pub fn new(address: SocketAddr, token: Option<&str>, names: &[String]) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            let names = ["localhost", "127.0.0.1", "[::1]"];
            hosts.extend(names.map(|name| format!("{name}:{port}")));
        }
        for name in names {
            // Behind a proxy the port differs, or is not given.
            hosts.push(name.to_ascii_lowercase());
            hosts.push(format!("{}:{port}", name.to_ascii_lowercase()));
        }
        if port == 80 {
            let without: Vec<String> = hosts
                .iter()
                .filter_map(|host| host.strip_suffix(":80").map(str::to_owned))
                .collect();
            hosts.extend(without);
        }
        Self {
            hosts,
            anywhere: address.ip().is_unspecified().then_some(port),
            token: token.map(hash),
            rates: Rates::default(),
        }
    }

    /// Returns whether a `Host` means this server.
    fn is_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let address: Option<SocketAddr> = host.parse().ok();
        let anywhere = address.is_some_and(|address| Some(address.port()) == self.anywhere);
        anywhere || self.hosts.contains(&host)
    }

    /// Returns the reason why a request is refused.
    fn refuse(&self, request: &Request, peer: SocketAddr) -> Option<(StatusCode, &'static str)> {
        if !self.rates.may(peer.ip(), Instant::now()) {
            return Some((StatusCode::TOO_MANY_REQUESTS, "too many requests"));
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "this server only answers"));
        }
        let headers = request.headers();
        let one = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            let first = values.next();
            if values.next().is_some() {
                None
            } else {
                Some(first.map(HeaderValue::as_bytes))
            }
        };
        let host = one(HOST)
            .flatten()
            .and_then(|host| std::str::from_utf8(host).ok());
        let Some(host) = host.filter(|host| self.is_host(host)) else {
            return Some((
                StatusCode::MISDIRECTED_REQUEST,
                "this server goes by another name",
            ));
        };
        let same = |origin: &[u8]| {
            let origin = std::str::from_utf8(origin).unwrap_or_default();
            let of = origin.split_once("://").map(|(_, of)| of);
            of.is_some_and(|of| of.eq_ignore_ascii_case(host))
        };
        match one(ORIGIN) {
            Some(None) => {}
            Some(Some(origin)) if same(origin) => {}
            _ => return Some((StatusCode::FORBIDDEN, "no other page may ask this server")),
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let mode = headers.get("sec-fetch-mode").map(HeaderValue::as_bytes);
        // A link from elsewhere may be followed; a page elsewhere may not load anything.
        if matches!(site, Some(b"cross-site" | b"same-site")) && mode != Some(b"navigate") {
            return Some((StatusCode::FORBIDDEN, "no other page may ask this server"));
        }
        None
    }

    /// Returns whether the headers of a request contain the token.
    fn knows(&self, headers: &HeaderMap) -> bool {
        let Some(token) = self.token else {
            return true;
        };
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        let bearer = headers.get(AUTHORIZATION).and_then(text);
        let bearer = bearer
            .as_deref()
            .and_then(|value| value.strip_prefix("Bearer "));
        // Comparing hashes takes the same time for every token.
        if bearer.is_some_and(|given| hash(given) == token) {
            return true;
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(text);
        cookies.into_iter().any(|cookies| {
            cookies.split(';').any(|cookie| {
                let given = cookie.trim().split_once('=');
                given.is_some_and(|(name, given)| name == COOKIE_NAME && hash(given) == token)
            })
        })
    }

    /// Redirects to the same address without its token, and sets the token as a cookie, if it is the right
    /// one.
    fn with_cookie(&self, uri: &Uri) -> Option<Response> {
        let token = self.token?;
        let query = uri.query()?;
        let given = query
            .split('&')
            .find_map(|part| part.strip_prefix("token="))?;
        if hash(given) != token {
            return None;
        }
        let rest: Vec<&str> = query
            .split('&')
            .filter(|part| !part.starts_with("token="))
            .collect();
        let path = uri.path().trim_start_matches('/');
        let mark = if rest.is_empty() { "" } else { "?" };
        let to = format!("/{path}{mark}{}", rest.join("&"));
        let cookie = format!("{COOKIE_NAME}={given}; Path=/; HttpOnly; SameSite=Strict");
        let mut answer = StatusCode::SEE_OTHER.into_response();
        answer
            .headers_mut()
            .insert(LOCATION, HeaderValue::try_from(to).ok()?);
        answer
            .headers_mut()
            .insert(SET_COOKIE, HeaderValue::try_from(cookie).ok()?);
        Some(answer)
    }

    /// Returns the answer to a request that is refused, or that gives the token for the first time.
    pub fn answer(&self, request: &Request, peer: SocketAddr) -> Option<Response> {
        if let Some((status, sentence)) = self.refuse(request, peer) {
            return Some(refusal(status, sentence));
        }
        if self.knows(request.headers()) {
            return None;
        }
        let answer = self.with_cookie(request.uri());
        let unknown = || refusal(StatusCode::UNAUTHORIZED, "this server asks for its token");
        Some(answer.unwrap_or_else(unknown))
    }
}

fn hash(token: &str) -> blake3::Hash {
    blake3::hash(token.as_bytes())
}

/// A JSON answer that is not cached.
pub fn uncached(status: StatusCode, json: &Value) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, json.to_string()).into_response()
}

/// An answer that consists of an error message.
pub fn refusal(status: StatusCode, sentence: &str) -> Response {
    let mut answer = uncached(status, &json!({ "error": sentence }));
    let headers = answer.headers_mut();
    if status == StatusCode::TOO_MANY_REQUESTS {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}

/// Adds the security headers of every answer.
pub fn protect(answer: &mut Response) {
    let policies = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    let headers = answer.headers_mut();
    for (name, value) in policies {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Requests per second in the long run.
const A_SECOND: f64 = 500.0;
/// Requests at once.
const AT_ONCE: f64 = 2000.0;
/// The number of clients that are remembered; those that have not asked for long are forgotten.
const PEERS: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct Peer {
    left: f64,
    since: Instant,
}

/// The number of requests that each client has left.
#[derive(Default, Debug)]
pub struct Rates(Mutex<HashMap<IpAddr, Peer>>);

impl Rates {
    /// Counts a request; returns whether it is allowed.
    pub fn may(&self, peer: IpAddr, now: Instant) -> bool {
        let mut peers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= PEERS && !peers.contains_key(&peer) {
            // A client that has all its requests left need not be remembered.
            peers.retain(|_, peer| refilled(*peer, now).left < AT_ONCE);
            if peers.len() >= PEERS {
                return false;
            }
        }
        let left = peers.entry(peer).or_insert(Peer {
            left: AT_ONCE,
            since: now,
        });
        *left = refilled(*left, now);
        if left.left < 1.0 {
            return false;
        }
        left.left -= 1.0;
        true
    }
}

fn refilled(peer: Peer, now: Instant) -> Peer {
    let gone = now.saturating_duration_since(peer.since).as_secs_f64();
    Peer {
        left: (peer.left + gone * A_SECOND).min(AT_ONCE),
        since: now,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_client_that_asks_too_often_waits_and_others_do_not() {
        let (rates, start) = (Rates::default(), Instant::now());
        let [one, other] = [1, 2].map(|at| IpAddr::from([10, 0, 0, at]));
        let granted = (0..5000).filter(|_| rates.may(one, start)).count();
        assert_eq!(granted, 2000);
        assert!(rates.may(other, start));
        let later = start + Duration::from_secs(1);
        let granted = (0..5000).filter(|_| rates.may(one, later)).count();
        assert_eq!(granted, 500);
    }

    #[test]
    fn no_number_of_peers_takes_more_than_a_bounded_memory() {
        let (rates, start) = (Rates::default(), Instant::now());
        let peer = |at: u128| IpAddr::from(Ipv6Addr::from(at));
        let granted = (0..10_000).filter(|at| rates.may(peer(*at), start)).count();
        assert_eq!(granted, PEERS);
        assert!(rates.0.lock().unwrap().len() <= PEERS);
        assert!(rates.may(peer(99_999), start + Duration::from_secs(9)));
    }
}
