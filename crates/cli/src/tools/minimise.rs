//! `gametape minimise`.

use std::ffi::OsString;
use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::Formats;
use std::io;
use std::path::{Path, PathBuf};

use gametape::Format;
use gametape::murk::{self, Minimise as Options};
use serde_json::json;

use super::convert::deliver;
use crate::tools::parsed;
use crate::{Exit, Tool};
use crate::ui::{Ui, check_with, counted, open, read_world};

/// `gametape minimise`.
#[derive(Clone, Copy, Debug)]
pub struct Minimise;

impl Tool for Minimise {
    fn command(&self) -> Command {
        Args::command()
    }

    fn writes(&self) -> bool {
        true
    }

    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        run(&parsed(matches), formats, ui)
    }
}

/// Find the smallest command log that still diverges
///
/// Commands are taken away as long as the fault shows (delta debugging). The result is a
/// recording that verify finds diverging in the same way.
#[derive(Parser, Debug)]
#[command(name = "minimise")]
struct Args {
    /// A recording that diverges, or -
    #[arg(value_name = "IN")]
    input: OsString,
    /// Where to write the smallest one, or -. A file that is there already is replaced
    #[arg(value_name = "OUT")]
    output: OsString,
    /// The world it was made in, if it carries none
    #[arg(long, value_name = "TOML")]
    world: Option<PathBuf>,
    /// The fault is that this world has another state than the recording's
    ///
    /// Without it the fault is where the recording and its replay part, which has to be in one
    /// value.
    #[arg(long, value_name = "TOML")]
    against: Option<PathBuf>,
    /// How many logs to try at most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_trials: u64,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    // Before the search, which may take its time.
    if let Err(error) = Format::Murk.check_name(Path::new(&args.output)) {
        return Ok(ui.fail(&error));
    }
    let found = check_with(args.world.as_deref()).and_then(|check| {
        let options = Options {
            check,
            against: args.against.as_deref().map(read_world).transpose()?,
            max_trials: args.max_trials,
        };
        murk::minimise(&open(&args.input)?, &options)
    });
    let found = match found {
        Ok(found) => found,
        Err(error) => return Ok(ui.fail(&error)),
    };
    // The smaller log is another recording: it never stands in the place of the first.
    if let Err(exit) = deliver(
        &args.input,
        &args.output,
        found.bytes.as_slice().into(),
        true,
        ui,
    )? {
        return Ok(exit);
    }
    if ui.json && args.output != "-" {
        ui.object(&json!({
            "path": args.input.display().to_string(),
            "out": args.output.display().to_string(),
            "ticks": found.ticks,
            "commands": found.commands,
            "trials": found.trials,
            "minimal": found.minimal,
            "tick": found.tick,
            "fault": found.fault,
        }))?;
    } else {
        let [ticks_before, ticks] = found.ticks;
        let [commands_before, commands] = found.commands;
        ui.remark(&format!(
            "{} became {commands}, {} {ticks}, after {}",
            counted(commands_before, "command"),
            counted(ticks_before, "tick"),
            counted(found.trials, "trial")
        ));
        ui.remark(&format!("tick {}: {}", found.tick, found.fault));
        if !found.minimal {
            ui.remark("stopped before it was minimal: see --max-trials");
        }
    }
    Ok(Exit::Fine)
}
