//! `gametape minimise`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Parser;
use gametape::core::text::{Counted, Grouped};
use gametape::murk::tools::{Minimise as Search, MinimisedRecording, minimise};
use gametape::{Content, Draft, Error, Formats, Recording, Work};

use super::inputs::{open, simulation, world};
use crate::Exit;
use crate::args::Replace;
use crate::commands::convert::{Delivery, LESS, target_folder};
use crate::located::from_to;
use crate::ui::Ui;

tool!(
    /// `gametape minimise`.
    Minimise, writes: true
);

/// Find the smallest command log that still diverges
///
/// Commands are removed as long as the fault persists (delta debugging). The result is a recording
/// that diverges in the same way.
#[derive(Parser, Debug)]
#[command(name = "minimise")]
struct Args {
    /// A recording that diverges, or -
    #[arg(value_name = "IN")]
    input: OsString,
    /// The smallest recording, or -
    #[arg(value_name = "OUT")]
    output: OsString,
    #[command(flatten)]
    replace: Replace,
    /// The world of the recording, if it carries none
    #[arg(long, value_name = "TOML")]
    world: Option<PathBuf>,
    /// The fault is a difference between this world and the recording's
    ///
    /// Without it, the fault is the tick at which the recording and its replay diverge; one value or one
    /// slip has to explain it.
    #[arg(long, value_name = "TOML")]
    against: Option<PathBuf>,
    /// The largest number of logs to try
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_trials: u64,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let (recording, found, content) = match search(args, formats) {
        Ok(found) => found,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let delivery = Delivery {
        input: &args.input,
        output: &args.output,
        format: recording.format(),
        beside: &[],
        // The smaller log is another recording; it never replaces the first.
        less: Some(LESS),
        existing: args.replace.existing(),
    };
    if let Err(exit) = delivery.deliver(content, ui)? {
        return Ok(exit);
    }
    if ui.json && args.output != "-" {
        ui.object(&from_to(&args.input, &args.output, found.data()))?;
    } else {
        let [ticks_before, ticks] = found.ticks;
        let [commands_before, commands] = found.commands;
        ui.remark(&format!(
            "{} of {}, {} of {} are left, after {}",
            Grouped(commands),
            Counted(commands_before, "command"),
            Grouped(ticks),
            Counted(ticks_before, "tick"),
            Counted(found.trials, "trial")
        ));
        ui.remark(&format!("tick {}: {}", Grouped(found.tick), found.fault()));
        if !found.minimal {
            ui.remark("stopped before it was minimal: see --max-trials");
        }
    }
    Ok(Exit::Fine)
}

fn search(
    args: &Args,
    formats: &Formats,
) -> Result<(Recording, MinimisedRecording, Content), Error> {
    let file = |path: &Option<PathBuf>| {
        let path = path.as_deref();
        path.map(|path| world(formats, path)).transpose()
    };
    let options = Search {
        world: file(&args.world)?,
        against: file(&args.against)?,
        max_trials: args.max_trials,
    };
    let recording = open(formats, &args.input)?;
    let tape = simulation(&recording, "commands to run")?;
    // The output is checked before the search, which may take long.
    let output = Path::new(&args.output);
    if args.output != "-" {
        formats.check_name(recording.format(), output)?;
    }
    let mut draft = Draft::in_folder(target_folder(&args.output)?.as_deref(), output)?;
    let found =
        minimise(tape, &options, &Work::default()).map_err(Error::tape(recording.path()))?;
    draft.write_all(&found.bytes).map_err(Error::io(output))?;
    let content = draft.finish()?;
    Ok((recording, found, content))
}
