//! The client: plans a query, and sends it to the scheduler.

use std::sync::Arc;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::planner::BallistaQueryPlanner;
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::FutureExt;
use futures::future::BoxFuture;
use gametape_query::Settings;
use gametape_query::cluster::{
    Address, Connected, Machine, Outline, Wish, furnish, none_of, runtime,
};

use crate::codec::{Scans, Tables};
use crate::cores::LARGEST;
use crate::followed::Planner;
use crate::outline::OutlineTable;
use crate::words::plain;

/// The number of parts of a query's stage, for each core: so that a core which is done early takes another.
const PARTS: usize = 2;

/// Connects to a cluster.
pub fn connect(wish: Wish) -> BoxFuture<'static, Connected> {
    connected(wish).boxed()
}

async fn connected(wish: Wish) -> Connected {
    let Wish {
        cluster,
        formats,
        paths,
        secrets,
        settings,
    } = wish;
    if settings.memory.is_some() {
        return Err(exec_datafusion_err!(
            "--memory is set on each executor of a cluster: gametape-cluster executor --memory"
        ));
    }
    if cluster.contains('/') {
        return Err(exec_datafusion_err!("--cluster {cluster}: write HOST:PORT"));
    }
    let url = format!("http://{cluster}");
    let machine = Arc::new(Machine::new(formats.clone()));
    let address = Address::new(&uuid::Uuid::new_v4().to_string(), &paths, secrets);
    let asked = context(&url, &machine, 1, None)?;
    let table = OutlineTable::of(address.written()?);
    let rows = asked.read_table(Arc::new(table))?.collect().await;
    let rows = rows.map_err(|error| plain(error, &cluster))?;
    let (outline, cores) = of(&rows)?;
    let archive = Arc::new(address.archive(outline, formats)?);
    if archive.count() == 0 {
        return Err(exec_datafusion_err!("{}", none_of(&archive.broken())));
    }
    let parts = settings.cores.unwrap_or(cores.max(1) * PARTS);
    let context = context(
        &url,
        &machine,
        parts,
        Some(Planner::new(&url, &cluster, &archive)),
    )?;
    let settings = Settings {
        cores: Some(parts),
        ..settings
    };
    furnish(&context, &archive, &settings)?;
    Ok((archive, context))
}

/// Takes the outline and the number of cores out of the answer.
fn of(rows: &[RecordBatch]) -> Result<(Outline, usize)> {
    let row = rows.iter().find(|rows| rows.num_rows() > 0);
    let lost = || exec_datafusion_err!("the scheduler gave no outline of the archive");
    let row = row.ok_or_else(lost)?;
    let outline = row.column(0).as_binary_opt::<i32>().ok_or_else(lost)?;
    let cores = row.column(1).as_primitive_opt::<UInt64Type>();
    let cores = cores.ok_or_else(lost)?.value(0);
    let outline = Outline::read(outline.value(0))?;
    Ok((outline, usize::try_from(cores).unwrap_or(usize::MAX)))
}

fn context(
    url: &str,
    machine: &Arc<Machine>,
    parts: usize,
    planner: Option<Planner>,
) -> Result<SessionContext> {
    let codec: Arc<dyn LogicalExtensionCodec> = Arc::new(Tables::new(machine, None));
    let mut config = SessionConfig::new_with_ballista()
        .with_information_schema(true)
        .with_create_default_catalog_and_schema(true)
        .with_target_partitions(parts)
        // The adaptive planner reads sorted rows of other machines through Arrow Flight, which turns dictionaries
        // into texts, and then finds that they are no dictionaries.
        .with_ballista_adaptive_query_planner(false)
        .with_ballista_logical_extension_codec(Arc::clone(&codec))
        .with_ballista_physical_extension_codec(Scans::of_ballista(machine))
        .with_ballista_grpc_client_max_message_size(LARGEST as usize);
    if let Some(planner) = planner {
        let inner = BallistaQueryPlanner::<LogicalPlanNode>::with_extension(
            url.to_owned(),
            config.ballista_config(),
            Arc::clone(&codec),
        );
        let planner = planner.around(inner, codec);
        config = config.with_ballista_query_planner(Arc::new(planner));
    }
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_runtime_env(runtime()?)
        .build();
    let state = state.upgrade_for_ballista(url.to_owned())?;
    Ok(SessionContext::new_with_state(state))
}
