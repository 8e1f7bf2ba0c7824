//! Tells who follows files that there is something new.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Heard by all who wait.
#[derive(Default, Debug)]
pub struct Bell {
    rung: Mutex<u64>,
    heard: Condvar,
}

impl Bell {
    pub fn ring(&self) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        *rung = rung.wrapping_add(1);
        self.heard.notify_all();
    }

    /// Waits until it rings, if it has not rung since `heard`, and no longer than this.
    pub fn wait(&self, heard: u64, most: Duration) -> u64 {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .heard
            .wait_timeout_while(rung, most, |rung| *rung == heard);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
