//! A part of a scan of recordings, as it travels from the scheduler of a cluster to an executor.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::{Result, internal_datafusion_err};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use gametape::{At, Formats, Scan, Secrets, TableDef};
use gametape_core::table::Late;
use serde::{Deserialize, Serialize};

use crate::archive::search::Place;
use crate::archive::store::{FoundObject, Opener};
use crate::archive::{Archive, File, Reach};
use crate::machines::sent::{SentAt, SentContent, kind_of, shows, written};
use crate::tables::jobs::Job;
use crate::tables::rows::{RowSource, part};

/// A part of a table's rows that a scheduler asks an executor for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    secrets: bool,
    content: SentContent,
    /// The tables of recordings, which name one.
    tables: Vec<TableDef>,
    files: Vec<SentFile>,
    groups: Vec<Vec<SentJob>>,
    in_order: bool,
}

#[derive(Serialize, Deserialize)]
struct SentFile {
    name: String,
    kind: String,
    bytes: u64,
    table: Option<usize>,
    object: Option<FoundObject>,
}

#[derive(Serialize, Deserialize)]
struct SentJob {
    pieces: Vec<SentPiece>,
    work: u64,
    is_small: bool,
}

#[derive(Serialize, Deserialize)]
struct SentPiece {
    file: usize,
    from: Option<SentAt>,
    to: Option<SentAt>,
    late: bool,
    keys: Vec<(String, String)>,
}

impl Task {
    /// The source of its rows, and its parts in groups.
    ///
    /// # Errors
    /// If it names what this machine does not know.
    pub fn source(
        self,
        formats: &Formats,
        opener: &Opener,
    ) -> Result<(Arc<dyn FileSource>, Vec<FileGroup>)> {
        let secrets = shows(self.secrets);
        let tables: Vec<Arc<[TableDef]>> = self
            .tables
            .into_iter()
            .map(|table| Arc::from([table]))
            .collect();
        let file = |file: SentFile| file.found(&tables, formats, opener);
        let files = self.files.into_iter().map(file).collect::<Result<_>>()?;
        let content = Arc::new(self.content.content(formats, secrets)?);
        let archive = Arc::new(Archive::with(
            formats.clone(),
            files,
            secrets,
            BTreeMap::new(),
            Reach::Any(opener.clone()),
        ));
        let schema = content.table().schema();
        let table = &*content.table().definition().name;
        let group = |jobs: Vec<SentJob>| {
            let parts = jobs
                .into_iter()
                .map(|job| part(&archive, schema, job.job(table), self.in_order));
            parts.collect::<Option<Vec<_>>>().map(FileGroup::new)
        };
        let groups: Option<Vec<FileGroup>> = self.groups.into_iter().map(group).collect();
        let lost = || internal_datafusion_err!("a task without its recordings");
        let source = RowSource::new(&archive, &content);
        Ok((Arc::new(source), groups.ok_or_else(lost)?))
    }
}

impl SentFile {
    fn found(self, tables: &[Arc<[TableDef]>], formats: &Formats, opener: &Opener) -> Result<File> {
        let tables = self.table.and_then(|at| tables.get(at).cloned());
        let place = match &self.object {
            None => Place::Path(PathBuf::from(&self.name)),
            Some(found) => Place::Object(opener.object(&self.name, found)?),
        };
        let kind = kind_of(formats, &self.kind)?;
        let tables = tables.unwrap_or_default();
        Ok(File::found(&self.name, kind, self.bytes, tables, place))
    }
}

impl SentJob {
    fn job(self, table: &str) -> Job {
        let piece = |piece: SentPiece| {
            let scan = Scan {
                from: piece.from.map(At::from),
                to: piece.to.map(At::from),
                late: if piece.late { Late::Skip } else { Late::End },
                keys: piece.keys,
                ..Scan::table(table)
            };
            (piece.file, scan)
        };
        Job {
            pieces: self.pieces.into_iter().map(piece).collect(),
            opened: None,
            work: self.work,
            is_small: self.is_small,
        }
    }
}

/// The bytes of a scan of recordings, and the scan without its files; `None` if the plan is none.
///
/// # Errors
/// If a part of it is none of recordings.
pub fn task(plan: &dyn ExecutionPlan) -> Option<Result<(Vec<u8>, FileScanConfig)>> {
    let scan = plan.downcast_ref::<DataSourceExec>()?.data_source();
    let scan: &FileScanConfig = scan.downcast_ref()?;
    let source: &RowSource = scan.file_source().downcast_ref()?;
    Some(task_of(scan, source))
}

fn task_of(scan: &FileScanConfig, source: &RowSource) -> Result<(Vec<u8>, FileScanConfig)> {
    let (archive, content) = (source.archive(), source.content());
    let name = &*content.table().definition().name;
    let mut tables: Vec<&TableDef> = Vec::new();
    let mut files: Vec<SentFile> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut in_order = false;
    let mut piece = |(at, scan): &(usize, Scan)| -> Result<SentPiece> {
        let lost = || internal_datafusion_err!("a part of a scan without its recording");
        let file = archive.files().get(*at).ok_or_else(lost)?;
        let place = *places.entry(*at).or_insert_with(|| {
            let table = file.table(name).map(|table| {
                let known = tables.iter().position(|known| *known == table);
                known.unwrap_or_else(|| {
                    tables.push(table);
                    tables.len() - 1
                })
            });
            files.push(SentFile {
                name: file.name().to_string(),
                kind: file.kind().to_owned(),
                bytes: file.bytes(),
                table,
                object: match file.place() {
                    Place::Object(object) => Some(object.found()),
                    Place::Path(_) => None,
                },
            });
            files.len() - 1
        });
        Ok(SentPiece {
            file: place,
            from: scan.from.map(SentAt::from),
            to: scan.to.map(SentAt::from),
            late: scan.late == Late::Skip,
            keys: scan.keys.clone(),
        })
    };
    let mut groups = Vec::new();
    for group in &scan.file_groups {
        let mut jobs = Vec::new();
        for part in group.iter() {
            let lost = || internal_datafusion_err!("a file without its recording");
            let job = part.extensions.get_arc::<Job>().ok_or_else(lost)?;
            in_order |= part.statistics.is_some();
            jobs.push(SentJob {
                pieces: job.pieces.iter().map(&mut piece).collect::<Result<_>>()?,
                work: job.work,
                is_small: job.is_small,
            });
        }
        groups.push(jobs);
    }
    let task = Task {
        secrets: archive.secrets() == Secrets::Show,
        content: content.into(),
        tables: tables.into_iter().cloned().collect(),
        files,
        groups,
        in_order,
    };
    let mut rest = scan.clone();
    rest.file_groups = Vec::new();
    Ok((written(&task)?, rest))
}
