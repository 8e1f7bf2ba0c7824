//! Sample recordings, and the folders that they are put into.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A sound recording.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its file name, with the format's extension.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The files that must lie beside it: names and bytes.
    pub beside: Vec<(String, Vec<u8>)>,
}

impl Sample {
    /// A recording with nothing beside it.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            beside: Vec::new(),
        }
    }

    /// Adds a file beside it.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.beside.push((name.into(), bytes.into()));
        self
    }

    pub(super) fn extension(&self) -> &str {
        self.name
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }

    /// Other bytes under another name, with the same files beside them.
    pub(super) fn called(&self, stem: &str, bytes: &[u8]) -> Self {
        let (own, extension) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let beside = self.beside.iter().map(|(name, bytes)| {
            let rest = name.strip_prefix(own).filter(|rest| rest.starts_with('.'));
            let name = rest.map_or_else(|| name.clone(), |rest| format!("{stem}{rest}"));
            (name, bytes.clone())
        });
        Self {
            name: format!("{stem}.{extension}"),
            bytes: bytes.to_vec(),
            beside: beside.collect(),
        }
    }
}

/// A temporary folder, removed at the end of a check that did not fail.
pub(super) struct SampleFolder {
    pub(super) path: PathBuf,
    /// What the input is, where it is not a sample as it was given: failures tell it.
    pub(super) input: RefCell<String>,
}

impl SampleFolder {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "gametape-kit-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self {
            path,
            input: RefCell::default(),
        }
    }

    /// Says what the input of the next calls is.
    pub(super) fn holds(&self, input: String) {
        *self.input.borrow_mut() = input;
    }

    #[track_caller]
    pub(super) fn expect(&self, holds: bool, what: &str) {
        let path = self.path.display();
        assert!(holds, "expected: {what}\n  the files are kept: cd {path}");
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path.join(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    pub(super) fn put_sample(&self, sample: &Sample) {
        self.put(&sample.name, &sample.bytes);
        for (name, bytes) in &sample.beside {
            self.put(name, bytes);
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for SampleFolder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
