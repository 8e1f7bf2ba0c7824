//! The tables and functions of a query.

use std::sync::Arc;

use datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};
use gametape::{Lane, Policy};
use gametape_tables::ArrowTable;

use crate::archive::Archive;
use crate::archive::store::with_stores;
use crate::functions::clocks;
use crate::functions::geometry;
use crate::functions::state_at::StateAt;
use crate::tables::about::About;
use crate::tables::content::{Content, is_fact};
use crate::tables::newest::as_of;
use crate::tables::rows::Rows;

/// How queries run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How many cores work; all by default.
    pub cores: Option<usize>,
    /// The bytes of memory that sorts, joins and groups may take; beyond it they use the disk. No limit
    /// by default.
    pub memory: Option<usize>,
    /// The policy of the table `verdicts`; by default that of each format's community.
    pub policy: Option<Policy>,
}

/// Makes the tables of an archive known to SQL.
///
/// There is a schema for each kind of recording (`rmv.game`, `echo.players`), and if no other kind has a
/// table of this name, it is also known without its schema (`players`). `recordings`, `findings`,
/// `markers`, `verdicts` and `relations` are about recordings of all kinds. A table of facts with one row for each
/// recording is known by its plural, too: `games`, `matches`, `runs`.
///
/// # Errors
/// If a default policy is wrong, or DataFusion refuses a setting.
pub fn session(archive: &Arc<Archive>, settings: &Settings) -> Result<SessionContext> {
    let mut config = SessionConfig::new()
        .with_information_schema(true)
        .with_create_default_catalog_and_schema(true);
    if let Some(cores) = settings.cores {
        config = config.with_target_partitions(cores);
    }
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(memory) = settings.memory {
        // Each sort and group gets its share, so that one leaves the others what they need to use the disk.
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(memory)));
        // Each sort keeps this much aside to merge what it wrote to the disk: by default, more than a small limit has.
        let options = config.options_mut();
        let share = memory / (8 * options.execution.target_partitions.max(1));
        let reserved = &mut options.execution.sort_spill_reservation_bytes;
        *reserved = share.min(*reserved);
    }
    let context = SessionContext::new_with_config_rt(config, with_stores(runtime)?);
    furnish(&context, archive, settings)?;
    Ok(context)
}

/// Makes the tables and functions known to a context.
pub fn furnish(
    context: &SessionContext,
    archive: &Arc<Archive>,
    settings: &Settings,
) -> Result<()> {
    let catalog = context
        .catalog("datafusion")
        .ok_or_else(|| DataFusionError::Internal("no catalog".to_owned()))?;
    let public = catalog
        .schema("public")
        .ok_or_else(|| DataFusionError::Internal("no schema".to_owned()))?;

    let mut states = Vec::new();
    let mut all: Vec<(String, Arc<dyn TableProvider>)> = Vec::new();
    for kind in archive.kinds() {
        let schema = Arc::new(MemorySchemaProvider::new());
        for table in archive.tables(kind) {
            // An error that names the table says why it is not there: see `errors::told`.
            let Ok(table) = table else {
                continue;
            };
            let definition = table.definition();
            let name = definition.name.to_string();
            let is_fact = is_fact(definition);
            if matches!(definition.lane, Lane::State | Lane::Grid) {
                states.push((kind.to_owned(), table.clone()));
            } else if definition.lane == Lane::Events {
                let table = ArrowTable::new(&as_of(definition), archive.secrets());
                states.push((kind.to_owned(), table));
            }
            let rows = Rows::new(
                archive,
                Content::Table {
                    kind: kind.to_owned(),
                    table,
                },
            );
            let rows: Arc<dyn TableProvider> = Arc::new(rows);
            if is_fact {
                let plural = plural(&name);
                schema.register_table(plural.clone(), Arc::clone(&rows))?;
                all.push((plural, Arc::clone(&rows)));
            }
            schema.register_table(name.clone(), Arc::clone(&rows))?;
            all.push((name, rows));
        }
        catalog.register_schema(kind, schema)?;
    }
    for (name, rows) in &all {
        let same = all.iter().filter(|(other, _)| other == name);
        if same.count() == 1 {
            public.register_table(name.clone(), Arc::clone(rows))?;
        }
    }
    for name in ["recordings", "findings", "markers", "verdicts"] {
        let about = About::named(name, settings.policy.clone(), archive.formats())?;
        let rows = Rows::new(archive, about.into());
        public.register_table(name.to_owned(), Arc::new(rows))?;
    }
    let relations = Rows::new(archive, Content::relations());
    public.register_table("relations".to_owned(), Arc::new(relations))?;
    let state_at = StateAt {
        archive: Arc::clone(archive),
        tables: states,
    };
    context.register_udtf("state_at", Arc::new(state_at));
    for function in all_functions(archive) {
        context.register_udf(function);
    }
    Ok(())
}

/// Returns the functions that SQL does not have by itself.
pub(crate) fn all_functions(archive: &Arc<Archive>) -> Vec<ScalarUDF> {
    geometry::all()
        .into_iter()
        .chain(clocks::all(archive))
        .collect()
}

/// The plural of a table's name.
fn plural(name: &str) -> String {
    let sibilant = ["s", "x", "z", "ch", "sh"];
    let is_sibilant = sibilant.iter().any(|end| name.ends_with(end));
    format!("{name}{}", if is_sibilant { "es" } else { "s" })
}
