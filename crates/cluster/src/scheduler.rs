//! The scheduler: it plans queries, and gives their parts to executors.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::utils::{default_config_producer, default_session_builder};
use ballista_scheduler::cluster::memory::InMemoryJobState;
use ballista_scheduler::cluster::{BallistaCluster, ClusterState};
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use gametape_query::cluster::{Machine, runtime, stopped};
use tokio::net::TcpListener;

use crate::codec::{Scans, Tables};
use crate::cores::{Cores, LARGEST};
use crate::slots::Slots;

/// The options of a scheduler.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The address to listen at, for clients and executors.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    bind: SocketAddr,
    /// After how many seconds without a sign of life an executor counts as lost; at least 10.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(10..))]
    lost_after: u64,
}

/// Returns a session of the scheduler: with the functions that SQL does not have by itself.
fn session(machine: &Machine, config: SessionConfig) -> datafusion::common::Result<SessionState> {
    let state = default_session_builder(config)?;
    let id = state.session_id().to_owned();
    let mut state = SessionStateBuilder::new_from_existing(state)
        .with_session_id(id)
        .with_runtime_env(runtime()?)
        .build();
    for function in machine.functions() {
        datafusion::execution::FunctionRegistry::register_udf(&mut state, Arc::new(function))?;
    }
    Ok(state)
}

pub async fn run(args: &Args, machine: &Arc<Machine>) -> Result<(), String> {
    let cores = Cores::default();
    let own = Arc::clone(machine);
    let config = SchedulerConfig {
        bind_host: args.bind.ip().to_string(),
        bind_port: args.bind.port(),
        external_host: args.bind.ip().to_string(),
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        // A client need reach the scheduler alone.
        enable_embedded_flight_proxy: true,
        executor_timeout_seconds: args.lost_after,
        expire_dead_executor_interval_seconds: (args.lost_after / 6).max(1),
        no_executors_grace_period_seconds: args.lost_after,
        grpc_server_max_decoding_message_size: LARGEST,
        grpc_server_max_encoding_message_size: LARGEST,
        grpc_client_max_message_size: LARGEST,
        override_logical_codec: Some(Arc::new(Tables::new(machine, Some(cores.clone())))),
        override_physical_codec: Some(Scans::of_ballista(machine)),
        ..SchedulerConfig::default()
    };
    let slots: Arc<dyn ClusterState> = Arc::new(Slots::default());
    cores.are_of(&slots);
    let jobs = InMemoryJobState::new(
        config.scheduler_id.clone(),
        Arc::new(move |config| session(&own, config)),
        Arc::new(default_config_producer),
    );
    let cluster = BallistaCluster::new(slots, Arc::new(jobs));
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", args.bind);
    let listener = TcpListener::bind(args.bind).await;
    let listener = listener.map_err(|error| failed(&error))?;
    let scheduler =
        create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await;
    let scheduler = scheduler.map_err(|error| failed(&error))?;
    println!("the scheduler listens at {}", args.bind);
    tokio::select! {
        ended = start_grpc_service_with_listener(listener, scheduler) => {
            ended.map_err(|error| failed(&error))
        }
        _ = stopped() => Ok(()),
    }
}
