//! How far it is, on a terminal.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::ui::Ui;

/// A bar for several files, on standard error if that is a terminal, from the first file on.
pub struct Progress {
    bar: ProgressBar,
    /// What takes long, of one file.
    said: ProgressBar,
    files: u64,
    done: AtomicU64,
}

impl Progress {
    /// For so many files; of how many bytes is asked where somebody watches.
    pub fn new(files: usize, bytes: impl FnOnce() -> u64) -> Self {
        let bar = if files < 2 {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        if !bar.is_hidden() {
            bar.set_length(bytes());
        }
        let style = "{wide_bar} {bytes}/{total_bytes}, {msg} files, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let said = if files < 2 {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let progress = Self {
            bar,
            said,
            files: files as u64,
            done: AtomicU64::new(0),
        };
        progress.count();
        if !progress.bar.is_hidden() {
            // The first file may be a large one.
            progress.bar.enable_steady_tick(Duration::from_millis(200));
        }
        progress
    }

    fn count(&self) {
        if !self.bar.is_hidden() {
            let done = self.done.load(Ordering::Relaxed);
            self.bar.set_message(format!("{done}/{}", self.files));
        }
    }

    /// A file is begun; of how many bytes is asked where somebody watches.
    pub fn begin(&self, bytes: impl FnOnce() -> u64) -> InFile<'_> {
        InFile {
            progress: self,
            bytes: if self.bar.is_hidden() { 0 } else { bytes() },
            read: AtomicU64::new(0),
        }
    }

    /// Says what takes long, where there is but one file; of several the bar says how far they are.
    pub fn say(&self, what: &str) {
        self.said.set_message(what.to_owned());
        self.said.tick();
    }

    /// The bar goes.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        self.said.finish_and_clear();
    }

    /// Says something of these, the bar being out of the way; where there are none, sends on what was said.
    pub fn aside<R>(
        &self,
        all: Vec<R>,
        ui: &mut Ui,
        say: impl FnOnce(Vec<R>, &mut Ui) -> io::Result<()>,
    ) -> io::Result<()> {
        // On a terminal nothing waits then.
        if all.is_empty() {
            return ui.flush_in_time();
        }
        let say = || say(all, ui).and_then(|()| ui.flush_in_time());
        self.bar.suspend(|| self.said.suspend(say))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// A file that is worked on; it is done with when this goes.
pub struct InFile<'p> {
    progress: &'p Progress,
    bytes: u64,
    read: AtomicU64,
}

impl InFile<'_> {
    /// So much of it is read.
    pub fn at(&self, bytes: u64) {
        let bytes = bytes.min(self.bytes);
        // Some files are read twice.
        let before = self.read.fetch_max(bytes, Ordering::Relaxed);
        if bytes > before {
            self.progress.bar.inc(bytes - before);
        }
    }
}

impl Drop for InFile<'_> {
    fn drop(&mut self) {
        self.at(self.bytes);
        self.progress.done.fetch_add(1, Ordering::Relaxed);
        self.progress.count();
    }
}
