//! The command `gametape-cluster`.

use std::ffi::OsString;
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
    Scheduler(scheduler::Args),
    /// Read recordings, and answer parts of queries.
    Executor(executor::Args),
    /// Same as `gametape query`, which needs this program for `--cluster`.
    #[command(disable_help_flag = true)]
    Query {
        /// The arguments of `gametape query`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
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
