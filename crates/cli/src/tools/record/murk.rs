//! `gametape record murk`.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Parser;
use gametape::core::Spell as _;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::murk::tape::Murk as Format;
use gametape::murk::tools::{self, Branch, RecordOptions, Recorded};
use gametape::{Error, Formats};

use super::serving::{ForBrowsers, Watched};
use crate::Exit;
use crate::tools::inputs::{commands, open, simulation, world};
use crate::ui::Ui;

tool!(
    /// `gametape record murk`.
    Murk, under: "record", examples: EXAMPLES
);

const EXAMPLES: &[&str] = &[
    "record murk --world WORLD.toml --commands COMMANDS.jsonl --ticks 200 OUT.murk",
    "record murk --from OTHER.murk --tick 100 --set dt=0.05 --ticks 200 OUT.murk",
];

/// Run a Murk world and record it
///
/// The recording may begin as a copy of another one.
#[derive(Parser, Debug)]
#[command(name = "murk")]
pub struct Args {
    /// The world
    #[arg(long, value_name = "TOML", required_unless_present = "from")]
    pub world: Option<PathBuf>,
    /// Begin with the world and the frames of this recording, which have to replay
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub from: Option<OsString>,
    /// With --from, the last tick to copy [default: the last of the recording]
    #[arg(long, value_name = "N", requires = "from")]
    pub tick: Option<u64>,
    /// Set a parameter of the world, such as propagator.0.coefficient=0.2; may be given several times
    ///
    /// With --from, only the commands are copied; the world computes its own states from the first tick
    /// on.
    #[arg(long, value_name = "PARAM=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// The seed of the world's noise, in place of its own
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub seed: Option<u64>,
    /// The commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    pub commands: Option<OsString>,
    /// The number of ticks in the recording
    #[arg(long, value_name = "N")]
    pub ticks: u64,
    /// Continue an existing recording after its last whole frame
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub serve: ForBrowsers,
    /// The recording. Every frame is written at once; an existing file is not replaced
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
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
        Ok(recorded) => {
            if ui.json {
                ui.object(&recorded)?;
            } else {
                let said = report(&recorded, &args.output, ui);
                ui.line(said)?;
                complain(&recorded, ui);
            }
            if recorded.failed_ticks > 0 || recorded.rejected > 0 {
                Exit::Problems
            } else {
                Exit::Fine
            }
        }
    };
    watched.stay(exit, ui)
}

/// Returns what is to be recorded. The name of the recording is checked.
fn options(args: &Args, formats: &Formats) -> Result<RecordOptions, Error> {
    if args.output == Path::new("-") {
        return Err(Error::Unwritable {
            path: args.output.clone(),
            message: "a recording goes into a file, from which it can be resumed".to_owned(),
        });
    }
    formats.check_name(&Format::new(), &args.output)?;
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
        ticks: args.ticks,
        output: args.output.clone(),
        resume: args.resume,
    })
}

fn record(args: &Args, formats: &Formats, watched: &mut Watched) -> Result<Recorded, Error> {
    let options = options(args, formats)?;
    let given = args.from.as_deref().map(Path::new);
    let given = given.or(args.world.as_deref()).unwrap_or(Path::new(""));
    let world = options.chosen_world().map_err(Error::tape(given))?;
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
        printable(&output.spelled()),
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
