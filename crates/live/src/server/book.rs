//! A recording of the library, and what was made of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape::core::tape::Work;
use gametape::{Formats, Recording};
use tokio::sync::watch;

use super::looks::Looks;
use super::options::ServeOptions;
use super::room::{Keeper, Room};
use crate::index::Entry;
use crate::publish::name_of;
use crate::{Error, PublishOptions, Store, publish};

/// One that grows is made again after as long as it took, times this, and no sooner than that.
const REST: u32 = 2;
const SOONEST: Duration = Duration::from_millis(500);

/// What is there of a recording's files.
#[derive(Debug)]
enum Made {
    Nothing,
    /// A share of a million that is done; there may be what was made before.
    Making {
        done: Arc<AtomicU64>,
        before: bool,
    },
    Ready {
        /// `None`: it is another now.
        of: Option<Looks>,
        bytes: u64,
        used: Instant,
        /// Whether it was being written; then it is made again no sooner than this.
        again: Option<Instant>,
    },
    /// It is being written, and followed.
    Live(Arc<Room>),
    Failed {
        of: Looks,
        sentence: String,
    },
}

/// What to say of a recording's files.
#[derive(Clone, Debug)]
pub enum Ready {
    Yes,
    Live(Arc<Room>),
    /// How much is done, 0 to 1.
    Making(f64),
    No(String),
}

const MILLION: u64 = 1_000_000;

fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.filter_map(|file| file.metadata().ok());
    files.map(|file| file.len()).sum()
}

/// What files are made with.
#[derive(Clone, Copy, Debug)]
pub struct Means<'m> {
    pub formats: &'m Formats,
    pub options: &'m ServeOptions,
    pub cache: &'m Path,
    pub cancel: &'m AtomicBool,
}

/// A recording of the library.
#[derive(Debug)]
pub struct Book {
    pub id: String,
    pub path: PathBuf,
    made: Mutex<Made>,
    /// Whether it was seen growing.
    grew: AtomicBool,
    /// Whether this process writes it, or has written it.
    told: Mutex<Option<bool>>,
    /// Whether it has to be read anew when it has grown.
    unfollowed: AtomicBool,
    /// Its entry in the list, and what it was made of.
    entry: Mutex<Option<(Looks, Entry)>>,
    /// Told when `made` is something else.
    pub turned: watch::Sender<u64>,
}

impl Book {
    pub fn new(id: String, path: PathBuf) -> Self {
        Self {
            id,
            path,
            made: Mutex::new(Made::Nothing),
            grew: AtomicBool::new(false),
            told: Mutex::new(None),
            unfollowed: AtomicBool::new(false),
            entry: Mutex::new(None),
            turned: watch::Sender::new(0),
        }
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This process writes it from now on, or does not any more.
    pub fn tell(&self, written: bool) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
    }

    pub fn told(&self) -> Option<bool> {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody still writes to it, if ever.
    pub fn is_written(&self, of: Looks) -> bool {
        self.told().unwrap_or_else(|| of.is_written())
    }

    /// Who follows it, where somebody does.
    pub fn room(&self) -> Option<Arc<Room>> {
        match &*self.made() {
            Made::Live(room) => Some(room.clone()),
            _ => None,
        }
    }

    /// What there is. Where there is nothing, or it is of the file as it was before, `Making` from now
    /// on: whoever hears that it is for them to make gets what hears how far they are.
    pub fn ask(&self) -> (Ready, Option<Arc<AtomicU64>>) {
        let now = Looks::of(&self.path);
        let mut made = self.made();
        let mut before = false;
        match &mut *made {
            Made::Live(room) => return (Ready::Live(room.clone()), None),
            Made::Making { before: true, .. } => return (Ready::Yes, None),
            Made::Making { done, .. } => {
                let share = done.load(Ordering::Relaxed) as f64 / MILLION as f64;
                return (Ready::Making(share), None);
            }
            Made::Ready {
                of, used, again, ..
            } => {
                *used = Instant::now();
                // What has stopped growing is judged.
                let same = of
                    .is_some_and(|of| now == Some(of) && (again.is_none() || self.is_written(of)));
                if same || again.is_some_and(|again| *used < again) {
                    return (Ready::Yes, None);
                }
                before = again.is_some();
            }
            Made::Failed { of, sentence } if now == Some(*of) => {
                return (Ready::No(sentence.clone()), None);
            }
            Made::Nothing | Made::Failed { .. } => {}
        }
        if now.is_none() {
            *made = Made::Nothing;
            return (Ready::No("it is not there any more".to_owned()), None);
        }
        let done = Arc::new(AtomicU64::new(0));
        *made = Made::Making {
            done: done.clone(),
            before,
        };
        let ready = if before {
            Ready::Yes
        } else {
            Ready::Making(0.0)
        };
        (ready, Some(done))
    }

    /// Nobody makes it after all.
    pub fn left(&self) {
        *self.made() = Made::Nothing;
        self.turn();
    }

    fn turn(&self) {
        self.turned.send_modify(|turn| *turn += 1);
    }

    /// Makes its files. Of one that is being written, what follows it from now on, where it can be
    /// followed and `follows` says that there is room.
    pub fn make(&self, means: &Means<'_>, follows: bool, done: &AtomicU64) -> Option<Keeper> {
        let Some(of) = Looks::of(&self.path) else {
            self.left();
            return None;
        };
        let grew = self.grew.load(Ordering::Relaxed);
        let growing = match self.told() {
            Some(told) => told,
            None if grew => of.is_written(),
            None => of.grows(&self.path, means.cancel),
        };
        self.grew.store(grew || growing, Ordering::Relaxed);
        let follows = follows && growing && !self.unfollowed.load(Ordering::Relaxed);
        if follows {
            match self.follow(means, done) {
                Ok(Some(keeper)) if keeper.room().is_empty() => {
                    // There may be something in it in a moment.
                    self.left();
                    return None;
                }
                Ok(Some(keeper)) => {
                    *self.made() = Made::Live(keeper.room().clone());
                    self.turn();
                    return Some(keeper);
                }
                Ok(None) => self.unfollowed.store(true, Ordering::Relaxed),
                // It may be one that can be read as far as it goes.
                Err(_) => {}
            }
        }
        let begun = Instant::now();
        let outcome = self.publish(means, growing, done);
        let now = Instant::now();
        let rest = (now.duration_since(begun) * REST).max(SOONEST);
        *self.made() = match outcome {
            Ok(bytes) => Made::Ready {
                of: Some(of),
                bytes,
                used: now,
                again: growing.then(|| now + rest),
            },
            Err(_) if self.told() == Some(true) || means.cancel.load(Ordering::Relaxed) => {
                Made::Nothing
            }
            Err(error) => Made::Failed {
                of,
                sentence: error.to_string(),
            },
        };
        self.turn();
        None
    }

    /// It is not followed any more; if that `failed`, never again.
    pub fn ended(&self, failed: bool, cache: &Path) {
        self.unfollowed.fetch_or(failed, Ordering::Relaxed);
        let now = Instant::now();
        *self.made() = Made::Ready {
            of: None,
            bytes: bytes_in(&cache.join("r").join(&self.id)),
            used: now,
            again: Some(now),
        };
        self.turn();
    }

    fn follow(&self, means: &Means<'_>, done: &AtomicU64) -> Result<Option<Keeper>, Error> {
        self.with(means, done, |recording, store, work| {
            let secrets = means.options.secrets;
            let keeper = Keeper::begin(recording, &self.id, secrets, store, work)?;
            let more = |mut keeper: Keeper| keeper.more(&self.path).map(|()| keeper);
            keeper.map(more).transpose()
        })
    }

    fn publish(&self, means: &Means<'_>, growing: bool, done: &AtomicU64) -> Result<u64, Error> {
        self.with(means, done, |recording, mut store, work| {
            // Once it was seen growing, what is made of it goes on with what was made before.
            let options = PublishOptions {
                secrets: means.options.secrets,
                growing,
                grew: self.grew.load(Ordering::Relaxed),
            };
            let index = publish(recording, &self.id, options, &mut store, work)?;
            self.put_entry(index.entry);
            Ok(bytes_in(&means.cache.join("r").join(&self.id)))
        })
    }

    /// Opens it, and works on it.
    fn with<T>(
        &self,
        means: &Means<'_>,
        done: &AtomicU64,
        job: impl FnOnce(&Recording, Store, &Work<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Means {
            formats,
            options,
            cache,
            cancel,
        } = *means;
        let recording = formats.open_with(&self.path, &options.open)?;
        let size = recording.input().size().max(1);
        let share = |bytes: u64| {
            let share = u128::from(bytes.min(size)) * u128::from(MILLION) / u128::from(size);
            done.store(share as u64, Ordering::Relaxed);
        };
        let work = Work {
            folder: Some(cache),
            progress: Some(&share),
            cancel: Some(cancel),
            ..Work::default()
        };
        job(
            &recording,
            Store::bounded(cache, options.cache_bytes),
            &work,
        )
    }

    fn put_entry(&self, entry: Entry) {
        let of = Looks::of(&self.path);
        let mut kept = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = of.map(|of| (of, entry));
    }

    /// What the list says of it; `None` where it is no recording.
    pub fn entry(&self, formats: &Formats, options: &ServeOptions) -> Option<Entry> {
        let now = Looks::of(&self.path)?;
        if let Some(room) = self.room() {
            return Some(room.entry());
        }
        {
            let kept = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((of, entry)) = &*kept
                && *of == now
            {
                return Some(entry.clone());
            }
        }
        let opened = formats.open_with(&self.path, &options.open).ok();
        let entry = opened.and_then(|recording| self.of_header(&recording, options));
        let Some(entry) = entry else {
            return self.of_nothing(formats);
        };
        self.put_entry(entry.clone());
        Some(entry)
    }

    /// Whether it was seen growing, and has not stopped.
    fn is_live(&self) -> bool {
        let grew = self.grew.load(Ordering::Relaxed) || self.told() == Some(true);
        grew && Looks::of(&self.path).is_some_and(|now| self.is_written(now))
    }

    /// What can be said where there is nothing in it yet.
    fn of_nothing(&self, formats: &Formats) -> Option<Entry> {
        let format = formats.from_extension(&self.path)?;
        let name = self.path.file_name()?.to_string_lossy().into_owned();
        let entry = |_| Entry {
            id: self.id.clone(),
            name,
            format: format.name().to_owned(),
            duration_ms: None,
            steps: None,
            verdict: None,
            tables: Vec::new(),
            live: true,
            details: serde_json::Map::new(),
        };
        self.told().filter(|told| *told).map(entry)
    }

    /// What its header alone says.
    fn of_header(&self, recording: &Recording, options: &ServeOptions) -> Option<Entry> {
        let header = recording.header(options.secrets).ok()?.value;
        Some(Entry {
            id: self.id.clone(),
            name: name_of(recording),
            format: recording.format().name().to_owned(),
            duration_ms: header.duration_ms,
            steps: header.frames,
            verdict: None,
            tables: Vec::new(),
            live: self.is_live(),
            details: header.details,
        })
    }

    /// How much room its files take, and when they were used last, where they are there.
    pub fn takes(&self) -> Option<(Instant, u64)> {
        match &*self.made() {
            Made::Ready { used, bytes, .. } => Some((*used, *bytes)),
            Made::Live(room) => Some((Instant::now(), room.bytes())),
            _ => None,
        }
    }

    /// Drops its files, if nobody makes them right now; says whether it did.
    pub fn drop_files(&self, cache: &Path) -> bool {
        let mut made = self.made();
        let drops = matches!(*made, Made::Ready { .. });
        if drops {
            *made = Made::Nothing;
            // What can't be dropped is made again over it.
            let _ = fs::remove_dir_all(cache.join("r").join(&self.id));
        }
        drops
    }
}
