//! A recording of the library, and what was made of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use gametape::core::tape::Work;
use gametape::{Formats, Recording};
use tokio::sync::watch;

use super::options::ServeOptions;
use crate::index::Entry;
use crate::publish::name_of;
use crate::{Error, Store, publish};

/// What a file was like when it was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looks {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Looks {
    pub fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self {
            bytes: found.len(),
            changed: found.modified().ok(),
        })
    }
}

/// What is there of a recording's files.
#[derive(Debug)]
enum Made {
    Nothing,
    /// A share of a million that is done.
    Making(Arc<AtomicU64>),
    Ready {
        of: Looks,
        bytes: u64,
        used: Instant,
    },
    Failed {
        of: Looks,
        sentence: String,
    },
}

/// What to say of a recording's files.
#[derive(Clone, PartialEq, Debug)]
pub enum Ready {
    Yes,
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

/// A recording of the library.
#[derive(Debug)]
pub struct Book {
    pub id: String,
    pub path: PathBuf,
    made: Mutex<Made>,
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
            entry: Mutex::new(None),
            turned: watch::Sender::new(0),
        }
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is. Where there is nothing, or it is of the file as it was before, `Making` from now
    /// on: whoever hears that it is for them to make gets what hears how far they are.
    pub fn ask(&self) -> (Ready, Option<Arc<AtomicU64>>) {
        let now = Looks::of(&self.path);
        let mut made = self.made();
        match &mut *made {
            Made::Making(done) => {
                let share = done.load(Ordering::Relaxed) as f64 / MILLION as f64;
                return (Ready::Making(share), None);
            }
            Made::Ready { of, used, .. } if now == Some(*of) => {
                *used = Instant::now();
                return (Ready::Yes, None);
            }
            Made::Failed { of, sentence } if now == Some(*of) => {
                return (Ready::No(sentence.clone()), None);
            }
            _ => {}
        }
        if now.is_none() {
            *made = Made::Nothing;
            return (Ready::No("it is not there any more".to_owned()), None);
        }
        let done = Arc::new(AtomicU64::new(0));
        *made = Made::Making(done.clone());
        (Ready::Making(0.0), Some(done))
    }

    /// Nobody makes it after all.
    pub fn left(&self) {
        *self.made() = Made::Nothing;
        self.turn();
    }

    fn turn(&self) {
        self.turned.send_modify(|turn| *turn += 1);
    }

    /// Makes its files.
    pub fn make(
        &self,
        formats: &Formats,
        options: &ServeOptions,
        cache: &Path,
        done: &AtomicU64,
        cancel: &AtomicBool,
    ) {
        let Some(of) = Looks::of(&self.path) else {
            return self.left();
        };
        let outcome = self.publish(formats, options, cache, done, cancel);
        *self.made() = match outcome {
            Ok(bytes) => Made::Ready {
                of,
                bytes,
                used: Instant::now(),
            },
            Err(_) if cancel.load(Ordering::Relaxed) => Made::Nothing,
            Err(error) => Made::Failed {
                of,
                sentence: error.to_string(),
            },
        };
        self.turn();
    }

    fn publish(
        &self,
        formats: &Formats,
        options: &ServeOptions,
        cache: &Path,
        done: &AtomicU64,
        cancel: &AtomicBool,
    ) -> Result<u64, Error> {
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
        };
        let mut store = Store::bounded(cache, options.cache_bytes);
        let index = publish(&recording, &self.id, options.secrets, &mut store, &work)?;
        self.put_entry(index.entry);
        Ok(bytes_in(&cache.join("r").join(&self.id)))
    }

    fn put_entry(&self, entry: Entry) {
        let of = Looks::of(&self.path);
        let mut kept = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = of.map(|of| (of, entry));
    }

    /// What the list says of it; `None` where it is no recording.
    pub fn entry(&self, formats: &Formats, options: &ServeOptions) -> Option<Entry> {
        let now = Looks::of(&self.path)?;
        {
            let kept = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((of, entry)) = &*kept
                && *of == now
            {
                return Some(entry.clone());
            }
        }
        let recording = formats.open_with(&self.path, &options.open).ok()?;
        let entry = self.of_header(&recording, options)?;
        self.put_entry(entry.clone());
        Some(entry)
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
            live: false,
            details: header.details,
        })
    }

    /// How much room its files take, and when they were used last, where they are there.
    pub fn takes(&self) -> Option<(Instant, u64)> {
        match &*self.made() {
            Made::Ready { used, bytes, .. } => Some((*used, *bytes)),
            _ => None,
        }
    }

    /// Drops its files, if nobody makes them right now.
    pub fn drop_files(&self, cache: &Path) {
        let mut made = self.made();
        if matches!(*made, Made::Ready { .. }) {
            *made = Made::Nothing;
            // What can't be dropped is made again over it.
            let _ = fs::remove_dir_all(cache.join("r").join(&self.id));
        }
    }
}
