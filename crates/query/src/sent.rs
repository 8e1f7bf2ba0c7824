//! The parts of a query, as they travel between the machines of a cluster.
//!
//! A client knows an archive by its [`Outline`], which the scheduler gives it. It sends each table that a
//! query reads as an *ask*: the paths of the archive, and the table. The scheduler opens the archive, plans,
//! and sends executors *tasks*: the recordings to read, with all that is needed to open them. Each begins
//! with the version of its sender; another version refuses it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err, plan_datafusion_err};
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_plan::ExecutionPlan;
use gametape::{At, Formats, Policy, Scan, Secrets, TableDef, Time, When};
use gametape_core::table::Late;
use gametape_tables::ArrowTable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::archive::{Archive, File, Place, Reach, Source};
use crate::content::{About, Content};
use crate::jobs::Job;
use crate::rows::{RowSource, Rows, part};
use crate::session::all_functions;
use crate::state::Moments;
use crate::store::{FoundObject, Opener};

/// A message with the version of its sender.
#[derive(Serialize, Deserialize)]
struct Letter<T> {
    gametape: String,
    message: T,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn written(message: impl Serialize) -> Result<Vec<u8>> {
    let letter = Letter {
        gametape: VERSION.to_owned(),
        message,
    };
    serde_json::to_vec(&letter).map_err(|error| DataFusionError::External(Box::new(error)))
}

fn read<T: DeserializeOwned>(bytes: &[u8], sender: &str) -> Result<T> {
    #[derive(Deserialize)]
    struct Head {
        gametape: String,
    }
    let wrong = |error| internal_datafusion_err!("a message of {sender} cannot be read: {error}");
    let Head { gametape: version } = serde_json::from_slice(bytes).map_err(wrong)?;
    if version != VERSION {
        return Err(plan_datafusion_err!(
            "{sender} is gametape {version}, and this machine of the cluster is gametape {VERSION}: all machines need the same version"
        ));
    }
    let letter: Letter<T> = serde_json::from_slice(bytes).map_err(wrong)?;
    Ok(letter.message)
}

const fn shows(secrets: bool) -> Secrets {
    if secrets {
        Secrets::Show
    } else {
        Secrets::Hide
    }
}

/// A moment.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum SentAt {
    Time(i64),
    Tick(u64),
    Step(u64),
}

impl From<At> for SentAt {
    fn from(at: At) -> Self {
        match at {
            At::Time(time) => Self::Time(time.0),
            At::Tick(tick) => Self::Tick(tick),
            At::Step(step) => Self::Step(step),
        }
    }
}

impl From<SentAt> for At {
    fn from(at: SentAt) -> Self {
        match at {
            SentAt::Time(time) => Self::Time(Time(time)),
            SentAt::Tick(tick) => Self::Tick(tick),
            SentAt::Step(step) => Self::Step(step),
        }
    }
}

/// The moments of `state_at`.
#[derive(Serialize, Deserialize)]
enum SentMoments {
    At(SentAt),
    Named { step: String, number: u64 },
    End,
    BeforeEnd(i64),
    Every(i64),
    Of(String),
}

impl From<&Moments> for SentMoments {
    fn from(moments: &Moments) -> Self {
        match moments {
            Moments::One(When::At(at)) => Self::At((*at).into()),
            Moments::One(When::Named { step, number }) => Self::Named {
                step: step.clone(),
                number: *number,
            },
            Moments::One(When::End) => Self::End,
            Moments::One(When::BeforeEnd(time)) => Self::BeforeEnd(time.0),
            Moments::Every(time) => Self::Every(time.0),
            Moments::Of(table) => Self::Of(table.clone()),
        }
    }
}

impl From<SentMoments> for Moments {
    fn from(moments: SentMoments) -> Self {
        match moments {
            SentMoments::At(at) => Self::One(When::At(at.into())),
            SentMoments::Named { step, number } => Self::One(When::Named { step, number }),
            SentMoments::End => Self::One(When::End),
            SentMoments::BeforeEnd(time) => Self::One(When::BeforeEnd(Time(time))),
            SentMoments::Every(time) => Self::Every(Time(time)),
            SentMoments::Of(table) => Self::Of(table),
        }
    }
}

/// The source of a table's rows.
#[derive(Serialize, Deserialize)]
enum SentContent {
    Table {
        kind: String,
        table: TableDef,
    },
    State {
        kind: String,
        table: TableDef,
        moments: SentMoments,
    },
    About {
        table: String,
        /// The text of the policy, if it is not the default one.
        policy: Option<String>,
    },
}

impl From<&Content> for SentContent {
    fn from(content: &Content) -> Self {
        match content {
            Content::Table { kind, table } => Self::Table {
                kind: kind.clone(),
                table: table.definition().clone(),
            },
            Content::State {
                kind,
                table,
                moments,
            } => Self::State {
                kind: kind.clone(),
                table: table.definition().clone(),
                moments: moments.into(),
            },
            Content::About(about, table) => Self::About {
                table: table.definition().name.to_string(),
                policy: match about {
                    About::Verdicts {
                        policy,
                        is_default: false,
                    } => Some(policy.source().to_owned()),
                    _ => None,
                },
            },
        }
    }
}

impl SentContent {
    fn content(self, formats: &Formats, secrets: Secrets) -> Result<Content> {
        Ok(match self {
            Self::Table { kind, table } => Content::Table {
                kind,
                table: ArrowTable::new(&table, secrets),
            },
            Self::State {
                kind,
                table,
                moments,
            } => Content::State {
                kind,
                table: ArrowTable::new(&table, secrets),
                moments: moments.into(),
            },
            Self::About { table, policy } => {
                let policy = policy.map(|text| Policy::parse(&text, formats)).transpose();
                let policy = policy.map_err(|error| DataFusionError::External(Box::new(error)))?;
                About::named(&table, policy, formats)?.content()
            }
        })
    }
}

/// A table that a client asks a scheduler for.
#[derive(Serialize, Deserialize)]
struct Ask {
    source: Source,
    content: SentContent,
}

/// A part of a table's rows that a scheduler asks an executor for.
#[derive(Serialize, Deserialize)]
struct Task {
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

fn kind_of(formats: &Formats, kind: &str) -> Result<&'static str> {
    let mut kinds = formats.iter().map(|format| format.info().kind);
    kinds.find(|own| *own == kind).ok_or_else(|| {
        plan_datafusion_err!(
            "this machine of the cluster does not know recordings of the kind {kind}"
        )
    })
}

impl Outline {
    fn of(archive: &Archive) -> Self {
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

/// How long an archive stays open after it was last asked for.
const KEPT: Duration = Duration::from_mins(10);
/// How many archives stay open.
const MOST: usize = 16;

/// The formats and stores with which a machine of a cluster takes part in queries.
pub struct Machine {
    formats: Formats,
    opener: Opener,
    /// The archives of clients, the one that was asked for last at the end.
    open: Mutex<Vec<(Source, Instant, Arc<Archive>)>>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

impl Machine {
    /// A machine that reads these formats.
    #[must_use]
    pub fn new(formats: Formats) -> Self {
        Self {
            formats,
            opener: Opener::default(),
            open: Mutex::default(),
        }
    }

    /// Returns the functions that SQL does not have by itself.
    #[must_use]
    pub fn functions(&self) -> Vec<ScalarUDF> {
        let reach = Reach::Any(self.opener.clone());
        let archive = Archive::with(
            self.formats.clone(),
            Vec::new(),
            Secrets::Hide,
            BTreeMap::new(),
            reach,
        );
        all_functions(&Arc::new(archive))
    }

    /// Opens the archive of a client, once for each of its runs. May take long.
    fn archive(&self, source: Source) -> Result<Arc<Archive>> {
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut open = open();
            open.retain(|(_, asked, _)| asked.elapsed() < KEPT);
            if let Some(at) = open.iter().position(|(own, ..)| *own == source) {
                let (source, _, archive) = open.remove(at);
                open.push((source, Instant::now(), Arc::clone(&archive)));
                return Ok(archive);
            }
        }
        let archive = Archive::open(self.formats.clone(), &source.paths, shows(source.secrets));
        let archive = archive.map_err(|error| DataFusionError::External(Box::new(error)))?;
        let archive = Arc::new(archive);
        let mut open = open();
        open.push((source, Instant::now(), Arc::clone(&archive)));
        if open.len() > MOST {
            open.remove(0);
        }
        Ok(archive)
    }

    /// The outline of the archive at an [`Address`].
    ///
    /// # Errors
    /// If the client is of another version; if the catalogue of a folder is of no use.
    pub fn outline(&self, address: &[u8]) -> Result<Outline> {
        let source: Source = read(address, "the client")?;
        Ok(Outline::of(&*self.archive(source)?))
    }

    /// The table that a client asks for.
    ///
    /// # Errors
    /// If the client is of another version; if the catalogue of a folder is of no use.
    pub fn table(&self, ask: &[u8]) -> Result<Arc<dyn TableProvider>> {
        let ask: Ask = read(ask, "the client")?;
        let archive = self.archive(ask.source)?;
        let content = ask.content.content(&self.formats, archive.secrets())?;
        Ok(Arc::new(Rows::new(&archive, content)))
    }

    /// The recordings that a task reads, in groups of files.
    ///
    /// # Errors
    /// If the scheduler is of another version.
    pub fn task(&self, task: &[u8]) -> Result<(Arc<dyn FileSource>, Vec<FileGroup>)> {
        let task: Task = read(task, "the scheduler")?;
        let secrets = shows(task.secrets);
        let tables: Vec<Arc<[TableDef]>> = task
            .tables
            .into_iter()
            .map(|table| Arc::from([table]))
            .collect();
        let file = |file: SentFile| -> Result<File> {
            let tables = file.table.and_then(|at| tables.get(at).cloned());
            let place = match &file.object {
                None => Place::Path(PathBuf::from(&file.name)),
                Some(found) => Place::Object(self.opener.object(&file.name, found)?),
            };
            let kind = kind_of(&self.formats, &file.kind)?;
            let tables = tables.unwrap_or_default();
            Ok(File::found(&file.name, kind, file.bytes, tables, place))
        };
        let files = task.files.into_iter().map(file).collect::<Result<_>>()?;
        let content = Arc::new(task.content.content(&self.formats, secrets)?);
        let archive = Arc::new(Archive::with(
            self.formats.clone(),
            files,
            secrets,
            BTreeMap::new(),
            Reach::Any(self.opener.clone()),
        ));
        let table = &*content.table().definition().name;
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
        let schema = content.table().schema();
        let job = |job: SentJob| {
            let job = Job {
                pieces: job.pieces.into_iter().map(piece).collect(),
                opened: None,
                work: job.work,
                is_small: job.is_small,
            };
            part(&archive, schema, job, task.in_order)
        };
        let group = |jobs: Vec<SentJob>| {
            let files = jobs.into_iter().map(job).collect::<Option<Vec<_>>>();
            files.map(FileGroup::new)
        };
        let groups = task
            .groups
            .into_iter()
            .map(group)
            .collect::<Option<Vec<_>>>();
        let lost = || internal_datafusion_err!("a task without its recordings");
        let source = RowSource::new(&archive, &content);
        Ok((Arc::new(source), groups.ok_or_else(lost)?))
    }
}

/// The bytes that ask for a table of an archive elsewhere; `None` if the table is none of an archive.
///
/// # Errors
/// If the archive is here.
pub fn ask(table: &dyn TableProvider) -> Option<Result<Vec<u8>>> {
    let rows = table.downcast_ref::<Rows>()?;
    let ask = match rows.archive().reach() {
        Reach::Elsewhere { source, .. } => Ask {
            source: source.clone(),
            content: rows.content().into(),
        },
        Reach::Found | Reach::Any(_) => {
            return Some(Err(internal_datafusion_err!(
                "an archive without an address"
            )));
        }
    };
    Some(written(&ask))
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gametape::Secrets;

    use super::{Address, Machine, Outline, VERSION};

    #[test]
    fn another_version_is_refused_with_both() {
        let machine = Machine::new(gametape::formats());
        let address = Address::new("run", &[PathBuf::from("/nowhere")], Secrets::Hide);
        let address = address.written().unwrap();
        machine.outline(&address).unwrap();
        let other = String::from_utf8(address).unwrap();
        let other = other.replacen(VERSION, "0.0.7", 1).into_bytes();
        let (outline, table) = (machine.outline(&other), machine.table(&other));
        let task = machine.task(&other).map(|_| ());
        for (error, sender) in [
            (outline.map(|_| ()).unwrap_err(), "the client"),
            (table.map(|_| ()).unwrap_err(), "the client"),
            (task.unwrap_err(), "the scheduler"),
            (
                Outline::read(&other).map(|_| ()).unwrap_err(),
                "the scheduler",
            ),
        ] {
            let error = error.to_string();
            assert!(
                error.contains(&format!("{sender} is gametape 0.0.7")),
                "{error}"
            );
            assert!(error.contains(&format!("is gametape {VERSION}")), "{error}");
        }
    }
}
