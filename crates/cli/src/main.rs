//! The `gametape` command.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod exit;
mod ui;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use exit::Exit;
use ui::Ui;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut ui = Ui::new(cli.json);
    let done = run(cli.command, &mut ui).and_then(|exit| ui.flush().map(|()| exit));
    match done {
        Ok(exit) => exit.into(),
        // Whoever reads us has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine.into(),
        Err(error) => {
            ui.complain(&format!("can't write the output: {error}"));
            Exit::Unusable.into()
        }
    }
}

fn run(command: Command, ui: &mut Ui) -> io::Result<Exit> {
    if let Command::Convert(_) | Command::Repair(_) | Command::Minimise(_) | Command::Index(_) =
        &command
    {
        // Ctrl-C, SIGTERM and SIGHUP leave no temporary file behind. Where they can't be heard,
        // the system does what it does.
        let _ = ctrlc::set_handler(|| {
            gametape::remove_unfinished();
            std::process::exit(130);
        });
    }
    match command {
        Command::Inspect(args) => commands::inspect::run(&args, ui),
        Command::Verify(args) => commands::verify::run(&args, ui),
        Command::Stats(args) => commands::stats::run(&args, ui),
        Command::Dump(args) => commands::dump::run(&args, ui),
        Command::Diff(args) => commands::diff::run(&args, ui),
        Command::Record(args) => commands::record::run(&args, ui),
        Command::Schema(args) => commands::schema::run(&args, ui),
        Command::Minimise(args) => commands::minimise::run(&args, ui),
        Command::SyncTest(args) => commands::sync_test::run(&args, ui),
        Command::Index(args) => commands::index::run(&args, ui),
        Command::Convert(args) => commands::convert::run(&args, ui),
        Command::Repair(args) => commands::repair::run(&args, ui),
        Command::Demo(args) => commands::demo::run(&args, ui),
        Command::Completions(args) => Ok(commands::generate::completions(&args, ui)),
        Command::Man(args) => Ok(commands::generate::man(&args, ui)),
    }
}
