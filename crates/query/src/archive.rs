//! The recordings that a query reads, and the tables that they have.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result as Answer;
use gametape::{ColumnDef, Formats, Recording, Secrets, TableDef};
use gametape_core::tape::Estimate;
use gametape_tables::{ArrowTable, Differs, Merge};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use crate::catalogue::{Catalogue, CatalogueError, Entry, Was};
use crate::progress::Progress;
use crate::store::{Object, Opener, Stores, is_url};

/// So few recordings stay open from learning their tables until they are read.
const FEW: usize = 16;

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

/// The place of a recording in a catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Catalogued {
    /// The catalogue, by its place in the archive.
    pub catalogue: usize,
    /// The number of the recording there.
    pub number: u32,
}

/// The place of a recording.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Path(PathBuf),
    Object(Arc<Object>),
}

impl Place {
    fn name(&self) -> String {
        match self {
            Self::Path(path) => path.to_string_lossy().into_owned(),
            Self::Object(object) => object.name().to_owned(),
        }
    }

    fn open(&self, formats: &Formats) -> Result<Recording, gametape::Error> {
        match self {
            Self::Path(path) => formats.open(path),
            Self::Object(object) => {
                let input = object.input().map_err(|source| gametape::Error::Io {
                    path: PathBuf::from(object.name()),
                    source,
                })?;
                formats.open_input(input, object.name())
            }
        }
    }
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

/// A file that may be a recording.
pub(crate) struct Found {
    pub place: Place,
    /// Whether it was named, so that it should be one.
    named: bool,
    /// Its path in the folder that was named.
    below: PathBuf,
    /// The catalogue of this folder, by its place.
    catalogue: Option<usize>,
}

/// A file that was looked at.
pub(crate) struct Seen {
    pub place: Place,
    pub below: PathBuf,
    /// Its size and time before it was opened.
    pub was: Option<Was>,
    pub entry: Entry,
    pub catalogued: Option<Catalogued>,
    /// The recording, if there are few.
    opened: Option<Recording>,
}

/// Finds files: files, all files of folders, patterns, addresses of objects. Also returns the catalogues of
/// folders, and what could not be found.
pub(crate) struct Search<'f> {
    pub formats: &'f Formats,
    pub found: Vec<Found>,
    pub catalogues: Vec<Arc<Catalogue>>,
    pub broken: BTreeMap<String, String>,
    /// Whether the sizes and times of all files are wanted, not only of those that may be in a catalogue.
    pub notes: bool,
    stores: Option<Arc<Stores>>,
}

impl<'f> Search<'f> {
    pub fn new(formats: &'f Formats) -> Self {
        Self {
            formats,
            found: Vec::new(),
            catalogues: Vec::new(),
            broken: BTreeMap::new(),
            notes: false,
            stores: None,
        }
    }

    pub fn add(&mut self, path: &Path) -> Result<(), CatalogueError> {
        if let Some(address) = path.to_str().filter(|path| is_url(path)) {
            self.add_objects(address);
            return Ok(());
        }
        let catalogue = match Catalogue::open(path, self.formats)? {
            Some(catalogue) => {
                self.catalogues.push(Arc::new(catalogue));
                Some(self.catalogues.len() - 1)
            }
            None => None,
        };
        for item in self.formats.find(path) {
            match item {
                Ok(item) => self.found.push(Found {
                    place: Place::Path(item.path),
                    named: item.named,
                    below: item.below,
                    catalogue,
                }),
                Err(error) => {
                    self.broken
                        .insert(path.to_string_lossy().into_owned(), error.to_string());
                }
            }
        }
        Ok(())
    }

    fn add_objects(&mut self, address: &str) {
        let stores = match self.stores.take().map_or_else(Stores::new, Ok) {
            Ok(stores) => &*self.stores.insert(stores),
            Err(error) => {
                self.broken.insert(address.to_owned(), error.to_string());
                return;
            }
        };
        match stores.find(address, self.formats) {
            Ok(objects) => self.found.extend(objects.into_iter().map(|object| Found {
                place: Place::Object(object),
                named: true,
                below: PathBuf::new(),
                catalogue: None,
            })),
            Err(error) => {
                self.broken.insert(address.to_owned(), error);
            }
        }
    }

    /// Looks at each file once, in the order of their names.
    pub fn look(&mut self) -> Vec<Seen> {
        let mut found: Vec<(String, Found)> = std::mem::take(&mut self.found)
            .into_iter()
            .map(|found| (found.place.name(), found))
            .collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        found.dedup_by(|(a, _), (b, _)| a == b);
        let found: Vec<Found> = found.into_iter().map(|(_, found)| found).collect();
        let search = &*self;
        let are_few = found.len() <= FEW;
        let look = |known: &mut Known, found| {
            let mut seen = look(search, found, known);
            seen.opened = seen.opened.filter(|_| are_few);
            seen
        };
        let all = || {
            found
                .into_par_iter()
                .map_init(Known::default, look)
                .collect()
        };
        if self.stores.is_none() {
            return all();
        }
        // Threads that wait for a network do not work.
        match rayon::ThreadPoolBuilder::new().num_threads(32).build() {
            Ok(threads) => threads.install(all),
            Err(_) => all(),
        }
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

/// The tables that were met. Nearly all recordings of a kind have the same.
#[derive(Default)]
struct Known(Vec<Arc<[TableDef]>>);

impl Known {
    fn shared(&mut self, mut tables: Vec<TableDef>) -> Arc<[TableDef]> {
        // The number of rows is that of one recording.
        for table in &mut tables {
            table.rows = None;
        }
        let same = self.0.iter().find(|known| {
            let pairs = known.iter().zip(&tables);
            known.len() == tables.len() && pairs.clone().all(|(a, b)| is_same(a, b))
        });
        same.cloned().unwrap_or_else(|| {
            let tables: Arc<[TableDef]> = tables.into();
            self.0.push(Arc::clone(&tables));
            tables
        })
    }
}

/// Compares two definitions. Their texts are mostly the same places in memory, so that this costs less than
/// comparing all of their bytes: a good part of listing an archive.
fn is_same(a: &TableDef, b: &TableDef) -> bool {
    let text = |a: &str, b: &str| std::ptr::eq(a, b) || a == b;
    let column = |(a, b): (&ColumnDef, &ColumnDef)| {
        let texts = |a: &[Cow<'static, str>], b: &[Cow<'static, str>]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| text(a, b))
        };
        let marks = |column: &ColumnDef| {
            (
                column.kind,
                column.precision,
                (column.key, column.secret, column.wide, column.recorded),
            )
        };
        text(&a.name, &b.name)
            && marks(a) == marks(b)
            && text(&a.unit, &b.unit)
            && text(&a.doc, &b.doc)
            && texts(&a.values, &b.values)
    };
    text(&a.name, &b.name)
        && (a.lane, a.on_request, &a.shape) == (b.lane, b.on_request, &b.shape)
        && text(&a.doc, &b.doc)
        && a.columns.len() == b.columns.len()
        && a.columns.iter().zip(&b.columns).all(column)
}

/// Looks at a file: in the catalogue, or else by opening it.
fn look(search: &Search<'_>, found: Found, known: &mut Known) -> Seen {
    let was = match &found.place {
        Place::Path(path) if search.notes || found.catalogue.is_some() => Was::of(path).ok(),
        _ => None,
    };
    let mut seen = Seen {
        entry: Entry::Other,
        // Before it is opened: a change after this moment is noticed the next time.
        was,
        catalogued: None,
        opened: None,
        below: found.below,
        place: found.place,
    };
    if let Some(catalogue) = found.catalogue
        && let Some((own, was)) = search.catalogues.get(catalogue).zip(was)
        && let Some((number, entry)) = own.entry(&seen.below, was)
    {
        seen.entry = entry;
        seen.catalogued = Some(Catalogued { catalogue, number });
        return seen;
    }
    (seen.entry, seen.opened) = open(search.formats, &seen.place, found.named, known);
    seen
}

fn open(
    formats: &Formats,
    place: &Place,
    named: bool,
    known: &mut Known,
) -> (Entry, Option<Recording>) {
    let recording = match place.open(formats) {
        Ok(recording) => recording,
        Err(gametape::Error::UnknownFormat { .. }) if !named => return (Entry::Other, None),
        Err(error) => return (Entry::Broken(error.to_string()), None),
    };
    let entry = match recording.tables() {
        Ok(tables) => Entry::Recording {
            work: work(&recording, &tables),
            kind: recording.format().kind(),
            bytes: recording.input().size(),
            tables: known.shared(tables),
            problem: None,
        },
        Err(error) => return (Entry::Broken(error.to_string()), None),
    };
    (entry, Some(recording))
}

fn work(recording: &Recording, tables: &[TableDef]) -> Vec<u64> {
    let Some(estimates) = recording.tape().abilities().estimates else {
        return Vec::new();
    };
    let bytes = Estimate::of_bytes(recording.input().size());
    let work = |table| estimates.estimate(table).unwrap_or(bytes).work_ns;
    tables.iter().map(work).collect()
}
