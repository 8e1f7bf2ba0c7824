//! The library: which recordings there are, and the files that were made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape::Formats;
use tempfile::TempDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bell::Bell;
use super::book::{Book, Means, Ready};
use super::looks::Looks;
use super::options::ServeOptions;
use super::room::Keeper;
use crate::Error;
use crate::index::{Entry, Library, VERSION};
use crate::site::id_of;

/// Folders are not looked through more often.
const LOOKED: Duration = Duration::from_secs(2);
/// Recordings that are made into segments at once, and that wait for it.
const AT_ONCE: usize = 2;
const WAITING: usize = 32;
/// Recordings that are followed at once.
const FOLLOWED: usize = 16;
/// How often a file is looked at that grows: when somebody watches, and when nobody does.
const POLLED: Duration = Duration::from_millis(4);
const SELDOM: Duration = Duration::from_millis(250);
/// What nobody has asked for so long is not followed any more.
const UNASKED: Duration = Duration::from_mins(10);
/// Recordings in the list: a folder with more is too large to look through again and again.
const MOST: usize = 100_000;

/// A path that was named, as it lies on the disk.
#[derive(Clone, Debug)]
struct Root {
    path: PathBuf,
    is_folder: bool,
}

impl Root {
    fn of(path: &Path, formats: &Formats) -> Result<Self, Error> {
        let real = fs::canonicalize(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        let is_folder = real.is_dir() && !formats.is_folder(&real);
        Ok(Self {
            path: real,
            is_folder,
        })
    }
}

/// Recordings by their ids.
#[derive(Default, Debug)]
struct Books {
    by_id: BTreeMap<String, Arc<Book>>,
    ids: BTreeMap<PathBuf, String>,
    looked: Option<Instant>,
}

/// The library.
#[derive(Debug)]
pub struct Shelf {
    roots: Mutex<Vec<Root>>,
    formats: Formats,
    options: ServeOptions,
    cache: PathBuf,
    /// The cache, where it is to go.
    _temporary: Option<TempDir>,
    books: Mutex<Books>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    follows: Arc<Semaphore>,
    bell: Bell,
    cancel: AtomicBool,
}

impl Shelf {
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
            books: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: AtomicUsize::new(0),
            follows: Arc::new(Semaphore::new(FOLLOWED)),
            bell: Bell::default(),
            cancel: AtomicBool::new(false),
        })
    }

    /// Whoever makes segments is to end.
    pub fn end(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.bell.ring();
    }

    /// What is followed has grown.
    pub fn grew(&self) {
        self.bell.ring();
    }

    /// This process writes a recording from now on, or does not any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn tell(&self, path: &Path, written: bool) -> Result<String, Error> {
        let root = Root::of(path, &self.formats)?;
        {
            let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
            if roots.iter().all(|known| known.path != root.path) {
                roots.push(root.clone());
            }
        }
        let books = self.look_now();
        let mut books = books.into_iter();
        let book = books.find(|book| book.path == root.path);
        let id = book.map(|book| {
            book.tell(written);
            book.id.clone()
        });
        self.bell.ring();
        Ok(id.unwrap_or_default())
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks through the folders, if that was not done just now.
    fn look(&self) -> Vec<Arc<Book>> {
        let now = Instant::now();
        let is_due = {
            let mut books = self.books();
            let looked = books.looked;
            let is_due = looked.is_none_or(|looked| now.duration_since(looked) >= LOOKED);
            // Others need not look as well; but whoever is the first waits for what there is.
            if is_due && looked.is_some() {
                books.looked = Some(now);
            }
            is_due
        };
        if is_due {
            return self.look_now();
        }
        self.books().by_id.values().cloned().collect()
    }

    /// Looks through the folders. Nobody else waits for the disk.
    fn look_now(&self) -> Vec<Arc<Book>> {
        let now = Instant::now();
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let roots = roots.clone();
        let found = roots.iter().flat_map(|root| self.found(root));
        let found: Vec<(PathBuf, String)> = found.take(MOST).collect();
        let mut books = self.books();
        let there = found
            .into_iter()
            .map(|(path, name)| books.give(path, &name));
        let there: BTreeSet<String> = there.collect();
        books.by_id.retain(|id, _| there.contains(id));
        books.looked = Some(now);
        books.by_id.values().cloned().collect()
    }

    /// The files of a root, with what their ids are made of.
    fn found(&self, root: &Root) -> Vec<(PathBuf, String)> {
        if !root.is_folder {
            let name = root.path.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            return vec![(root.path.clone(), name)];
        }
        let mut files = Vec::new();
        for found in self.formats.find(&root.path).into_iter().flatten() {
            // A link may lead out of the folder: what lies there is not to be had.
            if !stays(&found.path, &root.path) {
                continue;
            }
            let within = found.path.strip_prefix(&root.path);
            let name = within.unwrap_or(&found.path).to_string_lossy().into_owned();
            files.push((found.path, name));
        }
        files
    }

    /// The ids of all that is there.
    pub fn ids(&self) -> Vec<String> {
        let books = self.look();
        books.iter().map(|book| book.id.clone()).collect()
    }

    /// The list of recordings. It reads their headers: not to be asked for where others wait.
    pub fn library(&self) -> Library {
        let books = self.look();
        let entries = books.iter();
        let entries = entries.filter_map(|book| book.entry(&self.formats, &self.options));
        let mut recordings: Vec<Entry> = entries.collect();
        recordings.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Library {
            version: VERSION,
            recordings,
        }
    }

    /// A recording; folders are looked through again where it is not known.
    pub fn book(&self, id: &str) -> Option<Arc<Book>> {
        if let Some(book) = self.books().by_id.get(id) {
            return Some(book.clone());
        }
        self.look().into_iter().find(|book| book.id == id)
    }

    /// Where a file of a recording is, if it is there.
    pub fn file(&self, book: &Book, name: &str) -> PathBuf {
        self.cache.join("r").join(&book.id).join(name)
    }

    /// Whether the files of a recording are there; else they are made from now on.
    pub fn ask(self: &Arc<Self>, book: &Arc<Book>) -> Ready {
        let (ready, to_make) = book.ask();
        let Some(done) = to_make else {
            return ready;
        };
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            book.left();
            return Ready::No(
                "too many recordings are being made ready: ask again later".to_owned(),
            );
        }
        let (shelf, book) = (self.clone(), book.clone());
        tokio::spawn(async move {
            let place = shelf.places.clone().acquire_owned().await;
            let helped = shelf.clone();
            let made = tokio::task::spawn_blocking(move || helped.make(book, &done));
            let _ = made.await;
            shelf.waiting.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
        ready
    }

    fn make(self: Arc<Self>, book: Arc<Book>, done: &AtomicU64) {
        let follows = self.follows.clone().try_acquire_owned().ok();
        let means = Means {
            formats: &self.formats,
            options: &self.options,
            cache: &self.cache,
            cancel: &self.cancel,
        };
        let keeper = book.make(&means, follows.is_some(), done);
        self.make_room(&book);
        if let Some((keeper, follows)) = keeper.zip(follows) {
            let keep = move || self.keep(&book, keeper, follows);
            std::thread::spawn(keep);
        }
    }

    /// Follows a recording, to its end.
    fn keep(&self, book: &Book, mut keeper: Keeper, follows: OwnedSemaphorePermit) {
        let (failed, why) = self.follow(book, &mut keeper);
        // Where that can't be written, all is made from the start.
        let _ = keeper.keep();
        book.ended(failed, &self.cache);
        drop(follows);
        // Whoever hears it asks at once for what there is now.
        keeper.end(&why);
    }

    /// Tells what is new until nothing more comes; whether that failed, and why.
    fn follow(&self, book: &Book, keeper: &mut Keeper) -> (bool, String) {
        let quiet = |why: &str| (false, why.to_owned());
        let (mut heard, mut seen) = (0, None);
        loop {
            // Before it is looked at: what was written before that was said is told.
            let told = book.told();
            let now = Looks::of(&book.path);
            if now.is_none() {
                return quiet("the recording is not there any more");
            }
            if now != seen {
                if let Err(error) = keeper.more(&book.path) {
                    return (!error.is_changed(), error.to_string());
                }
                seen = now;
            } else if told == Some(false) {
                return quiet("the recording is done");
            } else if !now.is_some_and(|now| book.is_written(now)) {
                return quiet("nobody has written to the recording for 10 seconds");
            } else if keeper.room().unasked() > UNASKED && !keeper.room().is_watched() {
                return quiet("nobody has watched for 10 minutes");
            }
            keeper.rest();
            let watched = keeper.room().is_watched();
            heard = self.bell.wait(heard, if watched { POLLED } else { SELDOM });
            if self.cancel.load(Ordering::Relaxed) {
                return quiet("the server stops");
            }
        }
    }

    /// Drops what was used least lately until the rest fits; this one stays.
    fn make_room(&self, newest: &Book) {
        let all: Vec<Arc<Book>> = self.books().by_id.values().cloned().collect();
        let mut there: Vec<(Instant, u64, Arc<Book>)> = all
            .into_iter()
            .filter_map(|book| book.takes().map(|(used, bytes)| (used, bytes, book)))
            .collect();
        there.sort_by_key(|(used, ..)| *used);
        let mut bytes: u64 = there.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, of, book) in there {
            if bytes <= self.options.cache_bytes {
                break;
            }
            if book.id != newest.id && book.drop_files(&self.cache) {
                bytes -= of;
            }
        }
    }
}

/// Whether all of a recording lies in a folder: itself, and if it is a folder, what is in it.
fn stays(path: &Path, folder: &Path) -> bool {
    let lies = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(folder));
    let within = fs::read_dir(path).into_iter().flatten().flatten();
    let mut links = within.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    lies(path) && links.all(|link| lies(&link.path()))
}

impl Books {
    /// The id of a file: the same as long as the server runs.
    fn give(&mut self, path: PathBuf, name: &str) -> String {
        let id = self.ids.get(&path).cloned().unwrap_or_else(|| {
            let first = id_of(name);
            let numbered = (2..).map(|number| format!("{first}-{number}"));
            let mut ids = [first.clone()].into_iter().chain(numbered);
            let given: BTreeSet<&String> = self.ids.values().collect();
            ids.find(|id| !given.contains(id)).unwrap_or_default()
        });
        self.ids.insert(path.clone(), id.clone());
        let book = self.by_id.entry(id.clone());
        book.or_insert_with(|| Arc::new(Book::new(id.clone(), path)));
        id
    }
}
