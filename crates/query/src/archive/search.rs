//! Finds the recordings of an archive, and looks at each once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape::core::Spell as _;
use gametape::{ColumnDef, Formats, Recording, TableDef};
use gametape_core::tape::Estimate;
use rayon::prelude::*;

use crate::archive::catalogue::{Catalogue, CatalogueError, Entry, Was};
use crate::archive::store::{Object, Stores, is_url};

/// So few recordings stay open from learning their tables until they are read.
const FEW: usize = 16;

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
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.spelled().into_owned(),
            Self::Object(object) => object.name().to_owned(),
        }
    }

    pub fn open(&self, formats: &Formats) -> Result<Recording, gametape::Error> {
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
    pub opened: Option<Recording>,
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
                        .insert(path.spelled().into_owned(), error.to_string());
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
