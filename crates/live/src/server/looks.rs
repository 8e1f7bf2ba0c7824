//! Whether a file is being written, as far as that can be seen.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// A recording that nobody has written to for so long is not being written any more.
const QUIET: Duration = Duration::from_secs(10);
/// Of one that was written to so lately nobody knows whether it grows, until it was looked at so long.
const JUST_NOW: Duration = Duration::from_secs(4);
const LOOKED_AT: Duration = Duration::from_millis(1500);

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

    /// Whether somebody is still at it, if it was written to at all while one looked on.
    pub fn is_written(self) -> bool {
        self.was_written(QUIET)
    }

    /// Whether somebody wrote to it within such a time.
    fn was_written(self, within: Duration) -> bool {
        let ago = self.changed.and_then(|changed| changed.elapsed().ok());
        ago.is_none_or(|ago| ago < within)
    }

    /// Whether a file grows while one looks on. Only one that was written to just now is looked at for
    /// long: it may as well have been copied there.
    pub fn grows(self, path: &Path, cancel: &AtomicBool) -> bool {
        let from = Instant::now();
        while self.was_written(JUST_NOW) && from.elapsed() < LOOKED_AT {
            if Self::of(path).is_some_and(|now| now.bytes > self.bytes) {
                return true;
            }
            if cancel.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(LOOKED_AT / 20);
        }
        false
    }
}
