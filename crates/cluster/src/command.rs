//! The command `gametape-cluster`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use gametape::Formats;
use gametape_query::cluster::{Machine, run_with};

use crate::{client, executor, scheduler};

const EXAMPLES: &str = "\
gametape-cluster scheduler --bind 0.0.0.0:50050
gametape-cluster executor --scheduler SCHEDULER:50050 --bind 0.0.0.0:50051 --host EXECUTOR
gametape query --cluster SCHEDULER:50050 \"SELECT count(*) FROM games\" /shared/games";

/// SQL over recordings on many machines
#[derive(Parser, Debug)]
#[command(name = "gametape-cluster", version, before_help = EXAMPLES)]
enum Command {
    /// Plan queries, and give their parts to executors.
    Scheduler(Scheduler),
    /// Read recordings, and answer parts of queries.
    Executor(Executor),
    /// Same as `gametape query`, which needs this program for `--cluster`.
    #[command(disable_help_flag = true)]
    Query {
        /// The arguments of `gametape query`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

#[derive(clap::Args, Debug)]
pub struct Scheduler {
    /// The address to listen at, for clients and executors.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub bind: std::net::SocketAddr,
    /// After how many seconds without a sign of life an executor counts as lost.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub lost_after: u64,
}

#[derive(clap::Args, Debug)]
pub struct Executor {
    /// The scheduler.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: String,
    /// The address to listen at, for the rows that others fetch.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50051")]
    pub bind: std::net::SocketAddr,
    /// The name under which the others reach this machine; the address that it listens at by default.
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// How many cores work; all by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How much memory sorts, joins and groups may take before they use the disk: `512MB`, `4GB`; seven tenths
    /// of the machine's by default.
    #[arg(long, value_name = "SIZE", value_parser = gametape_query::cluster::size)]
    pub memory: Option<usize>,
    /// A folder for rows on their way to others; a temporary one by default.
    #[arg(long, value_name = "FOLDER")]
    pub work_dir: Option<PathBuf>,
}

/// Runs `gametape-cluster` with these formats. Exits with 2 if it cannot start.
#[must_use]
pub fn run(formats: Formats) -> ExitCode {
    let command = Command::parse();
    let query = match command {
        Command::Query { args } => return run_with(formats, args, client::connect),
        Command::Scheduler(_) | Command::Executor(_) => command,
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return refused(&error.to_string()),
    };
    let machine = Arc::new(Machine::new(formats));
    let ended = match query {
        Command::Scheduler(args) => runtime.block_on(scheduler::run(&args, &machine)),
        Command::Executor(args) => runtime.block_on(executor::run(&args, &machine)),
        Command::Query { .. } => Ok(()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => refused(&message),
    }
}

fn refused(message: &str) -> ExitCode {
    eprintln!("gametape-cluster: {message}");
    ExitCode::from(2)
}
