//! A progress bar on a terminal.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::ui::Ui;

/// A bar for several files, on standard error if that is a terminal.
pub struct Progress {
    bar: ProgressBar,
    /// A spinner for one file, with a message on what takes long.
    spinner: ProgressBar,
    files: u64,
    done: AtomicU64,
}

impl Progress {
    /// A bar for this many files; `bytes` is called only if the bar is visible.
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
        let spinner = if files < 2 {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let progress = Self {
            bar,
            spinner,
            files: files as u64,
            done: AtomicU64::new(0),
        };
        progress.count();
        if !progress.bar.is_hidden() {
            // The first file may be large.
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

    /// Begins a file; `bytes` is called only if the bar is visible.
    pub fn begin(&self, bytes: impl FnOnce() -> u64) -> InFile<'_> {
        InFile {
            progress: self,
            bytes: if self.bar.is_hidden() { 0 } else { bytes() },
            read: AtomicU64::new(0),
        }
    }

    /// Shows a message on what takes long, if there is only one file.
    pub fn say(&self, what: &str) {
        self.spinner.set_message(what.to_owned());
        self.spinner.tick();
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        self.spinner.finish_and_clear();
    }

    /// Prints results while the bar is hidden; without results, flushes the output.
    pub fn aside<R>(
        &self,
        all: Vec<R>,
        ui: &mut Ui,
        say: impl FnOnce(Vec<R>, &mut Ui) -> io::Result<()>,
    ) -> io::Result<()> {
        // On a terminal nothing is buffered then.
        if all.is_empty() {
            return ui.flush_in_time();
        }
        let say = || say(all, ui).and_then(|()| ui.flush_in_time());
        self.bar.suspend(|| self.spinner.suspend(say))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// A file in progress; it is done when this is dropped.
pub struct InFile<'p> {
    progress: &'p Progress,
    bytes: u64,
    read: AtomicU64,
}

impl InFile<'_> {
    /// Reports the number of bytes read so far.
    pub fn at(&self, bytes: u64) {
        let bytes = bytes.min(self.bytes);
        // Some files are read twice; the bar does not go back.
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
