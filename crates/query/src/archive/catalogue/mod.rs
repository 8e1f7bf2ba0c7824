//! A catalogue beside an archive: what is known of each recording without opening it.
//!
//! It lies in the folder `.gametape-catalogue` of the archive: `catalogue.json`, which names the other
//! files with their hashes, and a Parquet file for the list of the files and for each table that has few
//! rows for a recording. A new state is written beside the old one, and `catalogue.json` is renamed last.
//! So a reader has the one or the other, never a part of both.

mod entry;
pub(crate) mod rows;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef, UInt32Type};
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use gametape::core::Spell as _;
use gametape::{Formats, TableDef};
use serde::{Deserialize, Serialize};

pub(crate) use entry::{Entry, Was};

/// The folder of a catalogue.
pub(crate) const FOLDER: &str = ".gametape-catalogue";
pub(crate) const MANIFEST: &str = "catalogue.json";
/// The version of the catalogue's form.
pub(crate) const VERSION: u32 = 2;
/// The name of the part that lists the files.
pub(crate) const FILES: &str = "files";

/// Why a catalogue is of no use.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// It cannot be read or written.
    #[error("{}: {source}", path.spelled())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It was made by a later version of gametape.
    #[error(
        "the catalogue {} has form {version}, and this gametape knows form {VERSION}: use a newer gametape, or delete the folder and index again",
        path.spelled()
    )]
    Newer {
        /// The folder.
        path: PathBuf,
        /// The version of its form.
        version: u32,
    },
    /// It is damaged.
    #[error(
        "the catalogue {} is damaged ({reason}): delete the folder and index again",
        path.spelled()
    )]
    Damaged {
        /// The folder.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// The rows of a recording cannot be made.
    #[error("{0}")]
    Rows(#[from] datafusion::error::DataFusionError),
}

/// The part of a manifest that every form has.
#[derive(Deserialize)]
struct CatalogueForm {
    catalogue: u32,
}

/// The content of `catalogue.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the form.
    pub catalogue: u32,
    /// The programs and formats whose tables it has. Another program may give other rows.
    pub made_by: String,
    pub parts: Vec<Part>,
    /// The tables of recordings. A recording names one of these lists.
    pub tables: Vec<Vec<TableDef>>,
    /// The hash of all this: most of it is texts, in which another letter would be none the worse.
    pub blake3: String,
}

impl Manifest {
    /// Returns its text, with its hash.
    pub fn text(&mut self) -> Result<Vec<u8>, serde_json::Error> {
        self.blake3.clear();
        let hash = blake3::hash(&serde_json::to_vec(self)?);
        self.blake3 = hash.to_hex().to_string();
        serde_json::to_vec(self)
    }
}

/// A file of a catalogue.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Part {
    /// `files`, or the name of a table.
    pub name: String,
    pub file: String,
    pub blake3: String,
}

/// The program and the formats that it knows.
pub(crate) fn made_by(formats: &Formats) -> String {
    let names: Vec<&str> = formats.iter().map(|format| format.info().name).collect();
    format!(
        "gametape {} with {}",
        env!("CARGO_PKG_VERSION"),
        names.join(", ")
    )
}

/// A catalogue.
pub(crate) struct Catalogue {
    /// The folder of the archive.
    root: PathBuf,
    parts: Vec<Part>,
    tables: Vec<Arc<[TableDef]>>,
    kinds: HashMap<String, &'static str>,
    files: RecordBatch,
    /// By path, below the folder.
    numbers: HashMap<String, u32>,
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue")
            .field("root", &self.root)
            .field("files", &self.files.num_rows())
            .finish_non_exhaustive()
    }
}

impl Catalogue {
    /// Opens the catalogue of a folder; `None` if it has none, one that another version of the program made, or a
    /// damaged one: it is only a cache, and the recordings are there.
    pub fn open(root: &Path, formats: &Formats) -> Result<Option<Self>, CatalogueError> {
        // Files and patterns have none.
        if !root.is_dir() {
            return Ok(None);
        }
        // A writer may have replaced it between the manifest and its parts.
        let opened = Self::open_once(root, formats).or_else(|_| Self::open_once(root, formats));
        match opened {
            Err(CatalogueError::Damaged { .. }) => Ok(None),
            opened => opened,
        }
    }

    fn open_once(root: &Path, formats: &Formats) -> Result<Option<Self>, CatalogueError> {
        let folder = root.join(FOLDER);
        let damaged = |reason: String| CatalogueError::Damaged {
            path: folder.clone(),
            reason,
        };
        let path = folder.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CatalogueError::Io { path, source }),
        };
        let form: CatalogueForm = serde_json::from_slice(&text)
            .map_err(|error| damaged(format!("{MANIFEST}: {error}")))?;
        if form.catalogue > VERSION {
            return Err(CatalogueError::Newer {
                path: folder,
                version: form.catalogue,
            });
        }
        if form.catalogue < VERSION {
            return Ok(None);
        }
        let mut manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| damaged(format!("{MANIFEST}: {error}")))?;
        if manifest.text().ok().as_ref() != Some(&text) {
            return Err(damaged(format!("{MANIFEST} was changed")));
        }
        if manifest.made_by != made_by(formats) {
            return Ok(None);
        }
        let part = |name: &str| manifest.parts.iter().find(|part| part.name == name);
        let files = part(FILES).ok_or_else(|| damaged(format!("it has no part {FILES}")))?;
        let files = read(&folder, files, None)?.ok_or_else(|| damaged(lacks(files)))?;
        let files = datafusion::arrow::compute::concat_batches(&rows::files_schema(), &files)
            .map_err(|error| damaged(error.to_string()))?;
        let paths = files
            .column_by_name("path")
            .and_then(|paths| paths.as_string_opt::<i32>())
            .ok_or_else(|| damaged("the list of files has no paths".to_owned()))?;
        let numbers = paths.iter().flatten().zip(0..);
        let numbers = numbers
            .map(|(path, number)| (path.to_owned(), number))
            .collect();
        let kinds = formats.iter().map(|format| format.info().kind);
        Ok(Some(Self {
            root: root.to_owned(),
            parts: manifest.parts,
            tables: manifest.tables.into_iter().map(Into::into).collect(),
            kinds: kinds.map(|kind| (kind.to_owned(), kind)).collect(),
            files,
            numbers,
        }))
    }

    /// Returns what is known of a file, and its number; `None` if it is not in the catalogue, or changed
    /// since.
    pub fn entry(&self, below: &Path, was: Was) -> Option<(u32, Entry)> {
        let number = *self.numbers.get(&*below.spelled())?;
        let is_same = self.was(number)? == was;
        Some((number, is_same.then(|| self.entry_at(number))??))
    }

    /// Returns what is known of a file with these bytes, and its number; `None` if it is not in the
    /// catalogue, or has other bytes there.
    pub fn same(&self, below: &Path, hash: &str) -> Option<(u32, Entry)> {
        let number = *self.numbers.get(&*below.spelled())?;
        let is_same = self.hash(number)? == hash;
        Some((number, is_same.then(|| self.entry_at(number))??))
    }

    fn was(&self, number: u32) -> Option<Was> {
        let at = number as usize;
        let number = |name| {
            let column = self
                .files
                .column_by_name(name)?
                .as_primitive_opt::<Int64Type>()?;
            Some(column.value(at))
        };
        Some(Was {
            bytes: u64::try_from(number("bytes")?).ok()?,
            modified: number("modified_ns")?,
            changed: number("changed_ns")?,
        })
    }

    fn entry_at(&self, number: u32) -> Option<Entry> {
        let at = number as usize;
        let text = |name| {
            let column = self.files.column_by_name(name)?.as_string_opt::<i32>()?;
            column.is_valid(at).then(|| column.value(at))
        };
        let problem = text("problem").map(str::to_owned);
        let Some(kind) = text("kind") else {
            return Some(problem.map_or(Entry::Other, Entry::Broken));
        };
        let tables = self
            .files
            .column_by_name("tables")?
            .as_primitive_opt::<UInt32Type>()?;
        let work = self
            .files
            .column_by_name("work_ns")?
            .as_list_opt::<i32>()?
            .value(at);
        let work = work.as_primitive_opt::<Int64Type>()?;
        Some(Entry::Recording {
            kind: self.kinds.get(kind)?,
            tables: Arc::clone(self.tables.get(tables.value(at) as usize)?),
            work: work
                .values()
                .iter()
                .map(|work| u64::try_from(*work).unwrap_or(0))
                .collect(),
            bytes: self.was(number)?.bytes,
            problem,
        })
    }

    /// Returns the hash of a file.
    pub fn hash(&self, number: u32) -> Option<&str> {
        let at = number as usize;
        let hashes = self
            .files
            .column_by_name("blake3")?
            .as_string_opt::<i32>()?;
        hashes.is_valid(at).then(|| hashes.value(at))
    }

    /// Returns the number of files in the catalogue.
    pub fn files(&self) -> usize {
        self.files.num_rows()
    }

    /// Returns whether all parts are there, as they were written.
    pub fn is_sound(&self) -> bool {
        let folder = self.root.join(FOLDER);
        let mut parts = self.parts.iter();
        parts.all(|part| matches!(read(&folder, part, Some(&[])), Ok(Some(_))))
    }

    /// Returns whether the catalogue has the rows of a table.
    pub fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|own| own.name == part)
    }

    /// Reads the rows of a table for recordings that have a name here, by their numbers. They have the
    /// columns of this schema. `None` if a writer replaced the catalogue meanwhile, or if it is damaged.
    pub fn named_rows(
        &self,
        part: &str,
        names: &[Option<&str>],
        schema: &SchemaRef,
    ) -> Result<Option<Vec<RecordBatch>>, CatalogueError> {
        let columns = schema.fields().iter().map(|field| field.name().as_str());
        let columns: Vec<&str> = columns.chain([rows::FILE]).collect();
        let names: StringArray = names.iter().copied().collect();
        let Some(part) = self.parts.iter().find(|own| own.name == part) else {
            return Ok(None);
        };
        let batches = match read(&self.root.join(FOLDER), part, Some(&columns)) {
            Ok(Some(batches)) => batches,
            Ok(None) | Err(CatalogueError::Damaged { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let named = batches
            .iter()
            .map(|batch| rows::named(batch, &names, schema));
        Ok(Some(named.collect::<Result<_, _>>()?))
    }

    /// Reads the rows of a part, if there is one: the column `file` has the number of the recording.
    pub fn rows(&self, part: &str) -> Result<Vec<RecordBatch>, CatalogueError> {
        let Some(part) = self.parts.iter().find(|own| own.name == part) else {
            return Ok(Vec::new());
        };
        let path = self.root.join(FOLDER);
        read(&path, part, None)?.ok_or_else(|| CatalogueError::Damaged {
            path,
            reason: lacks(part),
        })
    }
}

fn lacks(part: &Part) -> String {
    format!("{} is gone", part.file)
}

/// Reads a part, and refuses one that is not what the manifest says; `None` if its file is gone. Only these
/// columns, if they are given.
fn read(
    folder: &Path,
    part: &Part,
    columns: Option<&[&str]>,
) -> Result<Option<Vec<RecordBatch>>, CatalogueError> {
    let damaged = |reason: String| CatalogueError::Damaged {
        path: folder.to_owned(),
        reason: format!("{}: {reason}", part.file),
    };
    let path = folder.join(&part.file);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(CatalogueError::Io { path, source }),
    };
    if blake3::hash(&bytes).to_hex().as_str() != part.blake3 {
        return Err(damaged("it was changed".to_owned()));
    }
    let read = || -> Result<Vec<RecordBatch>, Box<dyn std::error::Error>> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))?;
        let mask = columns.map_or_else(ProjectionMask::all, |columns| {
            ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied())
        });
        let reader = builder
            .with_projection(mask)
            .with_batch_size(8_192)
            .build()?;
        Ok(reader.collect::<Result<_, _>>()?)
    };
    let rows = read().map_err(|error| damaged(error.to_string()))?;
    Ok(Some(rows))
}
