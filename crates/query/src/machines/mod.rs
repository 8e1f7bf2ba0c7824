//! The machines of a cluster: they find recordings, and read them, for a client.

pub(crate) mod outline;
pub(crate) mod sent;
pub(crate) mod task;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::{FileGroup, FileSource};
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_plan::ExecutionPlan;
use gametape::{Formats, Secrets};

use crate::archive::store::Opener;
use crate::archive::{Archive, Reach, Source};
use crate::machines::outline::Outline;
use crate::machines::sent::{Ask, read, shows};
use crate::machines::task::Task;
use crate::session::all_functions;
use crate::tables::related::Related;
use crate::tables::rows::Rows;

/// How long an archive stays open after it was last asked for.
const KEPT: Duration = Duration::from_mins(10);
/// How many archives stay open.
const MOST: usize = 16;
/// How many recordings they have together, without those of the newest: each takes some kilobytes.
const RECORDINGS: usize = 500_000;

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

/// How many archives to close, the oldest first. The newest is needed.
fn too_many(counts: &[usize]) -> usize {
    let mut recordings = 0;
    let older = counts.iter().rev().skip(1).take(MOST - 1);
    let kept = older.take_while(|count| {
        recordings += **count;
        recordings <= RECORDINGS
    });
    counts.len() - (kept.count() + 1).min(counts.len())
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
        let counts = open.iter().map(|(.., archive)| archive.count());
        let gone = too_many(&counts.collect::<Vec<_>>());
        open.drain(..gone);
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
        task.source(&self.formats, &self.opener)
    }

    /// Compares the traces of recordings.
    #[must_use]
    pub fn related(&self, traces: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Related::with(traces, &self.formats))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gametape::Secrets;

    use super::{Machine, Outline, too_many};
    use crate::machines::outline::Address;
    use crate::machines::sent::VERSION;

    #[test]
    fn old_archives_are_closed_before_they_fill_the_memory() {
        assert_eq!(too_many(&[]), 0);
        assert_eq!(too_many(&[2_000_000]), 0);
        assert_eq!(too_many(&[10; 16]), 0);
        assert_eq!(too_many(&[10; 20]), 4);
        assert_eq!(too_many(&[10, 300_000, 200_000, 5]), 1);
        assert_eq!(too_many(&[10, 10, 500_001, 5]), 3);
        assert_eq!(too_many(&[10, 499_990, 5_000_000]), 0);
    }

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
