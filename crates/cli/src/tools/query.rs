//! `gametape query`: the program `gametape-query`, which is apart because it is large.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use gametape::Formats;
use gametape::core::Spell as _;

use crate::Exit;
use crate::ui::Ui;

tool!(
    /// `gametape query`.
    Query
);

/// Query recordings with SQL
///
/// Runs the program gametape-query. `gametape query --help` shows its own help.
#[derive(Parser, Debug)]
#[command(name = "query", disable_help_flag = true)]
struct Args {
    /// The query, and recordings
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARG"
    )]
    args: Vec<OsString>,
}

/// The program, its first argument, and how to get it.
type Program = (&'static str, Option<&'static str>, &'static str);

const ALONE: Program = (
    "gametape-query",
    None,
    "SQL needs the program gametape-query, which is not here: cargo install --path crates/query (it builds for some ten minutes)",
);
const CLUSTER: Program = (
    "gametape-cluster",
    Some("query"),
    "--cluster needs the program gametape-cluster, which is not here: cargo install --path crates/cluster (it builds for some fifteen minutes)",
);

fn run(args: &Args, _: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let is_cluster = |arg: &OsString| {
        let text = arg.to_str().unwrap_or_default();
        text == "--cluster" || text.starts_with("--cluster=")
    };
    let on_cluster = args.args.iter().any(is_cluster);
    let (name, first, missing) = if on_cluster { CLUSTER } else { ALONE };
    // Beside this program first, where both were installed together.
    let beside = std::env::current_exe().ok();
    let beside =
        beside.map(|path| path.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
    let program = beside.filter(|path| path.is_file());
    let program = program.unwrap_or_else(|| PathBuf::from(name));
    match replace(Command::new(&program).args(first).args(&args.args)) {
        Ok(code) => std::process::exit(code),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ui.refuse(missing)),
        Err(error) => Ok(ui.refuse(&format!("{}: {error}", program.spelled()))),
    }
}

/// Runs a program in the place of this one, so that signals reach it alone.
#[cfg(unix)]
fn replace(command: &mut Command) -> io::Result<i32> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs a program to its end.
#[cfg(not(unix))]
fn replace(command: &mut Command) -> io::Result<i32> {
    Ok(command.status()?.code().unwrap_or(2))
}
