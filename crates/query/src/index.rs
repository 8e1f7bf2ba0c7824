//! Makes a catalogue, and brings it up to date.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::parquet::arrow::ArrowWriter;
use gametape::core::Spell as _;
use gametape::{Existing, Formats, Policy, Scan, Secrets, TableDef};
use rayon::prelude::*;

use crate::archive::Archive;
use crate::archive::catalogue::rows::{self, FILE, Row};
use crate::archive::catalogue::{
    Catalogue, CatalogueError, Entry, FILES, FOLDER, MANIFEST, Manifest, Part, VERSION, made_by,
};
use crate::archive::search::{Catalogued, Place, Search, Seen};
use crate::tables::about::About;
use crate::tables::content::Content;

/// The outcome of [`index`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Indexed {
    /// The number of recordings in the catalogue.
    pub recordings: usize,
    /// How many of them were read now: they are new, or changed.
    pub read: usize,
    /// How many files are broken.
    pub broken: usize,
}

/// Makes the catalogue of a folder, or brings it up to date: only files that are new or changed are read,
/// on all cores. `progress` is told how many files were read, of how many.
///
/// Two at once do not harm each other: the second waits for the first. A query at the same time has the
/// old catalogue or the new one.
///
/// # Errors
/// [`CatalogueError`]; the old catalogue is then as it was.
pub fn index(
    formats: &Formats,
    root: &Path,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Indexed, CatalogueError> {
    let folder = root.join(FOLDER);
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| CatalogueError::Io { path, source }
    };
    // Not created if the folder of the archive is not there.
    fs::read_dir(root).map_err(io(root))?;
    fs::create_dir_all(&folder).map_err(io(&folder))?;
    let lock = folder.join(".lock");
    let lock = File::create(&lock).map_err(io(&lock))?;
    lock.lock().map_err(io(&folder))?;

    let began = SystemTime::now();
    // Of a writer that was killed.
    gametape::remove_leftovers(&folder);
    // A damaged catalogue is only a cache: it is made again.
    if let Ok(Some(old)) = Catalogue::open(root, formats)
        && !old.is_sound()
    {
        let manifest = folder.join(MANIFEST);
        fs::remove_file(&manifest).map_err(io(&manifest))?;
    }
    let mut search = Search::new(formats);
    search.notes = true;
    search.add(root)?;
    let mut seen = search.look();
    let old = search.catalogues.first().map(Arc::clone);
    let hashes = hashes(&mut seen, old.as_deref());
    // Numbers in the old catalogue, to those in the new one.
    let was = old.as_ref().map_or(0, |old| old.files());
    let mut numbers: Vec<Option<u32>> = vec![None; was];
    for (seen, number) in seen.iter().zip(0..) {
        let old = seen
            .catalogued
            .and_then(|own| numbers.get_mut(own.number as usize));
        if let Some(old) = old {
            *old = Some(number);
        }
    }
    let mut tables: Vec<Arc<[TableDef]>> = Vec::new();
    let listed = seen.iter().zip(hashes).map(|(seen, hash)| {
        let mut was = seen.was.unwrap_or_default();
        // A file may change again without a change of its time, if that is of the same moment.
        if is_fresh(was.modified, began) {
            was.modified = -1;
        }
        Row {
            path: seen.below.spelled().into_owned(),
            was,
            hash,
            tables: list_of(&seen.entry, &mut tables),
            entry: seen.entry.clone(),
        }
    });
    let mut listed: Vec<Row> = listed.collect();
    let is_recording = |seen: &&Seen| matches!(seen.entry, Entry::Recording { .. });
    let at: Vec<u32> = (seen.iter().zip(0..))
        .filter_map(|(seen, number)| is_recording(&seen).then_some(number))
        .collect();
    let archive = Arc::new(Archive::of(formats.clone(), seen, Secrets::Hide));
    let contents = contents(&archive)?;
    let new = read(&archive, &contents, &at, &progress)?;

    let mut parts = Vec::new();
    let mut bytes = Vec::new();
    for (content, new) in contents.iter().zip(new) {
        let schema = schema(content);
        let name = content.catalogued().unwrap_or_default();
        let kept = match &old {
            Some(old) => old.rows(&name)?,
            None => Vec::new(),
        };
        let mut all = Vec::new();
        for batch in kept {
            let batch = rows::renumbered(&batch, &numbers)?;
            all.push(rows::with_schema(&batch, &schema)?);
        }
        all.extend(new);
        let all = concat_batches(&schema, &all).map_err(DataFusionError::from)?;
        put(&name, &all, &mut parts, &mut bytes)?;
    }
    let broken = archive.broken();
    for (number, file) in at.iter().zip(archive.files()) {
        let row = listed.get_mut(*number as usize);
        if let Some(Row {
            entry: Entry::Recording { problem, .. },
            ..
        }) = row
        {
            let found = broken.get(&**file.name()).cloned();
            *problem = found.or_else(|| problem.take());
        }
    }
    put(FILES, &rows::files(&listed)?, &mut parts, &mut bytes)?;
    let mut manifest = Manifest {
        catalogue: VERSION,
        made_by: made_by(formats),
        parts,
        tables: tables.iter().map(|tables| tables.to_vec()).collect(),
        blake3: String::new(),
    };
    write(&folder, &mut manifest, &bytes)?;
    Ok(Indexed {
        recordings: at.len(),
        read: archive
            .files()
            .iter()
            .filter(|file| file.catalogued().is_none())
            .count(),
        broken: listed
            .iter()
            .filter(|row| match &row.entry {
                Entry::Broken(_) => true,
                Entry::Recording { problem, .. } => problem.is_some(),
                Entry::Other => false,
            })
            .count(),
    })
}

/// Whether a file changed within two seconds, the coarsest clock of a file system.
fn is_fresh(modified: i64, now: SystemTime) -> bool {
    let modified = u64::try_from(modified).map(Duration::from_nanos);
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    modified.is_ok_and(|modified| modified + Duration::from_secs(2) > now)
}

/// Returns the hash of each recording. One that is new in time alone is what it was.
fn hashes(seen: &mut [Seen], old: Option<&Catalogue>) -> Vec<Option<String>> {
    let hash = |seen: &mut Seen| {
        if let Some(own) = seen.catalogued {
            return old?.hash(own.number).map(str::to_owned);
        }
        let (Place::Path(path), Some(_)) = (&seen.place, seen.was) else {
            return None;
        };
        let hash = hash(path).ok()?;
        if let Some((number, entry)) = old.and_then(|old| old.same(&seen.below, &hash)) {
            seen.entry = entry;
            seen.catalogued = Some(Catalogued {
                catalogue: 0,
                number,
            });
        }
        Some(hash)
    };
    seen.par_iter_mut().map(hash).collect()
}

fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut bytes)?;
        match bytes.get(..count) {
            Some(read) if count > 0 => hasher.update(read),
            _ => return Ok(hasher.finalize().to_hex().to_string()),
        };
    }
}

/// Returns the number of a recording's list of tables.
fn list_of(entry: &Entry, lists: &mut Vec<Arc<[TableDef]>>) -> Option<u32> {
    let Entry::Recording { tables, .. } = entry else {
        return None;
    };
    let same = |list: &Arc<[TableDef]>| Arc::ptr_eq(list, tables) || list == tables;
    let at = lists.iter().position(same).unwrap_or_else(|| {
        lists.push(Arc::clone(tables));
        lists.len() - 1
    });
    u32::try_from(at).ok()
}

/// Returns the tables that are in a catalogue: those with few rows for a recording.
fn contents(archive: &Archive) -> Result<Vec<Content>> {
    let policy = Policy::of(archive.formats());
    let policy = policy.map_err(|error| DataFusionError::External(Box::new(error)))?;
    let mut contents: Vec<Content> = [
        About::Recordings,
        About::Findings,
        About::Verdicts {
            policy: Box::new(policy),
            is_default: true,
        },
    ]
    .map(Content::from)
    .into();
    for kind in archive.kinds() {
        let tables = archive.tables(kind).into_iter().flatten();
        let tables = tables.filter(|table| crate::tables::content::is_fact(table.definition()));
        contents.extend(tables.map(|table| Content::Table {
            kind: kind.to_owned(),
            table,
        }));
    }
    Ok(contents)
}

/// The rows of a table in a catalogue: the number of the recording, not its name.
fn schema(content: &Content) -> SchemaRef {
    let own = content.table().schema();
    let file = Arc::new(Field::new(FILE, DataType::UInt32, true));
    let fields = std::iter::once(file).chain(own.fields().iter().skip(1).cloned());
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Reads the rows of the recordings that are not in the old catalogue, table by table.
fn read(
    archive: &Arc<Archive>,
    contents: &[Content],
    numbers: &[u32],
    progress: &(impl Fn(usize, usize) + Sync),
) -> Result<Vec<Vec<RecordBatch>>> {
    let files = archive.files().iter().enumerate().zip(numbers);
    let new: Vec<(usize, u32)> = files
        .filter(|((_, file), _)| file.catalogued().is_none())
        .map(|((at, _), number)| (at, *number))
        .collect();
    let done = AtomicUsize::new(0);
    let rows = |(at, number): &(usize, u32)| -> Result<Vec<Vec<RecordBatch>>> {
        let rows = |content| rows_of(archive, content, *at, *number);
        let rows = contents.iter().map(rows).collect();
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, new.len());
        rows
    };
    let read: Vec<Vec<Vec<RecordBatch>>> = new.par_iter().map(rows).collect::<Result<_>>()?;
    let mut all = vec![Vec::new(); contents.len()];
    for recording in read {
        for (all, rows) in all.iter_mut().zip(recording) {
            all.extend(rows);
        }
    }
    Ok(all)
}

fn rows_of(
    archive: &Arc<Archive>,
    content: &Content,
    at: usize,
    number: u32,
) -> Result<Vec<RecordBatch>> {
    if !archive
        .files()
        .get(at)
        .is_some_and(|file| content.reads(file))
    {
        return Ok(Vec::new());
    }
    let table = content.table();
    let columns: Vec<usize> = (0..table.schema().fields().len()).collect();
    let scan = Scan::table(&*table.definition().name);
    let schema = schema(content);
    let numbered = |batch: Result<RecordBatch>| {
        let batch = batch?;
        let file: ArrayRef = Arc::new(UInt32Array::from(vec![number; batch.num_rows()]));
        let own = batch.columns().iter().skip(1).cloned();
        let columns = std::iter::once(file).chain(own).collect();
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    };
    let batches = content.read(archive, (at, &scan), None, &columns)?;
    batches.map(numbered).collect()
}

/// Adds a part as it will be written.
fn put(
    name: &str,
    rows: &RecordBatch,
    parts: &mut Vec<Part>,
    all: &mut Vec<Vec<u8>>,
) -> Result<()> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), None)?;
    writer.write(rows)?;
    writer.close()?;
    let blake3 = blake3::hash(&bytes).to_hex().to_string();
    parts.push(Part {
        name: name.to_owned(),
        file: format!("{name}-{}.parquet", blake3.get(..16).unwrap_or_default()),
        blake3,
    });
    all.push(bytes);
    Ok(())
}

/// Writes the parts, then the manifest, and removes what the manifest no longer names.
fn write(folder: &Path, manifest: &mut Manifest, parts: &[Vec<u8>]) -> Result<(), CatalogueError> {
    let io = |path: PathBuf| {
        move |error: gametape::Error| CatalogueError::Io {
            path,
            source: match error {
                gametape::Error::Io { source, .. } => source,
                error => std::io::Error::other(error),
            },
        }
    };
    for (part, bytes) in manifest.parts.iter().zip(parts) {
        let path = folder.join(&part.file);
        gametape::write_file(&path, bytes, Existing::Replace).map_err(io(path.clone()))?;
    }
    let path = folder.join(MANIFEST);
    let text = manifest.text().map_err(|error| CatalogueError::Io {
        path: path.clone(),
        source: error.into(),
    })?;
    gametape::write_file(&path, &text, Existing::Replace).map_err(io(path.clone()))?;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_old = manifest.parts.iter().all(|part| *part.file != *name);
        if is_old
            && Path::new(&name)
                .extension()
                .is_some_and(|end| end == "parquet")
        {
            // The next one removes what stays.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
