//! Notices that files grow: by looking at them, and from a recorder in the same process.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A recording that was not written to for so long is no longer being written.
const QUIET: Duration = Duration::from_secs(10);
/// A file that was written to within this time may still grow, and is watched for a while.
const RECENT: Duration = Duration::from_secs(4);
/// How long such a file is watched.
const WATCHED: Duration = Duration::from_millis(1500);

/// The size and the time of change of a file when it was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileState {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl FileState {
    pub fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(gametape::file_of(path)).ok()?;
        Some(Self {
            bytes: found.len(),
            changed: found.modified().ok(),
        })
    }

    /// Returns whether the file is still being written, if it was seen growing.
    pub fn is_written(self) -> bool {
        self.was_written(QUIET)
    }

    /// Returns whether the file was written to within this time.
    fn was_written(self, within: Duration) -> bool {
        let ago = self.changed.and_then(|changed| changed.elapsed().ok());
        ago.is_none_or(|ago| ago < within)
    }

    /// Watches whether the file grows. Only a file that was written to a moment ago is watched for long:
    /// it may just as well have been copied there.
    pub fn grows(self, path: &Path, cancel: &AtomicBool) -> bool {
        let from = Instant::now();
        while self.was_written(RECENT) && from.elapsed() < WATCHED {
            if Self::of(path).is_some_and(|now| now.bytes > self.bytes) {
                return true;
            }
            if cancel.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(WATCHED / 20);
        }
        false
    }
}

/// Wakes the threads that follow files.
#[derive(Default, Debug)]
pub struct Bell {
    rung: Mutex<u64>,
    heard: Condvar,
}

impl Bell {
    /// Wakes all waiting threads.
    pub fn ring(&self) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        *rung = rung.wrapping_add(1);
        self.heard.notify_all();
    }

    /// Waits for a ring after the ring number `heard`, but no longer than `most`. Returns the number of the
    /// last ring.
    pub fn wait(&self, heard: u64, most: Duration) -> u64 {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .heard
            .wait_timeout_while(rung, most, |rung| *rung == heard);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
