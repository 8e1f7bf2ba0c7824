//! The recordings that a query reads, and the tables that they have.

pub(crate) mod catalogue;
pub(crate) mod search;
pub(crate) mod store;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result as Answer;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use gametape::{Formats, Recording, Secrets, TableDef};
use gametape_core::tape::Estimate;
use gametape_tables::{ArrowTable, Differs, Merge};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use crate::archive::catalogue::{Catalogue, CatalogueError, Entry};
use crate::archive::search::{Catalogued, Place, Search, Seen};
use crate::archive::store::Opener;
use crate::progress::Progress;

/// The record batches of a recording.
pub(crate) type Batches = Box<dyn Iterator<Item = Answer<RecordBatch>> + Send>;

/// The recordings that a query reads.
#[derive(Debug)]
pub struct Archive {
    formats: Formats,
    secrets: Secrets,
    files: Vec<File>,
    broken: Mutex<BTreeMap<String, String>>,
    catalogues: Vec<Arc<Catalogue>>,
    progress: Arc<Progress>,
    reach: Reach,
    /// Work that has to be waited for before the program ends.
    endings: Mutex<Vec<JoinHandle<()>>>,
}

/// The recordings that an archive can open.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// Those that were found.
    Found,
    /// None: another machine has them. It finds them again by their source.
    Elsewhere {
        source: Source,
        recordings: usize,
        unopened: usize,
    },
    /// Any, by their names: others found them.
    Any(Opener),
}

/// The paths of an archive, for the machine that has its recordings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Source {
    /// Different for each run of a client: an archive may change between two.
    pub run: String,
    pub paths: Vec<PathBuf>,
    pub secrets: bool,
}

/// A recording.
#[derive(Debug)]
pub struct File {
    place: Place,
    name: Arc<str>,
    kind: &'static str,
    bytes: u64,
    tables: Arc<[TableDef]>,
    /// How long scanning each table takes, in nanoseconds; empty if its size tells.
    work: Vec<u64>,
    catalogued: Option<Catalogued>,
    /// The problem that the catalogue knows.
    problem: Option<String>,
    /// The recording, if it is still open.
    opened: Mutex<Option<Recording>>,
}

impl File {
    /// A recording that another machine found.
    pub(crate) fn found(
        name: &str,
        kind: &'static str,
        bytes: u64,
        tables: Arc<[TableDef]>,
        place: Place,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            bytes,
            tables,
            work: Vec::new(),
            catalogued: None,
            problem: None,
            place,
            opened: Mutex::new(None),
        }
    }

    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) const fn tables(&self) -> &Arc<[TableDef]> {
        &self.tables
    }

    pub(crate) const fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the path, or the address, as the column `recording` has it.
    #[must_use]
    pub const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the definition of a table as the recording has it.
    pub(crate) fn table(&self, name: &str) -> Option<&TableDef> {
        self.tables.iter().find(|own| own.name == name)
    }

    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    pub(crate) const fn catalogued(&self) -> Option<Catalogued> {
        self.catalogued
    }

    /// Returns whether reading it waits for a network.
    pub(crate) const fn is_far(&self) -> bool {
        matches!(self.place, Place::Object(_))
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

impl Archive {
    /// Finds recordings: files, all files of folders, patterns, addresses of objects. Opens each once, on all
    /// cores, to learn which tables it has; one that a [catalogue](crate::index()) knows is not opened.
    /// Files that cannot be opened are left out: see [`Archive::broken`].
    ///
    /// # Errors
    /// If the catalogue of a folder is damaged, or a later version of gametape made it.
    pub fn open(
        formats: Formats,
        paths: &[PathBuf],
        secrets: Secrets,
    ) -> Result<Self, CatalogueError> {
        let mut search = Search::new(&formats);
        for path in paths {
            search.add(path)?;
        }
        let seen = search.look();
        let (catalogues, broken) = (search.catalogues, search.broken);
        let mut archive = Self::of(formats, seen, secrets);
        archive.catalogues = catalogues;
        archive.lock().extend(broken);
        Ok(archive)
    }

    /// The archive of these recordings.
    pub(crate) fn with(
        formats: Formats,
        files: Vec<File>,
        secrets: Secrets,
        broken: BTreeMap<String, String>,
        reach: Reach,
    ) -> Self {
        Self {
            formats,
            secrets,
            files,
            broken: Mutex::new(broken),
            catalogues: Vec::new(),
            progress: Arc::default(),
            reach,
            endings: Mutex::default(),
        }
    }

    pub(crate) fn of(formats: Formats, seen: Vec<Seen>, secrets: Secrets) -> Self {
        let mut broken = BTreeMap::new();
        let mut files = Vec::new();
        for seen in seen {
            let name = seen.place.name();
            match seen.entry {
                Entry::Recording {
                    kind,
                    tables,
                    work,
                    bytes,
                    problem,
                } => files.push(File {
                    name: name.into(),
                    kind,
                    bytes,
                    tables,
                    work,
                    catalogued: seen.catalogued,
                    problem,
                    place: seen.place,
                    opened: Mutex::new(seen.opened),
                }),
                Entry::Other => {}
                Entry::Broken(problem) => {
                    broken.insert(name, problem);
                }
            }
        }
        Self::with(formats, files, secrets, broken, Reach::Found)
    }

    /// Returns how many recordings there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        match &self.reach {
            Reach::Elsewhere { recordings, .. } => *recordings,
            Reach::Found | Reach::Any(_) => self.files.len(),
        }
    }

    /// Returns how many recordings cannot be opened.
    pub(crate) fn unopened(&self) -> usize {
        let broken = self.lock();
        match &self.reach {
            Reach::Elsewhere { unopened, .. } => *unopened,
            Reach::Found | Reach::Any(_) => {
                let unopened = broken.keys().filter(|name| self.file(name).is_none());
                unopened.count()
            }
        }
    }

    pub(crate) const fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Returns the recordings, in the order of their names.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the recording of this name.
    pub(crate) fn file(&self, name: &str) -> Option<&File> {
        let at = self.files.binary_search_by(|file| (*file.name).cmp(name));
        self.files.get(at.ok()?)
    }

    /// Returns the recordings that are broken, as far as they were read, and why. Their rows before the
    /// damage are in the answers.
    #[must_use]
    pub fn broken(&self) -> BTreeMap<String, String> {
        self.lock().clone()
    }

    pub(crate) const fn formats(&self) -> &Formats {
        &self.formats
    }

    pub(crate) const fn secrets(&self) -> Secrets {
        self.secrets
    }

    pub(crate) const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    pub(crate) fn catalogues(&self) -> &[Arc<Catalogue>] {
        &self.catalogues
    }

    /// Opens the recording of this name; `None` if the archive has none.
    pub(crate) fn named(&self, name: &str) -> Option<Result<Recording, gametape::Error>> {
        match &self.reach {
            Reach::Any(opener) => Some(opener.open(name, &self.formats)),
            Reach::Found | Reach::Elsewhere { .. } => Some(self.recording(self.file(name)?)),
        }
    }

    pub(crate) fn found_broken(&self, file: &File, problem: String) {
        self.note(&file.name, problem);
    }

    /// Adds work that has to be waited for before the program ends.
    pub(crate) fn ends_with(&self, work: JoinHandle<()>) {
        let endings = self.endings.lock();
        endings.unwrap_or_else(PoisonError::into_inner).push(work);
    }

    /// Waits for the work that was added.
    pub(crate) async fn ended(&self) {
        let all = {
            let endings = self.endings.lock();
            std::mem::take(&mut *endings.unwrap_or_else(PoisonError::into_inner))
        };
        for work in all {
            // Nothing depends on it any more.
            let _ = work.await;
        }
    }

    /// Returns the problems that were found, and forgets them.
    pub(crate) fn take_broken(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut *self.lock())
    }

    /// Notes that a recording is broken.
    pub(crate) fn note(&self, name: &str, problem: String) {
        self.lock().entry(name.to_owned()).or_insert(problem);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn recording(&self, file: &File) -> Result<Recording, gametape::Error> {
        // Read again, it may have changed.
        let opened = file
            .opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        opened.map_or_else(|| file.place.open(&self.formats), Ok)
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

/// The beginning of the name of such a metric.
const MARK: &str = "broken recording ";

/// How many recordings a part of a scan names at most.
const MOST: usize = 100;

/// Gives the problems that were found to the metrics of a scan, which travel from the machine that reads to the one
/// that asked: beside its rows, a part of a scan gives nothing else back.
pub(crate) fn told(archive: &Archive, metrics: &ExecutionPlanMetricsSet) {
    for problem in archive.take_broken().into_iter().take(MOST) {
        if let Ok(text) = serde_json::to_string(&problem) {
            let counter = MetricBuilder::new(metrics).counter(format!("{MARK}{text}"), 0);
            counter.add(1);
        }
    }
}

/// Returns the recording and its problem, if the metric of this name tells of one.
#[must_use]
pub fn heard(metric: &str) -> Option<(String, String)> {
    serde_json::from_str(metric.strip_prefix(MARK)?).ok()
}
