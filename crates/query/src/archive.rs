//! The recordings that a query reads, and the tables that they have.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use gametape::{Formats, OpenOptions, Recording, Secrets, TableDef};
use gametape_core::tape::Estimate;
use gametape_tables::{ArrowTable, Differs, Merge};

/// The recordings that a query reads.
#[derive(Debug)]
pub struct Archive {
    formats: Formats,
    secrets: Secrets,
    files: Vec<File>,
    broken: Mutex<BTreeMap<PathBuf, String>>,
}

/// A recording.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    name: Arc<str>,
    kind: &'static str,
    bytes: u64,
    tables: Arc<[TableDef]>,
    /// How long scanning each table takes, in nanoseconds; empty if its size tells.
    work: Vec<u64>,
}

impl File {
    /// Returns the path as the column `recording` has it.
    #[must_use]
    pub const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns about how long scanning a table takes on one core, in nanoseconds. Bytes are no measure: a
    /// recording of a few may be a long simulation.
    pub(crate) fn work(&self, table: &str) -> u64 {
        let at = self.tables.iter().position(|own| own.name == table);
        let known = at.and_then(|at| self.work.get(at).copied());
        known.unwrap_or_else(|| Estimate::of_bytes(self.bytes).work_ns)
    }

    pub(crate) fn has(&self, kind: &str, table: &str) -> bool {
        self.kind == kind && self.tables.iter().any(|own| own.name == table)
    }
}

/// The outcome of opening a path.
enum Opened {
    Recording(File),
    /// A file in a folder that is no recording.
    Other,
    Broken(PathBuf, String),
}

impl Archive {
    /// Finds recordings: files, all files of folders, patterns. Opens each once, on all cores, to learn
    /// which tables it has. Files that cannot be opened are left out: see [`Archive::broken`].
    #[must_use]
    pub fn open(formats: Formats, paths: &[PathBuf], secrets: Secrets) -> Self {
        let mut broken = BTreeMap::new();
        let mut found = Vec::new();
        for path in paths {
            for item in formats.find(path) {
                match item {
                    Ok(item) => found.push(item),
                    Err(error) => {
                        broken.insert(path.clone(), error.to_string());
                    }
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|a, b| a.path == b.path);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let share = found.len().div_ceil(cores).max(1);
        let opened: Vec<Opened> = thread::scope(|scope| {
            let open = |part: &[gametape::Found]| {
                let mut known = Known::default();
                let open = |item| open(&formats, item, &mut known);
                part.iter().map(open).collect::<Vec<_>>()
            };
            let threads: Vec<_> = found
                .chunks(share)
                .map(|part| scope.spawn(move || open(part)))
                .collect();
            let parts = threads.into_iter().map(thread::ScopedJoinHandle::join);
            parts
                .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut files = Vec::new();
        for opened in opened {
            match opened {
                Opened::Recording(file) => files.push(file),
                Opened::Other => {}
                Opened::Broken(path, error) => {
                    broken.insert(path, error);
                }
            }
        }
        Self {
            formats,
            secrets,
            files,
            broken: Mutex::new(broken),
        }
    }

    /// Returns the recordings, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the recordings that are broken, as far as they were read, and why. Their rows before the
    /// damage are in the answers.
    #[must_use]
    pub fn broken(&self) -> BTreeMap<PathBuf, String> {
        self.lock().clone()
    }

    pub(crate) const fn formats(&self) -> &Formats {
        &self.formats
    }

    pub(crate) const fn secrets(&self) -> Secrets {
        self.secrets
    }

    pub(crate) fn found_broken(&self, file: &File, problem: String) {
        self.lock().entry(file.path.clone()).or_insert(problem);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, String>> {
        self.broken
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn recording(&self, file: &File) -> Result<Recording, gametape::Error> {
        self.formats.open(&file.path)
    }

    /// Returns the kinds of recordings.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&'static str> = self.files.iter().map(|file| file.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Returns the tables of a kind, each for all of its recordings together.
    ///
    /// # Errors
    /// For a table that differs too much from one recording to another: its name, and why.
    pub fn tables(&self, kind: &str) -> Vec<Result<ArrowTable, (String, Differs)>> {
        let mut seen: Vec<&Arc<[TableDef]>> = Vec::new();
        let mut merged: Vec<(String, Result<Merge, Differs>)> = Vec::new();
        for file in self.files.iter().filter(|file| file.kind == kind) {
            if seen.iter().any(|seen| Arc::ptr_eq(seen, &file.tables)) {
                continue;
            }
            seen.push(&file.tables);
            for table in file.tables.iter() {
                let known = merged.iter().position(|(name, _)| *name == table.name);
                let at = known.unwrap_or_else(|| {
                    merged.push((table.name.to_string(), Ok(Merge::default())));
                    merged.len() - 1
                });
                let Some((_, merge)) = merged.get_mut(at) else {
                    continue;
                };
                if let Ok(so_far) = merge
                    && let Err(differs) = so_far.add(&file.name, table)
                {
                    *merge = Err(differs);
                }
            }
        }
        let arrow = |(name, merge): (String, Result<Merge, Differs>)| match merge {
            Ok(merge) => Some(Ok(ArrowTable::new(merge.table()?, self.secrets))),
            Err(differs) => Some(Err((name, differs))),
        };
        merged.into_iter().filter_map(arrow).collect()
    }
}

/// The tables that were met. Nearly all recordings of a kind have the same.
#[derive(Default)]
struct Known(Vec<Arc<[TableDef]>>);

impl Known {
    fn shared(&mut self, mut tables: Vec<TableDef>) -> Arc<[TableDef]> {
        // The number of rows is that of one recording.
        for table in &mut tables {
            table.rows = None;
        }
        let same = self.0.iter().find(|known| ***known == *tables);
        same.cloned().unwrap_or_else(|| {
            let tables: Arc<[TableDef]> = tables.into();
            self.0.push(Arc::clone(&tables));
            tables
        })
    }
}

fn open(formats: &Formats, found: &gametape::Found, known: &mut Known) -> Opened {
    let path: &Path = &found.path;
    let broken = |error: gametape::Error| Opened::Broken(path.to_owned(), error.to_string());
    let recording = match formats.open_with(path, &OpenOptions::default()) {
        Ok(recording) => recording,
        Err(gametape::Error::UnknownFormat { .. }) if !found.named => return Opened::Other,
        Err(error) => return broken(error),
    };
    match recording.tables() {
        Ok(tables) => Opened::Recording(File {
            work: work(&recording, &tables),
            path: path.to_owned(),
            name: path.to_string_lossy().into(),
            kind: recording.format().kind(),
            bytes: recording.input().size(),
            tables: known.shared(tables),
        }),
        Err(error) => broken(error),
    }
}

fn work(recording: &Recording, tables: &[TableDef]) -> Vec<u64> {
    let Some(estimates) = recording.tape().abilities().estimates else {
        return Vec::new();
    };
    let bytes = Estimate::of_bytes(recording.input().size());
    let work = |table| estimates.estimate(table).unwrap_or(bytes).work_ns;
    tables.iter().map(work).collect()
}
