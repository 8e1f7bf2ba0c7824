//! A recording of the library, and the files that were made from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gametape::core::Spell as _;
use gametape::core::tape::Work;
use gametape::{Existing, Formats, Recording};
use tokio::sync::watch;

use super::growth::FileState;
use super::listen::ServeOptions;
use super::room::{Follower, Room};
use crate::index::Entry;
use crate::publish::name_of;
use crate::{Error, PublishOptions, Store, publish};

/// The files of a growing recording are made again after a pause of this many times the time that making them took.
const REST: u32 = 2;
/// The shortest pause between making them twice.
const SOONEST: Duration = Duration::from_millis(500);

/// The state of a recording's files.
#[derive(Debug)]
enum Made {
    Nothing,
    /// They are being made.
    Making {
        /// The part that is done, in millionths.
        done: Arc<AtomicU64>,
        /// Whether there are earlier files.
        before: bool,
    },
    Ready {
        /// The state of the file that they were made from; `None` if the file has changed since.
        of: Option<FileState>,
        bytes: u64,
        used: Instant,
        /// If the recording was being written: the earliest time to make the files again.
        again: Option<Instant>,
    },
    /// The recording is being written, and is followed.
    Live(Arc<Room>),
    Failed {
        of: FileState,
        sentence: String,
    },
}

/// The answer to a request for a recording's files.
#[derive(Clone, Debug)]
pub enum Ready {
    Yes,
    Live(Arc<Room>),
    /// They are being made; the part that is done, 0 to 1.
    Making(f64),
    No(String),
}

const MILLION: u64 = 1_000_000;

fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.filter_map(|file| file.metadata().ok());
    files.map(|file| file.len()).sum()
}

/// Everything that making files needs.
#[derive(Clone, Copy, Debug)]
pub struct Context<'m> {
    pub formats: &'m Formats,
    pub options: &'m ServeOptions,
    pub cache: &'m Path,
    pub cancel: &'m AtomicBool,
}

/// A recording of the library.
#[derive(Debug)]
pub struct Item {
    pub id: String,
    pub path: PathBuf,
    made: Mutex<Made>,
    /// Whether the file was seen growing.
    grew: AtomicBool,
    /// Whether this process writes the recording (true), or has finished it (false).
    declared: Mutex<Option<bool>>,
    /// Whether the recording can't be followed, and has to be read again when it has grown.
    unfollowed: AtomicBool,
    /// The entry in the list, and the state of the file that it was made from.
    entry: Mutex<Option<(FileState, Entry)>>,
    /// Notified when `made` has changed.
    pub changes: watch::Sender<u64>,
}

impl Item {
    pub fn new(id: String, path: PathBuf) -> Self {
        Self {
            id,
            path,
            made: Mutex::new(Made::Nothing),
            grew: AtomicBool::new(false),
            declared: Mutex::new(None),
            unfollowed: AtomicBool::new(false),
            entry: Mutex::new(None),
            changes: watch::Sender::new(0),
        }
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that this process writes the recording, or has finished it.
    pub fn declare(&self, written: bool) {
        *self.declared.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
    }

    pub fn declared(&self) -> Option<bool> {
        *self.declared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the recording is still being written, if it ever was.
    pub fn is_written(&self, of: FileState) -> bool {
        self.declared().unwrap_or_else(|| of.is_written())
    }

    /// Returns the room of a recording that is followed.
    pub fn room(&self) -> Option<Arc<Room>> {
        match &*self.made() {
            Made::Live(room) => Some(room.clone()),
            _ => None,
        }
    }

    /// Returns whether the files are ready. If there are none, or the recording has changed since, the state
    /// becomes `Making`, and the caller has to make them: it gets the counter of the progress.
    pub fn ask(&self) -> (Ready, Option<Arc<AtomicU64>>) {
        let now = FileState::of(&self.path);
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
                // A recording that has stopped growing is made once more, with its audit.
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
            return (Ready::No("the recording was removed".to_owned()), None);
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

    /// Gives up making the files.
    pub fn abandon(&self) {
        *self.made() = Made::Nothing;
        self.notify();
    }

    fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Makes the files. If the recording is being written and can be followed, and `follows` says that there
    /// is room, returns a follower instead.
    pub fn make(&self, context: &Context<'_>, follows: bool, done: &AtomicU64) -> Option<Follower> {
        let Some(of) = FileState::of(&self.path) else {
            self.abandon();
            return None;
        };
        let grew = self.grew.load(Ordering::Relaxed);
        let growing = match self.declared() {
            Some(declared) => declared,
            None if grew => of.is_written(),
            None => of.grows(&self.path, context.cancel),
        };
        self.grew.store(grew || growing, Ordering::Relaxed);
        let follows = follows && growing && !self.unfollowed.load(Ordering::Relaxed);
        if follows {
            match self.follow(context, done) {
                Ok(Some(follower)) if follower.room().is_empty() => {
                    // The first rows may come in a moment.
                    self.abandon();
                    return None;
                }
                Ok(Some(follower)) => {
                    *self.made() = Made::Live(follower.room().clone());
                    self.notify();
                    return Some(follower);
                }
                Ok(None) => self.unfollowed.store(true, Ordering::Relaxed),
                // Perhaps the recording can be read as far as it goes.
                Err(_) => {}
            }
        }
        let begun = Instant::now();
        let outcome = self.publish(context, growing, done);
        let now = Instant::now();
        let rest = (now.duration_since(begun) * REST).max(SOONEST);
        *self.made() = match outcome {
            Ok(bytes) => Made::Ready {
                of: Some(of),
                bytes,
                used: now,
                again: growing.then(|| now + rest),
            },
            Err(_) if self.declared() == Some(true) || context.cancel.load(Ordering::Relaxed) => {
                Made::Nothing
            }
            Err(error) => Made::Failed {
                of,
                sentence: error.to_string(),
            },
        };
        self.notify();
        None
    }

    /// Takes note that the recording is no longer followed; if that `failed`, it never will be again.
    pub fn ended(&self, failed: bool, cache: &Path) {
        self.unfollowed.fetch_or(failed, Ordering::Relaxed);
        let now = Instant::now();
        *self.made() = Made::Ready {
            of: None,
            bytes: bytes_in(&cache.join("r").join(&self.id)),
            used: now,
            again: Some(now),
        };
        self.notify();
    }

    fn follow(&self, context: &Context<'_>, done: &AtomicU64) -> Result<Option<Follower>, Error> {
        self.with(context, done, |recording, store, work| {
            let secrets = context.options.secrets;
            let follower = Follower::begin(recording, &self.id, secrets, store, work)?;
            let more = |mut follower: Follower| follower.more(&self.path).map(|()| follower);
            follower.map(more).transpose()
        })
    }

    fn publish(
        &self,
        context: &Context<'_>,
        growing: bool,
        done: &AtomicU64,
    ) -> Result<u64, Error> {
        self.with(context, done, |recording, mut store, work| {
            // Once a recording was seen growing, its new files continue the earlier ones.
            let options = PublishOptions {
                secrets: context.options.secrets,
                growing,
                grew: self.grew.load(Ordering::Relaxed),
                existing: Existing::Replace,
            };
            let index = publish(recording, &self.id, options, &mut store, work)?;
            self.put_entry(index.entry);
            Ok(bytes_in(&context.cache.join("r").join(&self.id)))
        })
    }

    /// Opens the recording, and passes it to `job`.
    fn with<T>(
        &self,
        context: &Context<'_>,
        done: &AtomicU64,
        job: impl FnOnce(&Recording, Store, &Work<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Context {
            formats,
            options,
            cache,
            cancel,
        } = *context;
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
        let of = FileState::of(&self.path);
        let mut kept = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = of.map(|of| (of, entry));
    }

    /// Returns the entry in the list; `None` if the file is not a recording.
    pub fn entry(&self, formats: &Formats, options: &ServeOptions) -> Option<Entry> {
        let now = FileState::of(&self.path)?;
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
        let entry = opened.and_then(|recording| self.entry_of_header(&recording, options));
        let Some(entry) = entry else {
            return self.entry_of_empty(formats);
        };
        self.put_entry(entry.clone());
        Some(entry)
    }

    /// Returns whether the recording was seen growing, and has not stopped.
    fn is_live(&self) -> bool {
        let grew = self.grew.load(Ordering::Relaxed) || self.declared() == Some(true);
        grew && FileState::of(&self.path).is_some_and(|now| self.is_written(now))
    }

    /// Returns the entry of a recording that is still empty.
    fn entry_of_empty(&self, formats: &Formats) -> Option<Entry> {
        let format = formats.from_extension(&self.path)?;
        let name = self.path.file_name()?.spelled().into_owned();
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
        self.declared().filter(|declared| *declared).map(entry)
    }

    /// Returns the entry that the header alone gives.
    fn entry_of_header(&self, recording: &Recording, options: &ServeOptions) -> Option<Entry> {
        let header = recording.header(options.secrets).ok()?.readable();
        Some(Entry {
            id: self.id.clone(),
            name: name_of(recording),
            format: recording.format().name().to_owned(),
            duration_ms: header.duration_ms,
            steps: header.steps,
            verdict: None,
            tables: Vec::new(),
            live: self.is_live(),
            details: header.details,
        })
    }

    /// Returns the time of the last use and the size of the files, if there are any.
    pub fn usage(&self) -> Option<(Instant, u64)> {
        match &*self.made() {
            Made::Ready { used, bytes, .. } => Some((*used, *bytes)),
            Made::Live(room) => Some((Instant::now(), room.bytes())),
            _ => None,
        }
    }

    /// Drops the files, unless they are being made; returns whether it did.
    pub fn drop_files(&self, cache: &Path) -> bool {
        let mut made = self.made();
        let drops = matches!(*made, Made::Ready { .. });
        if drops {
            *made = Made::Nothing;
            // Files that can't be removed will be overwritten.
            let _ = fs::remove_dir_all(cache.join("r").join(&self.id));
        }
        drops
    }
}
