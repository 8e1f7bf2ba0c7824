//! The options of `gametape record murk`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use gametape::core::tape;
use gametape::murk::engine::World;
use gametape::murk::tape::{Murk as Format, MurkError};
use gametape::murk::tools::{Branch, RecordOptions, Watch};
use gametape::{CsvStyle, Error, Formats};

use super::super::serving::Serve;
use super::values::{Seeds, seeds};
use crate::args::csv_style;
use crate::tools::inputs::{open, simulation, world};

/// Run a Murk world and record it, or run it many times and make a table
///
/// The commands come from a list, or from an agent that sees their effects. The recording may begin as a
/// copy of another one. With --sweep or --seeds, there is a run for each combination of values, and one table
/// of all runs in place of a recording.
#[derive(Parser, Debug)]
#[command(name = "murk", group = clap::ArgGroup::new("runs").multiple(true))]
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
    /// The seed of the world's noise, in place of its own: the run that --seeds makes with this seed
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub sweeping: Sweeping,
    /// The commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    pub commands: Option<OsString>,
    /// Ask an agent for the commands of each tick: a line with the state goes to standard output, and the
    /// commands come from standard input, up to a line with "commands", which may be an empty list
    ///
    /// A line {"reset":{}} or {"reset":{"seed":7}} begins again, and the next recording is OUT with a number.
    /// Without OUT, nothing is written.
    #[arg(long, conflicts_with_all = ["commands", "resume", "serve"])]
    pub agent: bool,
    /// With --agent, a cell to show in the line, such as heat@3,4, or all cells of a field: heat; may be
    /// given several times
    #[arg(long, value_name = "FIELD[@CELL]", requires = "agent")]
    pub watch: Vec<String>,
    /// The number of ticks in the recording, or in each run; with --agent it may be left out, and the agent's commands
    /// decide
    #[arg(long, value_name = "N", required_unless_present = "agent")]
    pub ticks: Option<u64>,
    /// Continue an existing recording after its last whole frame
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub serve: Serve,
    /// The recording. Every frame is written at once; an existing file is not replaced. With --sweep or
    /// --seeds, the table: a .csv or .jsonl file [default: standard output]
    #[arg(value_name = "OUT", required_unless_present_any = ["agent", "sweep", "seeds"])]
    pub output: Option<PathBuf>,
}

/// The options of a sweep.
#[derive(clap::Args, Debug)]
pub struct Sweeping {
    /// Make a run with each value of a parameter, and one table of all runs in place of a recording; may
    /// be given several times
    ///
    /// The values are a list, dt=0.05,0.1,0.2, or a range with both ends: dt=0.1..0.3/5 has 5 values.
    /// dt=0..1 has 11, and a parameter that is a whole number takes each number of a range. Runs are made
    /// with all combinations, on all cores.
    #[arg(long, value_name = "PARAM=VALUES", value_parser = setting, group = "runs",
        conflicts_with_all = ["agent", "from", "resume", "serve"])]
    pub sweep: Vec<(String, String)>,
    /// Make each run with several seeds, which give the world other noise: 20 are the seeds 0 to 19; also
    /// 20..39, or 3,5,7
    #[arg(long, value_name = "N", value_parser = seeds, group = "runs",
        conflicts_with_all = ["agent", "from", "resume", "serve", "seed"])]
    pub seeds: Option<Seeds>,
    /// With --sweep or --seeds, a number to measure at the end of each run: heat.mean, also min, max, sum
    /// and std, or a cell: heat@3,4; may be given several times [default: mean, min and max of each field]
    #[arg(long, value_name = "FIELD.MEAN", requires = "runs")]
    pub measure: Vec<String>,
    /// With --sweep or --seeds, print comma-separated values in place of text; =excel for spreadsheets
    #[arg(long, value_name = "excel", num_args = 0..=1, require_equals = true, default_missing_value = "plain",
        value_parser = csv_style(), requires = "runs", conflicts_with = "output")]
    pub csv: Option<CsvStyle>,
}

impl Sweeping {
    /// Whether a sweep is asked for.
    pub const fn is_asked(&self) -> bool {
        !self.sweep.is_empty() || self.seeds.is_some()
    }
}

/// `PARAM=VALUE`.
pub fn setting(text: &str) -> Result<(String, String), String> {
    let (parameter, value) = text
        .split_once('=')
        .ok_or("a parameter and its value are needed, with = between")?;
    Ok((parameter.trim().to_owned(), value.trim().to_owned()))
}

pub fn unwritable(path: &Path, message: &str) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}

/// Returns what is to be recorded, and the world. The name of the recording is checked.
pub fn begin(args: &Args, formats: &Formats) -> Result<(RecordOptions, World), Error> {
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
pub fn given(args: &Args) -> &Path {
    let path = args.from.as_deref().map(Path::new);
    path.or(args.world.as_deref()).unwrap_or(Path::new(""))
}

pub fn options(args: &Args, formats: &Formats) -> Result<RecordOptions, Error> {
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
pub fn watches(args: &Args, world: &World) -> Result<Vec<Watch>, tape::Error> {
    let wrong = |message: String| tape::Error::from(MurkError::Unwritable { message });
    let checker = world.checker();
    let checker = checker.map_err(|error| wrong(error.to_string()))?;
    let watches = args.watch.iter().map(|text| {
        let watch = Watch::parse(text, world, &checker);
        watch.map_err(|message| wrong(format!("--watch {text}: {message}")))
    });
    watches.collect()
}
