//! The tables and functions of a query.

use std::sync::Arc;

use datafusion::catalog::{
    MemorySchemaProvider, SchemaProvider, TableFunctionArgs, TableFunctionImpl, TableProvider,
};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::Expr;
use datafusion::prelude::{SessionConfig, SessionContext};
use gametape::{At, Lane, Policy, Time, When};
use gametape_tables::ArrowTable;

use crate::archive::Archive;
use crate::content::{About, Content};
use crate::functions;
use crate::rows::Rows;

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
        runtime = runtime.with_memory_limit(memory, 1.0);
    }
    let context = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
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
            let is_fact = definition.lane == Lane::Facts
                && definition.columns.iter().all(|column| !column.key);
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
    let wrong = |error: gametape::PolicyError| DataFusionError::External(Box::new(error));
    let policy = match &settings.policy {
        Some(policy) => policy.clone(),
        None => Policy::of(archive.formats()).map_err(wrong)?,
    };
    let about = [
        About::Recordings,
        About::Findings,
        About::Markers,
        About::Verdicts(Box::new(policy)),
    ];
    for about in about {
        let content = about.content();
        let name = content.table().definition().name.to_string();
        public.register_table(name, Arc::new(Rows::new(archive, content)))?;
    }
    let state_at = StateAt {
        archive: Arc::clone(archive),
        tables: states,
    };
    context.register_udtf("state_at", Arc::new(state_at));
    for function in functions::all() {
        context.register_udf(function);
    }
    Ok(context)
}

/// The plural of a table's name.
fn plural(name: &str) -> String {
    let sibilant = ["s", "x", "z", "ch", "sh"];
    let is_sibilant = sibilant.iter().any(|end| name.ends_with(end));
    format!("{name}{}", if is_sibilant { "es" } else { "s" })
}

/// `state_at('players', 83400)`: the rows that hold at a moment, in milliseconds, of each recording. A
/// moment that is written otherwise is a text: `state_at('heat', 'tick:137')`, `state_at('players', 'end')`.
#[derive(Debug)]
struct StateAt {
    archive: Arc<Archive>,
    tables: Vec<(String, ArrowTable)>,
}

impl TableFunctionImpl for StateAt {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(table, _), Expr::Literal(at, _)] = args.exprs() else {
            return plan_err!(
                "state_at takes the name of a table and a moment: state_at('players', 83400) in milliseconds, or state_at('heat', 'tick:137')"
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
        let at = moment(at)?;
        Ok(Arc::new(Rows::new(
            &self.archive,
            Content::State {
                kind: kind.clone(),
                table: table.clone(),
                at,
            },
        )))
    }
}

fn moment(value: &ScalarValue) -> Result<When> {
    if let Some(text) = value.try_as_str().flatten() {
        let at = text.parse::<When>();
        return at.map_err(|error| DataFusionError::Plan(error.to_string()));
    }
    match value.cast_to(&datafusion::arrow::datatypes::DataType::Float64) {
        Ok(ScalarValue::Float64(Some(ms))) if ms.is_finite() => {
            Ok(At::Time(Time::from_ms(ms.floor() as i64)).into())
        }
        _ => plan_err!("{value} is no moment: give milliseconds, or a text such as 'tick:137'"),
    }
}
