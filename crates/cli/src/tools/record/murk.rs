//! `gametape record murk`.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::core::text::printable;
use gametape::murk::tape::Murk as Format;
use gametape::murk::tools::{self, RecordOptions, Recorded};
use gametape::{Error, Formats};

use super::serving::{Serve, Watched};
use crate::tools::{commands, parsed, world};
use crate::ui::{Ui, counted};
use crate::{Exit, Tool};

/// `gametape record murk`.
#[derive(Clone, Copy, Debug)]
pub struct Murk;

impl Tool for Murk {
    fn under(&self) -> Option<&'static str> {
        Some("record")
    }

    fn command(&self) -> Command {
        Args::command()
    }

    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        run(&parsed(matches), formats, ui)
    }
}

/// Run a Murk world and record it
#[derive(Parser, Debug)]
#[command(name = "murk")]
struct Args {
    /// The world
    #[arg(long, value_name = "TOML")]
    world: PathBuf,
    /// Commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    commands: Option<OsString>,
    /// Ticks that the recording is to have
    #[arg(long, value_name = "N")]
    ticks: u64,
    /// Go on behind the last whole frame of a recording that is there already
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    serve: Serve,
    /// The recording. Every frame is written as it is made; a file that is there is not replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match record(args, formats, &mut watched) {
        Err(error) => ui.fail(&error),
        Ok(recorded) => {
            report(args, &recorded, ui)?;
            if recorded.failed_ticks > 0 {
                Exit::Problems
            } else {
                Exit::Fine
            }
        }
    };
    watched.stay(exit, ui)
}

fn record(args: &Args, formats: &Formats, watched: &mut Watched) -> Result<Recorded, Error> {
    if args.output == Path::new("-") {
        return Err(Error::Unwritable {
            path: args.output.clone(),
            message: "a recording goes into a file, from which it can be resumed".into(),
        });
    }
    formats.check_name(&Format, &args.output)?;
    let world = world(&args.world)?;
    let commands = commands(args.commands.as_deref(), &world)?;
    let options = RecordOptions {
        world,
        ticks: args.ticks,
        output: args.output.clone(),
        resume: args.resume,
    };
    let ending = watched.ending();
    if args.serve.is_asked() {
        ending.listen(&args.output)?;
    }
    let mut begun = false;
    let recorded = tools::record_each(&options, &commands, |_| {
        if !begun {
            begun = true;
            watched.goes_into(&args.output);
        }
        watched.grew();
        if ending.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    recorded.map_err(Error::tape(&args.output))
}

fn report(args: &Args, recorded: &Recorded, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        return ui.object(recorded);
    }
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} behind the last whole frame",
            counted(recorded.dropped, "byte")
        ));
    }
    if recorded.resumed_after > 0 {
        let last = recorded.resumed_after;
        ui.remark(&if recorded.ticks > 0 {
            format!("went on behind tick {last}")
        } else {
            format!("nothing to make: tick {last} is there already")
        });
    }
    let more: String = [
        (recorded.expired, "command", "had expired"),
        (recorded.rejected, "command", "could not be applied"),
        (recorded.failed_ticks, "tick", "failed"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .fold(String::new(), |text, (count, what, became)| {
        format!("{text}; {} {became}", counted(count, what))
    });
    ui.line(format_args!(
        "{}: recorded {}, {}{more}",
        printable(&args.output.display().to_string()),
        counted(recorded.ticks, "tick"),
        counted(recorded.commands, "command"),
    ))?;
    if let Some(failure) = &recorded.failure {
        ui.complain(&format!("a tick that failed changed nothing: {failure}"));
    }
    Ok(())
}
