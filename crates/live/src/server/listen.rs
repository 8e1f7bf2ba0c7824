//! Connections: their number, and their timeouts.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use gametape::OpenOptions;
use gametape::core::tape::Secrets;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::guard::{self, Guard};
use crate::Error;

/// The most connections at once; others wait until one ends.
pub const CONNECTIONS: usize = 8192;
/// The timeout for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The timeout for sending: a client that takes nothing for so long is disconnected.
const STALLED: Duration = Duration::from_secs(30);
/// The time for finishing answers when the server stops.
const LAST: Duration = Duration::from_secs(2);
/// The most bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Ends the server; answers that are being sent get a moment to finish.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether the server was ended.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns a receiver that is notified of the end.
    pub(super) fn heard(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

/// A socket that listens.
#[derive(Debug)]
pub struct Listening {
    listener: std::net::TcpListener,
    pub address: SocketAddr,
    pub stop: Stop,
}

impl Listening {
    /// Starts listening, and creates the guard for its requests.
    pub fn bind(
        listen: SocketAddr,
        token: Option<&str>,
        hosts: &[String],
    ) -> Result<(Self, Guard), Error> {
        if !listen.ip().is_loopback() && token.is_none() {
            return Err(Error::Token { listen });
        }
        if token.is_some_and(|token| !guard::is_token(token)) {
            return Err(Error::BadToken);
        }
        let fail = |source: io::Error| Error::Listen { listen, source };
        let listener = std::net::TcpListener::bind(listen).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let listening = Self {
            listener,
            address,
            stop: Stop(Arc::new(watch::Sender::new(false))),
        };
        Ok((listening, Guard::new(address, token, hosts)))
    }

    /// Serves until it is stopped, then calls `end` for the threads that still work.
    pub fn run(self, router: Router, end: impl FnOnce()) -> Result<(), Error> {
        let listen = self.address;
        let fail = |source: io::Error| Error::Listen { listen, source };
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("gametape-serve")
            .build()
            .map_err(fail)?;
        let stopped = self.stop.heard();
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener).map_err(fail)?;
            serve(listener, router, stopped).await;
            Ok(())
        });
        end();
        // Threads that make segments have heard that they are to end.
        runtime.shutdown_timeout(Duration::from_secs(5));
        served
    }
}

/// The place of a connection among the allowed ones, freed with the last clone. A WebSocket keeps it after
/// the request that it began as.
#[derive(Clone, Debug)]
pub struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Serves until `stopped`.
async fn serve(listener: TcpListener, router: Router, mut stopped: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let closing = stopped.clone();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (router, closing) = (router.clone(), closing.clone());
                let place = Place {
                    _permit: Arc::new(place),
                };
                tokio::spawn(connection(stream, peer, place, router, closing));
            }
            // Too many files are open, or the client is gone: the next connection may succeed.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = timeout(LAST, places.acquire_many(all)).await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
    router: Router,
    mut closing: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALLED));
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(place.clone());
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES);
    let io = TokioIo::new(Box::pin(stream));
    let mut served = std::pin::pin!(builder.serve_connection(io, service).with_upgrades());
    tokio::select! {
        // Errors of a connection are the client's concern.
        _ = served.as_mut() => return,
        _ = closing.wait_for(|stop| *stop) => {}
    }
    served.as_mut().graceful_shutdown();
    let _ = timeout(LAST, served).await;
}

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
