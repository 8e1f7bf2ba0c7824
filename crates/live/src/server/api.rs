//! A server of JSON answers by path, for data that are not recordings.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::guard::{Guard, protect, refusal};
use super::listen::{Listening, Stop};
use crate::Error;

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiAnswer {
    /// The HTTP status; an invalid one becomes 500.
    pub status: u16,
    /// JSON.
    pub json: Vec<u8>,
}

type Answering = dyn Fn(&str) -> Option<ApiAnswer> + Send + Sync;

/// A server whose answers come from a function, for programs that can only ask over HTTP. Requests must
/// pass the same checks as those for recordings.
///
/// ```
/// use gametape_live::server::{ApiAnswer, ApiServer};
/// let listen = "127.0.0.1:0".parse().expect("an address");
/// let server = ApiServer::bind(listen, None, &[], |path| {
///     (path == "/time").then(|| ApiAnswer { status: 200, json: b"12".to_vec() })
/// })?;
/// let stop = server.stop();
/// std::thread::spawn(move || server.run());
/// stop.stop();
/// # Ok::<(), gametape_live::Error>(())
/// ```
#[derive(Debug)]
pub struct ApiServer {
    listening: Listening,
    router: Router,
}

impl ApiServer {
    /// Starts listening. `answer` is called with the path, on a thread that may block; `None` becomes 404.
    ///
    /// # Errors
    /// [`Error::Token`] if other machines could ask and no token is given; [`Error::BadToken`];
    /// [`Error::Listen`].
    pub fn bind(
        listen: SocketAddr,
        token: Option<&str>,
        hosts: &[String],
        answer: impl Fn(&str) -> Option<ApiAnswer> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let (listening, guard) = Listening::bind(listen, token, hosts)?;
        let (guard, answer): (_, Arc<Answering>) = (Arc::new(guard), Arc::new(answer));
        let router = Router::new().fallback(
            move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request| {
                let (guard, answer) = (guard.clone(), answer.clone());
                async move { answered(&guard, answer, peer, request).await }
            },
        );
        Ok(Self { listening, router })
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.listening.address
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
        self.listening.run(self.router, || {})
    }
}

async fn answered(
    guard: &Guard,
    answer: Arc<Answering>,
    peer: SocketAddr,
    request: Request,
) -> Response {
    let mut response = match guard.answer(&request, peer) {
        Some(refused) => refused,
        None => json_answer(answer, request.uri().path().to_owned()).await,
    };
    protect(&mut response);
    response
}

async fn json_answer(answer: Arc<Answering>, path: String) -> Response {
    match tokio::task::spawn_blocking(move || answer(&path)).await {
        Ok(Some(ApiAnswer { status, json })) => {
            let headers = [
                (CONTENT_TYPE, "application/json"),
                (CACHE_CONTROL, "no-store"),
            ];
            let status = StatusCode::from_u16(status);
            let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, headers, json).into_response()
        }
        Ok(None) => refusal(StatusCode::NOT_FOUND, "there is no such thing here"),
        Err(_) => refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server could not do it",
        ),
    }
}
