//! Recordings in object stores: `s3://`, `gs://`, `az://`, `http://`, `https://`.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use datafusion::common::Result as DataFusionResult;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use futures::TryStreamExt;
use gametape::{Formats, Recording};
use gametape_core::{Input, ReadAt};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientOptions, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt,
    ObjectStoreScheme, RetryConfig,
};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;
use url::Url;

/// Up to this size an object is read whole, with one request.
const WHOLE: u64 = 1 << 20;
/// The size of a read that does not go on where the last one ended.
const SEEK: u64 = 64 << 10;
/// The largest size of a read. Reads that go on grow up to it.
const LARGEST: u64 = 8 << 20;
/// From this size on, the next range is asked for while this one is decoded.
const AHEAD: u64 = 1 << 20;
/// How many ranges are kept.
const KEPT: usize = 4;

/// Returns whether a path is the address of an object or of several.
pub(crate) fn is_url(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// How long to wait for a store.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For an answer.
    answer: Duration,
    retries: usize,
    /// For all attempts together.
    all: Duration,
}

/// Object stores, as DataFusion asks for them: to write the files of a `COPY`.
#[derive(Debug)]
struct Registry {
    local: Arc<dyn ObjectStore>,
    others: Opener,
}

impl ObjectStoreRegistry for Registry {
    fn register_store(
        &self,
        _url: &Url,
        _store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> DataFusionResult<Arc<dyn ObjectStore>> {
        if url.scheme() == "file" {
            return Ok(Arc::clone(&self.local));
        }
        let (_, store, _) = self.others.stores()?.store(url)?;
        Ok(store)
    }
}

/// Returns what DataFusion runs in: with object stores.
///
/// # Errors
/// Those of DataFusion.
pub fn runtime() -> DataFusionResult<Arc<RuntimeEnv>> {
    with_stores(RuntimeEnvBuilder::new())
}

/// Same as [`runtime`], with its temporary files in a folder.
///
/// # Errors
/// Those of DataFusion.
pub fn runtime_in(folder: &std::path::Path) -> DataFusionResult<Arc<RuntimeEnv>> {
    with_stores(RuntimeEnvBuilder::new().with_temp_file_path(folder))
}

pub(crate) fn with_stores(builder: RuntimeEnvBuilder) -> DataFusionResult<Arc<RuntimeEnv>> {
    let registry = Registry {
        local: Arc::new(LocalFileSystem::new()),
        // Most queries need none, and a scheduler keeps what each session runs in.
        others: Opener::default(),
    };
    builder
        .with_object_store_registry(Arc::new(registry))
        .build_arc()
}

/// Opens recordings by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opener {
    /// Once the first object is opened.
    stores: Arc<OnceLock<Arc<Stores>>>,
}

impl Opener {
    pub fn stores(&self) -> io::Result<&Arc<Stores>> {
        if let Some(stores) = self.stores.get() {
            return Ok(stores);
        }
        let stores = Stores::new()?;
        Ok(self.stores.get_or_init(|| stores))
    }

    /// Opens the recording at a path or an address.
    pub fn open(&self, name: &str, formats: &Formats) -> Result<Recording, gametape::Error> {
        if !is_url(name) {
            return formats.open(name);
        }
        let failed = |source| gametape::Error::Io {
            path: name.into(),
            source,
        };
        let stores = self.stores().map_err(failed)?;
        let mut found = stores
            .find(name, formats)
            .map_err(|error| failed(io::Error::other(error)))?;
        let object = found
            .pop()
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let input = object.input().map_err(failed)?;
        formats.open_input(input, name)
    }

    /// Returns an object that another machine found.
    pub fn object(&self, name: &str, found: &FoundObject) -> io::Result<Arc<Object>> {
        let stores = self.stores()?;
        let url = Url::parse(name).map_err(io::Error::other)?;
        let (_, store, location) = stores.store(&url).map_err(io::Error::other)?;
        Ok(Arc::new(Object {
            name: name.to_owned(),
            store,
            stores: Arc::clone(stores),
            meta: ObjectMeta {
                location,
                last_modified: std::time::UNIX_EPOCH.into(),
                size: found.bytes,
                e_tag: found.e_tag.clone(),
                version: None,
            },
            whole: OnceLock::new(),
        }))
    }
}

/// An object as the machine knows it that found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FoundObject {
    bytes: u64,
    e_tag: Option<String>,
}

/// The object stores that paths name. Requests run on threads of their own, so that any thread may wait
/// for them.
#[derive(Debug)]
pub(crate) struct Stores {
    /// Until it is dropped.
    io: Option<Runtime>,
    /// By the address before the path of an object.
    known: Mutex<Vec<(String, Arc<dyn ObjectStore>)>>,
    patience: Patience,
}

impl Stores {
    pub fn new() -> io::Result<Arc<Self>> {
        Self::with(Patience {
            answer: Duration::from_secs(30),
            retries: 5,
            all: Duration::from_mins(1),
        })
    }

    fn with(patience: Patience) -> io::Result<Arc<Self>> {
        let io = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("object store")
            .enable_all()
            .build()?;
        Ok(Arc::new(Self {
            io: Some(io),
            known: Mutex::default(),
            patience,
        }))
    }

    /// Finds the objects of an address: one, all below a prefix that ends in `/`, or those that match a
    /// pattern. Objects below a prefix whose names are not those of recordings are left out.
    pub fn find(
        self: &Arc<Self>,
        address: &str,
        formats: &Formats,
    ) -> Result<Vec<Arc<Object>>, String> {
        let told = |error: &dyn std::fmt::Display| {
            let error = error.to_string();
            // Where no other credentials are, those of a machine in the cloud are asked for.
            if error.contains("169.254.169.254") {
                return format!(
                    "{address}: the environment has no credentials (AWS_ACCESS_KEY_ID and so on); a public bucket needs AWS_SKIP_SIGNATURE=true"
                );
            }
            format!("{address}: {error}")
        };
        if address.starts_with("http") && address.contains('?') {
            return Err(told(
                &"an address with a query (?…) cannot be read: download it first",
            ));
        }
        let is_pattern = address.contains(['*', '[', '?']);
        let literal = address.split(['*', '[', '?']).next().unwrap_or(address);
        let folder = match literal.rsplit_once('/') {
            Some((folder, _)) if is_pattern => format!("{folder}/"),
            _ => address.to_owned(),
        };
        let url = Url::parse(&folder).map_err(|error| told(&error))?;
        let (prefix, store, path) = self.store(&url).map_err(|error| told(&error))?;
        let object = |meta: ObjectMeta| {
            Arc::new(Object {
                name: format!("{prefix}{}", meta.location),
                store: Arc::clone(&store),
                stores: Arc::clone(self),
                meta,
                whole: OnceLock::new(),
            })
        };
        if !is_pattern && !folder.ends_with('/') {
            let asked = Arc::clone(&store);
            let at = path.clone();
            let head = self.waited(async move { asked.head(&at).await });
            return match head {
                Ok(Ok(meta)) => Ok(vec![object(meta)]),
                Ok(Err(object_store::Error::NotFound { .. })) => Err(told(
                    &"there is no such object; of a prefix all objects are read if it ends in /",
                )),
                Ok(Err(error)) => Err(told(&error)),
                Err(error) => Err(told(&error)),
            };
        }
        let pattern = is_pattern.then(|| glob::Pattern::new(address)).transpose();
        let pattern = pattern.map_err(|error| told(&error))?;
        let options = glob::MatchOptions {
            require_literal_separator: true,
            ..glob::MatchOptions::default()
        };
        let asked = Arc::clone(&store);
        let below = (!path.as_ref().is_empty()).then_some(path);
        let listed =
            self.waited(async move { asked.list(below.as_ref()).try_collect::<Vec<_>>().await });
        let listed = listed.map_err(|error| told(&error))?;
        let listed = listed.map_err(|error| told(&error))?;
        let found = listed.into_iter().map(object).filter(|object| {
            let is_meant = pattern
                .as_ref()
                .is_none_or(|pattern| pattern.matches_with(&object.name, options));
            let name = std::path::Path::new(&object.name);
            is_meant && (is_pattern || formats.from_extension(name).is_some())
        });
        let found: Vec<_> = found.collect();
        if found.is_empty() {
            return Err(told(&"there are no recordings"));
        }
        Ok(found)
    }

    /// Returns the address before the path, the store, and the path.
    pub fn store(&self, url: &Url) -> object_store::Result<(String, Arc<dyn ObjectStore>, Path)> {
        let schemes = || object_store::Error::NotSupported {
            source: "give s3://, gs://, az://, http:// or https://".into(),
        };
        let (scheme, path) = ObjectStoreScheme::parse(url).map_err(|_| schemes())?;
        let path = Path::parse(path)?;
        // In some stores, the path of the address begins with the name of a container.
        let whole = Path::from_url_path(url.path())?;
        let before = whole.as_ref().strip_suffix(path.as_ref()).unwrap_or("");
        let origin = &url[..url::Position::BeforePath];
        let between = if before.is_empty() || before.ends_with('/') {
            ""
        } else {
            "/"
        };
        let prefix = format!("{origin}/{before}{between}");
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, store)) = known.iter().find(|(own, _)| *own == prefix) {
            return Ok((prefix, Arc::clone(store), path));
        }
        let retry = RetryConfig {
            max_retries: self.patience.retries,
            retry_timeout: self.patience.all,
            ..RetryConfig::default()
        };
        let client = ClientOptions::new().with_timeout(self.patience.answer);
        let at = url.to_string();
        let store: Arc<dyn ObjectStore> = match scheme {
            ObjectStoreScheme::AmazonS3 => Arc::new(
                AmazonS3Builder::from_env()
                    .with_url(at)
                    .with_retry(retry)
                    .build()?,
            ),
            ObjectStoreScheme::GoogleCloudStorage => Arc::new(
                GoogleCloudStorageBuilder::from_env()
                    .with_url(at)
                    .with_retry(retry)
                    .build()?,
            ),
            ObjectStoreScheme::MicrosoftAzure => Arc::new(
                MicrosoftAzureBuilder::from_env()
                    .with_url(at)
                    .with_retry(retry)
                    .build()?,
            ),
            ObjectStoreScheme::Http => Arc::new(
                HttpBuilder::new()
                    .with_url(&prefix)
                    .with_client_options(client.with_allow_http(true))
                    .with_retry(retry)
                    .build()?,
            ),
            _ => return Err(schemes()),
        };
        known.push((prefix.clone(), Arc::clone(&store)));
        Ok((prefix, store, path))
    }

    /// Waits on any thread for what runs on those of the object stores.
    pub fn waited<T: Send + 'static>(
        &self,
        asked: impl Future<Output = T> + Send + 'static,
    ) -> io::Result<T> {
        self.ask(asked).recv().map_err(io::Error::other)
    }

    fn ask<T: Send + 'static>(
        &self,
        asked: impl Future<Output = T> + Send + 'static,
    ) -> Receiver<T> {
        let (give, take) = sync_channel(1);
        if let Some(io) = &self.io {
            io.spawn(async move {
                // The receiver is gone if the recording is no longer read.
                let _ = give.send(asked.await);
            });
        }
        take
    }
}

/// A runtime cannot wait for its end where another one runs, and nothing is left to wait for.
impl Drop for Stores {
    fn drop(&mut self) {
        if let Some(io) = self.io.take() {
            io.shutdown_background();
        }
    }
}

/// An object that is a recording.
#[derive(Debug)]
pub(crate) struct Object {
    name: String,
    stores: Arc<Stores>,
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    /// A small object, once it was read.
    whole: OnceLock<bytes::Bytes>,
}

impl Object {
    /// Returns the address.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what another machine needs to open it.
    pub fn found(&self) -> FoundObject {
        FoundObject {
            bytes: self.meta.size,
            e_tag: self.meta.e_tag.clone(),
        }
    }

    /// Opens the object: a small one is read whole, a large one in ranges.
    pub fn input(self: &Arc<Self>) -> io::Result<Input> {
        if self.meta.size > WHOLE {
            return Input::at(Arc::new(Ranges::new(Arc::clone(self))));
        }
        if let Some(whole) = self.whole.get() {
            return Ok(Input::memory(whole.clone()));
        }
        let whole = self
            .ask(0..self.meta.size)
            .recv()
            .map_err(io::Error::other)??;
        Ok(Input::memory(self.whole.get_or_init(|| whole).clone()))
    }

    /// Asks for a range of the object as it was found.
    fn ask(&self, range: Range<u64>) -> Receiver<io::Result<bytes::Bytes>> {
        let (store, meta) = (Arc::clone(&self.store), self.meta.clone());
        self.stores.ask(async move {
            if range.is_empty() {
                return Ok(bytes::Bytes::new());
            }
            let options = GetOptions {
                if_match: meta.e_tag.clone(),
                range: Some(GetRange::Bounded(range.clone())),
                ..GetOptions::default()
            };
            let changed = || io::Error::other("the object changed while it was read");
            let got = match store.get_opts(&meta.location, options).await {
                Ok(got) => got,
                Err(object_store::Error::Precondition { .. }) => return Err(changed()),
                Err(error) => return Err(io::Error::other(error)),
            };
            // A server need not know of conditions.
            let same_tag = got.meta.e_tag.is_none() || got.meta.e_tag == meta.e_tag;
            if got.meta.size != meta.size || !same_tag {
                return Err(changed());
            }
            let bytes = got.bytes().await.map_err(io::Error::other)?;
            let wanted = range.end - range.start;
            if bytes.len() as u64 != wanted {
                let message = format!("the store gave {} bytes of {wanted}", bytes.len());
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
            }
            Ok(bytes)
        })
    }
}

/// An object that is read in ranges.
struct Ranges {
    object: Arc<Object>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// Ranges by their start, the newest last.
    ranges: VecDeque<(u64, bytes::Bytes)>,
    /// The range that was asked for before anyone needs it.
    ahead: Option<(Range<u64>, Receiver<io::Result<bytes::Bytes>>)>,
    /// The end of the newest range, and its size.
    end: u64,
    size: u64,
}

impl Ranges {
    fn new(object: Arc<Object>) -> Self {
        Self {
            object,
            held: Mutex::default(),
        }
    }

    fn fetch(&self, held: &mut Held, offset: u64, at_least: u64) -> io::Result<()> {
        let size = self.object.meta.size;
        let range = |from: u64, length: u64| from..from.saturating_add(length).min(size);
        let ahead = held.ahead.take();
        let ahead = ahead.filter(|(range, _)| range.contains(&offset));
        let (got, bytes) = ahead.unwrap_or_else(|| {
            let goes_on = offset == held.end && held.size > 0;
            let length = if goes_on { held.size * 2 } else { SEEK };
            let range = range(offset, length.max(at_least).min(LARGEST));
            (range.clone(), self.object.ask(range))
        });
        let length = got.end - got.start;
        if length >= AHEAD && got.end < size {
            let next = range(got.end, (length * 2).min(LARGEST));
            held.ahead = Some((next.clone(), self.object.ask(next)));
        }
        let bytes = bytes.recv().map_err(io::Error::other)??;
        held.end = got.end;
        held.size = length;
        held.ranges.push_back((got.start, bytes));
        if held.ranges.len() > KEPT {
            held.ranges.pop_front();
        }
        Ok(())
    }
}

impl ReadAt for Ranges {
    fn size(&self) -> io::Result<u64> {
        Ok(self.object.meta.size)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset >= self.object.meta.size || into.is_empty() {
            return Ok(0);
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            for (start, bytes) in held.ranges.iter().rev() {
                let at = offset
                    .checked_sub(*start)
                    .and_then(|at| usize::try_from(at).ok());
                let rest = at.and_then(|at| bytes.get(at..)).unwrap_or_default();
                let count = rest.len().min(into.len());
                if let (Some(to), Some(from)) = (into.get_mut(..count), rest.get(..count))
                    && count > 0
                {
                    to.copy_from_slice(from);
                    return Ok(count);
                }
            }
            self.fetch(&mut held, offset, into.len() as u64)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn addresses_are_no_paths() {
        for (path, expected) in [
            ("s3://bucket/games/", true),
            ("https://example.com/a.rmv", true),
            ("games/a.rmv", false),
            ("C://games", false),
            ("a:b", false),
            ("://", false),
        ] {
            assert_eq!(is_url(path), expected, "{path}");
        }
    }

    #[test]
    fn a_server_that_never_answers_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/a.rmv", listener.local_addr().unwrap());
        let patience = Patience {
            answer: Duration::from_millis(100),
            retries: 1,
            all: Duration::from_secs(5),
        };
        let stores = Stores::with(patience).unwrap();
        let error = stores.find(&address, &gametape::formats()).unwrap_err();
        assert!(error.starts_with(&format!("{address}: ")), "{error}");
    }
}
