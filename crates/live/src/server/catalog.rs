//! The library of a server: its recordings, and the files that were made from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use gametape::Formats;
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::growth::{Bell, FileState};
use super::item::{Context, Item, Ready};
use super::listen::ServeOptions;
use super::room::Follower;
use crate::Error;
use crate::index::{Entry, Library, VERSION};
use crate::names;
use crate::site::{hashed, id_of};

/// The least time between two searches of the folders.
const LOOKED: Duration = Duration::from_secs(2);
/// The most recordings that are made into segments at once, and the most that wait for it.
const AT_ONCE: usize = 2;
const WAITING: usize = 32;
/// The most recordings that are followed at once.
const FOLLOWED: usize = 16;
/// The time between two looks at a growing file: while it has viewers, and while it has none.
const POLLED: Duration = Duration::from_millis(4);
const SELDOM: Duration = Duration::from_millis(250);
/// A recording that was not asked for so long is no longer followed.
const UNASKED: Duration = Duration::from_mins(10);
/// The most recordings in the list: a larger folder can't be searched again and again.
const MOST: usize = 100_000;

/// A path that the server was given, resolved on the disk.
#[derive(Clone, Debug)]
struct Root {
    path: PathBuf,
    is_folder: bool,
}

impl Root {
    fn of(path: &Path, formats: &Formats) -> Result<Self, Error> {
        let real = real(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        let is_folder = if real.is_dir() {
            !formats.is_folder(&real)
        } else {
            // An archive, or a folder in one.
            !matches!(formats.find(&real).as_slice(), [Ok(only)] if only.path == real)
        };
        Ok(Self {
            path: real,
            is_folder,
        })
    }
}

/// Recordings by their ids.
#[derive(Default, Debug)]
struct Items {
    by_id: BTreeMap<String, Arc<Item>>,
    ids: BTreeMap<PathBuf, String>,
    looked: Option<Instant>,
}

/// The library.
#[derive(Debug)]
pub struct Catalog {
    roots: Mutex<Vec<Root>>,
    formats: Formats,
    options: ServeOptions,
    cache: PathBuf,
    /// The cache, if it is removed with the server.
    _temporary: Option<TempDir>,
    items: Mutex<Items>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    follows: Arc<Semaphore>,
    bell: Bell,
    cancel: AtomicBool,
}

impl Catalog {
    pub fn new(paths: &[PathBuf], formats: Formats, options: ServeOptions) -> Result<Self, Error> {
        let roots = paths.iter().map(|path| Root::of(path, &formats));
        let roots = roots.collect::<Result<Vec<_>, _>>()?;
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io { path, source }
        };
        let (cache, temporary) = if let Some(folder) = &options.cache {
            fs::create_dir_all(folder).map_err(io(folder))?;
            (folder.clone(), None)
        } else {
            let folder = TempDir::with_prefix("gametape-");
            let folder = folder.map_err(io(&std::env::temp_dir()))?;
            (folder.path().to_owned(), Some(folder))
        };
        Ok(Self {
            roots: Mutex::new(roots),
            formats,
            options,
            cache,
            _temporary: temporary,
            items: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: AtomicUsize::new(0),
            follows: Arc::new(Semaphore::new(FOLLOWED)),
            bell: Bell::default(),
            cancel: AtomicBool::new(false),
        })
    }

    /// Ends the threads that make segments.
    pub fn end(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.bell.ring();
    }

    /// Wakes the threads that follow recordings.
    pub fn grew(&self) {
        self.bell.ring();
    }

    /// Takes note that this process writes a recording, or has finished it. Returns its id.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn declare(&self, path: &Path, written: bool) -> Result<String, Error> {
        let root = Root::of(path, &self.formats)?;
        {
            let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
            if roots.iter().all(|known| known.path != root.path) {
                roots.push(root.clone());
            }
        }
        let items = self.look_now();
        let mut items = items.into_iter();
        let item = items.find(|item| item.path == root.path);
        let id = item.map(|item| {
            item.declare(written);
            item.id.clone()
        });
        self.bell.ring();
        Ok(id.unwrap_or_default())
    }

    fn items(&self) -> MutexGuard<'_, Items> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the recordings, after a search of the folders if it is due.
    fn look(&self) -> Vec<Arc<Item>> {
        let now = Instant::now();
        let is_due = {
            let mut items = self.items();
            let looked = items.looked;
            let is_due = looked.is_none_or(|looked| now.duration_since(looked) >= LOOKED);
            // Other threads then need not search; but the first search has to be waited for.
            if is_due && looked.is_some() {
                items.looked = Some(now);
            }
            is_due
        };
        if is_due {
            return self.look_now();
        }
        self.items().by_id.values().cloned().collect()
    }

    /// Searches the folders. No lock is held while the disk is read.
    fn look_now(&self) -> Vec<Arc<Item>> {
        let now = Instant::now();
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let roots = roots.clone();
        let (folders, files): (Vec<Root>, Vec<Root>) =
            roots.into_iter().partition(|root| root.is_folder);
        // An id must not depend on what other files there are. Below the only folder its path is enough.
        let mut below = names_of(&folders);
        if let [only] = &mut *below {
            *only = PathBuf::new();
        }
        let outside = Path::new(if folders.is_empty() { "" } else { ".." });
        let beside = names_of(&files);
        let beside = beside.into_iter().map(|name| outside.join(name));
        let roots = folders.iter().chain(&files);
        let found = roots.zip(below.into_iter().chain(beside));
        let found = found.flat_map(|(root, name)| self.found(root, &name));
        let found: Vec<(PathBuf, PathBuf)> = found.take(MOST).collect();
        let mut items = self.items();
        let there = found
            .into_iter()
            .map(|(path, name)| items.give(path, &name));
        let there: BTreeSet<String> = there.collect();
        items.by_id.retain(|id, _| there.contains(id));
        items.looked = Some(now);
        items.by_id.values().cloned().collect()
    }

    /// Returns the files of a root of this name, with the names that their ids are made from.
    fn found(&self, root: &Root, name: &Path) -> Vec<(PathBuf, PathBuf)> {
        if !root.is_folder {
            return vec![(root.path.clone(), name.to_owned())];
        }
        let mut files = Vec::new();
        for found in self.formats.find(&root.path).into_iter().flatten() {
            // A link may lead out of the folder; files there are not served.
            if !stays(&found.path, &root.path) {
                continue;
            }
            let within = found.path.strip_prefix(&root.path);
            let name = name.join(within.unwrap_or(&found.path));
            files.push((found.path, name));
        }
        files
    }

    /// Returns the ids of all recordings.
    pub fn ids(&self) -> Vec<String> {
        let items = self.look();
        items.iter().map(|item| item.id.clone()).collect()
    }

    /// Returns the list of recordings. This reads their headers, which may take a while.
    pub fn library(&self) -> Library {
        let items = self.look();
        let entries = items.iter();
        let entries = entries.filter_map(|item| item.entry(&self.formats, &self.options));
        let mut recordings: Vec<Entry> = entries.collect();
        recordings.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Library {
            version: VERSION,
            recordings,
        }
    }

    /// Returns a recording; searches the folders again if it is not known.
    pub fn item(&self, id: &str) -> Option<Arc<Item>> {
        if let Some(item) = self.items().by_id.get(id) {
            return Some(item.clone());
        }
        self.look().into_iter().find(|item| item.id == id)
    }

    /// Returns the path of a file of a recording; the file may not exist.
    pub fn file(&self, item: &Item, name: &str) -> PathBuf {
        self.cache.join("r").join(&item.id).join(name)
    }

    /// Returns whether the files of a recording are ready; if not, starts making them.
    pub fn ask(self: &Arc<Self>, item: &Arc<Item>) -> Ready {
        let (ready, to_make) = item.ask();
        let Some(done) = to_make else {
            return ready;
        };
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            item.abandon();
            return Ready::No(
                "too many recordings are being made ready: ask again later".to_owned(),
            );
        }
        let (catalog, item) = (self.clone(), item.clone());
        tokio::spawn(async move {
            let place = catalog.places.clone().acquire_owned().await;
            let helped = catalog.clone();
            let made = tokio::task::spawn_blocking(move || helped.make(item, &done));
            let _ = made.await;
            catalog.waiting.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
        ready
    }

    fn make(self: Arc<Self>, item: Arc<Item>, done: &AtomicU64) {
        let follows = self.follows.clone().try_acquire_owned().ok();
        let context = Context {
            formats: &self.formats,
            options: &self.options,
            cache: &self.cache,
            cancel: &self.cancel,
        };
        let follower = item.make(&context, follows.is_some(), done);
        self.make_room(&item);
        if let Some((follower, follows)) = follower.zip(follows) {
            let keep = move || self.keep(&item, follower, follows);
            std::thread::spawn(keep);
        }
    }

    /// Follows a recording to its end.
    fn keep(&self, item: &Item, mut follower: Follower, follows: OwnedSemaphorePermit) {
        let (failed, why) = self.follow(item, &mut follower);
        // If this can't be written, everything is made again from the start.
        let _ = follower.keep();
        item.ended(failed, &self.cache);
        drop(follows);
        // Viewers that get this message ask at once for the new files.
        follower.end(&why);
    }

    /// Sends new data until no more comes. Returns whether that failed, and the reason for the end.
    fn follow(&self, item: &Item, follower: &mut Follower) -> (bool, String) {
        let quiet = |why: &str| (false, why.to_owned());
        let (mut heard, mut seen) = (0, None);
        loop {
            // Read before the look at the file, so that everything written before the end is sent.
            let declared = item.declared();
            let now = FileState::of(&item.path);
            if now.is_none() {
                return quiet("the recording was removed");
            }
            if now != seen {
                if let Err(error) = follower.more(&item.path) {
                    return (!error.is_changed(), error.to_string());
                }
                seen = now;
            } else if declared == Some(false) {
                return quiet("the recording is done");
            } else if !now.is_some_and(|now| item.is_written(now)) {
                return quiet("the recording was not written to for 10 seconds");
            } else if follower.room().unasked() > UNASKED && !follower.room().is_watched() {
                return quiet("the recording had no viewer for 10 minutes");
            }
            follower.rest();
            let watched = follower.room().is_watched();
            heard = self.bell.wait(heard, if watched { POLLED } else { SELDOM });
            if self.cancel.load(Ordering::Relaxed) {
                return quiet("the server stops");
            }
        }
    }

    /// Drops the files that were not used for longest, until the rest fits; those of `newest` stay.
    fn make_room(&self, newest: &Item) {
        let all: Vec<Arc<Item>> = self.items().by_id.values().cloned().collect();
        let mut there: Vec<(Instant, u64, Arc<Item>)> = all
            .into_iter()
            .filter_map(|item| item.usage().map(|(used, bytes)| (used, bytes, item)))
            .collect();
        there.sort_by_key(|(used, ..)| *used);
        let mut bytes: u64 = there.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, of, item) in there {
            if bytes <= self.options.cache_bytes {
                break;
            }
            if item.id != newest.id && item.drop_files(&self.cache) {
                bytes -= of;
            }
        }
    }
}

/// Returns names that tell roots apart.
fn names_of(roots: &[Root]) -> Vec<PathBuf> {
    let named = roots.iter().map(|Root { path, .. }| {
        let name = path.file_name().unwrap_or_default();
        (path.as_path(), Path::new(name))
    });
    names(&named.collect::<Vec<_>>())
}

/// A path without links; a path in an archive goes on after it.
fn real(path: &Path) -> io::Result<PathBuf> {
    let file = gametape::file_of(path);
    let below = path.strip_prefix(file).unwrap_or(Path::new(""));
    let real = fs::canonicalize(file)?;
    Ok(if below.as_os_str().is_empty() {
        real
    } else {
        real.join(below)
    })
}

/// Returns whether a recording lies in a folder, and, if it is itself a folder, all its files do.
fn stays(path: &Path, folder: &Path) -> bool {
    let lies = |path: &Path| real(path).is_ok_and(|real| real.starts_with(folder));
    let within = fs::read_dir(path).into_iter().flatten().flatten();
    let mut links = within.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    lies(path) && links.all(|link| lies(&link.path()))
}

impl Items {
    /// Returns the id of a file, which stays the same while the server runs.
    fn give(&mut self, path: PathBuf, name: &Path) -> String {
        let id = self.ids.get(&path).cloned().unwrap_or_else(|| {
            let id = id_of(name);
            // Names below several folders may meet, if rarely.
            if self.by_id.contains_key(&id) {
                hashed(name, &path)
            } else {
                id
            }
        });
        self.ids.insert(path.clone(), id.clone());
        let item = self.by_id.entry(id.clone());
        item.or_insert_with(|| Arc::new(Item::new(id.clone(), path)));
        id
    }
}
