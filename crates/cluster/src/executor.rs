//! An executor: it reads recordings, and answers parts of queries.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use gametape_query::cluster::{Machine, runtime_in};

use crate::codec::{Scans, Tables};
use crate::cores::LARGEST;

/// The options of an executor.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The scheduler.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// The address to listen at, for the rows that others fetch.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50051")]
    bind: SocketAddr,
    /// The name under which the others reach this machine; by default the address from which it reaches the scheduler.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// How many cores work; all by default.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How much memory sorts, joins and groups may take before they use the disk: `512MB`, `4GB`; seven tenths
    /// of the machine's by default.
    #[arg(long, value_name = "SIZE", value_parser = gametape_query::cluster::size)]
    memory: Option<usize>,
    /// A folder for rows on their way to others; a temporary one by default.
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
}

pub async fn run(args: &Args, machine: &Arc<Machine>) -> Result<(), String> {
    let (host, port) = args
        .scheduler
        .rsplit_once(':')
        .and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)))
        .ok_or_else(|| format!("{}: write HOST:PORT", args.scheduler))?;
    let mut registry = BallistaFunctionRegistry::default();
    for function in machine.functions() {
        let name = function.name().to_owned();
        registry.scalar_functions.insert(name, Arc::new(function));
    }
    let folder = match &args.work_dir {
        Some(folder) => {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
            None
        }
        None => Some(tempfile::tempdir().map_err(|error| error.to_string())?),
    };
    let work_dir = args.work_dir.clone();
    let work_dir = work_dir.or_else(|| Some(folder.as_ref()?.path().to_owned()));
    let work_dir = work_dir.unwrap_or_default();
    let text = work_dir.to_str();
    let text = text.ok_or_else(|| format!("{}: not a text", work_dir.display()))?;
    let spill = work_dir.clone();
    let config = ExecutorProcessConfig {
        bind_host: args.bind.ip().to_string(),
        external_host: args.host.clone(),
        port: args.bind.port(),
        // Tasks come to the next port.
        grpc_port: args.bind.port().saturating_add(1),
        scheduler_host: host,
        scheduler_port: port,
        scheduler_connect_timeout_seconds: 30,
        vcores: args.threads.unwrap_or(0),
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(text.to_owned()),
        // The scheduler has the rows of a query deleted after its end. This is for those it forgot: a part of a long
        // one, such as a conversion, may write nothing for hours.
        job_data_ttl_seconds: 7 * 24 * 3_600,
        job_data_clean_up_interval_seconds: 300,
        grpc_max_decoding_message_size: LARGEST,
        grpc_max_encoding_message_size: LARGEST,
        executor_heartbeat_interval_seconds: 5,
        memory_pool_size: args.memory.map(|bytes| bytes as u64),
        override_function_registry: Some(Arc::new(registry)),
        override_runtime_producer: Some(Arc::new(move |_| runtime_in(&spill))),
        override_logical_codec: Some(Arc::new(Tables::new(machine, None))),
        override_physical_codec: Some(Scans::of_ballista(machine)),
        ..ExecutorProcessConfig::default()
    };
    println!(
        "the executor joins the scheduler {}, and listens at {}",
        args.scheduler, args.bind
    );
    let ended = start_executor_process(Arc::new(config)).await;
    drop(folder);
    ended.map_err(|error| format!("the executor at {}: {error}", args.bind))
}
