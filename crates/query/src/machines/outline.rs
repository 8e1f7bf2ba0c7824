//! An archive as a client knows it that cannot see it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::Result;
use gametape::{Formats, Secrets, TableDef};
use serde::{Deserialize, Serialize};

use crate::archive::search::Place;
use crate::archive::{Archive, File, Reach, Source};
use crate::machines::sent::{kind_of, read, shows, written};

/// An archive as a client knows it that cannot see it: the tables of each kind.
#[derive(Clone, Serialize, Deserialize)]
pub struct Outline {
    recordings: usize,
    /// The tables of recordings, those that differ, each with the kind and the name of one.
    tables: Vec<(String, String, Vec<TableDef>)>,
    broken: BTreeMap<String, String>,
}

/// The asked archive of a client that cannot see it.
#[derive(Clone, Debug)]
pub struct Address(Source);

impl Address {
    /// `run` is different for each run of a client.
    #[must_use]
    pub fn new(run: &str, paths: &[PathBuf], secrets: Secrets) -> Self {
        Self(Source {
            run: run.to_owned(),
            paths: paths.to_vec(),
            secrets: secrets == Secrets::Show,
        })
    }

    /// The bytes of the address for a scheduler.
    ///
    /// # Errors
    /// None is known.
    pub fn written(&self) -> Result<Vec<u8>> {
        written(&self.0)
    }

    /// The archive as its outline has it. Its tables can be asked for, and no recording can be opened.
    ///
    /// # Errors
    /// If it has recordings of a format that this program does not know.
    pub fn archive(self, outline: Outline, formats: Formats) -> Result<Archive> {
        let file = |(kind, name, tables): (String, String, Vec<TableDef>)| {
            let kind = kind_of(&formats, &kind)?;
            let place = Place::Path(PathBuf::new());
            Ok(File::found(&name, kind, 0, tables.into(), place))
        };
        let files = outline.tables.into_iter().map(file);
        let files = files.collect::<Result<_>>()?;
        let secrets = shows(self.0.secrets);
        let reach = Reach::Elsewhere {
            source: self.0,
            recordings: outline.recordings,
            unopened: outline.broken.len(),
        };
        Ok(Archive::with(
            formats,
            files,
            secrets,
            outline.broken,
            reach,
        ))
    }
}

impl Outline {
    pub(crate) fn of(archive: &Archive) -> Self {
        let mut tables: Vec<&File> = Vec::new();
        for file in archive.files() {
            let is_new = |known: &&File| {
                known.kind() == file.kind() && Arc::ptr_eq(known.tables(), file.tables())
            };
            if !tables.iter().any(is_new) {
                tables.push(file);
            }
        }
        let table = |file: &File| {
            let (kind, name) = (file.kind().to_owned(), file.name().to_string());
            (kind, name, file.tables().to_vec())
        };
        Self {
            recordings: archive.count(),
            tables: tables.into_iter().map(table).collect(),
            broken: archive.broken(),
        }
    }

    /// # Errors
    /// None is known.
    pub fn written(&self) -> Result<Vec<u8>> {
        written(self)
    }

    /// # Errors
    /// If the scheduler is of another version.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        read(bytes, "the scheduler")
    }
}
