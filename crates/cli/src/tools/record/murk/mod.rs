//! `gametape record murk`.

mod agent;
mod sweep;
mod values;

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Parser;
use gametape::core::tape;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::murk::engine::World;
use gametape::murk::tape::{Murk as Format, MurkError};
use gametape::murk::tools::{self, Branch, RecordOptions, Recorded, Watch};
use gametape::{Error, Formats};
use sweep::Sweeping;

use super::serving::{Serve, Watched};
use crate::Exit;
use crate::tools::inputs::{commands, open, simulation, world};
use crate::ui::Ui;

tool!(
    /// `gametape record murk`.
    Murk, under: "record", examples: EXAMPLES
);

const EXAMPLES: &[&str] = &[
    "record murk --world WORLD.toml --commands COMMANDS.jsonl --ticks 200 OUT.murk",
    "record murk --world WORLD.toml --sweep dt=0.05..0.1/6 --seeds 20 --ticks 200 OUT.csv",
    "record murk --world WORLD.toml --agent --watch FIELD",
];

/// Run a Murk world and record it, or run it many times and make a table
///
/// The commands come from a list, or from an agent that sees their effects. The recording may begin as a
/// copy of another one. With --sweep or --seeds, there is a run for each combination of values, and one table
/// of all runs in place of a recording.
#[derive(Parser, Debug)]
#[command(name = "murk", group = clap::ArgGroup::new("runs").multiple(true))]
struct Args {
    /// The world
    #[arg(long, value_name = "TOML", required_unless_present = "from")]
    world: Option<PathBuf>,
    /// Begin with the world and the frames of this recording, which have to replay
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    from: Option<OsString>,
    /// With --from, the last tick to copy [default: the last of the recording]
    #[arg(long, value_name = "N", requires = "from")]
    tick: Option<u64>,
    /// Set a parameter of the world, such as propagator.0.coefficient=0.2; may be given several times
    ///
    /// With --from, only the commands are copied; the world computes its own states from the first tick
    /// on.
    #[arg(long, value_name = "PARAM=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// The seed of the world's noise, in place of its own: the run that --seeds makes with this seed
    #[arg(long, value_name = "N", conflicts_with = "from")]
    seed: Option<u64>,
    #[command(flatten)]
    sweeping: Sweeping,
    /// The commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    commands: Option<OsString>,
    /// Ask an agent for the commands of each tick: a line with the state goes to standard output, and the
    /// commands come from standard input, up to a line with "commands", which may be an empty list
    ///
    /// A line {"reset":{}} or {"reset":{"seed":7}} begins again, and the next recording is OUT with a number.
    /// Without OUT, nothing is written.
    #[arg(long, conflicts_with_all = ["commands", "resume", "serve"])]
    agent: bool,
    /// With --agent, a cell to show in the line, such as heat@3,4, or all cells of a field: heat; may be
    /// given several times
    #[arg(long, value_name = "FIELD[@CELL]", requires = "agent")]
    watch: Vec<String>,
    /// The number of ticks in the recording, or in each run; with --agent it may be left out, and the agent's commands
    /// decide
    #[arg(long, value_name = "N", required_unless_present = "agent")]
    ticks: Option<u64>,
    /// Continue an existing recording after its last whole frame
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    serve: Serve,
    /// The recording. Every frame is written at once; an existing file is not replaced. With --sweep or
    /// --seeds, the table: a .csv or .jsonl file [default: standard output]
    #[arg(value_name = "OUT", required_unless_present_any = ["agent", "sweep", "seeds"])]
    output: Option<PathBuf>,
}

/// `PARAM=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (parameter, value) = text
        .split_once('=')
        .ok_or("a parameter and its value are needed, with = between")?;
    Ok((parameter.trim().to_owned(), value.trim().to_owned()))
}

fn unwritable(path: &Path, message: &str) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    if args.sweeping.is_asked() {
        return sweep::run(args, formats, ui);
    }
    if args.agent {
        return agent::run(args, formats, ui);
    }
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match record(args, formats, &mut watched) {
        Err(error) => ui.fail(&error),
        Ok(recorded) => {
            if ui.json {
                ui.object(&recorded)?;
            } else {
                let output = args.output.as_deref().unwrap_or(Path::new(""));
                let said = report(&recorded, output, ui);
                ui.line(said)?;
                complain(&recorded, ui);
            }
            verdict(&recorded)
        }
    };
    watched.stay(exit, ui)
}

const fn verdict(recorded: &Recorded) -> Exit {
    if recorded.failed_ticks > 0 || recorded.rejected > 0 {
        Exit::Problems
    } else {
        Exit::Fine
    }
}

fn record(args: &Args, formats: &Formats, watched: &mut Watched) -> Result<Recorded, Error> {
    let (options, world) = begin(args, formats)?;
    let output = &options.output;
    let commands = commands(args.commands.as_deref(), &world)?;
    let ending = watched.ending();
    if args.serve.is_asked() {
        ending.listen(output)?;
    }
    let mut begun = false;
    let each = |_: &Recorded| {
        if !begun {
            begun = true;
            watched.goes_into(output);
        }
        watched.grew();
        if ending.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    tools::record_each(&options, &commands, each).map_err(Error::tape(output))
}

/// Returns what is to be recorded, and the world. The name of the recording is checked.
fn begin(args: &Args, formats: &Formats) -> Result<(RecordOptions, World), Error> {
    if let Some(output) = &args.output {
        if output == Path::new("-") {
            let what = "a recording goes into a file, from which it can be resumed";
            return Err(unwritable(output, what));
        }
        formats.check_name(&Format::new(), output)?;
    }
    let options = options(args, formats)?;
    let world = options.chosen_world().map_err(Error::tape(given(args)))?;
    Ok((options, world))
}

/// The path that says which world it is.
fn given(args: &Args) -> &Path {
    let path = args.from.as_deref().map(Path::new);
    path.or(args.world.as_deref()).unwrap_or(Path::new(""))
}

fn options(args: &Args, formats: &Formats) -> Result<RecordOptions, Error> {
    let given = args.world.as_deref();
    let given = given.map(|path| world(formats, path)).transpose()?;
    let from = args.from.as_deref().map(|path| -> Result<Branch, Error> {
        let recording = open(formats, path)?;
        Ok(Branch {
            tape: simulation(&recording, "ticks to take over")?.clone(),
            tick: args.tick,
        })
    });
    Ok(RecordOptions {
        world: given,
        from: from.transpose()?,
        set: args.set.clone(),
        seed: args.seed,
        ticks: args.ticks.unwrap_or(u64::MAX),
        output: args.output.clone().unwrap_or_default(),
        resume: args.resume,
    })
}

/// The cells that the agent sees.
fn watches(args: &Args, world: &World) -> Result<Vec<Watch>, tape::Error> {
    let wrong = |message: String| tape::Error::from(MurkError::Unwritable { message });
    let checker = world.checker();
    let checker = checker.map_err(|error| wrong(error.to_string()))?;
    let watches = args.watch.iter().map(|text| {
        let watch = Watch::parse(text, world, &checker);
        watch.map_err(|message| wrong(format!("--watch {text}: {message}")))
    });
    watches.collect()
}

/// Remarks on how the recording began, and returns what was recorded.
fn report(recorded: &Recorded, output: &Path, ui: &mut Ui) -> String {
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} after the last whole frame",
            Counted(recorded.dropped, "byte")
        ));
    }
    if recorded.branched_after > 0 {
        ui.remark(&format!(
            "continued after tick {} of the other recording",
            Grouped(recorded.branched_after)
        ));
    }
    if recorded.resumed_after > 0 {
        let last = Grouped(recorded.resumed_after);
        ui.remark(&if recorded.ticks > 0 {
            format!("continued after tick {last}")
        } else {
            format!("nothing to make: tick {last} is there already")
        });
    }
    format!(
        "{}: recorded {}",
        printable(&output.display().to_string()),
        made(recorded)
    )
}

/// What was made.
fn made(recorded: &Recorded) -> String {
    let more: String = [
        (recorded.expired, "command", "had expired"),
        (recorded.rejected, "command", "could not be applied"),
        (recorded.failed_ticks, "tick", "failed"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .fold(String::new(), |text, (count, what, became)| {
        format!("{text}; {} {became}", Counted(count, what))
    });
    format!(
        "{}, {}{more}",
        Counted(recorded.ticks, "tick"),
        Counted(recorded.commands, "command"),
    )
}

/// Says what could not be applied, and what failed.
fn complain(recorded: &Recorded, ui: &mut Ui) {
    if let Some(first) = &recorded.first_rejected {
        let which = match recorded.rejected {
            1 => "not applied",
            _ => "the first that was not applied",
        };
        ui.complain(&format!("{which}: {first}"));
    }
    if let Some(failure) = &recorded.failure {
        ui.complain(&format!("a tick that failed changed nothing: {failure}"));
    }
}
