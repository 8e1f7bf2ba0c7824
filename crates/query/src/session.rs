//! The tables and functions of a query.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::{
    MemorySchemaProvider, SchemaProvider, TableFunctionArgs, TableFunctionImpl, TableProvider,
};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{Expr, ScalarUDF};
use datafusion::prelude::{SessionConfig, SessionContext};
use gametape::{At, Lane, Policy, Time, When};
use gametape_tables::ArrowTable;

use crate::archive::Archive;
use crate::clocks;
use crate::content::{About, Content, is_fact};
use crate::functions;
use crate::rows::Rows;
use crate::state::Moments;
use crate::store::with_stores;

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
/// `markers` and `verdicts` are about recordings of all kinds. A table of facts with one row for each
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
        let rows = Rows::new(archive, about.content());
        public.register_table(name.to_owned(), Arc::new(rows))?;
    }
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
    functions::all()
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

/// `state_at('players', 83400)`: the rows that hold at a moment, in milliseconds, of each recording. A text
/// is a moment that is written otherwise (`'tick:137'`, `'end'`), one every so often (`'every 1 s'`), or a
/// table, for the moment of each of its rows (`'goals'`).
#[derive(Debug)]
struct StateAt {
    archive: Arc<Archive>,
    tables: Vec<(String, ArrowTable)>,
}

impl TableFunctionImpl for StateAt {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(table, _), Expr::Literal(at, _)] = args.exprs() else {
            return plan_err!(
                "state_at takes the name of a table, and moments: state_at('players', 83400) in milliseconds, state_at('heat', 'tick:137'), state_at('players', 'every 1 s'), state_at('players', 'goals')"
            );
        };
        let name = table.try_as_str().flatten().unwrap_or_default();
        let is_named = |(kind, table): &&(String, ArrowTable)| {
            let own = &table.definition().name;
            name == *own || name == format!("{kind}.{own}")
        };
        let mut found = self.tables.iter().filter(is_named);
        let (kind, table) = match (found.next(), found.next()) {
            (Some(found), None) => found,
            (None, _) => {
                let known = self.tables.iter();
                let known: Vec<_> = known.map(|(_, table)| &*table.definition().name).collect();
                return plan_err!(
                    "there is no table {name:?} of states or cells: {}",
                    known.join(", ")
                );
            }
            (Some((first, _)), Some((second, _))) => {
                return plan_err!(
                    "both {first} and {second} have a table {name}: write {first}.{name}"
                );
            }
        };
        let moments = self.moments(kind, at)?;
        Ok(Arc::new(Rows::new(
            &self.archive,
            Content::State {
                kind: kind.clone(),
                table: table.clone(),
                moments,
            },
        )))
    }
}

impl StateAt {
    fn moments(&self, kind: &str, value: &ScalarValue) -> Result<Moments> {
        let Some(text) = value.try_as_str().flatten() else {
            return match value.cast_to(&DataType::Float64) {
                Ok(ScalarValue::Float64(Some(ms))) if ms.is_finite() => Ok(Moments::One(
                    At::Time(Time::from_ms(ms.floor() as i64)).into(),
                )),
                _ => plan_err!(
                    "{value} is no moment: give milliseconds, or a text such as 'tick:137'"
                ),
            };
        };
        let tables = self.archive.tables(kind).into_iter().flatten();
        let tables: Vec<ArrowTable> = tables
            .filter(|table| table.definition().lane != Lane::Facts)
            .collect();
        let is_named = |own: &str| {
            text == own
                || text
                    .strip_prefix(kind)
                    .is_some_and(|rest| rest.strip_prefix('.') == Some(own))
        };
        let table = tables
            .iter()
            .find(|table| is_named(&table.definition().name));
        if let Some(table) = table {
            return Ok(Moments::Of(table.definition().name.to_string()));
        }
        if let Some(every) = text.strip_prefix("every ") {
            return match every.trim().parse::<When>() {
                Ok(When::At(At::Time(every))) if every.0 > 0 => Ok(Moments::Every(every)),
                _ => plan_err!("{text:?}: write 'every 1 s' or 'every 200ms'"),
            };
        }
        let names: Vec<&str> = tables
            .iter()
            .map(|table| &*table.definition().name)
            .collect();
        text.parse::<When>().map(Moments::One).map_err(|error| {
            DataFusionError::Plan(format!(
                "{text:?}: {error}; or give a table, for the moments of its rows: {}",
                names.join(", ")
            ))
        })
    }
}
