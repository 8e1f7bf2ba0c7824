//! The scheduler: it plans queries, and gives their parts to executors.

use std::sync::{Arc, OnceLock};

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::utils::{default_config_producer, default_session_builder};
use ballista_scheduler::cluster::memory::InMemoryJobState;
use ballista_scheduler::cluster::{BallistaCluster, ClusterState};
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use gametape_query::cluster::{Machine, runtime};

use crate::codec::{Scans, Tables};
use crate::command::Scheduler;
use crate::slots::Slots;

/// The largest message between machines: a task names the recordings that it reads.
pub const LARGEST: u32 = 1 << 30;

/// The number of cores of the executors.
#[derive(Clone, Default)]
pub struct Cores(Arc<OnceLock<Arc<dyn ClusterState>>>);

impl std::fmt::Debug for Cores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cores").finish_non_exhaustive()
    }
}

impl Cores {
    pub async fn count(&self) -> u64 {
        let Some(state) = self.0.get() else {
            return 0;
        };
        let executors = state.registered_executor_metadata().await;
        let cores = |executor: &ballista_core::serde::scheduler::ExecutorMetadata| {
            u64::from(executor.specification.vcores)
        };
        executors.iter().map(cores).sum()
    }
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

pub async fn run(args: &Scheduler, machine: &Arc<Machine>) -> Result<(), String> {
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
    // Nobody set it before.
    let _ = cores.0.set(Arc::clone(&slots));
    let jobs = InMemoryJobState::new(
        config.scheduler_id.clone(),
        Arc::new(move |config| session(&own, config)),
        Arc::new(default_config_producer),
    );
    let cluster = BallistaCluster::new(slots, Arc::new(jobs));
    println!("the scheduler listens at {}", args.bind);
    tokio::select! {
        ended = start_server(cluster, args.bind, Arc::new(config)) => {
            ended.map_err(|error| format!("{}: {error}", args.bind))
        }
        () = stopped() => Ok(()),
    }
}

/// Waits for Ctrl-C, or a request to end.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without the signal, only the end of the process is left.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
