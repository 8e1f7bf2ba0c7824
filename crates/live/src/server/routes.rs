//! Addresses and their answers.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{
    ConnectInfo, Extension, Path as FromPath, RawQuery, Request, State as FromState,
};
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, ORIGIN, RETRY_AFTER,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::services::ServeFile;

use super::catalog::Catalog;
use super::guard::{Guard, protect, refusal, uncached};
use super::item::{Item, Ready};
use super::listen::{CONNECTIONS, Place};
use super::room::watch as watch_room;
use crate::index::VERSION;
use crate::{Error, Page};

/// The most connections that watch live recordings at once, so that others can still ask.
const SEATS: usize = CONNECTIONS - CONNECTIONS / 8;
/// How long an answer waits for files that are being made.
const SOON: Duration = Duration::from_millis(800);
const NEVER_CHANGES: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";
const PACKED: &str = "application/octet-stream";

/// The state shared by all answers.
#[derive(Clone, Debug)]
pub struct State {
    pub catalog: Arc<Catalog>,
    pub page: Arc<Page>,
    pub guard: Arc<Guard>,
    seats: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
}

impl State {
    pub fn new(
        catalog: Catalog,
        page: Page,
        guard: Guard,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self {
            catalog: Arc::new(catalog),
            page: Arc::new(page),
            guard: Arc::new(guard),
            seats: Arc::new(Semaphore::new(SEATS)),
            stopping,
        }
    }
}

/// Returns the routes of all addresses.
pub fn router(state: State) -> Router {
    // Segments are packed already.
    let worth_it = SizeAbove::new(512).and(NotForContentType::const_new(PACKED));
    Router::new()
        .route("/library.json", get(library))
        .route("/r/{id}/recording.json", get(recording))
        .route("/r/{id}/live", get(live))
        .route("/r/{id}/{file}", get(file))
        .fallback(page)
        .layer(CompressionLayer::new().compress_when(worth_it))
        .layer(from_fn_with_state(state.clone(), guarded))
        .with_state(state)
}

/// Checks each request, and adds the security headers to each answer.
async fn guarded(
    FromState(state): FromState<State>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut answer = match state.guard.answer(&request, peer) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    protect(&mut answer);
    answer
}

fn unknown() -> Response {
    refusal(StatusCode::NOT_FOUND, "there is no such thing here")
}

fn broken() -> Response {
    refusal(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the server could not do it",
    )
}

async fn library(FromState(state): FromState<State>, headers: HeaderMap) -> Response {
    let catalog = state.catalog.clone();
    let listed = tokio::task::spawn_blocking(move || serde_json::to_vec(&catalog.library()));
    match listed.await {
        Ok(Ok(json)) => known(json, "application/json", ASK_AGAIN, &headers),
        _ => broken(),
    }
}

async fn item(state: &State, id: String) -> Option<Arc<Item>> {
    let catalog = state.catalog.clone();
    let found = tokio::task::spawn_blocking(move || catalog.item(&id));
    found.await.ok()?
}

async fn recording(
    FromState(state): FromState<State>,
    FromPath(id): FromPath<String>,
    headers: HeaderMap,
) -> Response {
    let Some(item) = item(&state, id).await else {
        return unknown();
    };
    let mut changes = item.changes.subscribe();
    let mut ready = state.catalog.ask(&item);
    if matches!(ready, Ready::Making(_)) {
        // Most are ready after a short wait.
        let _ = tokio::time::timeout(SOON, changes.changed()).await;
        ready = state.catalog.ask(&item);
    }
    match ready {
        Ready::Live(room) => {
            let index = tokio::task::spawn_blocking(move || room.index());
            match index.await {
                Ok(Ok(json)) => known(json, "application/json", ASK_AGAIN, &headers),
                _ => broken(),
            }
        }
        Ready::Yes => {
            let path = state.catalog.file(&item, "recording.json");
            match tokio::task::spawn_blocking(move || std::fs::read(path)).await {
                Ok(Ok(json)) => known(json, "application/json", ASK_AGAIN, &headers),
                _ => broken(),
            }
        }
        Ready::Making(done) => {
            let share = json!({ "version": VERSION, "making": done });
            let mut answer = uncached(StatusCode::ACCEPTED, &share);
            let headers = answer.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            answer
        }
        Ready::No(sentence) => refusal(StatusCode::UNPROCESSABLE_ENTITY, &sentence),
    }
}

/// Returns whether a name is that of a segment or of labels.
fn is_packed(file: &str) -> bool {
    let Some((hash, end)) = file.split_once('.') else {
        return false;
    };
    let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    hash.len() == 32 && hash.bytes().all(hex) && ["seg", "lab"].contains(&end)
}

/// The most bytes of a message from a viewer; viewers send only pings.
const HEARD: usize = 1 << 10;

async fn live(
    FromState(state): FromState<State>,
    FromPath(id): FromPath<String>,
    RawQuery(query): RawQuery,
    Extension(place): Extension<Place>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // Browsers always send it; a client that does not could pretend to be any page.
    if !headers.contains_key(ORIGIN) {
        return refusal(StatusCode::FORBIDDEN, "a WebSocket has to say its Origin");
    }
    let Some(room) = item(&state, id).await.and_then(|item| item.room()) else {
        return unknown();
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(error) => return refusal(error.status(), "this is a WebSocket"),
    };
    let Ok(seat) = state.seats.clone().try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many watch already");
    };
    let stopping = state.stopping.clone();
    upgrade
        .max_message_size(HEARD)
        .max_frame_size(HEARD)
        .read_buffer_size(HEARD)
        .write_buffer_size(0)
        .on_upgrade(async move |socket| {
            // Joined only now, because messages are sent from this moment on.
            let mut parts = query.iter().flat_map(|query| query.split('&'));
            let after = parts.find_map(|part| part.strip_prefix("after="));
            watch_room(socket, room.join(after), stopping).await;
            drop((seat, place));
        })
}

async fn file(
    FromState(state): FromState<State>,
    FromPath((id, file)): FromPath<(String, String)>,
    request: Request,
) -> Response {
    if !is_packed(&file) {
        return unknown();
    }
    let Some(item) = item(&state, id).await else {
        return unknown();
    };
    // The name is a hash of the content.
    let tag = format!("\"{file}\"");
    if is_known(request.headers(), &tag) {
        return answered(
            StatusCode::NOT_MODIFIED,
            Body::empty(),
            PACKED,
            NEVER_CHANGES,
            &tag,
        );
    }
    let path = state.catalog.file(&item, &file);
    let mut answer = match item.room().and_then(|room| room.file(&file)) {
        Some(bytes) => bytes.into_response(),
        None => serve(&path, request).await,
    };
    if answer.status() == StatusCode::NOT_FOUND {
        // It may have been dropped to make room; asking for the recording makes it again.
        return unknown();
    }
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PACKED));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(NEVER_CHANGES));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    answer
}

async fn serve(path: &Path, request: Request) -> Response {
    match ServeFile::new(path).oneshot(request).await {
        Ok(answer) => answer.map(Body::new),
        Err(never) => match never {},
    }
}

async fn page(FromState(state): FromState<State>, request: Request) -> Response {
    let name = request.uri().path().trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    let files = match state.page.site() {
        Ok(files) => files,
        Err(error) if name == "index.html" => return without_page(&error),
        Err(_) => return unknown(),
    };
    let Some((_, bytes)) = files.into_iter().find(|(file, _)| *file == name) else {
        return unknown();
    };
    // The build names these files by their content.
    let keep = if name.starts_with("assets/") {
        NEVER_CHANGES
    } else {
        ASK_AGAIN
    };
    known(bytes.to_vec(), kind_of(name), keep, request.headers())
}

fn kind_of(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => PACKED,
    }
}

fn without_page(error: &Error) -> Response {
    let text = format!("{error}\n\nThe recordings themselves are served: /library.json\n");
    let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::OK, kind, text).into_response()
}

/// Returns whether the client has this version already.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .any(|value| value.trim().trim_start_matches("W/") == tag)
}

/// An answer that is sent only if the client does not have it.
fn known(
    bytes: impl AsRef<[u8]> + Into<Body>,
    kind: &'static str,
    keep: &'static str,
    headers: &HeaderMap,
) -> Response {
    let hash = blake3::hash(bytes.as_ref()).to_hex();
    let tag = format!("\"{}\"", hash.as_str().split_at(32).0);
    let (status, body) = if is_known(headers, &tag) {
        (StatusCode::NOT_MODIFIED, Body::empty())
    } else {
        (StatusCode::OK, bytes.into())
    };
    // It may be compressed on the way, so that the tag is a weak one.
    answered(status, body, kind, keep, &format!("W/{tag}"))
}

fn answered(
    status: StatusCode,
    body: Body,
    kind: &'static str,
    keep: &'static str,
    tag: &str,
) -> Response {
    let mut answer = (status, body).into_response();
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    answer
}
