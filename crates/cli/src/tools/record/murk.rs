//! `gametape record murk`.

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
use gametape::murk::tools::{self, Branch, LineAgent, RecordOptions, Recorded, Watch};
use gametape::{Error, Formats};

use super::serving::{Serve, Watched};
use crate::Exit;
use crate::tools::inputs::{commands, open, simulation, world};
use crate::ui::Ui;

tool!(
    /// `gametape record murk`.
    Murk, under: "record"
);

/// Run a Murk world and record it
///
/// The commands come from a list, or from an agent that sees their effects. The recording may begin as a
/// copy of another one.
#[derive(Parser, Debug)]
#[command(name = "murk")]
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
    /// The commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    commands: Option<OsString>,
    /// Ask an agent for the commands of each tick: a line with the state goes to standard output, and the
    /// commands come from standard input, up to a line with "commands", which may be an empty list
    #[arg(long, conflicts_with_all = ["commands", "resume", "serve"])]
    agent: bool,
    /// With --agent, a cell to show in the line, such as heat@3,4, or all cells of a field: heat; may be
    /// given several times
    #[arg(long, value_name = "FIELD[@CELL]", requires = "agent")]
    watch: Vec<String>,
    /// The number of ticks in the recording; with --agent it may be left out, and the agent's commands
    /// decide
    #[arg(long, value_name = "N", required_unless_present = "agent")]
    ticks: Option<u64>,
    /// Continue an existing recording after its last whole frame
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    serve: Serve,
    /// The recording. Every frame is written at once; an existing file is not replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// `PARAM=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (parameter, value) = text
        .split_once('=')
        .ok_or("a parameter and its value are needed, with = between")?;
    Ok((parameter.trim().to_owned(), value.trim().to_owned()))
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match record(args, formats, &mut watched) {
        Err(error) => ui.fail(&error),
        Ok(done) => {
            report(args, &done.recorded, ui)?;
            if done.unfinished > 0 {
                ui.complain(&format!(
                    "the input ended within a tick: {} not recorded",
                    if done.unfinished == 1 {
                        "1 command of it is".to_owned()
                    } else {
                        format!("{} of it are", Counted(done.unfinished, "command"))
                    }
                ));
            }
            if done.recorded.failed_ticks > 0 || done.recorded.rejected > 0 {
                Exit::Problems
            } else if done.unfinished > 0 {
                Exit::Loss
            } else {
                Exit::Fine
            }
        }
    };
    watched.stay(exit, ui)
}

fn record(args: &Args, formats: &Formats, watched: &mut Watched) -> Result<Done, Error> {
    if args.output == Path::new("-") {
        return Err(Error::Unwritable {
            path: args.output.clone(),
            message: "a recording goes into a file, from which it can be resumed".into(),
        });
    }
    formats.check_name(&Format::new(), &args.output)?;
    let options = options(args, formats)?;
    let path = args.from.as_deref().map(Path::new);
    let path = path.or(args.world.as_deref()).unwrap_or(&args.output);
    let world = options.chosen_world().map_err(Error::tape(path))?;
    // Wrong watches are refused before anything is recorded.
    let watches = watches(args, &world).map_err(Error::tape(path))?;
    let commands = commands(args.commands.as_deref(), &world)?;
    let ending = watched.ending();
    if args.serve.is_asked() {
        ending.listen(&args.output)?;
    }
    let mut begun = false;
    let each = |_: &Recorded| {
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
    };
    let mut unfinished = 0;
    let recorded = if args.agent {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        let mut agent = LineAgent::new(input, output, "-".into(), &world, watches);
        let recorded = tools::record_asking(&options, &mut agent, each);
        unfinished = agent.unfinished();
        recorded
    } else {
        tools::record_each(&options, &commands, each)
    };
    Ok(Done {
        recorded: recorded.map_err(Error::tape(&args.output))?,
        unfinished,
    })
}

/// The recording, and the number of commands without a tick.
struct Done {
    recorded: Recorded,
    unfinished: u64,
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
        ticks: args.ticks.unwrap_or(u64::MAX),
        output: args.output.clone(),
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

fn report(args: &Args, recorded: &Recorded, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        return ui.object(recorded);
    }
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
    let said = format!(
        "{}: recorded {}, {}{more}",
        printable(&args.output.display().to_string()),
        Counted(recorded.ticks, "tick"),
        Counted(recorded.commands, "command"),
    );
    if args.agent {
        // Standard output belongs to the agent.
        ui.remark(&said);
    } else {
        ui.line(said)?;
    }
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
    Ok(())
}
